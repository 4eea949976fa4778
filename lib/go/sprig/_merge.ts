/**
 * Merges maps as mergo does for sprig. The target takes a value from the source if it has none or
 * an empty one, or always when overwriting. Maps on both sides are merged into that of the target.
 * As in Go, the target shares nested maps with the source.
 */

import {
  ANY_MAP,
  bare as bareValue,
  FunctionError,
  type GoType,
  isTrue,
  kindOf,
  Typed,
  typeOf,
  wrap,
} from "../value.ts";
import { Walk } from "./_limits.ts";
import { setKey } from "../../data/map.ts";

/** An error that mergo returns. Sprig's `merge` ignores it, but not a panic of reflect. */
export class MergeError extends FunctionError {
  override name = "MergeError";
}

type Entries = Record<string, unknown>;

/** The options of a merge, and where in the maps it is. */
interface Place {
  readonly overwrite: boolean;
  readonly walk: Walk;
  readonly depth: number;
}

/** Merges `source` into `target`, which is changed. */
export function merge(
  target: Entries,
  source: Entries,
  { overwrite }: { readonly overwrite: boolean },
): void {
  mergeMaps({ type: ANY_MAP, entries: target }, { type: ANY_MAP, entries: source }, {
    overwrite,
    walk: new Walk(),
    depth: 0,
  });
}

interface TypedMap {
  readonly type: GoType;
  readonly entries: Entries;
}

/** Returns a value as a map; `undefined` if it is nil or not a map. */
function viewMap(value: unknown): TypedMap | undefined {
  if (kindOf(value) !== "map") return undefined;
  const entries = bareValue(value);
  return entries === null ? undefined : { type: typeOf(value)!, entries: entries as Entries };
}

/** Reports whether mergo takes a value for empty. Pointers count as their pointees. */
function isUnset(value: unknown): boolean {
  while (value instanceof Typed && value.type.kind === "ptr" && value.value !== null) {
    value = wrap(value.type.elem!, value.value);
  }
  return !isTrue(value) && kindOf(value) !== "complex128";
}

function mergeMaps(target: TypedMap, source: TypedMap, place: Place): void {
  for (const key of Object.keys(source.entries)) mergeKey({ target, source, key }, place);
}

/** A key of the source, and the map to merge it into. */
interface Entry {
  readonly target: TypedMap;
  readonly source: TypedMap;
  readonly key: string;
}

function mergeKey(entry: Entry, { overwrite, walk, depth }: Place): void {
  walk.step(depth);
  const { target, source, key } = entry;
  const from = wrap(source.type.elem!, source.entries[key]);
  const to = Object.hasOwn(target.entries, key)
    ? wrap(target.type.elem!, target.entries[key])
    : undefined;
  if (from === null) {
    // A nil in the source only overwrites.
    if (overwrite) put(entry);
    return;
  }
  const kind = kindOf(from);
  if (kind === "map" || kind === "struct" || kind === "ptr") {
    mergeInto(to, from, { overwrite, walk, depth: depth + 1 });
  } else if (kind === "slice") checkAssignable(entry);
  if (!isUnset(to) && (!overwrite || kind === "map" && kindOf(to) === "map")) return;
  put(entry);
}

/** Merges a map, struct or pointer into the existing value, if that can be changed. */
function mergeInto(to: unknown, from: unknown, place: Place): void {
  const target = viewMap(to);
  const source = viewMap(from);
  if (target && source) return mergeMaps(target, source, place);
  if (!(to instanceof Typed) || kindOf(from) === "ptr") return;
  const { type, value } = to;
  if (type.kind === "struct" && type.fields && source) {
    throw new FunctionError("reflect: call of reflect.Value.Field on map Value");
  }
  if (type.kind === "ptr" && value !== null && !place.overwrite) {
    if (source || kindOf(from) === "struct" && type.elem !== typeOf(from)) {
      throw new MergeError("src and dst must be of same type");
    }
  }
}

/** Checks that the target map can hold elements of the source map. */
function checkAssignable({ target, source }: Entry): void {
  const [to, from] = [target.type.elem!, source.type.elem!];
  if (to.kind !== "interface" && to !== from) {
    throw new FunctionError(
      `reflect.Value.SetMapIndex: value of type ${from.name} is not assignable to type ${to.name}`,
    );
  }
}

function put(entry: Entry): void {
  checkAssignable(entry);
  const { target, source, key } = entry;
  const bare = source.entries[key];
  const keepsBare = target.type.elem!.kind !== "interface";
  setKey(target.entries, key, keepsBare ? bare : wrap(source.type.elem!, bare));
}
