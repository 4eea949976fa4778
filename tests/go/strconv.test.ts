import { describe, expect, test } from "bun:test";
import { fromBytes } from "../../lib/data/bytes.ts";
import {
  atoi,
  type FloatFormat,
  formatFloat,
  isPrint,
  NumberError,
  parseBool,
  parseFloat,
  parseInt,
  parseUint,
  quote,
  quoteToAscii,
  unquote,
  unquoteChar,
} from "../../lib/go/strconv.ts";
import { outcome } from "./_outcome.ts";

const raw = (...values: number[]) => fromBytes(Uint8Array.from(values));

describe("quote()", () => {
  const rows: [text: string, want: string, ascii?: string][] = [
    ["", '""'],
    ["plain text", '"plain text"'],
    ['a"b\\c', '"a\\"b\\\\c"'],
    ["it's", '"it\'s"'],
    ["\x07\b\f\n\r\t\v", '"\\a\\b\\f\\n\\r\\t\\v"'],
    ["\x00\x1f\x7f", '"\\x00\\x1f\\x7f"'],
    ["é世🎉", '"é世🎉"', '"\\u00e9\\u4e16\\U0001f389"'],
    ["\u00a0\u200b\ufeff\u{10ffff}", '"\\u00a0\\u200b\\ufeff\\U0010ffff"'],
    ["\ufffd", '"\ufffd"', '"\\ufffd"'],
    [raw(0xff, 0x61, 0xc3), '"\\xffa\\xc3"'],
  ];
  for (const [text, want, ascii = want] of rows) {
    test(`of ${want}`, () => {
      expect(quote(text)).toBe(want);
      expect(quoteToAscii(text)).toBe(ascii);
    });
  }

  test("escapes characters newer than Unicode 15.0, even if the runtime knows them", () => {
    // U+1FAE9 is new in Unicode 16.0, U+1FAE8 in 15.0.
    expect(quote("\u{1fae9}\u{1fae8}")).toBe('"\\U0001fae9\u{1fae8}"');
  });

  test("isPrint() agrees with Go on the number of printable characters", () => {
    let count = 0;
    for (let c = 0; c <= 0x10ffff; c++) if (isPrint(c)) count++;
    expect(count).toBe(148998);
  });
});

describe("unquote()", () => {
  const rows: [literal: string, want: string][] = [
    ['"a\\tb"', "a\tb"],
    ['"\\u00e9\\U0001F600\\101\\x41"', "é😀AA"],
    ['"\\xc3\\xa9"', "é"],
    ['"\\xff"', raw(0xff)],
    [`"${raw(0xff)}"`, "\ufffd"],
    ["`a\\n\r\nb`", "a\\n\nb"],
    ["'a'", "a"],
    ["''", ""],
    ["'\\''", "'"],
  ];
  test.each(rows)("of %j", (literal, want) => {
    expect(unquote(literal)).toBe(want);
  });

  const bad = [
    ...["", '"', "a", '"a', "`a`b`", "'ab'", '"a"b"', '"\n"', '"\\q"', '"\\x4"', '"\\400"'],
    ...['"\\ud800"', '"\\U00110000"', '"\\\'"', "'\\\"'", '"\\"'],
  ];
  test.each(bad)("refuses %j", (literal) => {
    expect(outcome(() => unquote(literal))).toBe("invalid syntax");
  });
});

describe("unquoteChar()", () => {
  const rows: [literal: string, want: unknown][] = [
    ["'a'", 97],
    ["'\\n'", 10],
    ["'\\''", 39],
    ["'é'", 0xe9],
    ["'😀'", 0x1f600],
    ["'\\xff'", 255],
    ["'\\u4e16'", 0x4e16],
    ["''", "invalid syntax"],
    ["'\\q'", "invalid syntax"],
    ["'ab'", "malformed character constant: 'ab'"],
  ];
  test.each(rows)("of %j", (literal, want) => {
    expect(outcome(() => unquoteChar(literal))).toBe(want);
  });
});

describe("formatFloat()", () => {
  const rows: [value: number, format: FloatFormat, precision: number, want: string][] = [
    [0.5, "f", 0, "0"],
    [1.5, "f", 0, "2"],
    [2.5, "f", 0, "2"],
    [0.05, "f", 1, "0.1"],
    [9.995, "f", 2, "9.99"],
    [999.5, "f", 0, "1000"],
    [1e21, "f", -1, "1000000000000000000000"],
    [5e-324, "f", 30, "0.000000000000000000000000000000"],
    [5e-324, "e", -1, "5e-324"],
    [1234.5, "e", 0, "1e+03"],
    [0, "e", 2, "0.00e+00"],
    [1.7976931348623157e308, "g", -1, "1.7976931348623157e+308"],
    [100000, "g", -1, "100000"],
    [1000000, "g", -1, "1e+06"],
    [100000, "g", 3, "1e+05"],
    [0.0001234, "g", 2, "0.00012"],
    [0.00001234, "G", 2, "1.2E-05"],
    [-0, "g", -1, "-0"],
    [1, "x", -1, "0x1p+00"],
    [1.999, "x", 1, "0x1.0p+01"],
    [0, "x", -1, "0x0p+00"],
    [1, "b", -1, "4503599627370496p-52"],
    [NaN, "f", 2, "NaN"],
    [Infinity, "g", -1, "+Inf"],
  ];
  test.each(rows)("of %d as %s with precision %d", (value, format, precision, want) => {
    expect(formatFloat(value, format, precision)).toBe(want);
  });

  test("finds the shortest digits of a float32", () => {
    expect(formatFloat(Math.fround(0.1), "g", -1, 32)).toBe("0.1");
    expect(formatFloat(Math.fround(16777216), "g", -1, 32)).toBe("1.6777216e+07");
    expect(formatFloat(-1054270.25, "f", -1, 32)).toBe("-1054270.2");
  });
});

describe("parseInt()", () => {
  const rows: [text: string, base: number, bits: number, want: unknown][] = [
    ["42", 10, 64, 42n],
    ["-42", 10, 64, -42n],
    ["+7", 10, 64, 7n],
    ["0755", 0, 64, 493n],
    ["0x1F", 0, 64, 31n],
    ["0b101", 0, 64, 5n],
    ["0o17", 0, 64, 15n],
    ["1_000", 0, 64, 1000n],
    ["ff", 16, 64, 255n],
    ["zz", 36, 64, 1295n],
    ["-9223372036854775808", 10, 64, -(1n << 63n)],
    ["", 10, 64, 'strconv.ParseInt: parsing "": invalid syntax'],
    ["1_000", 10, 64, 'strconv.ParseInt: parsing "1_000": invalid syntax'],
    ["1__0", 0, 64, 'strconv.ParseInt: parsing "1__0": invalid syntax'],
    ["0x", 0, 64, 'strconv.ParseInt: parsing "0x": invalid syntax'],
    [" 1", 10, 64, 'strconv.ParseInt: parsing " 1": invalid syntax'],
    ["1.5", 10, 64, 'strconv.ParseInt: parsing "1.5": invalid syntax'],
    ["128", 10, 8, 'strconv.ParseInt: parsing "128": value out of range'],
    [
      "9223372036854775808",
      10,
      64,
      'strconv.ParseInt: parsing "9223372036854775808": value out of range',
    ],
    // The number is too large before the letter at the end is reached.
    [
      "99999999999999999999x",
      10,
      64,
      'strconv.ParseInt: parsing "99999999999999999999x": value out of range',
    ],
    ["1", 1, 64, 'strconv.ParseInt: parsing "1": invalid base 1'],
    ["1", 10, 65, 'strconv.ParseInt: parsing "1": invalid bit size 65'],
  ];
  test.each(rows)("of %j in base %d, %d bits", (text, base, bits, want) => {
    expect(outcome(() => parseInt(text, base, bits))).toBe(want);
  });

  test("returns the nearest value with a range error", () => {
    for (const [text, want] of [["99999999999999999999", (1n << 63n) - 1n], ["-1e", 0n]] as const) {
      try {
        parseInt(text, 10, 64);
        expect.unreachable();
      } catch (error) {
        expect((error as NumberError<bigint>).value).toBe(want);
      }
    }
  });

  test("atoi() and parseUint() name themselves in errors", () => {
    expect(outcome(() => atoi("x"))).toBe('strconv.Atoi: parsing "x": invalid syntax');
    expect(outcome(() => parseUint("-1", 10, 64))).toBe(
      'strconv.ParseUint: parsing "-1": invalid syntax',
    );
    expect(parseUint("18446744073709551615", 10, 64)).toBe((1n << 64n) - 1n);
  });
});

describe("parseFloat()", () => {
  const rows: [text: string, want: unknown][] = [
    ["1.5", 1.5],
    [".5", 0.5],
    ["5.", 5],
    ["+1e3", 1000],
    ["1_000.5", 1000.5],
    ["0x1.8p1", 3],
    ["0x.8p-1074", 0],
    ["0x1.8p-1075", 5e-324],
    ["inf", Infinity],
    ["-Infinity", -Infinity],
    ["nAn", NaN],
    ["", 'strconv.ParseFloat: parsing "": invalid syntax'],
    [".", 'strconv.ParseFloat: parsing ".": invalid syntax'],
    ["1e", 'strconv.ParseFloat: parsing "1e": invalid syntax'],
    ["0x10", 'strconv.ParseFloat: parsing "0x10": invalid syntax'],
    ["1__0", 'strconv.ParseFloat: parsing "1__0": invalid syntax'],
    ["+nan", 'strconv.ParseFloat: parsing "+nan": invalid syntax'],
    ["1e400", 'strconv.ParseFloat: parsing "1e400": value out of range'],
    ["0x1p1024", 'strconv.ParseFloat: parsing "0x1p1024": value out of range'],
  ];
  test.each(rows)("of %j", (text, want) => {
    expect(outcome(() => parseFloat(text))).toBe(want);
  });
});

test("parseBool() accepts only Go's twelve spellings", () => {
  for (const text of ["1", "t", "T", "true", "TRUE", "True"]) expect(parseBool(text)).toBe(true);
  for (const text of ["0", "f", "F", "false", "FALSE", "False"]) {
    expect(parseBool(text)).toBe(false);
  }
  expect(outcome(() => parseBool("yes"))).toBe('strconv.ParseBool: parsing "yes": invalid syntax');
});
