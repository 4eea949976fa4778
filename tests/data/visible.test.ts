import { describe, expect, test } from "bun:test";
import { cutMiddle, visible, visibleLine } from "../../lib/data/visible.ts";

/** Every character that must not reach a terminal or a log. */
const UNSAFE = [
  ...Array.from({ length: 0x20 }, (_, code) => code),
  ...Array.from({ length: 0x21 }, (_, i) => 0x7f + i),
  ...[0x61c, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e],
  ...[0x2066, 0x2067, 0x2068, 0x2069, 0xfeff, 0xd800, 0xdbff, 0xdc00, 0xdfff],
].map((code) => String.fromCharCode(code));

describe("visible()", () => {
  test("escapes all that steers a terminal, breaks a line or turns the direction of writing", () => {
    for (const char of UNSAFE) {
      expect(visible(`a${char}b`, { kept: "" })).toMatch(/^a\\(?:[trn]|u[0-9a-f]{4})b$/);
    }
  });

  test("leaves other text alone, an emoji of several characters too", () => {
    const text = "plain ü 漢 😀 👩‍👩‍👧 Übergröße \u00a0 \\u001b";
    expect(visible(text)).toBe(text);
  });

  const rows: [what: string, shown: string, expected: string][] = [
    ["line breaks", visible("a\nb\tc\r"), "a\nb\\tc\\r"],
    ["what is kept", visible("a\nb\tc", { kept: "\n\t" }), "a\nb\tc"],
    ["nothing that is kept", visible("a\nb", { kept: "" }), "a\\nb"],
    ["commands of one character", visible("\x9b2J"), "\\u009b2J"],
    ["text of JSON, which means the same", JSON.parse(visible('["\x7f\u202e"]'))[0], "\x7f\u202e"],
  ];
  test.each(rows)("shows %s", (_, shown, expected) => expect(shown).toBe(expected));

  test("keeps to a limit, however much the text grows", () => {
    for (const char of ["a", "\x1b", "😀", "\ud800"]) {
      for (const limit of [50, 51, 52, 53, 1000]) {
        const shown = visible(char.repeat(100_000), { limit });
        expect(shown.length).toBeLessThanOrEqual(limit);
        expect(shown.isWellFormed()).toBe(true);
      }
    }
  });
});

test("cutMiddle() keeps both ends, and says how long it was", () => {
  expect(cutMiddle("x".repeat(10), 10)).toBe("x".repeat(10));
  expect(cutMiddle(`begin${"x".repeat(1000)}end`, 60)).toBe(
    `begin${"x".repeat(18)} … (1008 characters in all) … ${"x".repeat(4)}end`,
  );
});

describe("visibleLine()", () => {
  const rows: [text: string, limit: number, expected: string][] = [
    ["  a \n\t b  ", 10, "a b"],
    ["abcdef", 6, "abcdef"],
    ["abcdefg", 6, "abcde…"],
    ["abcd😀fg", 6, "abcd…"],
    ["a\x1b[1m", 20, "a\\u001b[1m"],
    ["\u202e".repeat(1_000_000), 8, "\\u202e\\…"],
  ];
  test.each(rows)("of %j up to %d", (text, limit, expected) => {
    expect(visibleLine(text, limit)).toBe(expected);
  });
});
