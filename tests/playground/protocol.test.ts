import { describe, expect, test } from "bun:test";
import { checkRequest, DEFAULT_SETTINGS, MAX_TEXT } from "../../lib/playground/protocol.ts";

const GOOD = { manifest: "a", config: "b", values: "c", mesh: "d", settings: DEFAULT_SETTINGS };

describe("checkRequest()", () => {
  test("takes what is whole, and only what it knows", () => {
    expect(checkRequest({ ...GOOD, extra: 1 })).toEqual(GOOD);
  });

  const wrong: [name: string, value: unknown, message: string][] = [
    ["nothing", null, "it is no object"],
    ["a text", "x", "it is no object"],
    ["a text that is missing", { ...GOOD, mesh: undefined }, '"mesh" is no text'],
    ["a text that is a number", { ...GOOD, values: 1 }, '"values" is no text'],
    ["inherited texts", Object.create(GOOD), '"settings" is no object'],
    ["settings that are missing", { ...GOOD, settings: undefined }, '"settings" is no object'],
    ["a setting of the wrong type", with_({ nativeSidecars: "yes" }), "neither true nor false"],
    ["a setting that is endless", with_({ revision: "x".repeat(1001) }), '"revision" is longer'],
    [
      "a text that is too long",
      { ...GOOD, config: "x".repeat(MAX_TEXT + 1) },
      '"config" is longer',
    ],
    ["texts too long together", { ...GOOD, config: "x".repeat(MAX_TEXT) }, "the most is"],
  ];
  test.each(wrong)("refuses %s", (_name, value, message) => {
    expect(() => checkRequest(value)).toThrow(message);
  });
});

function with_(settings: Record<string, unknown>): unknown {
  return { ...GOOD, settings: { ...DEFAULT_SETTINGS, ...settings } };
}
