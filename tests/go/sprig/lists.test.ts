import { describe, expect, test } from "bun:test";
import { render, table } from "./_table.ts";

const DATA = {
  l: [1, 2, 3, 4, 5],
  s: ["a", "b", "a"],
  e: [],
  mix: [0, 1, "", null, "x", false, [], {}],
  nil: null,
  m: { a: 1 },
  n: 5,
  str: "abc",
  ll: [[1], [2, 3], [1]],
  dm: [{ a: 1 }, { a: 2 }, { a: 1 }],
};

describe("first, last, rest and initial", () => {
  table([
    ["{{ first .l }} {{ last .l }}", "1 5"],
    ["{{ first .e }} {{ last .e }}", "<no value> <no value>"],
    ["{{ rest .l }} {{ initial .l }}", "[2 3 4 5] [1 2 3 4]"],
    ["{{ rest .e }} {{ deepEqual (rest .e) .e }}", "[] false"],
    ["{{ first (until 3) | typeOf }}", "int"],
    [`{{ last (splitList "," "a,b") }}`, "b"],
    [`{{ rest (splitList "," "a,b") | typeOf }}`, "[]interface {}"],
    ["{{ first .str }}", "ERROR error calling first: Cannot find first on type string"],
    ["{{ mustLast .m }}", "ERROR error calling mustLast: Cannot find last on type map"],
    ["{{ rest .n }}", "ERROR error calling rest: Cannot find rest on type float64"],
    ["{{ initial true }}", "ERROR error calling initial: Cannot find initial on type bool"],
    [
      "{{ mustFirst .nil }}",
      "ERROR error calling mustFirst: runtime error: invalid memory address or nil pointer dereference",
    ],
    ["{{ mustRest .l }} {{ mustInitial .s }}", "[2 3 4 5] [a b]"],
  ], DATA);
});

describe("append, prepend and concat return new lists", () => {
  table([
    ["{{ append .l 6 }} {{ .l }}", "[1 2 3 4 5 6] [1 2 3 4 5]"],
    ["{{ push .e nil }}", "[<nil>]"],
    [`{{ prepend .s "z" }} {{ .s }}`, "[z a b a] [a b a]"],
    [`{{ append (splitList "," "a,b") 1 }}`, "[a b 1]"],
    ["{{ append .m 1 }}", "ERROR error calling append: Cannot push on type map"],
    ["{{ mustPush .n 1 }}", "ERROR error calling mustPush: Cannot push on type float64"],
    ["{{ prepend .str 1 }}", "ERROR error calling prepend: Cannot prepend on type string"],
    [
      "{{ append .nil 1 }}",
      "ERROR error calling append: runtime error: invalid memory address or nil pointer dereference",
    ],
    ["{{ concat .l .s (list (list 1)) }}", "[1 2 3 4 5 a b a [1]]"],
    ["{{ concat }} {{ deepEqual (concat) (list) }}", "[] false"],
    ["{{ concat .l .str }}", "ERROR error calling concat: Cannot concat type string as list"],
    [
      "{{ concat .l .nil }}",
      "ERROR error calling concat: runtime error: invalid memory address or nil pointer dereference",
    ],
    [
      "{{ $l := list 1 }}{{ $a := append $l 2 }}{{ $b := append $l 3 }}{{ $l }}{{ $a }}{{ $b }}",
      "[1][1 2][1 3]",
    ],
  ], DATA);
});

describe("uniq, without, has and compact compare deeply and by type", () => {
  table([
    ["{{ uniq .s }}", "[a b]"],
    ["{{ uniq .dm }}", "[map[a:1] map[a:2]]"],
    [`{{ uniq (list 1 1.0 (int64 1) "1" 1) }}`, "[1 1 1 1]"],
    ["{{ uniq (list nil nil (list) (list)) }}", "[<nil> []]"],
    ["{{ uniq .m }}", "ERROR error calling uniq: Cannot find uniq on type map"],
    [`{{ len (uniq (list (float64 "NaN") (float64 "NaN"))) }}`, "2"],
    [`{{ without .s "a" "z" }}`, "[b]"],
    ["{{ without .ll (list 1.0) }}", "[[2 3]]"],
    ["{{ without .ll (list 1) }}", "[[1] [2 3] [1]]"],
    ["{{ without .l }}", "[1 2 3 4 5]"],
    [`{{ without .str "a" }}`, "ERROR error calling without: Cannot find without on type string"],
    [
      "{{ has 3 .l }} {{ has 3.0 .l }} {{ has nil .mix }} {{ has (dict) .mix }}",
      "false true true true",
    ],
    ["{{ has 1 .nil }}", "false"],
    [`{{ has "a" .str }}`, "ERROR error calling has: Cannot find has on type string"],
    [`{{ mustHas "b" .s }}`, "true"],
    ["{{ has 0 (until 2) }} {{ has (int64 0) (until 2) }}", "true false"],
    ["{{ compact .mix }}", "[1 x]"],
    ["{{ compact .n }}", "ERROR error calling compact: Cannot compact on type float64"],
    ["{{ mustCompact .l }}", "[1 2 3 4 5]"],
  ], DATA);
});

describe("reverse and chunk", () => {
  table([
    ["{{ reverse .l }} {{ .l }}", "[5 4 3 2 1] [1 2 3 4 5]"],
    ["{{ reverse .e }}", "[]"],
    [`{{ mustReverse (splitList "," "a,b") | typeOf }}`, "[]interface {}"],
    ["{{ reverse .m }}", "ERROR error calling reverse: Cannot find reverse on type map"],
    ["{{ chunk 2 .l }} {{ chunk 2 .l | typeOf }}", "[[1 2] [3 4] [5]] [][]interface {}"],
    ["{{ chunk 5 .l }} {{ chunk 9 .l }}", "[[1 2 3 4 5]] [[1 2 3 4 5]]"],
    ["{{ chunk 3 .e }}", "[]"],
    ["{{ chunk 0 .l }}", "ERROR error calling chunk: runtime error: makeslice: len out of range"],
    ["{{ chunk -1 .l }}", "ERROR error calling chunk: runtime error: makeslice: len out of range"],
    ["{{ chunk -9 .l }}", "[]"],
    ["{{ chunk -2 (list 1) }}", "[[1]]"],
    ["{{ mustChunk 2 .str }}", "ERROR error calling mustChunk: Cannot chunk type string"],
    [
      "{{ chunk 2 .nil }}",
      "ERROR error calling chunk: runtime error: invalid memory address or nil pointer dereference",
    ],
    ["{{ tuple 1 .e nil }} {{ list }}", "[1 [] <nil>] []"],
  ], DATA);
});

describe("slice keeps the type and can reach up to the capacity", () => {
  table([
    ["{{ slice .l 1 3 }}", "[2 3]"],
    ["{{ slice .l }} {{ slice .l 2 }}", "[1 2 3 4 5] [3 4 5]"],
    ["{{ slice .e 0 }}", "<no value>"],
    [`{{ slice .l "1" 2.9 }}`, "[2]"],
    [`{{ slice (splitList "," "a,b,c") 1 | typeOf }}`, "[]string"],
    ["{{ slice .l 0 6 }}", "[1 2 3 4 5 <nil>]"],
    ["{{ slice .l 0 8 }}", "[1 2 3 4 5 <nil> <nil> <nil>]"],
    [
      "{{ slice .l 0 9 }}",
      "ERROR error calling slice: reflect.Value.Slice: slice index out of bounds",
    ],
    [
      "{{ slice .l 3 2 }}",
      "ERROR error calling slice: reflect.Value.Slice: slice index out of bounds",
    ],
    [
      "{{ slice .l -1 }}",
      "ERROR error calling slice: reflect.Value.Slice: slice index out of bounds",
    ],
    [
      "{{ slice (list 1 2 3) 0 4 }}",
      "ERROR error calling slice: reflect.Value.Slice: slice index out of bounds",
    ],
    ["{{ slice (append .l 6) 0 10 }}", "[1 2 3 4 5 6 <nil> <nil> <nil> <nil>]"],
    [
      "{{ slice (append .l 6) 0 11 }}",
      "ERROR error calling slice: reflect.Value.Slice: slice index out of bounds",
    ],
    [
      "{{ slice (prepend (list 1 2 3 4) 0) 0 6 }}",
      "ERROR error calling slice: reflect.Value.Slice: slice index out of bounds",
    ],
    ["{{ slice (until 5) 4 8 }}", "[4 0 0 0]"],
    [
      `{{ slice (splitList "," "a,b,c") 0 4 }}`,
      "ERROR error calling slice: reflect.Value.Slice: slice index out of bounds",
    ],
    [`{{ slice (toStrings (list "a" nil)) 0 2 | len }}`, "2"],
    ["{{ slice (slice .l 1 3) 0 3 }}", "[2 3 4]"],
    [
      "{{ slice (reverse .l) 0 6 }}",
      "ERROR error calling slice: reflect.Value.Slice: slice index out of bounds",
    ],
    ["{{ slice (uniq .l) 0 6 }}", "[1 2 3 4 5 <nil>]"],
    ["{{ slice (deepCopy .l) 0 8 }}", "[1 2 3 4 5 <nil> <nil> <nil>]"],
    ["{{ slice (append (until 32) 1) 0 71 | len }}", "71"],
    ["{{ slice (concat (until 33)) 0 71 | len }}", "71"],
    [
      "{{ slice (concat (until 33)) 0 72 | len }}",
      "ERROR error calling slice: reflect.Value.Slice: slice index out of bounds",
    ],
    ["{{ slice (until 600) 0 848 | len }}", "848"],
    [
      "{{ slice .str 1 }}",
      "ERROR error calling slice: list should be type of slice or array but string",
    ],
    [
      "{{ mustSlice .m }}",
      "ERROR error calling mustSlice: list should be type of slice or array but map",
    ],
  ], DATA);
});

describe("lists are limited", () => {
  test("concat", () => {
    expect(() => render("{{ concat (until 600000) (until 600000) }}")).toThrow("over the limit");
  });

  test("uniq is fast for numbers, and fails for very many maps", () => {
    expect(render("{{ len (uniq (until 100000)) }}")).toBe("100000");
    const maps = Array.from({ length: 3000 }, (_, a) => ({ a }));
    expect(() => render("{{ uniq .maps }}", { maps })).toThrow("limit");
  });
});
