import { describe, expect, test } from "bun:test";
import { goRegexp } from "../../../lib/go/sprig/_regexp.ts";
import { render, table } from "./_host_table.ts";

describe("matching is Go's: leftmost, first alternative first, RE2 syntax", () => {
  table([
    ["{{ regexMatch `^[a-z]+$` `abc` }} {{ regexMatch `$` `a\\n` }}", "true true"],
    ["{{ regexFind `a|ab` `abc` }} {{ regexFind `(?U)a+` `aaa` }}", "a a"],
    ["{{ regexFind `(?i)k` `\u212a` }} {{ regexFind `[[:alpha:]]+` `1ab2` }}", "\u212a ab"],
    ["{{ regexFind `z` `abc` }}|{{ regexFind `` `abc` }}|", "||"],
    ["{{ regexFind `\\p{letter}+` `1é世2` }} {{ regexMatch `\\p{ASCII}` `é` }}", "é世 false"],
    ["{{ regexMatch `\\p{^Greek}` `a` }} {{ regexMatch `\\P{greek}` `α` }}", "true false"],
    ["{{ regexFind `(?P<n>a)(?P<n>b)` `ab` }}", "ab"],
    ["{{ regexFind `[(?P<n>]+` `n<P` }}", "n<P"],
    ["{{ regexFind `\\Q.*\\E` `a.*b` }} {{ regexFind `\\x{1F600}.` `😀é` }}", ".* 😀é"],
  ]);
});

describe("all matches, with Go's rules for empty ones", () => {
  table([
    ["{{ regexFindAll `a*` `baac` -1 | toJson }}", `["","aa",""]`],
    ["{{ regexFindAll `` `é世` -1 | len }}", "3"],
    ["{{ regexFindAll `.` `😀b` -1 | toJson }}", `["😀","b"]`],
    ["{{ regexFindAll `\\b` `ab cd` -1 | len }} {{ regexFindAll `^a` `aaa` -1 | len }}", "4 1"],
    [
      "{{ regexFindAll `a` `aaa` 2 | toJson }} {{ regexFindAll `a` `aaa` 0 | toJson }}",
      `["a","a"] null`,
    ],
    [
      "{{ regexFindAll `z` `a` -1 | toJson }} {{ regexFindAll `z` `a` -1 | typeOf }}",
      "null []string",
    ],
    [
      "{{ regexSplit `,` `a,,b` -1 | toJson }} {{ regexSplit `,` `a,b,c` 2 | toJson }}",
      `["a","","b"] ["a","b,c"]`,
    ],
    [
      "{{ regexSplit `` `abc` -1 | toJson }} {{ regexSplit `x*` `axbxc` -1 | toJson }}",
      `["a","b","c"] ["a","b","c"]`,
    ],
    [
      "{{ regexSplit `a` `` -1 | toJson }} {{ regexSplit `` `` -1 | toJson }} {{ regexSplit `a` `b` 0 | toJson }}",
      `[""] [] null`,
    ],
    ["{{ regexReplaceAll `a*` `baac` `-` }} {{ regexReplaceAll `` `é世` `-` }}", "-b-c- -é-世-"],
  ]);
});

describe("a group reference in a replacement takes the longest name", () => {
  table([
    [
      "{{ regexReplaceAll `(b)` `abc` `$1W` }} {{ regexReplaceAll `(b)` `abc` `${1}W` }}",
      "ac abWc",
    ],
    [
      "{{ regexReplaceAll `(?P<x>b)` `abc` `<$x>` }} {{ regexReplaceAll `b` `abc` `[$0]` }}",
      "a<b>c a[b]c",
    ],
    [
      "{{ regexReplaceAll `b` `abc` `$$` }} {{ regexReplaceAll `b` `abc` `$9` }} {{ regexReplaceAll `b` `abc` `$` }}",
      "a$c ac a$c",
    ],
    ["{{ regexReplaceAll `b` `abc` `${x` }} {{ regexReplaceAll `(b)` `abc` `$01` }}", "a${xc ac"],
    ["{{ regexReplaceAll `(?P<n>x)|(?P<n>b)` `abc` `<$n>` }}", "a<b>c"],
    [
      "{{ regexReplaceAll `(a)|b` `ab` `[$1]` }} {{ regexReplaceAll `(?P<__proto__>b)` `b` `$__proto__$constructor` }}",
      "[a][] b",
    ],
    [
      "{{ regexReplaceAllLiteral `b` `abc` `$0` }} {{ mustRegexReplaceAllLiteral `z` `x` `y` }}",
      "a$0c x",
    ],
    ["{{ regexReplaceAll `.` (b64dec `Yf9i`) `<$0>` | b64enc }}", "PGE+PP8+PGI+"],
  ]);
});

describe("bad patterns", () => {
  const rows = [
    ["(", "missing closing ): `(`"],
    ["a)", "unexpected ): `a)`"],
    ["[a", "missing closing ]: `[a`"],
    ["[b-a]", "invalid character class range: `b-a`"],
    ["\\p{Old_Italic}", "invalid character class range: `\\p{Old_Italic}`"],
    ["[\\p{letter}", "missing closing ]: `[\\p{letter}`"],
    ["(?=x)", "invalid or unsupported Perl syntax: `(?=`"],
    ["(?<=x)", "invalid named capture: `(?<=x)`"],
    ["(?P<n", "invalid named capture: `(?P<n`"],
    ["a**", "invalid nested repetition operator: `**`"],
    ["*", "missing argument to repetition operator: `*`"],
    ["a{1001}", "invalid repeat count: `{1001}`"],
    ["\\", "trailing backslash at end of expression: ``"],
    ["\\y", "invalid escape sequence: `\\y`"],
    ["(".repeat(1001) + ")".repeat(1001), "expression nests too deeply: `" + "(".repeat(1001)],
  ];
  for (const [pattern, want] of rows) {
    test(`${pattern.slice(0, 20)} fails with Go's error, or does not match`, () => {
      const data = { p: pattern };
      expect(render("{{ regexMatch .p `x` }}", { data })).toBe("false");
      const text = `error parsing regexp: ${want}`;
      expect(render("{{ mustRegexFind .p `x` }}", { data })).toContain(`mustRegexFind: ${text}`);
      const quoted = `regexFind: regexp: Compile(\`${pattern}\`): ${text}`;
      expect(render("{{ regexFind .p `x` }}", { data })).toContain(quoted);
    });
  }
  table([
    [
      '{{ regexFind "`(" "x" }}',
      'ERROR regexp: Compile("`("): error parsing regexp: missing closing ): ``(`',
    ],
    [
      '{{ regexSplit "\\n(" "x" 1 }}',
      'ERROR regexp: Compile("\\n("): error parsing regexp: missing closing ): `\n(`',
    ],
  ]);
});

describe("searches that would take too long fail", () => {
  test("patterns", () => {
    expect(() => goRegexp("a".repeat(20_000))).toThrow("expression longer than");
    expect(() => goRegexp("(a{1000}|b{1000})".repeat(100))).toThrow("expression too large");
  });
  test("a large program on a long text", () => {
    const regexp = goRegexp("(a?){1000}a{1000}");
    expect(() => regexp.findString("a".repeat(100_000))).toThrow("too long for this expression");
  });
  test("many searches, by the host's clock", () => {
    let time = 0n;
    const now = () => time += 3_000_000_000n;
    expect(() => goRegexp("a").findAllString("a".repeat(200), -1, now)).toThrow("took too long");
    expect(goRegexp("a").findAllString("a".repeat(60), -1, now)).toHaveLength(60);
  });
  test("results that get too long", () => {
    const text = "a".repeat(100_000);
    expect(() => goRegexp("a").replaceAllString(text, "b".repeat(1000), () => 0n)).toThrow(
      "too long",
    );
  });
});

describe("regexQuoteMeta", () => {
  table([["{{ regexQuoteMeta `1.2[3]-/é` }}", "1\\.2\\[3\\]-/é"]]);
});
