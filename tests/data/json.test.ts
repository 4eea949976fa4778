import { describe, expect, test } from "bun:test";
import { equalJson } from "../../lib/data/json.ts";

describe("equalJson()", () => {
  const rows: [a: unknown, b: unknown, equal: boolean][] = [
    [1, 1, true],
    [0, -0, true],
    [1, "1", false],
    [null, null, true],
    [null, {}, false],
    [{}, [], false],
    [[], {}, false],
    [[1, [2]], [1, [2]], true],
    [[1, 2], [2, 1], false],
    [{ a: 1, b: { c: 2 } }, { b: { c: 2 }, a: 1 }, true],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [{ a: 1 }, { b: 1 }, false],
    [{ toString: 1 }, {}, false],
    [JSON.parse('{"__proto__":{"a":1}}'), {}, false],
    [JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"a":1}}'), true],
    [{ constructor: Object }, { a: 1 }, false],
  ];
  for (const [a, b, equal] of rows) {
    test(`${JSON.stringify(a)} and ${JSON.stringify(b)}`, () =>
      expect(equalJson(a, b)).toBe(equal));
  }

  test("refuses to go too deep", () => {
    const deep = () => JSON.parse("[".repeat(5000) + "]".repeat(5000));
    expect(() => equalJson(deep(), deep())).toThrow("nests deeper than 1000 levels");
  });
});
