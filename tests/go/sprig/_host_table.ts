/** Tests of one-line templates with sprig's functions on a given host. */

import { expect, test } from "bun:test";
import { sprigFunctions, type SprigHost } from "../../../lib/go/sprig/mod.ts";
import { compileTemplate } from "../../../lib/go/template/mod.ts";
import { testSprigHost } from "../_sprig_host.ts";

/** A template and its output, or `ERROR ` and the end of the error message. */
export type Row = readonly [template: string, want: string];

export interface TableOptions {
  readonly data?: unknown;
  readonly host?: Partial<SprigHost>;
}

/** Returns the output of a template, or `ERROR ` and the error message. */
export function render(template: string, { data = {}, host = {} }: TableOptions = {}): string {
  const functions = sprigFunctions(testSprigHost(host));
  try {
    return compileTemplate(template, { name: "t", functions }).execute(data);
  } catch (error) {
    return `ERROR ${(error as Error).message}`;
  }
}

/** Registers a test for each row. */
export function table(rows: readonly Row[], options: TableOptions = {}): void {
  for (const [template, want] of rows) {
    test(`${template} → ${want.length > 60 ? `${want.slice(0, 60)}…` : want}`, () => {
      const got = render(template, options);
      if (!want.startsWith("ERROR ")) expect(got).toBe(want);
      else {
        expect(got.slice(0, 6)).toBe("ERROR ");
        expect(got.slice(-(want.length - 6))).toBe(want.slice(6));
      }
    });
  }
}
