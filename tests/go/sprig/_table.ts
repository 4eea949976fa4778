/** Tables of one-line templates over sprig's pure families: what each renders to, or fails with. */

import { expect, test } from "bun:test";
import { conversionFunctions } from "../../../lib/go/sprig/conversion.ts";
import { defaultFunctions } from "../../../lib/go/sprig/defaults.ts";
import { dictFunctions } from "../../../lib/go/sprig/dicts.ts";
import { listFunctions } from "../../../lib/go/sprig/lists.ts";
import { mathFunctions } from "../../../lib/go/sprig/math.ts";
import { reflectFunctions } from "../../../lib/go/sprig/reflect.ts";
import { stringListFunctions } from "../../../lib/go/sprig/string_lists.ts";
import { stringFunctions } from "../../../lib/go/sprig/strings.ts";
import { compileTemplate } from "../../../lib/go/template/mod.ts";
import type { FunctionMap } from "../../../lib/go/value.ts";

/** A template and what it renders to. Where it fails: `ERROR ` and a part of the error's text. */
export type Row = readonly [template: string, want: string];

/** Bytes that count up, so that what is random comes out the same. */
function countingBytes(): (count: number) => Uint8Array {
  let next = 0;
  return (count) => Uint8Array.from({ length: count }, () => next++ & 0xff);
}

export const FUNCTIONS: FunctionMap = {
  ...stringFunctions({ randomBytes: countingBytes() }),
  ...stringListFunctions,
  ...listFunctions,
  ...dictFunctions,
  ...defaultFunctions,
  ...reflectFunctions,
  ...mathFunctions,
  ...conversionFunctions,
};

function deepFreeze(value: unknown): unknown {
  if (typeof value === "object" && value !== null) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}

/** Renders with data that must stay as it is. */
export function render(template: string, data: unknown = {}): string {
  return compileTemplate(template, { name: "t", functions: FUNCTIONS }).execute(deepFreeze(data));
}

/** A test a row, over data as JSON has it. */
export function table(rows: readonly Row[], data: unknown = {}): void {
  for (const [template, want] of rows) {
    test(`${template} → ${want.length > 60 ? `${want.slice(0, 60)}…` : want}`, () => {
      if (want.startsWith("ERROR ")) {
        expect(() => render(template, data)).toThrow(want.slice("ERROR ".length));
      } else expect(render(template, data)).toBe(want);
    });
  }
}
