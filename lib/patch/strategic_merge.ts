/**
 * Implements Kubernetes' strategic merge patch, which applies a template's overlay to a pod.
 *
 * Maps merge by member, null deletes, and lists merge by key if the schema names one and are replaced
 * otherwise. The directives `$patch`, `$retainKeys`, `$setElementOrder/x` and `$deleteFromPrimitiveList/x`
 * behave as in Kubernetes, including odd cases: items added to a keyed list keep their nulls, while a
 * member new to a map loses them.
 *
 * Numbers are compared and printed as Go floats, which is how Istio decodes both sides. Where Go's result
 * depends on random map order (two errors in one patch, or a value both added to and deleted from a list),
 * the patch's own order decides.
 *
 * Inputs are not modified. The result shares as much as possible with both, so treat it as read-only.
 */
import { isMap, setKey } from "../data/map.ts";
import { type SchemaType, structType } from "../kube/schema.ts";
import { printType, StrategicMergeError } from "./_merge_error.ts";
import {
  badArgument,
  deleteFromList,
  type JsonObject,
  mergeList,
  mergeWithSetOrder,
  unknownDirective,
} from "./_merge_list.ts";
import { listRule, memberType, rootType } from "./_merge_schema.ts";

export { StrategicMergeError, type StrategicMergeErrorCode } from "./_merge_error.ts";

/**
 * Applies `patch` to `original`, both JSON values of an API type (a whole kind or a part of one). Null and
 * undefined are empty documents.
 *
 * @example
 * ```ts
 * strategicMerge(
 *   { spec: { containers: [{ name: "app" }] } },
 *   { spec: { containers: [{ name: "istio-proxy" }] } },
 *   "Pod",
 * ); // { spec: { containers: [{ name: "istio-proxy" }, { name: "app" }] } }
 * ```
 */
export function strategicMerge(original: unknown, patch: unknown, kind: string): JsonObject {
  const struct = structType(kind);
  if (struct === undefined) {
    throw new StrategicMergeError(
      "unknown-kind",
      `Cannot merge kind "${kind}": it is not in the schema`,
    );
  }
  return mergeMap(document(original), document(patch), rootType(struct));
}

function document(value: unknown): JsonObject {
  if (value === null || value === undefined) return {};
  if (isMap(value)) return value;
  throw new StrategicMergeError("bad-document", "invalid JSON document");
}

function mergeMap(original: JsonObject, patch: JsonObject, type: SchemaType): JsonObject {
  if (Object.hasOwn(patch, "$patch")) return applyDirective(patch);
  const draft = new Draft(original);
  if (Object.hasOwn(patch, "$retainKeys")) retainKeys(draft, patch);
  const done = mergeOrderedLists(draft, patch, type);
  for (const key of Object.keys(patch)) {
    if (key === "$retainKeys" || patch[key] === undefined || done?.has(key)) continue;
    mergeMember(draft, key, patch[key], type);
  }
  return draft.current;
}

/** A map being rewritten; copied on the first change. */
class Draft {
  current: JsonObject;
  #isCopy = false;

  constructor(original: JsonObject) {
    this.current = original;
  }

  has(key: string): boolean {
    return Object.hasOwn(this.current, key);
  }

  set(key: string, value: unknown): void {
    if (this.has(key) && this.current[key] === value) return;
    this.#copy();
    setKey(this.current, key, value);
  }

  delete(key: string): void {
    if (!this.has(key)) return;
    this.#copy();
    delete this.current[key];
  }

  #copy(): void {
    if (!this.#isCopy) this.current = { ...this.current };
    this.#isCopy = true;
  }
}

function applyDirective(patch: JsonObject): JsonObject {
  switch (patch.$patch) {
    case "replace": {
      const { $patch: _, ...rest } = patch;
      return rest;
    }
    case "delete":
      return {};
    default:
      throw unknownDirective(patch);
  }
}

const DELETE_FROM = "$deleteFromPrimitiveList";
const SET_ORDER = "$setElementOrder";

function retainKeys(draft: Draft, patch: JsonObject): void {
  const list = patch.$retainKeys;
  if (!Array.isArray(list)) throw badRetainKeys();
  const keep = new Set<unknown>(list);
  for (const key of Object.keys(patch)) {
    if (key === "$retainKeys" || patch[key] === null || keep.has(key)) continue;
    if (!key.startsWith(DELETE_FROM) && !key.startsWith(SET_ORDER)) throw badRetainKeys();
  }
  for (const key of Object.keys(draft.current)) {
    if (!keep.has(key)) draft.delete(key);
  }
}

function badRetainKeys(): StrategicMergeError {
  return new StrategicMergeError("bad-directive", "invalid patch format of retainKeys");
}

/** Merges the lists that have a `$setElementOrder`. Returns the patch keys it consumed. */
function mergeOrderedLists(
  draft: Draft,
  patch: JsonObject,
  type: SchemaType,
): Set<string> | undefined {
  let done: Set<string> | undefined;
  for (const key of Object.keys(patch)) {
    if (!key.startsWith(SET_ORDER)) continue;
    done ??= new Set();
    done.add(key);
    const setOrder = requireList(patch[key]);
    const name = listName(key, SET_ORDER, "invalid patch format of setElementOrder list");
    const original = draft.has(name) ? requireList(draft.current[name]) : undefined;
    const isPatched = Object.hasOwn(patch, name) && !done.has(name);
    const list = isPatched ? requireList(patch[name]) : undefined;
    const patchAlone = original === undefined && list !== undefined
      ? withoutDirectives(list, { keepNulls: true }) as unknown[]
      : [];
    const rule = listRule(type, name);
    const merged = mergeWithSetOrder(
      { setOrder, original, patch: list, patchAlone },
      rule,
      mergeMap,
    );
    if (merged === undefined) continue;
    draft.set(name, merged);
    done.add(name);
  }
  return done;
}

function requireList(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  throw badArgument("[]interface {}", value);
}

function listName(key: string, prefix: string, complaint: string): string {
  const slash = key.indexOf("/");
  if (slash !== prefix.length) throw new StrategicMergeError("bad-directive", complaint);
  return key.slice(slash + 1);
}

function mergeMember(draft: Draft, key: string, value: unknown, type: SchemaType): void {
  let name = key;
  const isDeletion = key.startsWith(DELETE_FROM);
  if (isDeletion) {
    name = listName(key, DELETE_FROM, "invalid patch format of primitive list") || key;
  }
  if (value === null) return draft.delete(name);

  const current = draft.has(name) ? draft.current[name] : undefined;
  if (Array.isArray(value) && Array.isArray(current)) {
    const rule = listRule(type, name);
    if (isDeletion) draft.set(name, deleteFromList(current, value, rule, mergeMap));
    else draft.set(name, rule.merge ? mergeList(current, value, rule, mergeMap).items : value);
  } else if (isMap(value) && isMap(current)) {
    draft.set(name, mergeMap(current, value, memberType(type, name)));
  } else if (isDeletion && (current === undefined || printType(value) !== printType(current))) {
    return;
  } else {
    const added = withoutDirectives(value, { keepNulls: false });
    if (added === undefined) draft.delete(name);
    else draft.set(name, added);
  }
}

/**
 * Limits nesting like the YAML reader does, so that recursion cannot exhaust the stack. Pods stay below 30
 * levels.
 */
const MAX_DEPTH = 1000;

/**
 * Returns a value that has no counterpart in the original, without null members and without maps that carry
 * a `$patch`. Returns undefined if the value is itself such a map.
 */
function withoutDirectives(value: unknown, options: { keepNulls: boolean }): unknown {
  return isPlain(value, options.keepNulls, 0) ? value : clean(value, options.keepNulls, 0);
}

/** Reports whether there is nothing to strip, as in nearly every overlay. */
function isPlain(value: unknown, keepNulls: boolean, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (depth > MAX_DEPTH) throw tooDeep();
  if (Array.isArray(value)) {
    for (const item of value) if (!isPlain(item, keepNulls, depth + 1)) return false;
    return true;
  }
  for (const key of Object.keys(value)) {
    const member = (value as JsonObject)[key];
    if (key === "$patch" || (member === null && !keepNulls)) return false;
    if (typeof member === "object" && !isPlain(member, keepNulls, depth + 1)) return false;
  }
  return true;
}

function clean(value: unknown, keepNulls: boolean, depth: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_DEPTH) throw tooDeep();
  if (Array.isArray(value)) {
    return value.map((item) => clean(item, keepNulls, depth + 1)).filter((item) =>
      item !== undefined
    );
  }
  const entries: [string, unknown][] = [];
  for (const [key, member] of Object.entries(value)) {
    if (member === null && !keepNulls) continue;
    if (key === "$patch") return undefined;
    const kept = clean(member, keepNulls, depth + 1);
    if (kept !== undefined) entries.push([key, kept]);
  }
  return Object.fromEntries(entries);
}

function tooDeep(): StrategicMergeError {
  return new StrategicMergeError(
    "too-deep",
    `Cannot merge a document nested deeper than ${MAX_DEPTH} levels`,
  );
}
