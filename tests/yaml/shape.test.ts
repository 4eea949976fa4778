import { describe, expect, test } from "bun:test";
import { compileYamlShape, parseYaml, type YamlParts } from "../../lib/yaml/mod.ts";
import { ODD_VALUES } from "../_odd_values.ts";
import { deepFreeze } from "../_freeze.ts";

/** Parses a text with holes: `<x>` holds `x` when the shape is compiled. */
function parts(text: string): YamlParts {
  const pieces = text.split(/<([^<>]*)>/);
  return {
    texts: pieces.filter((_, i) => i % 2 === 0),
    values: pieces.filter((_, i) => i % 2 === 1),
  };
}

function joined({ texts }: YamlParts, values: readonly string[]): string {
  return texts.map((text, i) => text + (values[i] ?? "")).join("");
}

function parsed(text: string): unknown {
  try {
    return parseYaml(text);
  } catch {
    return "no document";
  }
}

/** Positions of holes, and whether they can be filled. */
const PLACES: readonly [name: string, text: string, isOpen: boolean][] = [
  ["double quotes", 'a: "<x>"\nb: 1\n', true],
  ["double quotes with nothing in them", 'a: "<>"\nb: 1\n', true],
  ["double quotes amid text", 'a:\n- "x, <x>\\t<y> z"\n', true],
  ["a value that brings its quotes", 'a: <"x">\nb: 1\n', true],
  ["double quotes over two lines", 'a: "x\n  <x>\n  y"\n', false],
  ["single quotes", "a: '<x>'\n", true],
  ["a quoted value in single quotes", "a: '<\"x\">'\n", true],
  ["no quotes", "a: <x>\nb: 1\n", true],
  ["no quotes, a number", "a: <15>\nb: 1\n", true],
  ["no quotes, amid text", "a: x/<x>/y<z>\n", true],
  ["no quotes, before a comment", "a: <x> # <y>\n", true],
  ["no quotes, in a list", "a:\n- <x>\n- <y>\n", true],
  ["no quotes, two holes in one", "a: <x><y>\n", true],
  ["no quotes, over two lines", "a: b\n  <x>\n", false],
  ["brackets", "a: [ <x>, b ]\n", true],
  ["braces", 'a: { b: "<x>", c: <y>, }\n', true],
  ["a literal block", "a: |\n  <x>\nb: 1\n", true],
  ["a literal block amid text", "a: |-\n  [\n  <x>,<y>\n  ]\nb: 1\n", true],
  ["a literal block at the end", "a: |\n  <x>", true],
  ["a folded block", "a: \u003e\n  <x>\nb: 1\n", false],
  ["a key", "<x>: 1\nb: 2\n", false],
  ["a quoted key", '"<x>": 1\nb: 2\n', false],
  ["a comment", "a: 1\n# <x>\nb: 2\n", false],
  ["the indentation", "a:\n<  >b: 2\n", false],
  ["nothing where a key could be", "a: 1\n<>\n", false],
  ["the first column", "a: [\n<x>\n]\n", false],
  ["the rest of what could be a marker", "a: [\n--<x>\n]\n", false],
  ["a tagged value", "a: !!str <x>\n", false],
  ["an anchored value", "a: &x <x>\nb: *x\n", false],
  ["a text that needs repair", 'a:\n  b: { c: "<x>",\n }\n', true],
];

describe("filling a shape equals parsing, or fails", () => {
  for (const [name, text, isOpen] of PLACES) {
    test(`in ${name}`, () => {
      const given = parts(text);
      const shape = compileYamlShape(given);
      let filled = 0;
      for (let hole = 0; hole < given.values.length; hole++) {
        for (const odd of [...ODD_VALUES, ...ODD_VALUES.map((odd) => `"${odd}"`)]) {
          const values = given.values.with(hole, odd);
          for (const now of [values, given.values, values]) {
            const document = shape?.fill(now);
            if (document === undefined) continue;
            filled += now === values ? 1 : 0;
            expect(deepFreeze(document)).toStrictEqual(parsed(joined(given, now)) as never);
          }
        }
      }
      if (isOpen) expect(filled).toBeGreaterThan(10);
    });
  }
});

test("a shape with fixed values fits only those", () => {
  const shape = compileYamlShape({ texts: ["", ": ", "\n"], values: ["key", "value"] })!;
  expect(shape.fixed).toEqual([0]);
  expect(shape.fill(["key", "other"])).toEqual({ key: "other" });
  expect(shape.fill(["other", "value"])).toBeUndefined();
  expect(shape.fill(["key"])).toBeUndefined();
});

test("documents of one shape share only equal parts", () => {
  const shape = compileYamlShape({
    texts: ["a: { b: 1 }\nc: [{ d: '", "' }, { e: 2 }]\n"],
    values: ["x"],
  })!;
  const first = deepFreeze(shape.fill(["y"])!) as Record<string, unknown[]>;
  const second = deepFreeze(shape.fill(["z"])!) as Record<string, unknown[]>;
  expect(first).toEqual({ a: { b: 1 }, c: [{ d: "y" }, { e: 2 }] } as never);
  expect(second).toEqual({ a: { b: 1 }, c: [{ d: "z" }, { e: 2 }] } as never);
  expect(second.a).toBe(first.a);
  expect(second.c[1]).toBe(first.c[1]);
  expect(shape.fill(["z"])).toBe(second);
});

test("a text that is not a map has no shape", () => {
  for (const text of ["- <x>\n", "<x>\n", "", "a: 1\n---\nb: <x>\n"]) {
    expect(compileYamlShape(parts(text))).toBeUndefined();
  }
});
