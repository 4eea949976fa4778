/** Tables of one-line templates over all of sprig, on a host whose answers never change. */

import { expect, test } from "bun:test";
import { sprigFunctions, type SprigHost } from "../../../lib/go/sprig/mod.ts";
import { compileTemplate } from "../../../lib/go/template/mod.ts";
import { testSprigHost } from "../_sprig_host.ts";

/** A template and what it renders to. Where it fails: `ERROR ` and how the error's text ends. */
export type Row = readonly [template: string, want: string];

export interface TableOptions {
  readonly data?: unknown;
  readonly host?: Partial<SprigHost>;
}

/** Bytes that count up, so that what is random comes out the same. */
export function countingBytes(): (count: number) => Uint8Array<ArrayBuffer> {
  let next = 0;
  return (count) => Uint8Array.from({ length: count }, () => next++ & 0xff);
}

/** Renders, or gives the error's text behind `ERROR `. */
export function render(template: string, { data = {}, host = {} }: TableOptions = {}): string {
  const functions = sprigFunctions(testSprigHost(host));
  try {
    return compileTemplate(template, { name: "t", functions }).execute(data);
  } catch (error) {
    return `ERROR ${(error as Error).message}`;
  }
}

/** A test a row. */
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
