/** Sprig's environment functions. Variables that the host does not expose are empty. */

import { type FunctionMap, goFunction } from "../value.ts";
import type { SprigHost } from "./_host.ts";
import { checkTextBytes } from "./_limits.ts";

export function envFunctions({ env }: Pick<SprigHost, "env">): FunctionMap {
  return {
    env: goFunction("string", (name: string) => env(name) ?? ""),
    expandenv: goFunction("string", (text: string) => expand(text, (name) => env(name) ?? "")),
  };
}

/**
 * A dollar sign and a name as `os.Expand` reads it: a special character or a word, or any text in
 * braces. It drops empty and unclosed braces, and keeps a dollar sign without a name.
 */
const REFERENCE = /\$(?:\{(?:([*#$@!?\-0-9])\}|([^}]*)\})|(\{)|([*#$@!?\-0-9])|(\w+))/g;

function expand(text: string, value: (name: string) => string): string {
  const out = text.replace(
    REFERENCE,
    (_all, braced?: string, anyBraced?: string, open?: string, special?: string, word?: string) => {
      const name = braced ?? anyBraced ?? special ?? word;
      return open !== undefined || !name ? "" : value(name);
    },
  );
  checkTextBytes(out.length);
  return out;
}
