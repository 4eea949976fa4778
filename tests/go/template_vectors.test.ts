/**
 * Every vector of tests/vectors/template: the results of Go 1.26, sprig and Istio's functions. The
 * README in that directory explains the fields.
 */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { toBytes } from "../../lib/data/bytes.ts";
import { sprigFunctions } from "../../lib/go/sprig/mod.ts";
import { compileTemplate, type MissingKey } from "../../lib/go/template/mod.ts";
import type { FunctionMap } from "../../lib/go/value.ts";
import { injectionFunctions } from "../../lib/inject/functions.ts";
import { testSprigHost } from "./_sprig_host.ts";
import { typedValue } from "./_typed.ts";

interface Vector {
  readonly id: string;
  readonly left: string;
  readonly right: string;
  readonly missingkey: string;
  readonly funcs?: "sprig" | "builtin";
  readonly typed?: Readonly<Record<string, string>>;
  readonly template: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly want?: string;
  readonly want_b64?: string;
  readonly error?: string;
  readonly loose?: boolean;
}

/** Vectors that mention something without a counterpart here, with the reason. */
const SKIPPED: Readonly<Record<string, string>> = {};

const DIRECTORY = `${import.meta.dirname}/../vectors/template`;
const sprig = sprigFunctions(testSprigHost());
const FUNCTIONS: Readonly<Record<string, FunctionMap>> = {
  builtin: {},
  sprig,
  all: { ...sprig, ...injectionFunctions() },
};

function data(vector: Vector): Record<string, unknown> {
  const root: Record<string, unknown> = { ...vector.data };
  for (const [key, type] of Object.entries(vector.typed ?? {})) {
    root[key] = typedValue(type, root[key]);
  }
  return root;
}

/** Returns the result of rendering, as vectors have it. */
function outcome(vector: Vector): Pick<Vector, "want" | "want_b64" | "error"> {
  try {
    const template = compileTemplate(vector.template, {
      name: "inject",
      leftDelim: vector.left,
      rightDelim: vector.right,
      missingKey: vector.missingkey as MissingKey,
      functions: FUNCTIONS[vector.funcs ?? "all"],
    });
    const output = template.execute(data(vector));
    return vector.want_b64 === undefined
      ? { want: output }
      : { want_b64: Buffer.from(toBytes(output)).toString("base64") };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

function expected(vector: Vector): Pick<Vector, "want" | "want_b64" | "error"> {
  const { want, want_b64, error } = vector;
  if (error !== undefined) return { error };
  return want_b64 === undefined ? { want } : { want_b64 };
}

for (const file of readdirSync(DIRECTORY).filter((name) => name.endsWith(".json")).sort()) {
  const vectors = JSON.parse(readFileSync(`${DIRECTORY}/${file}`, "utf8")) as Vector[];
  describe(`template vectors ${file}`, () => {
    for (const vector of vectors) {
      const skipped = Object.hasOwn(SKIPPED, vector.id);
      test(`${vector.id}${skipped ? " differs as documented" : ""}`, () => {
        const got = outcome(vector);
        if (skipped) expect(got).not.toEqual(expected(vector));
        else if (vector.loose) expect(got.error).toBeString();
        else expect(got).toEqual(expected(vector));
      });
    }
  });
}

test("skipped vectors exist and are at most 2 % of all", () => {
  const ids = new Set<string>();
  for (const file of readdirSync(DIRECTORY).filter((name) => name.endsWith(".json"))) {
    const vectors = JSON.parse(readFileSync(`${DIRECTORY}/${file}`, "utf8")) as Vector[];
    for (const { id } of vectors) ids.add(id);
  }
  expect(Object.keys(SKIPPED).filter((id) => !ids.has(id))).toEqual([]);
  expect(Object.keys(SKIPPED).length).toBeLessThanOrEqual(ids.size * 0.02);
});
