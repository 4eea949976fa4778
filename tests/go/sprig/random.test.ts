import { describe, expect, test } from "bun:test";
import { randomBelow } from "../../../lib/go/sprig/_random.ts";
import { countingBytes } from "../_sprig_host.ts";
import { render, table } from "./_host_table.ts";

describe("random values have the right format", () => {
  table([
    ["{{ randAlpha 50 | regexMatch `^[A-Za-z]{50}$` }}", "true"],
    ["{{ randAlphaNum 50 | regexMatch `^[A-Za-z0-9]{50}$` }}", "true"],
    ["{{ randNumeric 50 | regexMatch `^[0-9]{50}$` }}", "true"],
    ["{{ randAscii 50 | regexMatch `^[ -~]{50}$` }}", "true"],
    ["{{ randAlpha 0 }}{{ randAlpha -1 }}{{ randAscii -5 }}|", "|"],
    ["{{ randBytes 6 | len }} {{ randBytes 0 | len }}", "8 0"],
    [
      "{{ uuidv4 | regexMatch `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$` }}",
      "true",
    ],
    ["{{ randInt 5 6 }} {{ randInt -3 -2 }} {{ typeOf (randInt 0 9) }}", "5 -3 int"],
    ["{{ randInt 5 5 }}", "ERROR error calling randInt: invalid argument to Intn"],
    ["{{ randBytes -1 }}", "ERROR makeslice: len out of range"],
    ["{{ randAlpha 99999999999 }}", "ERROR is over the limit of 8388608"],
    ["{{ randBytes 99999999999 }}", "ERROR is over the limit of 8388608"],
  ]);
});

describe("randomness comes from the host", () => {
  const fixed = (template: string) => render(template, { host: { randomBytes: countingBytes() } });
  test("the same bytes give the same text", () => {
    expect(fixed("{{ randAlphaNum 5 }} {{ randNumeric 3 }}")).toBe("ABCDE 567");
    expect(fixed("{{ uuidv4 }}")).toBe("00010203-0405-4607-8809-0a0b0c0d0e0f");
    expect(fixed("{{ randBytes 3 }}")).toBe("AAEC");
  });
  test("bytes that would favour some characters are skipped", () => {
    const bytes = [255, 254, 253, 7];
    const randomBytes = () => Uint8Array.from(bytes.splice(0, 1));
    expect(render("{{ randNumeric 1 }}", { host: { randomBytes } })).toBe("7");
    expect(bytes).toEqual([]);
  });
  test("randomBelow() stays below the limit, even above 32 bits", () => {
    const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count));
    for (const limit of [1, 2, 3, 255, 256, 257, 65537, 2 ** 40]) {
      for (let i = 0; i < 50; i++) {
        const value = randomBelow({ randomBytes }, limit);
        expect(value >= 0 && value < limit && Number.isInteger(value)).toBe(true);
      }
    }
  });
});
