import { describe, expect, test } from "bun:test";
import { STRINGS, Typed } from "../../../lib/go/value.ts";
import { render, table } from "./_table.ts";

const DATA = {
  l: ["c", "a", "B", "b"],
  mix: [1, "a", null, true, 1.5, ["x"]],
  e: [],
  m: { x: 1 },
  nil: null,
};

describe("join and toStrings accept any value and ignore nil", () => {
  table([
    [`{{ join "," .l }}`, "c,a,B,b"],
    [`{{ join "," .mix }}`, "1,a,true,1.5,[x]"],
    [`{{ join "" .e }}|`, "|"],
    [`{{ join "," .nil }}|`, "|"],
    [`{{ join "," .missing }}|`, "|"],
    [`{{ join "," "abc" }}`, "abc"],
    [`{{ join "," .m }}`, "map[x:1]"],
    [`{{ join "-" (until 3) }}`, "0-1-2"],
    [String.raw`{{ join "" (list "\xc3" "\xa9") | quote }}`, `"é"`],
    ["{{ toStrings .mix }} {{ len (toStrings .mix) }}", "[1 a true 1.5 [x]] 5"],
    ["{{ toStrings .nil }} {{ toStrings 1 }} {{ typeOf (toStrings .e) }}", "[] [1] []string"],
    ["{{ join 1 .l }}", "ERROR expected string; found 1"],
  ], DATA);
});

describe("split returns numbered parts, splitList a list", () => {
  table([
    [`{{ split "," "a,b,c" }}`, "map[_0:a _1:b _2:c]"],
    [`{{ (split "," "a,b")._1 }} {{ (split "," "a")._5 }}`, "b <no value>"],
    [`{{ split "" "aé" }}`, "map[_0:a _1:é]"],
    [`{{ split "," "" }}`, "map[_0:]"],
    [`{{ split "," "a" | typeOf }}`, "map[string]string"],
    [`{{ splitn "," 2 "a,b,c" }}`, "map[_0:a _1:b,c]"],
    [`{{ splitn "," 0 "a,b,c" }}`, "map[]"],
    [`{{ splitn "," -1 "a,b,c" }}`, "map[_0:a _1:b _2:c]"],
    [`{{ splitn "" 2 "aéb" }}`, "map[_0:a _1:éb]"],
    [`{{ splitn "," 1 "a,b" }}`, "map[_0:a,b]"],
    [`{{ splitList "," "a,b" }} {{ splitList "," "a,b" | typeOf }}`, "[a b] []string"],
    [`{{ splitList "" "aé😀" | join "|" }}`, "a|é|😀"],
    [`{{ splitList "" "" | len }} {{ splitList "," "" | len }}`, "0 1"],
    ['{{ splitList "\\xa9" "éa" | join "|" | quote }}', String.raw`"\xc3|a"`],
    [`{{ splitList "aa" "aaaaa" | join "|" }}`, "||a"],
  ], DATA);
});

describe("sortAlpha sorts by bytes", () => {
  table([
    ["{{ sortAlpha .l }} {{ .l }}", "[B a b c] [c a B b]"],
    ["{{ sortAlpha (list 2 10 1) }}", "[1 10 2]"],
    ["{{ sortAlpha .mix }}", "[1 1.5 [x] a true]"],
    [
      `{{ sortAlpha "x" }} {{ sortAlpha 1 }} {{ sortAlpha .nil }} {{ sortAlpha .m }}`,
      "[x] [1] [<nil>] [map[x:1]]",
    ],
    ['{{ sortAlpha (list "\\uffff" "😀" "é" "z" "Z") }}', "[Z z é ￿ 😀]"],
    ["{{ typeOf (sortAlpha .l) }}", "[]string"],
    [`{{ $l := splitList "," "c,a" }}{{ sortAlpha $l }}{{ $l }}`, "[a c][a c]"],
    [`{{ $l := list "c" "a" }}{{ sortAlpha $l }}{{ $l }}`, "[a c][c a]"],
  ], DATA);
});

describe("nil and shared lists", () => {
  test("sortAlpha does not change lists in the data", () => {
    const args = new Typed(STRINGS, ["b", "a"]);
    expect(render("{{ sortAlpha .args }}{{ .args }}", { args })).toBe("[a b][b a]");
  });

  test("a nil []string joins to an empty string", () => {
    expect(render('{{ join "," .none }}|', { none: new Typed(STRINGS, null) })).toBe("|");
  });

  for (
    const template of [
      '{{ splitList "" (repeat 2000000 "x") }}',
      '{{ join (repeat 1000 "y") (until 100000) }}',
    ]
  ) {
    test(template, () => expect(() => render(template)).toThrow("over the limit"));
  }
});
