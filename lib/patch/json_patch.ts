/**
 * Computes and applies JSON Patch (RFC 6902).
 *
 * Operations have the order and form of npm's rfc6902, against which tests compare. List items are matched
 * by identity instead, because that package's matching is more than quadratic and can rewrite one container
 * into another. Shared parts of both documents are skipped, so computing the patch of an injected pod costs
 * only what was injected.
 *
 * Documents are JSON values and are never modified; `__proto__` is an ordinary key. Results, including
 * operation values, share parts with the inputs: treat them as read-only.
 */
import { equalJson } from "../data/json.ts";
import { isMap, setKey } from "../data/map.ts";
import { alignLists } from "./_list_diff.ts";

export type Operation =
  | { op: "add" | "replace" | "test"; path: string; value: unknown }
  | { op: "remove"; path: string }
  | { op: "move" | "copy"; from: string; path: string };

/**
 * Limits operations for one list, or for the members of one object. Beyond it the whole value is replaced,
 * since such a patch is no smaller than the value.
 */
const MAX_OPERATIONS = 10_000;

/** Replaces deeper differing values as a whole, well before the stack runs out. */
const MAX_DEPTH = 500;

/**
 * Returns the operations that turn `before` into `after`; empty if they are equal.
 *
 * @example
 * ```ts
 * createPatch({ list: ["a"] }, { list: ["b", "a"] }); // [{ op: "add", path: "/list/0", value: "b" }]
 * ```
 */
export function createPatch(before: unknown, after: unknown): Operation[] {
  const operations: Operation[] = [];
  diff(before, after, { path: "", depth: 0, operations });
  return operations;
}

/** The position of two values being compared, and the list of operations to append to. */
interface Place {
  readonly path: string;
  readonly depth: number;
  readonly operations: Operation[];
}

function diff(before: unknown, after: unknown, place: Place): void {
  if (before === after) return;
  const areLists = Array.isArray(before) && Array.isArray(after);
  const areObjects = isMap(before) && isMap(after);
  if (!areLists && !areObjects) place.operations.push(replaceAt(place.path, after));
  else if (place.depth >= MAX_DEPTH || (areObjects && isHuge(before, after))) {
    if (!equalJson(before, after)) place.operations.push(replaceAt(place.path, after));
  } else if (areLists) diffLists(before, after, place);
  else diffObjects(before as Members, after as Members, place);
}

type Members = Record<string, unknown>;

function isHuge(before: Members, after: Members): boolean {
  return Math.max(Object.keys(before).length, Object.keys(after).length) > MAX_OPERATIONS;
}

function replaceAt(path: string, value: unknown): Operation {
  return { op: "replace", path, value };
}

/** Compares objects: removals first, then additions, then changes. */
function diffObjects(before: Members, after: Members, place: Place): void {
  const { operations } = place;
  for (const key of Object.keys(before)) {
    if (before[key] === undefined || memberOf(after, key) !== undefined) continue;
    operations.push({ op: "remove", path: `${place.path}/${escaped(key)}` });
  }
  for (const key of Object.keys(after)) {
    if (after[key] === undefined || memberOf(before, key) !== undefined) continue;
    operations.push({ op: "add", path: `${place.path}/${escaped(key)}`, value: after[key] });
  }
  for (const key of Object.keys(before)) {
    const was = before[key];
    if (was === undefined || was === after[key]) continue;
    const is = memberOf(after, key);
    if (is === undefined) continue;
    const path = `${place.path}/${escaped(key)}`;
    diff(was, is, { path, depth: place.depth + 1, operations });
  }
}

/** Returns an own member. As in JSON text, an `undefined` member is absent. */
function memberOf(object: Members, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function escaped(key: string): string {
  return /[~/]/.test(key) ? key.replaceAll("~", "~0").replaceAll("/", "~1") : key;
}

/** Compares lists: removals from the end, additions from the start, then changes at their final indexes. */
function diffLists(before: unknown[], after: unknown[], { path, depth, operations }: Place): void {
  const removals: Operation[] = [];
  const additions: Operation[] = [];
  const changes: Operation[] = [];
  for (const { from, to, isReplacement } of alignLists(before, after)) {
    if (to === undefined) removals.push({ op: "remove", path: `${path}/${from}` });
    else if (from === undefined) {
      additions.push({ op: "add", path: `${path}/${to}`, value: after[to] });
    } else if (isReplacement) changes.push(replaceAt(`${path}/${to}`, after[to]));
    else {
      diff(before[from], after[to], {
        path: `${path}/${to}`,
        depth: depth + 1,
        operations: changes,
      });
    }
    if (removals.length + additions.length + changes.length > MAX_OPERATIONS) {
      operations.push(replaceAt(path, after));
      return;
    }
  }
  for (const list of [removals.reverse(), additions, changes]) {
    for (const operation of list) operations.push(operation);
  }
}

export type JsonPatchErrorCode = "bad-operation" | "bad-pointer" | "missing" | "test-failed";

/** Reports which operation failed, and why. */
export class JsonPatchError extends Error {
  override readonly name = "JsonPatchError";
  readonly code: JsonPatchErrorCode;
  /** The operation's index in the patch. */
  readonly index: number;
  readonly path: string;
  constructor(code: JsonPatchErrorCode, reason: string, at: { index: number; path: string }) {
    super(`Cannot apply patch operation ${at.index} at ${JSON.stringify(at.path)}: ${reason}`);
    this.code = code;
    this.index = at.index;
    this.path = at.path;
  }
}

/**
 * Returns the document with all operations applied. Throws a JsonPatchError, and applies nothing, if an
 * operation fails.
 *
 * @example
 * ```ts
 * applyPatch({ a: 1 }, [{ op: "remove", path: "/a" }]); // {}
 * ```
 */
export function applyPatch(document: unknown, operations: readonly Operation[]): unknown {
  const edit = new Edit(document);
  operations.forEach((operation, index) => {
    try {
      edit.apply(operation);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const path = typeof operation?.path === "string" ? operation.path : "";
      throw new JsonPatchError(error.code, error.message, { index, path });
    }
  });
  return edit.document;
}

/** The reason an operation fails, before its index is known. */
class Refusal extends Error {
  readonly code: JsonPatchErrorCode;
  constructor(code: JsonPatchErrorCode, reason: string) {
    super(reason);
    this.code = code;
  }
}

type Container = unknown[] | Record<string, unknown>;

/** A document being changed. Lists and objects are copied on the first write. */
class Edit {
  document: unknown;
  /** Copies, which may be modified in place. */
  #own = new Set<unknown>();

  constructor(document: unknown) {
    this.document = document;
  }

  apply(operation: Operation): void {
    const path = tokensOf(operation?.path);
    switch (operation.op) {
      case "add":
        return this.#add(path, valueOf(operation));
      case "remove":
        this.#remove(path);
        return;
      case "replace":
        return this.#replace(path, valueOf(operation));
      case "move": {
        const from = tokensOf(operation.from);
        if (from.length < path.length && from.every((token, i) => token === path[i])) {
          throw new Refusal("bad-operation", "cannot move a value into itself");
        }
        return this.#add(path, this.#remove(from));
      }
      case "copy": {
        const value = this.#get(tokensOf(operation.from));
        // The value is now in two places, so its content must be copied before the next write.
        this.#own = new Set();
        return this.#add(path, value);
      }
      case "test":
        if (!equalJson(this.#get(path), valueOf(operation))) {
          throw new Refusal("test-failed", "the value differs");
        }
        return;
      default:
        throw new Refusal("bad-operation", `unknown operation "${(operation as Operation).op}"`);
    }
  }

  #get(path: readonly string[]): unknown {
    let value = this.document;
    for (const token of path) value = member(value, token);
    return value;
  }

  #add(path: readonly string[], value: unknown): void {
    if (path.length === 0) {
      this.document = value;
      return;
    }
    const parent = this.#writable(path);
    const token = path[path.length - 1];
    if (!Array.isArray(parent)) return setKey(parent, token, value);
    const index = token === "-" ? parent.length : listIndex(token);
    if (index > parent.length) throw new Refusal("missing", `the list has ${parent.length} items`);
    parent.splice(index, 0, value);
  }

  #replace(path: readonly string[], value: unknown): void {
    this.#get(path);
    if (path.length === 0) {
      this.document = value;
      return;
    }
    const parent = this.#writable(path);
    const token = path[path.length - 1];
    if (Array.isArray(parent)) parent[listIndex(token)] = value;
    else setKey(parent, token, value);
  }

  /** Removes a value and returns it. */
  #remove(path: readonly string[]): unknown {
    if (path.length === 0) {
      throw new Refusal("bad-operation", "the whole document cannot be removed");
    }
    const removed = this.#get(path);
    const parent = this.#writable(path);
    const token = path[path.length - 1];
    if (Array.isArray(parent)) parent.splice(listIndex(token), 1);
    else delete parent[token];
    return removed;
  }

  /** Returns the list or object that holds the last token, copying everything on the way. */
  #writable(path: readonly string[]): Container {
    let current = this.document = this.#copyOf(this.document);
    for (const token of path.slice(0, -1)) {
      const copy = this.#copyOf(member(current, token));
      if (Array.isArray(current)) current[listIndex(token)] = copy;
      else setKey(current, token, copy);
      current = copy;
    }
    return current;
  }

  #copyOf(value: unknown): Container {
    if (typeof value !== "object" || value === null) {
      throw new Refusal("missing", "the parent is not a list or object");
    }
    if (this.#own.has(value)) return value as Container;
    const copy: Container = Array.isArray(value) ? [...value] : { ...value };
    this.#own.add(copy);
    return copy;
  }
}

function member(container: unknown, token: string): unknown {
  if (Array.isArray(container)) {
    const index = listIndex(token);
    if (index < container.length) return container[index];
    throw new Refusal("missing", `the list has ${container.length} items`);
  }
  if (isMap(container) && Object.hasOwn(container, token)) return container[token];
  throw new Refusal("missing", `there is no ${JSON.stringify(token)}`);
}

function listIndex(token: string): number {
  if (/^(0|[1-9]\d*)$/.test(token)) return Number(token);
  throw new Refusal("bad-pointer", `${JSON.stringify(token)} is not a list index`);
}

function tokensOf(path: unknown): string[] {
  if (typeof path !== "string") throw new Refusal("bad-operation", "path is missing");
  if (path === "") return [];
  if (!path.startsWith("/")) throw new Refusal("bad-pointer", "path must start with a slash");
  if (/~(?![01])/.test(path)) throw new Refusal("bad-pointer", "~ must be escaped as ~0");
  const tokens = path.slice(1).split("/");
  return tokens.map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function valueOf(operation: { value: unknown }): unknown {
  if (Object.hasOwn(operation, "value") && operation.value !== undefined) return operation.value;
  throw new Refusal("bad-operation", "value is missing");
}
