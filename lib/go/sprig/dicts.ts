/**
 * Sprig's dictionary functions, which take a `map[string]interface {}`; a nil map is `null`. As in
 * Go, `set`, `unset` and the merges change their argument. `keys` and `values` are sorted by key,
 * where Go's order is random.
 */

import { compareStrings } from "../../data/bytes.ts";
import {
  ANY_MAP,
  FunctionError,
  type FunctionMap,
  type GoFunction,
  goFunction,
  isPlainMap,
  strings,
  Typed,
  typeOf,
  zero,
} from "../value.ts";
import { toStr } from "./_cast.ts";
import { deepCopy } from "./_deep_copy.ts";
import { checkElements } from "./_limits.ts";
import { setKey } from "../../data/map.ts";
import { merge, MergeError } from "./_merge.ts";

type Dict = Record<string, unknown>;
type MaybeDict = Dict | null;

const NIL_MAP = zero(ANY_MAP);

function dict(...pairs: unknown[]): Dict {
  const out: Dict = {};
  for (let i = 0; i < pairs.length; i += 2) {
    setKey(out, toStr(pairs[i]), i + 1 < pairs.length ? pairs[i + 1] : "");
  }
  return out;
}

function get(map: MaybeDict, key: string): unknown {
  return map && Object.hasOwn(map, key) ? map[key] : "";
}

function hasKey(map: MaybeDict, key: string): boolean {
  return map !== null && Object.hasOwn(map, key);
}

function set(map: MaybeDict, key: string, value: unknown): Dict {
  if (map === null) throw new FunctionError("assignment to entry in nil map");
  setKey(map, key, value);
  return map;
}

function unset(map: MaybeDict, key: string): unknown {
  if (map === null) return NIL_MAP;
  delete map[key];
  return map;
}

function pluck(key: string, ...maps: MaybeDict[]): unknown[] {
  return maps.filter((map) => hasKey(map, key)).map((map) => map![key]);
}

function sortedKeys(map: MaybeDict): string[] {
  return Object.keys(map ?? {}).sort(compareStrings);
}

function keys(...maps: MaybeDict[]): Typed {
  const out: string[] = [];
  for (const map of maps) {
    for (const key of sortedKeys(map)) out.push(key);
    checkElements(out.length);
  }
  return strings(out);
}

function values(map: MaybeDict): unknown[] {
  return sortedKeys(map).map((key) => map![key]);
}

function pick(map: MaybeDict, ...names: string[]): Dict {
  const out: Dict = {};
  for (const name of names) if (hasKey(map, name)) setKey(out, name, map![name]);
  return out;
}

function omit(map: MaybeDict, ...names: string[]): Dict {
  const omitted = new Set(names);
  const out: Dict = {};
  for (const key of Object.keys(map ?? {})) if (!omitted.has(key)) setKey(out, key, map![key]);
  return out;
}

/** Returns the error of a failed type assertion `value.(type)`. */
function notOfType(value: unknown, type: string): FunctionError {
  const name = typeOf(value)?.name ?? "nil";
  return new FunctionError(`interface conversion: interface {} is ${name}, not ${type}`);
}

/** `dig "a" "b" default map`: returns the value at a path, or the default if a key is missing. */
function dig(...args: unknown[]): unknown {
  if (args.length < 3) throw new FunctionError("dig needs at least three arguments");
  const path = args.slice(0, -2);
  const fallback = args[args.length - 2];
  let map = asDict(args[args.length - 1]);
  for (const key of path) if (typeof key !== "string") throw notOfType(key, "string");
  for (const [i, key] of (path as string[]).entries()) {
    if (!hasKey(map, key)) return fallback;
    const value = map![key];
    if (i === path.length - 1) return value;
    map = asDict(value);
  }
  return fallback;
}

function asDict(value: unknown): MaybeDict {
  if (isPlainMap(value)) return value;
  if (value instanceof Typed && value.type === ANY_MAP) return value.value as MaybeDict;
  throw notOfType(value, ANY_MAP.name);
}

/** Returns a merge function. Without `must`, it returns "" instead of an error. */
function merging({ overwrite, must }: { overwrite: boolean; must: boolean }): GoFunction {
  return goFunction("map[string]any, ...map[string]any", (target: MaybeDict, ...sources) => {
    try {
      let out = target;
      for (const source of sources as MaybeDict[]) {
        if (source) merge(out ??= {}, source, { overwrite });
      }
      return out ?? NIL_MAP;
    } catch (error) {
      if (!must && error instanceof MergeError) return "";
      throw error;
    }
  });
}

export const dictFunctions: FunctionMap = {
  deepCopy: goFunction("any", deepCopy),
  dict: goFunction("...any", dict),
  dig: goFunction("...any", dig),
  get: goFunction("map[string]any, string", get),
  hasKey: goFunction("map[string]any, string", hasKey),
  keys: goFunction("...map[string]any", keys),
  merge: merging({ overwrite: false, must: false }),
  mergeOverwrite: merging({ overwrite: true, must: false }),
  mustDeepCopy: goFunction("any", deepCopy),
  mustMerge: merging({ overwrite: false, must: true }),
  mustMergeOverwrite: merging({ overwrite: true, must: true }),
  omit: goFunction("map[string]any, ...string", omit),
  pick: goFunction("map[string]any, ...string", pick),
  pluck: goFunction("string, ...map[string]any", pluck),
  set: goFunction("map[string]any, string, any", set),
  unset: goFunction("map[string]any, string", unset),
  values: goFunction("map[string]any", values),
};
