import { describe, expect, test } from "bun:test";
import { render, table } from "./_table.ts";

describe("trunc, substr and abbreviations count bytes", () => {
  table([
    [`{{ trunc 5 "hello world" }}`, "hello"],
    [`{{ trunc -5 "hello world" }}`, "world"],
    [`{{ trunc 0 "abc" }}|`, "|"],
    [`{{ trunc 100 "abc" }}`, "abc"],
    [`{{ trunc -100 "abc" }}`, "abc"],
    [`{{ trunc 2 "aé" | quote }}`, String.raw`"a\xc3"`],
    [`{{ trunc -1 "é" | quote }}`, String.raw`"\xa9"`],
    [`{{ trunc 3 "aé" }}`, "aé"],
    [`{{ substr 0 5 "hello world" }}`, "hello"],
    [`{{ substr -1 5 "hello world" }}`, "hello"],
    [`{{ substr 6 -1 "hello world" }}`, "world"],
    [`{{ substr 3 100 "héllo" }}`, "llo"],
    [`{{ substr 1 2 "é" | quote }}`, String.raw`"\xa9"`],
    [
      `{{ substr 3 2 "abc" }}`,
      "ERROR error calling substr: runtime error: slice bounds out of range [3:2]",
    ],
    [
      `{{ substr 4 -1 "abc" }}`,
      "ERROR error calling substr: runtime error: slice bounds out of range [4:3]",
    ],
    [
      `{{ substr -1 -1 "abc" }}`,
      "ERROR error calling substr: runtime error: slice bounds out of range [:-1]",
    ],
    [
      `{{ substr -1 9 "abc" }}`,
      "ERROR error calling substr: runtime error: slice bounds out of range [:9] with length 3",
    ],
    [`{{ abbrev 5 "hello world" }}`, "he..."],
    [`{{ abbrev 3 "hello world" }}`, "hello world"],
    [`{{ abbrev 4 "ééé" | quote }}`, String.raw`"\xc3..."`],
    [`{{ abbrev 11 "hello world" }}`, "hello world"],
    [`{{ abbrevboth 5 10 "1234 5678 9123" }}`, "...5678..."],
    [`{{ abbrevboth 6 10 "abcdefghijklmno" }}`, "...ghij..."],
    [`{{ abbrevboth 20 10 "abcdefghijklmno" }}`, "...ijklmno"],
    [`{{ abbrevboth 3 10 "abcdefghijklmno" }}`, "abcdefg..."],
    [`{{ abbrevboth 5 6 "abcdefghijklmno" }}`, "abcdefghijklmno"],
    [`{{ abbrevboth 0 6 "abcdefghijklmno" }}`, "abc..."],
    [`{{ abbrevboth -3 6 "abcdefghijklmno" }}`, "abc..."],
    [`{{ abbrevboth 0 5 "" }}|`, "|"],
  ]);
});

describe("case mapping maps one rune to one rune", () => {
  table([
    [`{{ upper "straße ŉ ǆ ᾳ ᾀ ﬁ" }}`, "STRAßE ŉ Ǆ ᾼ ᾈ ﬁ"],
    [`{{ lower "İSTANBUL ΣΑΣ Ǆ" }}`, "istanbul σασ ǆ"],
    [`{{ upper "ა ƛ" }}`, "Ა ƛ"],
    [`{{ title "hello world" }}`, "Hello World"],
    [`{{ title "it's a.b/c_d 1st ǆ ა" }}`, "It'S A.B/C_d 1st ǅ ა"],
    [`{{ title "élan über-alles 世界a" }}`, "Élan Über-Alles 世界a"],
    [`{{ untitle "ÉTÉ Ça ǅ" }}`, "éTÉ ça ǆ"],
    [`{{ swapcase "aBC dEF ǆ xǆ ǅ ß" }}`, "Abc Def ǅ XǄ ǆ ß"],
    [String.raw`{{ upper "\xff" | quote }}`, `"�"`],
    [String.raw`{{ title "a\xffb" | quote }}`, `"A�b"`],
  ]);
});

describe("snakecase, kebabcase and camelcase find words", () => {
  table([
    [`{{ snakecase "FirstName" }}`, "first_name"],
    [`{{ snakecase "HTTPServer" }}`, "http_server"],
    [`{{ snakecase "NoHTTPS" }}`, "no_https"],
    [`{{ snakecase "GO_PATH" }}`, "go_path"],
    [`{{ snakecase "GO PATH-x" }}`, "go_path_x"],
    [`{{ snakecase "http2xx" }}`, "http_2xx"],
    [`{{ snakecase "HTTP20xOK" }}`, "http_20x_ok"],
    [`{{ snakecase "Duration2m3s" }}`, "duration_2m3s"],
    [`{{ snakecase "Bld4Floor3rd" }}`, "bld4_floor_3rd"],
    [`{{ snakecase "_A__b.c!D" }}`, "_a__b.c!d"],
    [`{{ snakecase "" }}|`, "|"],
    [`{{ snakecase "HTTP2" }}`, "http2"],
    [`{{ snakecase "a1b2C3" }}`, "a_1b2_c3"],
    [`{{ snakecase "ÉtéÀ世界b" }}`, "été_à_世界_b"],
    [String.raw`{{ snakecase "x\xffY\ufffd" | quote }}`, `"x_�y�"`],
    [String.raw`{{ snakecase "\xff" | quote }}`, String.raw`"\xff"`],
    [`{{ kebabcase "HTTPServer2Go" }}`, "http-server2-go"],
    [`{{ kebabcase "ab.cd+EF" }}`, "ab.cd-+-ef"],
    [`{{ kebabcase "½Ⅳ€x" }}`, "½Ⅳ-€-x"],
    [`{{ camelcase "http_server" }}`, "HttpServer"],
    [`{{ camelcase "_complex__case_" }}`, "_Complex_Case_"],
    [`{{ camelcase "GOLANG_IS_GREAT" }}`, "GolangIsGreat"],
    [`{{ camelcase "some words-here" }}`, "SomeWordsHere"],
    [`{{ camelcase "-" }}`, "--"],
    [`{{ camelcase "-_" }}`, "-__"],
    [`{{ camelcase "x" }}`, "X"],
    [`{{ camelcase "" }}|`, "|"],
    [`{{ camelcase "aBC_DEf" }}`, "ABCDef"],
  ]);
});

describe("whitespace is that of Unicode, or of Latin-1 for functions on bytes", () => {
  table([
    [String.raw`{{ trim "\u0085\u00a0\u3000 a b\t\n" }}|`, "a b|"],
    [String.raw`{{ trim "\ufeffa" | quote }}`, String.raw`"\ufeffa"`],
    [String.raw`{{ nospace " a\tb\u00a0c " | quote }}`, `"abÂc"`],
    [`{{ nospace "é" }}`, "é"],
    [`{{ nospace "à" | quote }}`, `"Ã"`],
    [`{{ nospace "é e" | quote }}`, `"Ã©e"`],
    [`{{ initials "First Try" }}`, "FT"],
    [`{{ initials "  a  b" }}`, "ab"],
    [`{{ initials "élan vital" | quote }}`, `"Ãv"`],
    [`{{ initials "" }}|`, "|"],
  ]);
});

describe("trimming removes sets, prefixes and suffixes", () => {
  table([
    [`{{ trimAll "$ " "$ 5.00 $" }}`, "5.00"],
    [`{{ trimall "é" "éaé" }}`, "a"],
    [`{{ trimAll "" " a " }}|`, " a |"],
    [String.raw`{{ trimAll "\xff" "\xfea\xff" }}`, "a"],
    [`{{ trimPrefix "-" "--a" }}`, "-a"],
    [`{{ trimSuffix "" "a" }}`, "a"],
    ['{{ trimSuffix "\\xa9" "é" | quote }}', String.raw`"\xc3"`],
    ['{{ trimPrefix "\\xc3" "é" | quote }}', String.raw`"\xa9"`],
    ['{{ contains "\\xa9" "é" }}', "true"],
    [`{{ contains "" "" }}`, "true"],
    ['{{ hasPrefix "\\xc3" "é" }}', "true"],
    [`{{ hasSuffix "lo" "hello" }}`, "true"],
    [`{{ hasPrefix "hello" "lo" }}`, "false"],
  ]);
});

describe("replace, repeat and plural", () => {
  table([
    [`{{ replace "a" "$&" "banana" }}`, "b$&n$&n$&"],
    [`{{ replace "" "-" "aé😀" }}`, "-a-é-😀-"],
    [`{{ replace "" "-" "" }}`, "-"],
    ['{{ replace "\\xc3" "X" "é" | quote }}', String.raw`"X\xa9"`],
    [`{{ repeat 3 "ab" }}`, "ababab"],
    [`{{ repeat 0 "x" }}|`, "|"],
    [`{{ repeat -1 "x" }}`, "ERROR error calling repeat: strings: negative Repeat count"],
    [String.raw`{{ repeat 2 "\xa9\xc3" | quote }}`, '"\\xa9é\\xc3"'],
    [`{{ plural "one" "many" 1 }}`, "one"],
    [`{{ plural "one" "many" 0 }}`, "many"],
    [`{{ plural "one" "many" .n }}`, "ERROR wrong type for value; expected int; got float64"],
  ], { "n": 1 });
});

describe("wrap breaks at spaces, wrapWith also in long words", () => {
  table([
    [`{{ wrap 5 "Hello World again" | quote }}`, String.raw`"Hello\nWorld\nagain"`],
    [`{{ wrap 3 "abcdefghi jk" | quote }}`, String.raw`"abcdefghi\njk"`],
    [`{{ wrap 0 "a b" | quote }}`, String.raw`"a\nb"`],
    [`{{ wrap 4 "ab    cd  " | quote }}`, String.raw`"ab  \ncd  "`],
    [`{{ wrap 4 "éé é" | quote }}`, '"éé\\né"'],
    [`{{ wrap 5 "" }}|`, "|"],
    [String.raw`{{ wrapWith 5 "\t" "Hello World" | quote }}`, String.raw`"Hello\tWorld"`],
    [`{{ wrapWith 4 "" "abcdefghij" | quote }}`, String.raw`"abcd\nefgh\nij"`],
    [`{{ wrapWith 3 "|" "ééé" | quote }}`, '"é\\xc3|\\xa9é"'],
    [`{{ wrapWith 2 "--" "a  bcd" }}`, "a --bc--d"],
  ]);
});

describe("quoting and joining ignores nil", () => {
  table([
    [
      String.raw`{{ quote "a\"b\n" 1 nil .m true }}`,
      String.raw`"a\"b\n" "1" "map[a:[<nil>] b:1]" "true"`,
    ],
    ["{{ quote }}|", "|"],
    ["{{ quote nil }}|", "|"],
    [`{{ squote "it's" 1.5 nil .l }}`, "'it's' '1.5' '[1 x <nil>]'"],
    [`{{ cat "a" nil 1 .l true }}`, "a 1 [1 x <nil>] true"],
    ["{{ cat }}|", "|"],
    [String.raw`{{ cat "\xc3" | trimSuffix "" | quote }}`, String.raw`"\xc3"`],
    [String.raw`{{ quote "\xff\u200b" }}`, String.raw`"\xff\u200b"`],
  ], { "m": { "b": 1, "a": [null] }, "l": [1, "x", null] });
});

describe("indent pads every line", () => {
  table([
    [String.raw`{{ indent 2 "a\n\nb\n" | quote }}`, String.raw`"  a\n  \n  b\n  "`],
    [`{{ indent 0 "a" }}`, "a"],
    [`{{ nindent 1 "a" | quote }}`, String.raw`"\n a"`],
    [`{{ indent -1 "a" }}`, "ERROR error calling indent: strings: negative Repeat count"],
    ["{{ hello }}", "Hello!"],
  ]);
});

describe("arguments are checked against Go's parameter types", () => {
  table([
    [`{{ trunc "1" "a" }}`, `ERROR expected integer; found "1"`],
    ["{{ upper 1 }}", "ERROR expected string; found 1"],
    ["{{ upper nil }}", "ERROR cannot assign nil to string"],
    ["{{ upper .missing }}", "ERROR invalid value; expected string"],
    [`{{ repeat 1.5 "a" }}`, "ERROR expected integer; found 1.5"],
    ["{{ hello 1 }}", "ERROR wrong number of args for hello: want 0 got 1"],
    [`{{ wrapWith 1 "a" }}`, "ERROR wrong number of args for wrapWith: want 3 got 2"],
  ]);
});

describe("shuffle", () => {
  test("keeps the runes and uses the host's randomness", () => {
    const text = "héllo wörld";
    const shuffled = render(`{{ shuffle "${text}" }}`);
    expect(shuffled).not.toBe(text);
    expect([...shuffled].sort()).toEqual([...text].sort());
  });

  test("replaces invalid UTF-8 with U+FFFD", () => {
    expect(render('{{ shuffle "\\xff" }}')).toBe("\ufffd");
  });
});

describe("results are limited", () => {
  for (
    const template of [
      '{{ repeat 9223372036854775807 "ab" }}',
      '{{ indent 9000000 "x" }}',
      '{{ indent 1000 (repeat 80000 "a\\n") }}',
      '{{ replace "" "xxxx" (repeat 4000000 "x") }}',
      '{{ wrapWith 1 "xxxxxxx" (repeat 4000000 "x") }}',
      '{{ $x := repeat 4000000 "x" }}{{ cat $x $x $x }}',
      '{{ $x := repeat 4000000 "x" }}{{ quote $x $x $x }}',
    ]
  ) {
    test(template, () => expect(() => render(template)).toThrow("over the limit"));
  }

  test("an empty string can be repeated any number of times", () => {
    expect(render('{{ repeat 9223372036854775807 "" }}|')).toBe("|");
  });
});
