import { describe, expect, test } from "bun:test";
import { checkRequest, DEFAULT_SETTINGS, MAX_TEXT } from "../../lib/playground/protocol.ts";

const GOOD = { manifest: "a", config: "b", values: "c", mesh: "d", settings: DEFAULT_SETTINGS };

describe("checkRequest()", () => {
  test("accepts complete requests, and drops unknown members", () => {
    expect(checkRequest({ ...GOOD, extra: 1 })).toEqual(GOOD);
  });

  const wrong: [name: string, value: unknown, message: string][] = [
    ["nothing", null, "it is not an object"],
    ["a text", "x", "it is not an object"],
    ["a text that is missing", { ...GOOD, mesh: undefined }, '"mesh" must be a string'],
    ["a text that is a number", { ...GOOD, values: 1 }, '"values" must be a string'],
    ["inherited texts", Object.create(GOOD), '"settings" must be an object'],
    ["settings that are missing", { ...GOOD, settings: undefined }, '"settings" must be an object'],
    ["a setting of the wrong type", with_({ nativeSidecars: "yes" }), "must be true or false"],
    ["a setting that is endless", with_({ revision: "x".repeat(1001) }), '"revision" exceeds'],
    [
      "a text that is too long",
      { ...GOOD, config: "x".repeat(MAX_TEXT + 1) },
      '"config" exceeds',
    ],
    ["texts too long together", { ...GOOD, config: "x".repeat(MAX_TEXT) }, "the limit is"],
  ];
  test.each(wrong)("refuses %s", (_name, value, message) => {
    expect(() => checkRequest(value)).toThrow(message);
  });
});

function with_(settings: Record<string, unknown>): unknown {
  return { ...GOOD, settings: { ...DEFAULT_SETTINGS, ...settings } };
}
