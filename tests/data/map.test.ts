import { expect, test } from "bun:test";
import { compareStrings } from "../../lib/data/bytes.ts";
import { isMap, setKey } from "../../lib/data/map.ts";

test("isMap() is true of objects only", () => {
  for (const value of [{}, { a: 1 }, Object.create(null)]) expect(isMap(value)).toBe(true);
  for (const value of [null, undefined, [], "a", 1, true, 1n]) expect(isMap(value)).toBe(false);
});

test("setKey() sets __proto__ as an ordinary key", () => {
  const map: Record<string, unknown> = {};
  setKey(map, "a", 1);
  setKey(map, "__proto__", { b: 2 });
  expect(JSON.stringify(map)).toBe('{"a":1,"__proto__":{"b":2}}');
  expect(Object.getPrototypeOf(map)).toBe(Object.prototype);
});

test("compareStrings() orders by the bytes of UTF-8", () => {
  const sorted = ["", "10", "9", "B", "a", "aa", "é", "\ud7ff", "\ue000", "\uffee", "😀", "😁"];
  expect(sorted.toReversed().sort(compareStrings)).toEqual(sorted);
});
