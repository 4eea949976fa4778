import { describe, expect, test } from "bun:test";
import { render, table } from "./_table.ts";

const DATA = {
  f: 2.5,
  neg: -3.7,
  big: 1e19,
  t: true,
  nil: null,
  l: [1],
  s: "12",
  i: 7,
  bad: "x1",
};

describe("integer arithmetic casts any value and wraps around", () => {
  table([
    ["{{ add 1 2 3 }} {{ add }} {{ add .f .s .t .nil .l .bad }}", "6 0 15"],
    [
      "{{ add 9223372036854775807 1 }} {{ mul 9223372036854775807 2 }} {{ sub -9223372036854775807 2 }}",
      "-9223372036854775808 -2 9223372036854775807",
    ],
    [
      `{{ add1 .neg }} {{ add1 "0x10" }} {{ sub .i 10 }} {{ mul 2 3 4 }} {{ mul .f }}`,
      "-2 17 -3 24 2",
    ],
    [
      "{{ div 7 2 }} {{ div -7 2 }} {{ mod -7 3 }} {{ mod 7 -3 }} {{ div -9223372036854775808 -1 }}",
      "3 -3 -1 1 -9223372036854775808",
    ],
    ["{{ div 1 0 }}", "ERROR error calling div: runtime error: integer divide by zero"],
    ["{{ mod 1 .nil }}", "ERROR error calling mod: runtime error: integer divide by zero"],
    [`{{ max 1 .i "9" }} {{ min .neg 0 }} {{ biggest 2 }} {{ max .big 1 }}`, "9 -3 2 1"],
    ["{{ typeOf (add 1) }} {{ typeOf (max 1) }}", "int64 int64"],
    ["{{ sub 1 2 3 }}", "ERROR wrong number of args for sub: want 2 got 3"],
    ["{{ mul }}", "ERROR wrong number of args for mul: want at least 1 got 0"],
  ], DATA);
});

describe("decimal arithmetic is exact, except for quotients of 16 places", () => {
  table([
    ["{{ addf 0.1 0.2 }} {{ addf }} {{ add1f 0.1 }} {{ addf .s .t }}", "0.3 0 1.1 13"],
    ["{{ subf 0.3 0.1 }} {{ subf 1 0.9 0.05 }} {{ subf .neg .neg }} {{ subf 1 }}", "0.2 0.05 0 1"],
    ["{{ mulf 1.1 1.1 }} {{ mulf 1e10 1e11 }} {{ mulf -0.0 1 }}", "1.21 1e+21 0"],
    [
      "{{ divf 10 3 }} {{ divf -1 6 }} {{ divf 1 3 3 }} {{ divf 2 3 }} {{ divf 1e-20 3 }} {{ divf 1e300 1e-300 }}",
      "3.3333333333333335 -0.1666666666666667 0.1111111111111111 0.6666666666666667 0 +Inf",
    ],
    [
      "{{ divf 1 20000000000000000 }} {{ divf -1 20000000000000000 }} {{ divf 1 20000000000000001 }}",
      "1e-16 -1e-16 1e-16",
    ],
    [
      "{{ mulf 1e200 1e200 }} {{ mulf 1e-200 1e-200 }} {{ mulf -1e-200 1e-200 }} {{ mulf -1e200 1e200 }}",
      "+Inf 0 -0 -Inf",
    ],
    ["{{ addf 1e308 1e308 }} {{ addf 5e-324 1e308 }} {{ addf 1e20 1 }}", "+Inf 1e+308 1e+20"],
    ["{{ divf 1 0 }}", "ERROR error calling divf: decimal division by 0"],
    [`{{ addf (float64 "NaN") }}`, "ERROR error calling addf: Cannot create a Decimal from NaN"],
    [
      `{{ mulf 1 (float64 "-Inf") }}`,
      "ERROR error calling mulf: Cannot create a Decimal from -Inf",
    ],
    ["{{ divf }}", "ERROR wrong number of args for divf: want at least 1 got 0"],
  ], DATA);
});

describe("float functions", () => {
  table([
    [`{{ maxf 1 .f "3" }} {{ minf -0.0 0 }} {{ maxf -0.0 0 }} {{ minf .neg }}`, "3 -0 0 -3.7"],
    [
      `{{ maxf (float64 "inf") (float64 "NaN") }} {{ minf (float64 "NaN") (float64 "-inf") }} {{ maxf 1 (float64 "NaN") }}`,
      "+Inf -Inf NaN",
    ],
    [
      `{{ ceil 1.1 }} {{ ceil -1.1 }} {{ floor .neg }} {{ floor "1.9" }} {{ floor .bad }} {{ ceil -0.5 }}`,
      "2 -1 -4 1 0 -0",
    ],
    [
      `{{ round 2.5 0 }} {{ round 1.005 2 }} {{ round 123.456 -1 }} {{ round 123.556 2 }} {{ round "3.14159" 3 }}`,
      "3 1 120 123.56 3.142",
    ],
    ["{{ round -2.4 0 }} {{ round -2.5 0 }} {{ round -2.6 0 }}", "-3 -3 -3"],
    ["{{ round 2.4 0 0.4 }} {{ round 2.3 0 0.4 }} {{ round 0.1 1 1.0 }}", "2 2 0.1"],
    [
      "{{ round 1 400 }} {{ round 1 -400 }} {{ round 5e-324 323 }} {{ round 0.1 22 }} {{ round 0.3 23 }}",
      "NaN NaN NaN 0.1 0.3",
    ],
    ["{{ round 1 }}", "ERROR wrong number of args for round: want at least 2 got 1"],
    ["{{ round 1 1.5 }}", "ERROR expected integer; found 1.5"],
  ], DATA);
});

describe("until, untilStep and seq", () => {
  table([
    [
      "{{ until 3 }} {{ until -3 }} {{ until 0 }} {{ typeOf (until 1) }}",
      "[0 1 2] [0 -1 -2] [] []int",
    ],
    [
      "{{ untilStep 0 10 3 }} {{ untilStep 10 0 -4 }} {{ untilStep 0 10 -1 }} {{ untilStep 5 0 1 }} {{ untilStep 0 5 0 }} {{ untilStep 3 3 1 }}",
      "[0 3 6 9] [10 6 2] [] [] [] []",
    ],
    ["{{ seq 5 }}|{{ seq -3 }}|{{ seq 0 }}|{{ seq 1 }}", "1 2 3 4 5|1 0 -1 -2 -3|1 0|1"],
    [
      "{{ seq 2 5 }}|{{ seq 5 2 }}|{{ seq 0 2 10 }}|{{ seq 0 -2 -5 }}|{{ seq 10 3 1 }}|{{ seq 1 -1 5 }}|{{ seq 1 0 5 }}|{{ seq 3 1 3 }}",
      "2 3 4 5|5 4 3 2|0 2 4 6 8 10|0 -2 -4||||3",
    ],
    ["{{ seq }}|{{ seq 1 2 3 4 }}|", "||"],
    ["{{ until .i }}", "ERROR wrong type for value; expected int; got float64"],
    [`{{ until "3" }}`, `ERROR expected integer; found "3"`],
    ["{{ until (int64 3) }}", "ERROR wrong type for value; expected int; got int64"],
  ], DATA);
});

describe("counts and digits are limited", () => {
  for (
    const template of [
      "{{ until 9223372036854775807 }}",
      "{{ until -1000001 }}",
      "{{ untilStep 0 1000000000 999 }}",
      "{{ seq 0 1 100000000 }}",
      `{{ divf ${"1e-300 ".repeat(3000)} }}`,
    ]
  ) {
    test(template.slice(0, 60), () => expect(() => render(template)).toThrow(/limit|too many/));
  }
});
