import { describe, expect, test } from "bun:test";
import { equalJson, goJson } from "../../lib/data/json.ts";

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

describe("goJson() writes what Go does", () => {
  const rows: [json: string, go: string][] = [
    ['{"b":1,"a":[true,null,"x"]}', '{"a":[true,null,"x"],"b":1}'],
    ['"<a href=\\"x\\">&"', '"\\u003ca href=\\"x\\"\\u003e\\u0026"'],
    [
      '"\\u2028\\u2029\\u007f\\u0001\\b\\f\\n\\r\\t\\\\/é😀"',
      '"\\u2028\\u2029\u007f\\u0001\\b\\f\\n\\r\\t\\\\/é😀"',
    ],
    [
      "[1.5,1e21,1e-7,0.000001,1e20,-0.0,0,123456789012345678]",
      "[1.5,1e+21,1e-7,0.000001,100000000000000000000,-0,0,123456789012345680]",
    ],
    ['{"\\ue000":1,"😀":2,"Z":{},"a":[]}', '{"Z":{},"a":[],"\ue000":1,"😀":2}'],
    ['{"10":1,"9":1,"a":1,"B":1}', '{"10":1,"9":1,"B":1,"a":1}'],
    ['{"__proto__":{"a":1},"<":1}', '{"\\u003c":1,"__proto__":{"a":1}}'],
    ['"\\ud800x"', '"\ufffdx"'],
  ];
  for (const [json, go] of rows) test(json, () => expect(goJson(JSON.parse(json))).toBe(go));

  test("big integers keep their digits", () =>
    expect(goJson([2n ** 64n])).toBe("[18446744073709551616]"));
  test("undefined properties are left out", () =>
    expect(goJson({ a: undefined, b: 1 })).toBe('{"b":1}'));
  test("NaN is refused", () => expect(() => goJson([NaN])).toThrow("NaN is no JSON number"));
  test("depth is bounded", () => {
    const deep = JSON.parse("[".repeat(5000) + "]".repeat(5000));
    expect(() => goJson(deep)).toThrow("nests deeper than 1000 levels");
  });
});
