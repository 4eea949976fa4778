import { describe, expect, test } from "bun:test";
import { toFloat64, toInt64, toStr } from "../../../lib/go/sprig/_cast.ts";
import {
  BYTES,
  FLOAT32,
  type GoType,
  INT64,
  pointerTo,
  Typed,
  UINT64,
} from "../../../lib/go/value.ts";
import { table } from "./_table.ts";

const DATA = {
  i: 7,
  f: 2.9,
  neg: -2.9,
  big: 1e19,
  t: true,
  nil: null,
  l: [1],
  m: {},
  s: "42",
  oct: "0755",
};

describe("int and int64 parse Go literals and truncate fractions", () => {
  table([
    [
      "{{ int .f }} {{ int .neg }} {{ int .t }} {{ int .nil }} {{ int .missing }} {{ int .l }} {{ int .m }} {{ int 1i }}",
      "2 -2 1 0 0 0 0 0",
    ],
    [
      `{{ int .s }} {{ int .oct }} {{ int "-007" }} {{ int "0x1F" }} {{ int "0b11" }} {{ int "0o17" }} {{ int "08" }} {{ int "+5" }}`,
      "42 493 -7 31 3 15 0 5",
    ],
    [`{{ int "1_000" }} {{ int "1__0" }} {{ int "_1" }} {{ int "0x_1f" }}`, "1000 0 0 31"],
    [
      `{{ int "12.0" }} {{ int "12.9" }} {{ int "-3.99" }} {{ int ".5" }} {{ int "-.5" }} {{ int "." }} {{ int "1." }} {{ int "1.5e3" }} {{ int "017.9" }}`,
      "12 12 -3 0 0 0 1 0 15",
    ],
    [`{{ int "1e3" }} {{ int "" }} {{ int " 1" }} {{ int "abc" }} {{ int "NaN" }}`, "0 0 0 0 0"],
    [
      `{{ int64 9223372036854775807 }} {{ int64 "9223372036854775808" }} {{ int64 "-9223372036854775808" }}`,
      "9223372036854775807 0 -9223372036854775808",
    ],
    [
      `{{ int64 .big }} {{ int64 -1e300 }} {{ int64 (float64 "NaN") }} {{ int64 (float64 "inf") }}`,
      "-9223372036854775808 -9223372036854775808 -9223372036854775808 -9223372036854775808",
    ],
    [
      `{{ typeOf (int 1) }} {{ typeOf (int64 1) }} {{ typeOf (float64 1) }} {{ typeOf (atoi "1") }} {{ typeOf (toDecimal 1) }}`,
      "int int64 float64 int int64",
    ],
  ], DATA);
});

describe("atoi parses only decimal numbers, and saturates", () => {
  table([
    [`{{ atoi "12" }} {{ atoi "-7" }} {{ atoi "+7" }} {{ atoi "007" }}`, "12 -7 7 7"],
    [
      `{{ atoi "1_000" }} {{ atoi "0x10" }} {{ atoi "1.5" }} {{ atoi "" }} {{ atoi "x" }}`,
      "0 0 0 0 0",
    ],
    [
      `{{ atoi "9223372036854775808" }} {{ atoi "-9223372036854775809" }}`,
      "9223372036854775807 -9223372036854775808",
    ],
    ["{{ atoi 1 }}", "ERROR expected string; found 1"],
  ], DATA);
});

describe("float64, toDecimal and toString", () => {
  table([
    [
      `{{ float64 .s }} {{ float64 "1e3" }} {{ float64 "0x1p-2" }} {{ float64 "inf" }} {{ float64 "NaN" }} {{ float64 ".5" }}`,
      "42 1000 0.25 +Inf NaN 0.5",
    ],
    [
      `{{ float64 "1_0" }} {{ float64 "1e400" }} {{ float64 "x" }} {{ float64 .nil }} {{ float64 .t }} {{ float64 .l }}`,
      "10 0 0 0 1 0",
    ],
    ["{{ float64 9223372036854775807 }} {{ float64 (int64 3) }}", "9.223372036854776e+18 3"],
    [
      `{{ toDecimal "755" }} {{ toDecimal 755 }} {{ toDecimal .oct }} {{ toDecimal "8" }} {{ toDecimal "" }} {{ toDecimal .f }} {{ toDecimal 10.0 }} {{ toDecimal 1e6 }} {{ toDecimal "-17" }} {{ toDecimal "777777777777777777777777" }}`,
      "493 493 493 0 0 0 8 0 -15 0",
    ],
    [
      "{{ toString .t }} {{ toString 1.5 }} {{ toString .nil }} {{ toString .l }} {{ toString .m }} {{ toString 'a' }} {{ toString 1e21 }}",
      "true 1.5 <nil> [1] map[] 97 1e+21",
    ],
  ], DATA);
});

describe("values that templates cannot make", () => {
  const of = (type: GoType, value: unknown) => new Typed(type, value);
  const LEVEL: GoType = { name: "main.Level", kind: "string" };

  test("named types are cast by their kind", () => {
    expect(toInt64(of({ name: "time.Month", kind: "int" }, 5n))).toBe(5n);
    expect(toInt64(of(LEVEL, "0x10"))).toBe(16n);
    expect(toFloat64(of(LEVEL, "1.5"))).toBe(1.5);
    expect(toInt64(of({ name: "main.Flag", kind: "bool" }, true))).toBe(1n);
  });

  test("unsigned integers wrap around, and float32 is a float", () => {
    expect(toInt64(of(UINT64, 2n ** 64n - 1n))).toBe(-1n);
    expect(toFloat64(of(FLOAT32, 1.5))).toBe(1.5);
  });

  test("pointers are dereferenced, and nil is 0", () => {
    expect(toInt64(of(pointerTo(INT64), 7n))).toBe(7n);
    expect(toInt64(of(pointerTo(INT64), null))).toBe(0n);
    expect(toFloat64(of(pointerTo(INT64), 7n))).toBe(7);
  });

  test("toString converts bytes to text", () => {
    expect(toStr(of(BYTES, [104n, 105n]))).toBe("hi");
    expect(toStr(of(BYTES, new Uint8Array([104, 105])))).toBe("hi");
    expect(toStr(of(BYTES, null))).toBe("");
  });
});
