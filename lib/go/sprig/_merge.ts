/**
 * mergo's merge of maps, as sprig calls it. Values are taken over from the source where the target
 * has none or an empty one (or wherever there is a source, when overwriting); maps on both sides are
 * merged into the target's. Nested maps that are taken over are shared, not copied, as in Go.
 */

import {
  ANY_MAP,
  FunctionError,
  type GoType,
  isIntegerKind,
  kindOf,
  Typed,
  typeOf,
  wrap,
} from "../value.ts";
import { hasNoKeys } from "./_empty.ts";
import { Walk } from "./_limits.ts";
import { setKey } from "./_maps.ts";

/** What mergo returns as an error, other than the panics of reflect. `merge` swallows only this. */
export class MergeError extends FunctionError {
  override name = "MergeError";
}

type Entries = Record<string, unknown>;

/** Where a merge is: what it was asked to do, and how far in. */
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

/** A non-nil map, or `undefined`. */
function viewMap(value: unknown): TypedMap | undefined {
  if (kindOf(value) !== "map") return undefined;
  const entries = value instanceof Typed ? value.value : value;
  return entries === null ? undefined : { type: typeOf(value)!, entries: entries as Entries };
}

/** What mergo takes for unset. Pointers are followed; a struct is always something. */
function isUnset(value: unknown): boolean {
  switch (typeof value) {
    case "string":
      return value === "";
    case "boolean":
      return !value;
    case "number":
      return value === 0;
  }
  if (value === null || value === undefined) return true;
  if (Array.isArray(value)) return value.length === 0;
  if (!(value instanceof Typed)) return hasNoKeys(value);
  const { type, value: bare } = value;
  if (isIntegerKind(type.kind)) return bare === 0n;
  switch (type.kind) {
    case "map":
      return bare === null || hasNoKeys(bare as object);
    case "slice":
    case "array":
      return bare === null || (bare as ArrayLike<unknown>).length === 0;
    case "ptr":
      return bare === null || isUnset(wrap(type.elem!, bare));
    case "string":
      return bare === "";
    case "bool":
      return bare === false;
    case "float32":
    case "float64":
      return bare === 0;
    default:
      return false;
  }
}

function mergeMaps(target: TypedMap, source: TypedMap, place: Place): void {
  for (const key of Object.keys(source.entries)) mergeKey({ target, source, key }, place);
}

/** One key of a source and the map that it goes to. */
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
    // A nil of the source counts only where everything does.
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

/** Merges a map, struct or pointer into what is at its place, so far as that can be changed. */
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

/** A map of strings takes strings only, and not out of interfaces. */
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
