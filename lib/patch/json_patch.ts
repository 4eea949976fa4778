/**
 * JSON Patch (RFC 6902): the difference between two documents as operations, and operations applied.
 *
 * Creating is rfc6902's work, with list items paired up here: its own pairing costs more than the square
 * of a list's length, and rewrites a container to make it the one inserted before it.
 *
 * Applying is done here. rfc6902 changes the document it is given, cannot replace a whole document, skips
 * `__proto__` and `constructor` in a path (and so writes to the wrong place) and finds inherited members
 * such as `toString`. To all of this a key is a key.
 *
 * Documents are JSON values and are never changed. What comes out shares parts with what went in, the
 * values of operations included: treat it as read-only.
 */
import { createPatch as diff, type Operation as DiffOperation, type Pointer } from "rfc6902";
import { equalJson } from "../data/json.ts";
import { alignLists } from "./_list_diff.ts";

export type Operation =
  | { op: "add" | "replace" | "test"; path: string; value: unknown }
  | { op: "remove"; path: string }
  | { op: "move" | "copy"; from: string; path: string };

/**
 * Above this many operations for one list or members of one object, the whole of it is replaced. Such a
 * patch is no smaller than the value, and rfc6902 passes operations on as call arguments, of which there
 * can't be many more than 60,000.
 */
const MAX_OPERATIONS = 10_000;

/** Deeper parts are replaced as a whole if they differ: rfc6902 goes down by recursion. */
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
  return diffAt(before, after, 0);
}

function diffAt(before: unknown, after: unknown, depth: number): DiffOperation[] {
  return diff(before, after, (input: unknown, output: unknown, pointer: Pointer) => {
    const here = depth + pointer.tokens.length - 1;
    const areLists = Array.isArray(input) && Array.isArray(output);
    if (here >= MAX_DEPTH || (!areLists && isHuge(input, output))) {
      return equalJson(input, output) ? [] : [replaceAt(pointer.toString(), output)];
    }
    if (areLists) return diffLists(input, output, pointer.toString(), here);
  });
}

function isHuge(input: unknown, output: unknown): boolean {
  return isObject(input) && isObject(output) &&
    Math.max(Object.keys(input).length, Object.keys(output).length) > MAX_OPERATIONS;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function replaceAt(path: string, value: unknown): DiffOperation {
  return { op: "replace", path, value };
}

/** Items that go, from the last; items that come, from the first; then changes, at their final places. */
function diffLists(
  before: unknown[],
  after: unknown[],
  path: string,
  depth: number,
): DiffOperation[] {
  const removals: DiffOperation[] = [];
  const others: DiffOperation[] = [];
  const changes: DiffOperation[] = [];
  for (const { from, to, isReplacement } of alignLists(before, after)) {
    if (to === undefined) removals.push({ op: "remove", path: `${path}/${from}` });
    else if (from === undefined) {
      others.push({ op: "add", path: `${path}/${to}`, value: after[to] });
    } else if (isReplacement) changes.push(replaceAt(`${path}/${to}`, after[to]));
    else {
      for (const change of diffAt(before[from], after[to], depth + 1)) {
        changes.push({ ...change, path: `${path}/${to}${change.path}` });
      }
    }
    if (removals.length + others.length + changes.length > MAX_OPERATIONS) {
      return [replaceAt(path, after)];
    }
  }
  return [...removals.reverse(), ...others, ...changes];
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
    if (!Array.isArray(parent)) return define(parent, token, value);
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
    else define(parent, token, value);
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
      else define(current, token, copy);
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
  if (isObject(container) && Object.hasOwn(container, token)) return container[token];
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

function define(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") object[key] = value;
  else {Object.defineProperty(object, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });}
}
