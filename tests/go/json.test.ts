import { describe, expect, test } from "bun:test";
import { decodeJson, decodeJsonLeniently, encodeJson } from "../../lib/go/json.ts";
import { TIME } from "../../lib/go/time.ts";
import {
  BYTES,
  COMPLEX128,
  FLOAT32,
  FunctionError,
  type GoType,
  int,
  int64,
  mapOf,
  pointerTo,
  sliceOf,
  STRING,
  stringMap,
  STRINGS,
  strings,
  Typed,
  UINT64,
} from "../../lib/go/value.ts";

const POINT: GoType = {
  name: "main.Point",
  kind: "struct",
  fields: new Map([
    ["Name", { name: "Name", json: "name", type: () => STRING }],
    ["Labels", { name: "Labels", json: "labels", type: () => mapOf(STRING) }],
    ["At", { name: "At", json: "at", type: () => UINT64 }],
  ]),
};

describe("encodeJson() writes what json.Marshal writes", () => {
  const rows: [value: unknown, want: string][] = [
    [null, "null"],
    [undefined, "null"],
    [true, "true"],
    [1, "1"],
    [-0, "-0"],
    [2n ** 64n, "18446744073709551616"],
    [1e20, "100000000000000000000"],
    [1e21, "1e+21"],
    [1e-6, "0.000001"],
    [1e-7, "1e-7"],
    [new Typed(FLOAT32, Math.fround(1.1)), "1.1"],
    [new Typed(FLOAT32, Math.fround(1e-7)), "1e-7"],
    [new Typed(FLOAT32, Math.fround(3.4e38)), "3.4e+38"],
    [int(5), "5"],
    [int64(-9223372036854775808n), "-9223372036854775808"],
    [new Typed(UINT64, 18446744073709551615n), "18446744073709551615"],
    ['<a>&"b"\\/', '"\\u003ca\\u003e\\u0026\\"b\\"\\\\/"'],
    ["\b\f\n\r\t\x00\x1f\x7f", '"\\b\\f\\n\\r\\t\\u0000\\u001f\x7f"'],
    ["\u2028\u2029é😀\ufffd", '"\\u2028\\u2029é😀\ufffd"'],
    ["\udcff\udc80", '"\\ufffd\\ufffd"'],
    [[], "[]"],
    [{}, "{}"],
    [[1, [null], {}], "[1,[null],{}]"],
    [{ b: 1, a: { "<": 2 } }, '{"a":{"\\u003c":2},"b":1}'],
    [{ "\u{1F600}": 1, "\uffee": 2 }, '{"\uffee":2,"\u{1F600}":1}'],
    [JSON.parse('{"__proto__":1,"constructor":2}'), '{"__proto__":1,"constructor":2}'],
    [strings(["a", "b"]), '["a","b"]'],
    [strings(null), "null"],
    [strings([]), "[]"],
    [stringMap({ b: "1", a: "2" }), '{"a":"2","b":"1"}'],
    [stringMap(null), "null"],
    [new Typed(sliceOf(STRINGS), [["a"], null]), '[["a"],null]'],
    [new Typed(BYTES, [104n, 105n]), '"aGk="'],
    [new Typed(BYTES, null), "null"],
    [new Typed(pointerTo(STRING), null), "null"],
    [new Typed(pointerTo(STRING), "x"), '"x"'],
    [
      new Typed(POINT, { at: 3, labels: { b: "x", a: "y" }, name: "p", other: 1 }),
      '{"name":"p","labels":{"a":"y","b":"x"},"at":3}',
    ],
    [new Typed(POINT, {}), "{}"],
    [[new Typed(pointerTo(POINT), { name: "p" })], '[{"name":"p"}]'],
  ];
  for (const [value, want] of rows) test(want, () => expect(encodeJson(value)).toBe(want));
});

describe("encodeJson() has the options of MarshalIndent and SetEscapeHTML", () => {
  const value = { b: [1, null, {}, []], a: { z: "<x>" }, e: new Typed(POINT, { name: "n" }) };
  test("indented", () => {
    expect(encodeJson(value, { indent: "  " })).toBe(
      '{\n  "a": {\n    "z": "\\u003cx\\u003e"\n  },\n  "b": [\n    1,\n    null,\n    {},\n    []\n  ],\n' +
        '  "e": {\n    "name": "n"\n  }\n}',
    );
  });
  test("escapes for JavaScript even if it does not escape for HTML", () => {
    expect(encodeJson("<&>\u2028", { escapeHtml: false })).toBe('"<&>\\u2028"');
  });
});

describe("encodeJson() fails with Go's errors", () => {
  const loop: Record<string, unknown> = {};
  loop.loop = loop;
  const list: unknown[] = [];
  list.push(list);
  let shared: unknown = "x";
  for (let i = 0; i < 40; i++) shared = [shared, shared];
  const broken: GoType = {
    ...POINT,
    toJson() {
      throw new FunctionError("no");
    },
  };
  const rows: [name: string, value: unknown, want: string][] = [
    ["NaN", NaN, "json: unsupported value: NaN"],
    ["infinity", [Infinity], "json: unsupported value: +Inf"],
    ["minus infinity", -Infinity, "json: unsupported value: -Inf"],
    ["complex", new Typed(COMPLEX128, null), "json: unsupported type: complex128"],
    [
      "a map in itself",
      loop,
      "json: unsupported value: encountered a cycle via map[string]interface {}",
    ],
    ["a list in itself", list, "json: unsupported value: encountered a cycle via []interface {}"],
    ["exploding text", shared, "json: text longer than 4194304 bytes"],
    [
      "a type's own error",
      new Typed(broken, {}),
      "json: error calling MarshalJSON for type main.Point: no",
    ],
  ];
  for (const [name, value, want] of rows) {
    test(name, () => expect(() => encodeJson(value)).toThrow(new FunctionError(want)));
  }
});

test("encodeJson() accepts 1500 levels, and uses the JSON of types that have their own", () => {
  const text = "[".repeat(1500) + "]".repeat(1500);
  expect(encodeJson(decodeJson(text))).toBe(text);
  expect(TIME.toJson).toBeDefined();
});

describe("decodeJson() reads what json.Unmarshal reads", () => {
  const rows: [text: string, want: unknown][] = [
    ["null", null],
    [" \t\r\n1 ", 1],
    ["-0", -0],
    ["1e-999", 0],
    ["1E5", 100000],
    ['"\\u00e9\\/\\b\\"\\\\"', 'é/\b"\\'],
    ['"\\ud83d\\ude00"', "😀"],
    ['"\\ud83d"', "\ufffd"],
    ['"\\ude00\\ud83dx"', "\ufffd\ufffdx"],
    ['"\\ud83d\udcff"', "\ufffd\ufffd"],
    ['"\udcff"', "\ufffd"],
    ['{"a":1,"a":2,"b":[true,false,{}]}', { a: 2, b: [true, false, {}] }],
    ["[]", []],
  ];
  for (const [text, want] of rows) {
    test(JSON.stringify(text), () => expect(decodeJson(text)).toEqual(want));
  }
  test("keys that have a meaning in JavaScript", () => {
    const value = decodeJson('{"__proto__":{"x":1},"toString":2}') as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(["__proto__", "toString"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});

describe("decodeJson() fails with Go's errors", () => {
  const rows: [text: string, want: string][] = [
    ["", "unexpected end of JSON input"],
    ["[", "unexpected end of JSON input"],
    ['{"a":', "unexpected end of JSON input"],
    ['"abc', "unexpected end of JSON input"],
    ["tru", "invalid character ' ' in literal true (expecting 'e')"],
    ["nan", "invalid character 'a' in literal null (expecting 'u')"],
    ["-", "invalid character ' ' in numeric literal"],
    ["-x", "invalid character 'x' in numeric literal"],
    ["1.", "invalid character ' ' after decimal point in numeric literal"],
    ["1e+x", "invalid character 'x' in exponent of numeric literal"],
    ["01", "invalid character '1' after top-level value"],
    ["1 2", "invalid character '2' after top-level value"],
    ["{a:1}", "invalid character 'a' looking for beginning of object key string"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 2}', "invalid character '2' after object key:value pair"],
    ["[1,]", "invalid character ']' looking for beginning of value"],
    ["[1 2]", "invalid character '2' after array element"],
    ["'", "invalid character '\\'' looking for beginning of value"],
    ["é", "invalid character 'Ã' looking for beginning of value"],
    ["\udc80", "invalid character '\\u0080' looking for beginning of value"],
    ['"\n"', "invalid character '\\n' in string literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
    ["1e400", "json: cannot unmarshal number 1e400 into Go value of type float64"],
    ["[".repeat(10_001), "invalid character '[' exceeded max depth"],
  ];
  for (const [text, want] of rows) {
    test(JSON.stringify(text.slice(0, 20)), () => {
      expect(() => decodeJson(text)).toThrow(new FunctionError(want));
    });
  }
});

test("decodeJsonLeniently() keeps the rest if a number does not fit", () => {
  expect(decodeJsonLeniently("[1,1e400,2]").value).toEqual([1, null, 2]);
  expect(decodeJsonLeniently("[1,1e400,2").value).toBe(null);
  expect(decodeJsonLeniently("[1]").error).toBeUndefined();
});
