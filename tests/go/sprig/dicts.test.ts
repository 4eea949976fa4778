import { describe, expect, test } from "bun:test";
import { render, table } from "./_table.ts";

const DATA = {
  d: { a: 1, b: "two", c: { x: { y: "deep" }, n: null } },
  e: { a: 9, z: { k: 1 }, c: { x: { w: 2 }, q: 3 } },
  nil: null,
  l: [1],
  s: "str",
};

describe("dict, get, hasKey, set and unset", () => {
  table([
    [`{{ dict "b" 1 "a" 2 "c" }}`, "map[a:2 b:1 c:]"],
    ["{{ dict 1 2 nil 3 (list 1) 4 }}", "map[1:2 <nil>:3 [1]:4]"],
    [`{{ dict }} {{ dict "a" 1 "a" 2 }}`, "map[] map[a:2]"],
    [`{{ get .d "a" }} {{ get .d "nope" | quote }} {{ get .d.c "n" }}`, `1 "" <no value>`],
    [
      `{{ get .nil "a" | quote }} {{ hasKey .nil "a" }} {{ hasKey .d "a" }} {{ hasKey .d.c "n" }}`,
      "ERROR wrong type for value; expected map[string]interface {}; got interface {}",
    ],
    [`{{ set (dict) "k" nil }}`, "map[k:<nil>]"],
    [
      `{{ $d := dict "a" 1 }}{{ $e := set $d "b" 2 }}{{ $d }} {{ $_ := unset $e "a" }}{{ $d }}`,
      "map[a:1 b:2] map[b:2]",
    ],
    [`{{ unset (dict "a" 1) "zz" }}`, "map[a:1]"],
    [
      `{{ unset .nil "a" }} {{ unset .nil "a" | typeOf }}`,
      "ERROR wrong type for value; expected map[string]interface {}; got interface {}",
    ],
    [
      `{{ set .nil "a" 1 }}`,
      "ERROR wrong type for value; expected map[string]interface {}; got interface {}",
    ],
    [
      `{{ set .l "a" 1 }}`,
      "ERROR wrong type for value; expected map[string]interface {}; got []interface {}",
    ],
    [
      `{{ get (split "," "a") "_0" }}`,
      "ERROR wrong type for value; expected map[string]interface {}; got map[string]string",
    ],
    [
      `{{ get .s "x" }}`,
      "ERROR wrong type for value; expected map[string]interface {}; got string",
    ],
    ["{{ get .d 1 }}", "ERROR expected string; found 1"],
  ], DATA);
});

describe("keys, values, pick, omit and pluck", () => {
  table([
    ["{{ keys .d | sortAlpha }} {{ keys .d | typeOf }}", "[a b c] []string"],
    [
      `{{ keys (dict "z" 1) (dict "a" 2) }} {{ keys }} {{ keys .nil }}`,
      "ERROR wrong type for value; expected map[string]interface {}; got interface {}",
    ],
    [
      `{{ values (dict "k" 1) }} {{ values .nil }}`,
      "ERROR wrong type for value; expected map[string]interface {}; got interface {}",
    ],
    [
      `{{ pick .d "a" "nope" }} {{ pick .nil "a" }}`,
      "ERROR wrong type for value; expected map[string]interface {}; got interface {}",
    ],
    [
      `{{ omit .d "b" "c" }} {{ omit .nil "a" }}`,
      "ERROR wrong type for value; expected map[string]interface {}; got interface {}",
    ],
    [
      `{{ pluck "a" .d .e .nil (dict) }}`,
      "ERROR wrong type for value; expected map[string]interface {}; got interface {}",
    ],
    ["{{ pick .d 1 }}", "ERROR expected string; found 1"],
    [
      `{{ pluck "a" .l }}`,
      "ERROR wrong type for value; expected map[string]interface {}; got []interface {}",
    ],
  ], DATA);
});

describe("dig follows a path, and fails on values that are not maps", () => {
  table([
    [`{{ dig "c" "x" "y" "def" .d }}`, "deep"],
    [`{{ dig "c" "nope" "y" "def" .d }}`, "def"],
    [`{{ dig "c" "n" "def" .d }}`, "<no value>"],
    [`{{ dig "a" "def" .d }}`, "1"],
    [
      `{{ dig "a" "x" "def" .d }}`,
      "ERROR error calling dig: interface conversion: interface {} is float64, not map[string]interface {}",
    ],
    [`{{ dig "a" .d }}`, "ERROR error calling dig: dig needs at least three arguments"],
    [
      `{{ dig "a" "def" .l }}`,
      "ERROR error calling dig: interface conversion: interface {} is []interface {}, not map[string]interface {}",
    ],
    [
      `{{ dig 1 "def" .d }}`,
      "ERROR error calling dig: interface conversion: interface {} is int, not string",
    ],
    [
      `{{ dig "a" "def" .nil }}`,
      "ERROR error calling dig: interface conversion: interface {} is nil, not map[string]interface {}",
    ],
    [
      `{{ dig "c" "n" "x" "def" .d }}`,
      "ERROR error calling dig: interface conversion: interface {} is nil, not map[string]interface {}",
    ],
  ], DATA);
});

describe("merge sets missing and empty values, also in nested maps", () => {
  table([
    [`{{ merge (dict "a" 1) (dict "a" 2 "b" 3) (dict "b" 4 "c" 5) }}`, "map[a:1 b:3 c:5]"],
    [
      `{{ merge (dict "a" 0 "b" "" "c" false "d" nil) (dict "a" 1 "b" "x" "c" true "d" 2) }}`,
      "map[a:1 b:x c:true d:2]",
    ],
    [
      `{{ merge (dict "a" (dict "x" 1 "y" 0)) (dict "a" (dict "x" 9 "y" 2 "z" 3)) }}`,
      "map[a:map[x:1 y:2 z:3]]",
    ],
    [`{{ merge (dict) (dict "a" nil) }}`, "map[]"],
    [
      `{{ merge (dict "a" (list)) (dict "a" (list 1)) }} {{ merge (dict "a" (list 1)) (dict "a" (list 2)) }}`,
      "map[a:[1]] map[a:[1]]",
    ],
    [
      `{{ merge (dict "a" (dict "k" 1)) (dict "a" "s") }} {{ merge (dict "a" "s") (dict "a" (dict "k" 1)) }}`,
      "map[a:map[k:1]] map[a:s]",
    ],
    [`{{ merge (dict "a" (dict)) (dict "a" (dict "k" 1)) }}`, "map[a:map[k:1]]"],
    [
      `{{ merge (dict "a" (split "," "x")) (dict "a" (split "," "y,z")) }}`,
      "map[a:map[_0:x _1:z]]",
    ],
    [`{{ merge (dict "a" (split "," "x")) (dict "a" (dict "_0" "y")) }}`, "map[a:map[_0:x]]"],
    [
      `{{ merge (dict "a" (split "," "x")) (dict "a" (dict "_1" "y")) }}`,
      "ERROR error calling merge: reflect.Value.SetMapIndex: value of type interface {} is not assignable to type string",
    ],
    [
      `{{ merge (dict "a" (dict "_0" "y")) (dict "a" (split "," "x,z")) }}`,
      "map[a:map[_0:y _1:z]]",
    ],
    [`{{ merge (dict "a" 0i) (dict "a" 1) }}`, "map[a:(0+0i)]"],
  ], {});
});

describe("mergeOverwrite overwrites with the values of the source", () => {
  table([
    [`{{ mergeOverwrite (dict "a" 1 "b" 1) (dict "a" 0 "b" nil) }}`, "map[a:0 b:<nil>]"],
    [
      `{{ mergeOverwrite (dict "a" (dict "x" 1 "y" 2)) (dict "a" (dict "x" 0)) }}`,
      "map[a:map[x:0 y:2]]",
    ],
    [`{{ mergeOverwrite (dict "a" (list 1 2)) (dict "a" (list)) }}`, "map[a:[]]"],
    [`{{ mergeOverwrite (dict "a" (dict "k" 1)) (dict "a" "s") }}`, "map[a:s]"],
    [`{{ mergeOverwrite (dict) (dict "x" 1) (dict "x" 2) }}`, "map[x:2]"],
    [
      `{{ mustMergeOverwrite (dict "a" (split "," "x")) (dict "a" (dict "_0" "y")) }}`,
      "ERROR error calling mustMergeOverwrite: reflect.Value.SetMapIndex: value of type interface {} is not assignable to type string",
    ],
  ], {});
});

describe("merges handle nil maps, and share nested maps with the source", () => {
  table([
    [
      `{{ merge .nil .nil }} {{ merge .nil (dict "a" 1) }} {{ merge (dict "a" 1) .nil }}`,
      "ERROR wrong type for value; expected map[string]interface {}; got interface {}",
    ],
    [
      "{{ mustMerge .nil .nil | typeOf }}",
      "ERROR wrong type for value; expected map[string]interface {}; got interface {}",
    ],
    [
      "{{ merge .l }}",
      "ERROR wrong type for value; expected map[string]interface {}; got []interface {}",
    ],
    [
      `{{ $src := dict "n" (dict "k" 1) }}{{ $dst := merge (dict) $src }}{{ $_ := set $dst.n "j" 2 }}{{ $src }}`,
      "map[n:map[j:2 k:1]]",
    ],
    [`{{ $d := dict "a" 1 }}{{ $m := merge $d (dict "b" 2) }}{{ $d }}`, "map[a:1 b:2]"],
  ], { "nil": null, "d": { "a": 1 }, "l": [1] });
});

describe("deepCopy shares no maps or lists", () => {
  table([
    ["{{ deepCopy .d }}", "map[a:1 b:two c:map[n:<nil> x:map[y:deep]]]"],
    [
      `{{ $c := deepCopy .d }}{{ $_ := set $c "a" 2 }}{{ $_ := set $c.c "n" 2 }}{{ .d }}{{ $c }}`,
      "map[a:1 b:two c:map[n:<nil> x:map[y:deep]]]map[a:2 b:two c:map[n:2 x:map[y:deep]]]",
    ],
    [
      `{{ deepCopy (splitList "," "a,b") | typeOf }} {{ deepCopy (split "," "a") | typeOf }} {{ deepCopy (chunk 1 .l) | typeOf }}`,
      "[]string map[string]string [][]interface {}",
    ],
    ["{{ deepCopy .s }} {{ mustDeepCopy 1 | typeOf }}", "str int"],
    [
      "{{ deepCopy .nil }}",
      "ERROR error calling deepCopy: reflect: call of reflect.Value.Type on zero Value",
    ],
    ["{{ deepEqual .d (deepCopy .d) }}", "true"],
  ], DATA);
});

describe("names of JavaScript object properties are ordinary keys", () => {
  const PROTO = JSON.parse('{"__proto__": {"x": 1}, "constructor": 1}');
  table([
    ['{{ dict "__proto__" 1 "toString" 2 }}', "map[__proto__:1 toString:2]"],
    ['{{ get (dict) "constructor" | quote }} {{ hasKey (dict) "toString" }}', '"" false'],
    ['{{ set (dict) "__proto__" (dict "a" 1) }}', "map[__proto__:map[a:1]]"],
    ['{{ unset (dict "__proto__" 1) "__proto__" }}', "map[]"],
    [
      '{{ pick .p "__proto__" }} {{ omit .p "constructor" }}',
      "map[__proto__:map[x:1]] map[__proto__:map[x:1]]",
    ],
    ["{{ deepCopy .p }}", "map[__proto__:map[x:1] constructor:1]"],
    ["{{ merge (dict) .p }}", "map[__proto__:map[x:1] constructor:1]"],
    [
      '{{ mergeOverwrite (dict "__proto__" (dict "y" 2)) .p }}',
      "map[__proto__:map[x:1 y:2] constructor:1]",
    ],
    ['{{ dig "__proto__" "x" "def" .p }} {{ dig "toString" "def" .p }}', "1 def"],
    ['{{ pluck "__proto__" .p (dict) }}', "[map[x:1]]"],
  ], { p: PROTO });
});

describe("values that contain themselves, or share parts many times", () => {
  const CIRCLE = '{{ $d := dict }}{{ $_ := set $d "d" $d }}';
  const DOUBLING = '{{ $x := dict "k" 1 }}' + '{{ $x = dict "a" $x "b" $x }}'.repeat(40);
  for (
    const template of [
      CIRCLE + "{{ $_ := deepCopy $d }}",
      CIRCLE + '{{ $e := dict }}{{ $_ := set $e "d" $e }}{{ $_ := merge $d $e }}',
      DOUBLING + "{{ $_ := deepCopy $x }}",
      DOUBLING + DOUBLING.replaceAll("$x", "$y") + "{{ $_ := merge $x $y }}",
    ]
  ) {
    test(template.slice(-60), () => expect(() => render(template)).toThrow("limit"));
  }
});

describe("keys and values are sorted by key", () => {
  table([
    ['{{ keys (dict "b" 1 "a" 2 "10" 3 "9" 4) (dict "A" 1) }}', "[10 9 a b A]"],
    ['{{ values (dict "b" 1 "a" 2) }}', "[2 1]"],
  ]);
});
