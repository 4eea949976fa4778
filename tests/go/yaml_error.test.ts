import { describe, expect, test } from "bun:test";
import { yamlErrorText } from "../../lib/go/yaml_error.ts";

/** Texts, and what go.yaml.in/yaml/v2 says to them. */
const ROWS: [text: string, want: string][] = [
  ["bad: [", "line 1: did not find expected node content"],
  ["a: [1", "line 1: did not find expected ',' or ']'"],
  ["a: {b", "line 1: did not find expected ',' or '}'"],
  ["a: {b: c\nd: e\n", "line 1: did not find expected ',' or '}'"],
  ["[,]", "did not find expected node content"],
  ["a: b: c", "mapping values are not allowed in this context"],
  ["x: 1\na: b: c", "line 2: mapping values are not allowed in this context"],
  ["a: - b", "block sequence entries are not allowed in this context"],
  ["a: ? b", "mapping keys are not allowed in this context"],
  ["a: 1\nb\nc: 2\n", "line 3: could not find expected ':'"],
  ["a: 1\n[b", "line 3: could not find expected ':'"],
  ["a:\n  b: 1\n c: 2\n", "line 2: did not find expected key"],
  ["- a\nb: c\n", "line 1: did not find expected '-' indicator"],
  ["a:\n- b\n  c: d\n", "line 3: mapping values are not allowed in this context"],
  ["a:\n\tb: c\n", "line 2: found character that cannot start any token"],
  ["a: b\n \tc\n \t\td: e", "line 3: mapping values are not allowed in this context"],
  ["a:\n  b\n\tc", "line 3: found a tab character that violates indentation"],
  ["a: @b", "found character that cannot start any token"],
  ["a: `b`", "found character that cannot start any token"],
  ["a: %b", "found character that cannot start any token"],
  ["a: 'b", "found unexpected end of stream"],
  ['a: "b\n', "line 2: found unexpected end of stream"],
  ['a: "b\n---\n"', "line 2: found unexpected document indicator"],
  ['a: "\\q"', "found unknown escape character"],
  ['a: "\\u12"', "did not find expected hexdecimal number"],
  ['a: "\\ud800"', "found invalid Unicode character escape code"],
  ["a: |0\n b", "found an indentation indicator equal to 0"],
  ["a: |-x\n b", "did not find expected comment or line break"],
  ["a: |\n \t b", "line 2: found a tab character where an indentation space is expected"],
  ["a: *x", "unknown anchor 'x' referenced"],
  ["a: &x [*x]", "anchor 'x' value contains itself"],
  ["a: &", "did not find expected alphabetic or numeric character"],
  ["a: !a!b c", "found undefined tag handle"],
  ["a: !<", "did not find expected tag URI"],
  ["a: !<x y", "did not find the expected '>'"],
  ["a: !x} y", "did not find expected whitespace or line break"],
  ["a: !%zz y", "did not find URI escaped octet"],
  ["%YAML 1.2\n---\na", "found incompatible YAML document"],
  ["%YAML 1.1\n%YAML 1.1\n---\na", "line 1: found duplicate %YAML directive"],
  ["%YAML 1\n---\na", "did not find expected digit or '.' character"],
  ["%YAML 1.111\n", "found extremely long version number"],
  ["%TAG ! a\n%TAG ! b\n---\na", "line 1: found duplicate %TAG directive"],
  ["%TAG x\n", "did not find expected '!'"],
  ["%FOO\n", "found unknown directive name"],
  ["%YAML 1.1\na", "line 1: did not find expected <document start>"],
  ["a: \u0001", "control characters are not allowed"],
  ["]", "did not find expected node content"],
  ["...", "did not find expected node content"],
];

describe("yamlErrorText()", () => {
  for (const [text, want] of ROWS) {
    test(JSON.stringify(text), () => expect(yamlErrorText(text)).toBe(`yaml: ${want}`));
  }

  const good = [
    "",
    "a: b",
    "a:\n- b\n- c: [d, {e: f}, ? g : h]\n",
    "? a\n: b\n",
    "a: &x 1\nb: *x\n",
    "a: |2-\n   b\nc: >\n  d\n",
    "%YAML 1.1\n%TAG !a! b\n---\nx: !a!c d\n...\n",
    "a: b\n---\nwrong: [",
    '"a" ]',
    "\ufeffa: b",
    "{}: a",
  ];
  for (const text of good) {
    test(`finds nothing wrong with ${JSON.stringify(text)}`, () => {
      expect(yamlErrorText(text)).toBeUndefined();
    });
  }

  test("is quick about long texts", () => {
    expect(yamlErrorText(`a: [${"1, ".repeat(100_000)}`)).toBe(
      "yaml: line 1: did not find expected node content",
    );
  });
});
