/** Properties of all templates: printed templates parse, garbage does not crash, limits hold. */
import { describe, expect, test } from "bun:test";
import { compileTemplate, printNode, TemplateError } from "../../lib/go/template/mod.ts";
import type { MissingKey, TemplateLimits, TreeSet } from "../../lib/go/template/mod.ts";
import { DATA, random, randomTemplate } from "./_random_template.ts";

/** Delimiters that random templates do not contain. */
const PRINT = { leftDelim: "<<%", rightDelim: "%>>" };

/** Prints a set of trees as one source, with the template itself last. */
function printTrees(trees: TreeSet): string {
  const action = (text: string) => PRINT.leftDelim + text + PRINT.rightDelim;
  const parts = [...trees].filter(([name]) => name !== "t").map(([name, tree]) =>
    action(`define ${JSON.stringify(name)}`) + printNode(tree, PRINT) + action("end")
  );
  return parts.join("") + printNode(trees.get("t")!, PRINT);
}

function compile(source: string, options: { left?: string; right?: string } = {}) {
  return compileTemplate(source, {
    name: "t",
    leftDelim: options.left,
    rightDelim: options.right,
  });
}

/** Runs a function that can throw a template error, but no other error. */
function outcome(run: () => string): string {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return error.message;
  }
}

describe("printNode()", () => {
  test("prints source that parses and prints the same again", () => {
    const next = random(1);
    let compared = 0;
    for (let i = 0; i < 3000; i++) {
      const { template, left, right } = randomTemplate(next, 0);
      let trees: TreeSet;
      try {
        trees = compile(template, { left, right }).trees;
      } catch {
        continue; // invalid in Go, too
      }
      const printed = printTrees(trees);
      const again = compile(printed, { left: PRINT.leftDelim, right: PRINT.rightDelim });
      expect(printTrees(again.trees)).toBe(printed);
      compared++;
    }
    expect(compared).toBeGreaterThan(1000);
  });

  test("prints the given delimiters", () => {
    const { trees } = compile('[[ if .x ]]a[[ else ]][[ template "t" . ]][[ end ]]', {
      left: "[[",
      right: "]]",
    });
    expect(printNode(trees.get("t")!, { leftDelim: "[[", rightDelim: "]]" })).toBe(
      '[[if .x]]a[[else]][[template "t" .]][[end]]',
    );
  });
});

describe("compileTemplate()", () => {
  test("gives output or a template error for random templates", () => {
    const next = random(2);
    for (let i = 0; i < 5000; i++) {
      const { template, left, right, missingkey } = randomTemplate(next, 0.5);
      outcome(() =>
        compileTemplate(template, {
          name: "t",
          leftDelim: left,
          rightDelim: right,
          missingKey: missingkey as MissingKey,
          limits: { steps: 20_000 },
        }).execute(DATA)
      );
    }
  });

  test("gives output or a template error for random characters", () => {
    const next = random(3);
    const alphabet = [..."{{}}{{}}--  ..$|()\"'`:=,/*\\n0x1eia\n\r\té🎉\u0000\ufffd", "if", "end"];
    for (let i = 0; i < 5000; i++) {
      const length = Math.floor(next() * 40);
      const source = Array.from({ length }, () => alphabet[Math.floor(next() * alphabet.length)]);
      outcome(() => compile(source.join("")).execute(DATA));
    }
  });

  test("never changes its data", () => {
    const freeze = (value: unknown): unknown => {
      if (typeof value === "object" && value !== null) Object.values(value).forEach(freeze);
      return Object.freeze(value);
    };
    const data = freeze(structuredClone(DATA));
    const next = random(4);
    for (let i = 0; i < 1000; i++) {
      const { template, left, right } = randomTemplate(next, 0);
      outcome(() => compile(template, { left, right }).execute(data));
    }
  });

  test("gives the same output each time and in any order", () => {
    const template = compile("{{ range $i, $x := .l }}{{ $i }}:{{ $x }};{{ end }}{{ .s }}");
    const first = template.execute({ l: [1, "b"], s: "x" });
    template.execute({ l: ["other"], s: "y" });
    expect(template.execute({ l: [1, "b"], s: "x" })).toBe(first);
    expect(first).toBe("0:1;1:b;x");
  });
});

describe("limits", () => {
  const deep = (n: number, open: string, close: string) => open.repeat(n) + close.repeat(n);
  const cases: [name: string, source: string, limits: Partial<TemplateLimits>, error: RegExp][] = [
    ["steps in a loop", "{{ range 9223372036854775807 }}{{ end }}", {}, /exceeds 1000000 steps/],
    [
      "steps in calls",
      '{{ define "a" }}{{ template "b" }}{{ template "b" }}{{ end }}{{ define "b" }}{{ template "c" }}{{ template "c" }}{{ end }}{{ define "c" }}x{{ end }}{{ template "a" }}',
      { steps: 5 },
      /exceeds 5 steps/,
    ],
    [
      "output",
      "{{ range 1000 }}0123456789{{ end }}",
      { outputLength: 500 },
      /output exceeds 500 characters/,
    ],
    [
      "depth",
      '{{ define "a" }}{{ template "a" }}{{ end }}{{ template "a" }}',
      {},
      /exceeded maximum template depth \(1000\)/,
    ],
    [
      "depth, each level deep",
      `{{ define "a" }}${
        deep(60, "{{ with 1 }}", "x{{ end }}").replace("x", '{{ template "a" }}')
      }{{ end }}{{ template "a" }}`,
      {},
      /exceeded maximum|exceeds the limits of the runtime/,
    ],
    [
      "parentheses",
      `{{ ${"(".repeat(600)}1${")".repeat(600)} }}`,
      {},
      /max expression depth exceeded/,
    ],
    ["nesting", deep(600, "{{ if 1 }}", "{{ end }}"), {}, /max nesting depth exceeded/],
    [
      "else if",
      `{{ if 0 }}${"{{ else if 0 }}".repeat(600)}{{ end }}`,
      {},
      /max nesting depth exceeded/,
    ],
  ];
  for (const [name, source, limits, error] of cases) {
    test(`${name}: fails, and neither hangs nor crashes`, () => {
      expect(() => compileTemplate(source, { name: "t", limits }).execute({})).toThrow(error);
    });
  }

  test("allow ordinary depth", () => {
    expect(compile(`{{ ${"(".repeat(100)}1${")".repeat(100)} }}`).execute({})).toBe("1");
    expect(compile(deep(100, "{{ if 1 }}", "x{{ end }}")).execute({})).toHaveLength(100);
  });
});

describe("TemplateError", () => {
  test("has the line and column besides Go's message, and an excerpt with a caret", () => {
    const source = "first\n  {{ .a.b.c }}\n";
    try {
      compile(source).execute({ a: { b: 1 } });
      expect.unreachable();
    } catch (error) {
      const { message, place } = error as TemplateError;
      expect(message).toBe(
        `template: t:2:7: executing "t" at <.a.b.c>: can't evaluate field c in type interface {}`,
      );
      expect(place).toEqual({ line: 2, column: 8, sourceLine: "  {{ .a.b.c }}" });
      expect((error as TemplateError).excerpt()).toBe(
        "2 |   {{ .a.b.c }}\n           ^",
      );
    }
  });

  test("has the line of a parse error", () => {
    try {
      compile("a\n{{ nofunc }}");
      expect.unreachable();
    } catch (error) {
      expect((error as TemplateError).code).toBe("parse");
      expect((error as TemplateError).excerpt()).toBe("2 | {{ nofunc }}");
    }
  });
});
