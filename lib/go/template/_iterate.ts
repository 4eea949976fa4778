/** Iterates over the values that `range` accepts: lists, maps by sorted keys, integers. */
import { compareStrings } from "../../data/bytes.ts";
import { formatValue } from "../fmt.ts";
import {
  ANY,
  ANY_MAP,
  type GoType,
  int,
  isIntegerKind,
  isPlainMap,
  Typed,
  wrap,
} from "../value.ts";
import { BREAK, type Flow } from "./_closures.ts";
import type { State } from "./_state.ts";

/** Executes the body of the loop once. BREAK ends the loop. */
type Body = (s: State, index: unknown, elem: unknown, isInterface: boolean) => Flow;

/** Iterates over a value. Returns false if it has no elements. */
export function iterate(s: State, value: unknown, hasIndex: boolean, body: Body): boolean {
  while (value instanceof Typed && value.type.kind === "ptr" && value.value !== null) {
    value = wrap(value.type.elem!, value.value);
  }
  if (value === undefined) return false;
  if (Array.isArray(value)) return overList(s, value, ANY, body);
  if (isPlainMap(value)) return overMap(s, value, ANY_MAP, body);
  if (value instanceof Typed) {
    const { type, value: bare } = value;
    switch (type.kind) {
      case "slice":
      case "array":
        return overList(s, (bare ?? []) as unknown[], type.elem!, body);
      case "map":
        return overMap(s, (bare ?? {}) as Record<string, unknown>, type, body);
    }
    if (isIntegerKind(type.kind)) {
      if (hasIndex) {
        s.fail(`can't use ${formatValue(value)} to iterate over more than one variable`);
      }
      const count = bare as bigint;
      for (let i = 0n; i < count; i++) {
        if (body(s, undefined, new Typed(type, i), false) === BREAK) break;
      }
      return count > 0n;
    }
  }
  s.fail(`range can't iterate over ${formatValue(value)}`);
}

function overList(s: State, list: readonly unknown[], elem: GoType, body: Body): boolean {
  const isInterface = elem.kind === "interface";
  for (let i = 0; i < list.length; i++) {
    const value = isInterface ? list[i] : wrap(elem, list[i]);
    if (body(s, int(i), value, isInterface) === BREAK) break;
  }
  return list.length > 0;
}

function overMap(
  s: State,
  map: Readonly<Record<string, unknown>>,
  type: GoType,
  body: Body,
): boolean {
  const elem = type.elem!;
  const isInterface = elem.kind === "interface";
  const keys = Object.keys(map).sort(compareStrings);
  for (const key of keys) {
    const value = isInterface ? map[key] : wrap(elem, map[key]);
    if (body(s, wrap(type.key!, key), value, isInterface) === BREAK) break;
  }
  return keys.length > 0;
}
