/**
 * JSON Patch (RFC 6902): the difference between two documents as operations, and operations applied.
 *
 * Operations come in the order and form of npm's rfc6902, to which tests compare, with list items paired
 * up by what they are: that package's own pairing costs more than the square of a list's length, and
 * rewrites a container to make it the one inserted before it. What both documents share is not looked
 * at, so the difference between a pod and its injected self costs what was injected.
 *
 * Documents are JSON values and are never changed; to all of this a key is a key, `__proto__` too. What
 * comes out shares parts with what went in, the values of operations included: treat it as read-only.
 */
import { equalJson } from "../data/json.ts";
import { isMap, setKey } from "../data/map.ts";
import { alignLists } from "./_list_diff.ts";

export type Operation =
  | { op: "add" | "replace" | "test"; path: string; value: unknown }
  | { op: "remove"; path: string }
  | { op: "move" | "copy"; from: string; path: string };

/**
 * Above this many operations for one list or members of one object, the whole of it is replaced: such a
 * patch is no smaller than the value.
 */
const MAX_OPERATIONS = 10_000;

/** Deeper parts are replaced as a whole if they differ, far from the end of the stack. */
const MAX_DEPTH = 500;

/**
 * The operations that turn `before` into `after`; empty if they are equal.
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

/** Where two values stand, and where their differences go. */
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

/** Members that go, then those that come, then changes. */
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

/** An own member; one that is `undefined` is none, as in JSON text. */
function memberOf(object: Members, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function escaped(key: string): string {
  return /[~/]/.test(key) ? key.replaceAll("~", "~0").replaceAll("/", "~1") : key;
}

/** Items that go, from the last; items that come, from the first; then changes, at their final places. */
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

/** Which operation could not be applied, and why. */
export class JsonPatchError extends Error {
  override readonly name = "JsonPatchError";
  readonly code: JsonPatchErrorCode;
  /** The operation's place in the patch. */
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
 * The document after all operations. Nothing is applied if one cannot be: a JsonPatchError says which.
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

/** Why an operation fails, before it is known which one it is. */
class Refusal extends Error {
  readonly code: JsonPatchErrorCode;
  constructor(code: JsonPatchErrorCode, reason: string) {
    super(reason);
    this.code = code;
  }
}

type Container = unknown[] | Record<string, unknown>;

/** A document being changed: a list or object is copied when it is first written to. */
class Edit {
  document: unknown;
  /** The copies, which may be written to again. */
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
          throw new Refusal("bad-operation", "a value cannot move into itself");
        }
        return this.#add(path, this.#remove(from));
      }
      case "copy": {
        const value = this.#get(tokensOf(operation.from));
        // The value now stands in two places, so what is inside may no longer be written to.
        this.#own = new Set();
        return this.#add(path, value);
      }
      case "test":
        if (!equalJson(this.#get(path), valueOf(operation))) {
          throw new Refusal("test-failed", "the value is another one");
        }
        return;
      default:
        throw new Refusal("bad-operation", `no operation "${(operation as Operation).op}"`);
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

  /** Returns what was there. */
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

  /** The list or object that holds the last token, all the way down to it owned. */
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
      throw new Refusal("missing", "there is no list or object to hold it");
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
  if (typeof path !== "string") throw new Refusal("bad-operation", "it has no path");
  if (path === "") return [];
  if (!path.startsWith("/")) throw new Refusal("bad-pointer", "a path starts with a slash");
  if (/~(?![01])/.test(path)) throw new Refusal("bad-pointer", "a ~ must be written ~0");
  const tokens = path.slice(1).split("/");
  return tokens.map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function valueOf(operation: { value: unknown }): unknown {
  if (Object.hasOwn(operation, "value") && operation.value !== undefined) return operation.value;
  throw new Refusal("bad-operation", "it has no value");
}
