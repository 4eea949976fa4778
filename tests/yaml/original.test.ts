import { describe, expect, test } from "bun:test";
import { parseYaml, YamlError } from "../../lib/yaml/mod.ts";

/** Texts, and the errors of sigs.k8s.io/yaml for them. */
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

function originalOf(text: string): string | undefined {
  try {
    parseYaml(text);
    return undefined;
  } catch (error) {
    if (error instanceof YamlError) return error.original;
    throw error;
  }
}

describe("YamlError.original", () => {
  for (const [text, want] of ROWS) {
    const said = /^(json|unsupported)/.test(want) ? want : `yaml: ${want}`;
    test(JSON.stringify(text), () => expect(originalOf(text)).toBe(said));
  }

  test("is fast for long texts", () => {
    expect(originalOf(`a: [${"1, ".repeat(100_000)}`)).toBe(
      "yaml: line 1: did not find expected node content",
    );
  });

  test("is our own message if our limits reject a text", () => {
    expect(originalOf("[".repeat(2000))).toBe("yaml: lists and maps nest deeper than 1000 levels");
  });

  test("is not shown when the error is logged", () => {
    try {
      parseYaml("a: !!int hunter2");
    } catch (error) {
      expect((error as YamlError).original).toContain("hunter2");
      expect(Bun.inspect(error)).not.toContain("hunter2");
    }
    expect.assertions(2);
  });
});
