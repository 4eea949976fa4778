/** Tests of one-line templates with sprig's functions, as tables of templates and their results. */

import { expect, test } from "bun:test";
import { sprigFunctions } from "../../../lib/go/sprig/mod.ts";
import { compileTemplate } from "../../../lib/go/template/mod.ts";
import { countingBytes, testSprigHost } from "../_sprig_host.ts";

/** A template and its output, or `ERROR ` and a part of the error message. */
export type Row = readonly [template: string, want: string];

const FUNCTIONS = sprigFunctions(testSprigHost({ randomBytes: countingBytes() }));

function deepFreeze(value: unknown): unknown {
  if (typeof value === "object" && value !== null) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}

/** Renders a template with frozen data. */
export function render(template: string, data: unknown = {}): string {
  return compileTemplate(template, { name: "t", functions: FUNCTIONS }).execute(deepFreeze(data));
}

/** Registers a test for each row. */
export function table(rows: readonly Row[], data: unknown = {}): void {
  for (const [template, want] of rows) {
    test(`${template} → ${want.length > 60 ? `${want.slice(0, 60)}…` : want}`, () => {
      if (want.startsWith("ERROR ")) {
        expect(() => render(template, data)).toThrow(want.slice("ERROR ".length));
      } else expect(render(template, data)).toBe(want);
    });
  }
}
