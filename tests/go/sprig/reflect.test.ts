import { describe, expect, test } from "bun:test";
import { deepEqual } from "../../../lib/go/sprig/_deep_equal.ts";
import { type GoType, INT, pointerTo, Typed } from "../../../lib/go/value.ts";
import { render, table } from "./_table.ts";

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

describe("typeOf and kindOf return Go's types and kinds", () => {
  table([
    [
      `{{ typeOf .z }} {{ typeOf 1 }} {{ typeOf (int64 1) }} {{ typeOf 1i }} {{ typeOf "s" }} {{ typeOf .t }}`,
      "float64 int int64 complex128 string bool",
    ],
    [
      `{{ typeOf .nil }} {{ typeOf .l }} {{ typeOf .m }} {{ typeOf (split "," "") }} {{ typeOf (until 1) }}`,
      "<nil> []interface {} map[string]interface {} map[string]string []int",
    ],
    [
      "{{ kindOf .z }} {{ kindOf 1 }} {{ kindOf .nil }} {{ kindOf .l }} {{ kindOf .m }} {{ kindOf (list) }}",
      "float64 int invalid slice map slice",
    ],
    [
      "{{ typeOf 'a' }} {{ kindOf (toStrings .l) }} {{ typeOf (chunk 1 .l) }}",
      "int slice [][]interface {}",
    ],
    [
      `{{ typeIs "float64" .z }} {{ typeIs "int" .z }} {{ typeIs "<nil>" .nil }}`,
      "true false true",
    ],
    [
      `{{ kindIs "slice" .l }} {{ kindIs "invalid" .missing }} {{ kindIs "map" .l }}`,
      "true true false",
    ],
    [`{{ typeIsLike "[]interface {}" .l }} {{ typeIsLike "interface {}" .l }}`, "true false"],
  ], DATA);
});

describe("deepEqual compares types and contents", () => {
  table([
    [
      "{{ deepEqual 1 1 }} {{ deepEqual 1 1.0 }} {{ deepEqual 1 (int64 1) }} {{ deepEqual .z 0.0 }}",
      "true false false true",
    ],
    [
      `{{ deepEqual .nil .missing }} {{ deepEqual .nil 0 }} {{ deepEqual "" .nil }}`,
      "true false false",
    ],
    [
      "{{ deepEqual .l (list 1.0) }} {{ deepEqual .l (list 1) }} {{ deepEqual .l .l }}",
      "true false true",
    ],
    [
      `{{ deepEqual .m (dict "a" 1.0) }} {{ deepEqual .m (dict "b" 1.0) }} {{ deepEqual .m (dict "a" 1.0 "b" nil) }}`,
      "true false false",
    ],
    [
      "{{ deepEqual (rest .el) .el }} {{ deepEqual (list) .el }} {{ deepEqual (rest .el) (rest .el) }}",
      "false true true",
    ],
    [
      `{{ deepEqual (splitList "," "a") (list "a") }} {{ deepEqual (splitList "," "a") (toStrings (list "a")) }}`,
      "false true",
    ],
    [
      `{{ deepEqual (float64 "NaN") (float64 "NaN") }} {{ $n := float64 "NaN" }}{{ deepEqual (list $n) (list $n) }} {{ $l := list $n }}{{ deepEqual $l $l }}`,
      "false false true",
    ],
    ["{{ deepEqual 0.0 -0.0 }} {{ deepEqual 1i 1i }} {{ deepEqual 1i 2i }}", "true true false"],
    [`{{ deepEqual (dict "a" (list (dict "b" 1))) (dict "a" (list (dict "b" 1))) }}`, "true"],
    [
      `{{ deepEqual (split "," "a") (dict "_0" "a") }} {{ deepEqual (split "," "a") (split "," "a") }}`,
      "false true",
    ],
    [
      "{{ deepEqual (chunk 1 .l) (chunk 1 .l) }} {{ deepEqual (chunk 1 .l) (list (list 1.0)) }}",
      "true false",
    ],
  ], DATA);
});

describe("deepEqual on structs and pointers", () => {
  const POINT: GoType = {
    name: "main.Point",
    kind: "struct",
    fields: new Map([["X", { name: "X", json: "x", type: () => INT }]]),
  };
  const point = (value: object) => new Typed(POINT, value);
  const pointer = (value: object | null) => new Typed(pointerTo(POINT), value);

  test("an absent field equals a zero one", () => {
    expect(deepEqual(point({}), point({ x: 0 }))).toBe(true);
    expect(deepEqual(point({ x: 1 }), point({ x: 2 }))).toBe(false);
  });

  test("pointers are equal if their pointees are", () => {
    expect(deepEqual(pointer({ x: 1 }), pointer({ x: 1 }))).toBe(true);
    expect(deepEqual(pointer({ x: 1 }), pointer(null))).toBe(false);
    expect(deepEqual(pointer({ x: 1 }), point({ x: 1 }))).toBe(false);
  });

  test("opaque structs are equal if their contents are", () => {
    const opaque = (value: object) => new Typed({ name: "o.T", kind: "struct" }, value);
    expect(deepEqual(opaque({ n: 1n, at: { z: "UTC" } }), opaque({ n: 1n, at: { z: "UTC" } })))
      .toBe(true);
    expect(deepEqual(opaque({ n: 1n, at: { z: "UTC" } }), opaque({ n: 1n, at: { z: "CET" } })))
      .toBe(false);
  });
});

describe("deepEqual terminates", () => {
  test("for values that contain themselves", () => {
    const circle =
      '{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ $e := dict }}{{ $_ := set $e "d" $e }}';
    expect(render(circle + "{{ deepEqual $d $e }}")).toBe("true");
  });

  test("for values that share parts many times", () => {
    const doubling = "{{ $x := list 1 }}" + "{{ $x = list $x $x }}".repeat(40);
    const both = doubling + doubling.replaceAll("$x", "$y");
    expect(render(both + "{{ deepEqual $x $y }}")).toBe("true");
  });
});
