import { describe, expect, test } from "bun:test";
import {
  canonicalQuantity,
  formatQuantity,
  parseQuantity,
  QuantityError,
  type QuantityErrorCode,
  quantityValue,
} from "../../lib/data/quantity.ts";

/** Rows asked of `k8s.io/apimachinery` v0.35.0; the value is left out where the original overflows. */
type Row = [typed: string, decodedAndEncoded: string, canonical: string, value?: string];

const ROWS: Row[] = [
  ["0", "0", "0", "0"],
  ["1", "1", "1", "1"],
  ["01", "01", "1", "1"],
  ["+5", "+5", "5", "5"],
  ["-5", "-5", "-5"],
  ["+", "0", "0", "0"],
  ["-", "0", "0", "0"],
  [".", "0", "0", "0"],
  ["00", "0", "0", "0"],
  ["-0", "0", "0", "0"],
  ["0.0", "0", "0", "0"],
  ["2000m", "2", "2", "2"],
  ["1000m", "1", "1", "1"],
  ["999m", "999m", "999m", "1"],
  ["1001m", "1001m", "1001m", "2"],
  ["0.5", "500m", "500m", "1"],
  [".5", "500m", "500m", "1"],
  ["5.", "5.", "5", "5"],
  ["1.5", "1500m", "1500m", "2"],
  ["1.500", "1.500", "1500m", "2"],
  ["1.123", "1.123", "1123m", "2"],
  ["1.1234", "1123400u", "1123400u", "2"],
  ["0.123", "123m", "123m", "1"],
  ["1000", "1k", "1k", "1000"],
  ["1001", "1001", "1001", "1001"],
  ["100000", "100k", "100k", "100000"],
  ["1000000", "1M", "1M", "1000000"],
  ["1024", "1024", "1024", "1024"],
  ["1Ki", "1Ki", "1Ki", "1024"],
  ["8Ki", "8Ki", "8Ki", "8192"],
  ["12Mi", "12Mi", "12Mi", "12582912"],
  ["+12Mi", "+12Mi", "12Mi", "12582912"],
  ["1000Ki", "1000Ki", "1000Ki", "1024000"],
  ["1024Ki", "1Mi", "1Mi", "1048576"],
  ["1024Mi", "1Gi", "1Gi", "1073741824"],
  ["1.5Gi", "1536Mi", "1536Mi", "1610612736"],
  ["0.1Ki", "102400m", "102400m", "103"],
  ["0.5Mi", "512Ki", "512Ki", "524288"],
  ["1.1Mi", "1153433600m", "1153433600m", "1153434"],
  ["0Mi", "0", "0", "0"],
  ["Mi", "0", "0", "0"],
  ["m", "0", "0", "0"],
  ["1.G", "1.G", "1G", "1000000000"],
  ["1e3", "1e3", "1e3", "1000"],
  ["1E3", "1E3", "1e3", "1000"],
  ["1.5e3", "1500", "1500", "1500"],
  ["1e-3", "1e-3", "1e-3", "1"],
  ["1e-9", "1e-9", "1e-9", "1"],
  ["1e-10", "1e-9", "1e-9", "1"],
  ["1e-30", "1e-9", "1e-9", "1"],
  ["1e2", "100", "100", "100"],
  ["10e2", "1e3", "1e3", "1000"],
  ["e3", "0", "0", "0"],
  ["0.000000001", "1n", "1n", "1"],
  ["0.0000000001", "1n", "1n", "1"],
  ["1n", "1n", "1n", "1"],
  ["0.5n", "1n", "1n", "1"],
  ["1u", "1u", "1u", "1"],
  ["100k", "100k", "100k", "100000"],
  ["1M", "1M", "1M", "1000000"],
  ["5G", "5G", "5G", "5000000000"],
  ["1T", "1T", "1T", "1000000000000"],
  ["1P", "1P", "1P", "1000000000000000"],
  ["1E", "1E", "1E"],
  ["10E", "10E", "10E"],
  ["1000E", "1", "1"],
  ["1e21", "1e21", "1e21"],
  ["1e100", "10e99", "10e99"],
  ["1e4294967296", "1e4294967296", "1", "1"],
  ["7Ei", "7Ei", "7Ei", "8070450532247928832"],
  ["8Ei", "9223372036854775807", "9223372036854775807"],
  ["9223372036854775807", "9223372036854775807", "9223372036854775807"],
  ["9223372036854775808", "9223372036854775808", "9223372036854775808"],
  [
    "123456789012345678901234567890",
    "123456789012345678901234567890",
    "123456789012345678901234567890",
  ],
  ["0.00000000099Ki", "1014n", "1014n", "1"],
  ["-1.5Gi", "-1536Mi", "-1536Mi"],
  ["-500m", "-500m", "-500m"],
  ["-0.5", "-500m", "-500m"],
];

const BAD: [text: string, code: QuantityErrorCode][] = [
  ["1e", "suffix"],
  ["1e1.5", "format"],
  ["1e9223372036854775808", "suffix"],
  ["", "format"],
  [" 1", "format"],
  ["1 ", "format"],
  ["abc", "format"],
  ["1K", "suffix"],
  ["1ki", "suffix"],
  ["1mi", "suffix"],
  ["1Mii", "suffix"],
  ["1..2", "format"],
  ["1.2.3", "format"],
  ["1,5", "format"],
  ["1_0", "format"],
  ["0x1", "format"],
  ["Inf", "format"],
  ["1-5", "suffix"],
  ["1m3", "suffix"],
  ["١", "format"],
  [".e-10", "numeric"],
];

describe("canonicalQuantity() leaves what a decode and encode leaves", () => {
  for (const [typed, encoded] of ROWS) {
    test(`${typed} is ${encoded}`, () => expect(canonicalQuantity(typed)).toBe(encoded));
  }

  test("a number is read by its digits", () => {
    expect(canonicalQuantity(0.5)).toBe("500m");
    expect(canonicalQuantity(1e21)).toBe("1e+21");
  });

  test("space around a text is dropped", () => expect(canonicalQuantity(" 1Gi\n")).toBe("1Gi"));

  test("what was canonical stays", () => {
    for (const [, encoded] of ROWS) {
      if (encoded !== "1" && encoded !== "10") expect(canonicalQuantity(encoded)).toBe(encoded);
    }
  });
});

describe("formatQuantity() writes anew", () => {
  for (const [typed, , canonical] of ROWS) {
    test(`${typed} is ${canonical}`, () =>
      expect(formatQuantity(parseQuantity(typed))).toBe(canonical));
  }
});

describe("quantityValue() rounds to whole units", () => {
  for (const [typed, , , value] of ROWS) {
    if (value === undefined) continue;
    test(`${typed} is ${value}`, () =>
      expect(String(quantityValue(parseQuantity(typed)))).toBe(value));
  }

  test("away from zero", () => expect(quantityValue(parseQuantity("-1500m"))).toBe(-2n));
  test("and no further than 64 bits", () => {
    expect(quantityValue(parseQuantity("1e999999999"))).toBe(2n ** 63n - 1n);
    expect(quantityValue(parseQuantity("-1e30"))).toBe(-(2n ** 63n));
  });
});

describe("parseQuantity() refuses", () => {
  for (const [text, code] of BAD) {
    test(JSON.stringify(text), () => {
      try {
        parseQuantity(text);
        expect.unreachable();
      } catch (error) {
        expect(error).toBeInstanceOf(QuantityError);
        expect((error as QuantityError).code).toBe(code);
      }
    });
  }

  test("in Kubernetes' words", () => {
    expect(() => parseQuantity("abc")).toThrow(
      "quantities must match the regular expression " +
        "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
    expect(() => parseQuantity("1K")).toThrow("unable to parse quantity's suffix");
    expect(() => parseQuantity(".e-10")).toThrow("unable to parse numeric part of quantity");
  });

  test("numbers of absurd length", () => {
    expect(() => parseQuantity("9".repeat(1_000_000))).toThrow("numeric part");
  });
});
