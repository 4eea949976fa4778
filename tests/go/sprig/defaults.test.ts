import { describe } from "bun:test";
import { table } from "./_table.ts";

const DATA = {
  nil: null,
  z: 0,
  f: 0.5,
  e: "",
  s: "x",
  l: [1],
  el: [],
  m: { a: 1 },
  em: {},
  t: true,
  fa: false,
};

describe("empty is true for nil, zero, false and values without elements", () => {
  table([
    ["{{ empty .nil }} {{ empty .missing }} {{ empty nil }}", "true true true"],
    [
      "{{ empty .z }} {{ empty 0.0 }} {{ empty 0i }} {{ empty (int64 0) }} {{ empty -0.0 }}",
      "true true true true true",
    ],
    [
      `{{ empty .f }} {{ empty 1 }} {{ empty 1i }} {{ empty (float64 "NaN") }}`,
      "false false false false",
    ],
    [
      `{{ empty .e }} {{ empty .el }} {{ empty .em }} {{ empty .fa }} {{ empty (splitList "," "") }}`,
      "true true true true false",
    ],
    [
      "{{ empty .s }} {{ empty .l }} {{ empty .m }} {{ empty .t }} {{ empty (list nil) }}",
      "false false false false false",
    ],
    [
      `{{ empty (rest .el) }} {{ empty (until 0) }} {{ empty (until 1) }} {{ empty (split "," "") }}`,
      "true true false false",
    ],
  ], DATA);
});

describe("default, coalesce and ternary", () => {
  table([
    [`{{ default "d" .e }} {{ default "d" .s }} {{ .z | default 3 }}`, "d x 3"],
    [`{{ default "d" }} {{ default nil .e }}`, "d <no value>"],
    [`{{ default "d" .s .e }} {{ default "d" .e .s }}`, "x d"],
    ["{{ default }}", "ERROR wrong number of args for default: want at least 1 got 0"],
    [
      `{{ coalesce .nil .z .e "c" .s }} {{ coalesce .nil .z }} {{ coalesce }}`,
      "c <no value> <no value>",
    ],
    ["{{ coalesce .el (list 0) }}", "[0]"],
    ["{{ all .s .l }} {{ all .s .z }} {{ all }}", "true false true"],
    ["{{ any .z .e .s }} {{ any .z .e }} {{ any }}", "true false false"],
    [`{{ ternary "y" "n" true }} {{ .fa | ternary "y" "n" }}`, "y n"],
    [`{{ ternary "y" "n" 1 }}`, "ERROR expected bool; found 1"],
    [`{{ ternary "y" "n" .nil }}`, "ERROR wrong type for value; expected bool; got interface {}"],
    [`{{ ternary "y" "n" .s }}`, "ERROR wrong type for value; expected bool; got string"],
  ], DATA);
});
