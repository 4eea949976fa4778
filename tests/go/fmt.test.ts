import { describe, expect, test } from "bun:test";
import { fromBytes } from "../../lib/data/bytes.ts";
import { type FormattedType, formatValue, sprint, sprintf, sprintln } from "../../lib/go/fmt.ts";
import {
  BOOL,
  BYTES,
  COMPLEX128,
  FLOAT32,
  type GoField,
  type GoType,
  INT,
  int,
  int64,
  INTS,
  pointerTo,
  sliceOf,
  STRING,
  stringMap,
  STRINGS,
  strings,
  Typed,
  UINT8,
} from "../../lib/go/value.ts";

function field(name: string, type: GoType): [string, GoField] {
  return [name, { name, json: name.toLowerCase(), type: () => type }];
}

const INNER: GoType = {
  name: "main.Inner",
  kind: "struct",
  fields: new Map([field("N", INT), field("S", STRING)]),
};
const EMBEDDING: GoType = {
  name: "main.Emb",
  kind: "struct",
  fields: new Map([
    ["Inner", { name: "Inner", json: "", type: () => INNER }],
    ...INNER.fields!,
    field("L", STRINGS),
    field("P", pointerTo(INNER)),
    field("Z", BOOL),
  ]),
};
const NAME: GoType = { name: "main.Name", kind: "string", stringer: (v) => `<${v}>` };
const STAMP: FormattedType = {
  name: "main.Stamp",
  kind: "struct",
  stringer: () => "noon",
  goString: () => "main.Noon()",
};

const GENERATED: FormattedType = {
  ...pointerTo(INNER),
  stringer: () => "&Inner{}",
  nilString: "nil",
};

const bytes = (...values: number[]) => new Typed(BYTES, values.map(BigInt));
const raw = (...values: number[]) => fromBytes(Uint8Array.from(values));
const complex = (re: number, im: number) => new Typed(COMPLEX128, { re, im });
const inner = { n: 1n, s: "a" };

// The results are those of Go.
const FORMATS: [format: string, args: unknown[], want: string][] = [
  // Integers.
  ["%d %5d %-5d| %05d %+d % d", [1, 2, 3, 4, 5, 6].map(int), "1     2 3    | 00004 +5  6"],
  [
    "%x %X %#x %#X %o %#o %O %b %#b",
    Array(9).fill(int(42)),
    "2a 2A 0x2a 0X2A 52 052 0o52 101010 0b101010",
  ],
  ["%.5d|%8.5d|%-8.3d|%08.3d", Array(4).fill(int(-42)), "-00042|  -00042|-042    |    -042"],
  ["[%.0d] [%3.0d]", [int(0), int(0)], "[] [   ]"],
  ["%x %d", [int64(-255), int64(1n << 63n)], "-ff -9223372036854775808"],
  [
    "%c %q %U %#U %+q",
    [int(0x4e16), int(39), int(0x1f600), int(0x1f600), int(0x4e16)],
    `世 '\\'' U+1F600 U+1F600 '😀' '\\u4e16'`,
  ],
  ["%c %q", [int(-1), int(0x110000)], "\ufffd '\ufffd'"],
  ["%#v %#v %#v", [int(5), new Typed(UINT8, 5n), int64(-5)], "5 0x5 -5"],
  // Floats.
  ["%v %v %v %v", [1e6, 1e20, 1e21, 123456], "1e+06 1e+20 1e+21 123456"],
  ["%v %v %v %v %v", [0.0001, 0.00001, -0, NaN, -Infinity], "0.0001 1e-05 -0 NaN -Inf"],
  [
    "%f %.2f %e %.3e %g %G %.3g",
    [1.5, 2.675, 15, 1e6, 1e-7, 1e-7, 1234.5],
    "1.500000 2.67 1.500000e+01 1.000e+06 1e-07 1E-07 1.23e+03",
  ],
  ["%.0f %.0f %.0f %.1f", [0.5, 1.5, 2.5, 0.25], "0 2 2 0.2"],
  [
    "%8.3f|%-8.2f|%+.1f|% .1f|%08.2f|%+08.2f",
    [-0.5, 1, 2, 3, -1.5, 1.5],
    "  -0.500|1.00    |+2.0| 3.0|-0001.50|+0001.50",
  ],
  ["%#g %#v %#.3g %#.0f %#e", [1, 1, 2.5, 3, 1], "1.00000 1 2.50 3. 1.000000e+00"],
  ["%x %X %.2x %b", [1.5, 1.5, 0.1, 1], "0x1.8p+00 0X1.8P+00 0x1.9ap-04 4503599627370496p-52"],
  ["%5v|%05v|%+v|% v", [Infinity, NaN, NaN, Infinity], " +Inf|  NaN|NaN| Inf"],
  ["%v %.3f", [new Typed(FLOAT32, Math.fround(0.1)), new Typed(FLOAT32, 0.5)], "0.1 0.500"],
  [
    "%v %.1f %g",
    [complex(1.5, -2.5), complex(0, 1), complex(1e6, NaN)],
    "(1.5-2.5i) (0.0+1.0i) (1e+06+NaNi)",
  ],
  // Strings.
  ["%s|%5s|%-5s|%.2s|%5.1s", ["a", "é", "é", "日本語", "日本"], "a|    é|é    |日本|    日"],
  ["%05s %05d", ["ab", "cd"], "000ab %!d(string=000cd)"],
  ["%q %#q %+q %#q", ['a"\n', "a`b", "é", "raw\\"], '"a\\"\\n" "a`b" "\\u00e9" `raw\\`'],
  [
    "%x %X % x %#x %# x %.1x|%5x|",
    ["hi", "é", "hi", "hi", "hi", "hi", ""],
    "6869 C3A9 68 69 0x6869 0x68 0x69 68|     |",
  ],
  ["%s %q %x %+q", Array(4).fill(raw(0xff, 0x61)), `${raw(0xff)}a "\\xffa" ff61 "\\xffa"`],
  ["%s%s", [raw(0xc3), raw(0xa9)], "é"],
  [
    "%q",
    ["\u200b\u00a0\u{e0001}\ufffd\x7f\x00\ufeff"],
    '"\\u200b\\u00a0\\U000e0001\ufffd\\x7f\\x00\\ufeff"',
  ],
  [
    "%s %v %#v %d %x",
    Array(5).fill(bytes(104, 105)),
    "hi [104 105] []byte{0x68, 0x69} [104 105] 6869",
  ],
  ["%t", [bytes(1)], "[%!t(uint8=1)]"],
  ["%v %#v", [[bytes(1)], [bytes(1)]], "[[1]] []interface {}{[]uint8{0x1}}"],
  // Containers.
  [
    "%v %+v %#v",
    Array(3).fill({ b: [1, null, "x"], a: int(3) }),
    'map[a:3 b:[1 <nil> x]] map[a:3 b:[1 <nil> x]] map[string]interface {}{"a":3, "b":[]interface {}{1, interface {}(nil), "x"}}',
  ],
  [
    "%5v|%d|%q",
    [{ l: [1] }, strings(["a"]), strings(["a", "b"])],
    'map[    l:[    1]]|[%!d(string=a)]|["a" "b"]',
  ],
  ["%s %q", [[1, null], { a: 1 }], '[%!s(float64=1) <nil>] map["a":%!q(float64=1)]'],
  [
    "%v %#v %#v %#v",
    [strings(null), strings(null), stringMap({ k: "v" }), stringMap(null)],
    '[] []string(nil) map[string]string{"k":"v"} map[string]string(nil)',
  ],
  ["%#v %02d", [new Typed(INTS, [1n, 2n]), new Typed(INTS, [1n, 2n])], "[]int{1, 2} [01 02]"],
  ["%v", [{ "10": 1, "9": 2, a: 3, B: 4, é: 5 }], "map[10:1 9:2 B:4 a:3 é:5]"],
  ["%v", [JSON.parse('{"__proto__":1,"constructor":2}')], "map[__proto__:1 constructor:2]"],
  // Structs, pointers, methods.
  ["%v %+v %#v", Array(3).fill(new Typed(INNER, inner)), '{1 a} {N:1 S:a} main.Inner{N:1, S:"a"}'],
  ["%v %+v", Array(2).fill(new Typed(pointerTo(INNER), inner)), "&{1 a} &{N:1 S:a}"],
  [
    "%v %s %#v %d",
    Array(4).fill(new Typed(pointerTo(INNER), null)),
    "<nil> %!s(*main.Inner=<nil>) (*main.Inner)(nil) 0",
  ],
  [
    "%+v %v",
    Array(2).fill(new Typed(EMBEDDING, { ...inner, z: true })),
    "{Inner:{N:1 S:a} L:[] P:<nil> Z:true} {{1 a} [] <nil> true}",
  ],
  ["%v %q %d %x %#v", Array(5).fill(new Typed(NAME, "n")), '<n> "<n>" %!d(main.Name=n) 3c6e3e "n"'],
  [
    "%v %v",
    [new Typed(sliceOf(NAME), ["a", "b"]), { k: new Typed(NAME, "c") }],
    "[<a> <b>] map[k:<c>]",
  ],
  ["%v %#v", [new Typed(STAMP, {}), new Typed(STAMP, {})], "noon main.Noon()"],
  ["%v", [new Typed(pointerTo(NAME), null)], "<nil>"],
  [
    "%#v %#v",
    [new Typed(pointerTo(STAMP), {}), new Typed(pointerTo(STAMP), null)],
    "main.Noon() <nil>",
  ],
  ["%v %v", [new Typed(GENERATED, {}), new Typed(GENERATED, null)], "&Inner{} nil"],
  // nil, %T, %t, %p.
  [
    "%v %s %d %T %5v|%#v",
    [null, null, null, null, null, undefined],
    "<nil> %!s(<nil>) %!d(<nil>) <nil> <nil>|<nil>",
  ],
  [
    "%T %T %T %T %T",
    [1, int(1), [], {}, strings([])],
    "float64 int []interface {} map[string]interface {} []string",
  ],
  ["%t %5t %v %d", [true, false, true, true], "true false true %!d(bool=true)"],
  ["%p %p", ["x", stringMap(null)], "%!p(string=x) 0x0"],
  // Mistakes in formats.
  ["%d %z %!", ["x", int(1), int(2)], "%!d(string=x) %!z(int=1) %!!(int=2)"],
  ["%d %d", [int(1)], "1 %!d(MISSING)"],
  ["%d", [int(1), "x", null, 2], "1%!(EXTRA string=x, <nil>, float64=2)"],
  ["100%", [], "100%!(NOVERB)"],
  ["%5", [int(1)], "%!(NOVERB)%!(EXTRA int=1)"],
  ["%%|%5%|%d", [int(1)], "%|%|1"],
  ["%.", [int(1)], "%!.(int=1)"],
  ["%w", ["x"], "%!w(string=x)"],
  ["%世", [int(1)], "%!世(int=1)"],
  ["%9999999999d", [int(1)], "%!(NOVERB)%!(EXTRA int=1)"],
  // Stars and indexes.
  ["%*d|%-*d|%.*f", [int(4), int(1), int(4), int(2), int(2), 1], "   1|2   |1.00"],
  ["%*d|%0*d", [int(-4), int(1), int(-4), int(2)], "1   |2   "],
  ["%*d %.*d", [4, int(1), int(-1), int(2)], "%!(BADWIDTH)1 %!(BADPREC)2"],
  ["%*d", [int(2000000), int(1)], "%!(BADWIDTH)1"],
  ["%[2]d %[1]d %d", [int(1), int(2)], "2 1 2"],
  ["%[3]*.[2]*[1]f|", [12, int(2), int(6)], " 12.00|"],
  [
    "%[5]d %[x]d %[]d %[1]5d %[",
    [int(1)],
    "%!d(BADINDEX) %!d(BADINDEX) %!d(BADINDEX) %!d(BADINDEX) %!(NOVERB)",
  ],
  ["%[0]d", [int(1)], "%!d(BADINDEX)"],
];

describe("sprintf()", () => {
  test.each(FORMATS)("formats %j", (format, args, want) => {
    expect(sprintf(format, args)).toBe(want);
  });

  test("does not change its arguments", () => {
    const arg = Object.freeze({ b: Object.freeze([2, 1]), a: 1 });
    expect(sprintf("%v", Object.freeze([arg]) as unknown[])).toBe("map[a:1 b:[2 1]]");
  });

  test("fails on a map that contains itself", () => {
    const map: Record<string, unknown> = {};
    map.self = map;
    expect(() => sprintf("%v", [map])).toThrow("value nested deeper than 1000");
  });

  test("fails if the output gets too long", () => {
    let list: unknown[] = ["x".repeat(1000)];
    for (let i = 0; i < 40; i++) list = [list, list];
    expect(() => sprintf("%v", [list])).toThrow("output exceeds 67108864 characters");
  });
});

describe("sprint()", () => {
  const rows: [args: unknown[], want: string][] = [
    [[], ""],
    [["a", "b"], "ab"],
    [[1, 2], "1 2"],
    [["a", 1, 2, "b", 3], "a1 2b3"],
    [[null, null, true], "<nil> <nil> true"],
    [[new Typed(NAME, "a"), 1], "<a>1"],
    [[[1], { a: 1 }], "[1] map[a:1]"],
  ];
  test.each(rows)("prints %p", (args, want) => {
    expect(sprint(args)).toBe(want);
  });
});

test("sprintln() puts spaces between all operands and ends the line", () => {
  expect(sprintln(["a", "b", int(1)])).toBe("a b 1\n");
  expect(sprintln([])).toBe("\n");
});

describe("formatValue()", () => {
  const rows: [value: unknown, want: string][] = [
    ["text", "text"],
    [15001, "15001"],
    [1000000, "1e+06"],
    [0, "0"],
    [-0, "-0"],
    [0.1, "0.1"],
    [1.2345678901234567e29, "1.2345678901234568e+29"],
    [true, "true"],
    [int(7), "7"],
    [null, "<nil>"],
    [undefined, "<nil>"],
    [[], "[]"],
    [{}, "map[]"],
  ];
  test.each(rows)("of %p", (value, want) => {
    expect(formatValue(value)).toBe(want);
  });
});
