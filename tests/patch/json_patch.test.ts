import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { createPatch as rfc6902 } from "rfc6902";
import { applyPatch, createPatch, type Operation } from "../../lib/patch/json_patch.ts";
import { SHARED, withShared } from "../_shared.ts";

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.freeze(value);
    for (const key of Object.keys(value)) deepFreeze((value as Record<string, unknown>)[key]);
  }
  return value;
}

/** Formats JSON with sorted keys, to compare `__proto__` members, which toEqual ignores. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_, inner) => {
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => a < b ? -1 : 1));
  });
}

describe("createPatch()", () => {
  const proxy = { name: "istio-proxy", image: "proxy" };
  const rows: [name: string, before: unknown, after: unknown, want: unknown[]][] = [
    ["finds nothing between equal documents", { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
    ["does not mind the order of keys", { a: 1, b: 2 }, { b: 2, a: 1 }, []],
    ["adds, removes and replaces members", { a: 1, b: 2 }, { b: 3, c: 4 }, [
      { op: "remove", path: "/a" },
      { op: "add", path: "/c", value: 4 },
      { op: "replace", path: "/b", value: 3 },
    ]],
    ["escapes keys", { "a/b": 1, "m~n": 1, "": 1 }, { "a/b": 2, "m~n": 2, "": 2 }, [
      { op: "replace", path: "/a~1b", value: 2 },
      { op: "replace", path: "/m~0n", value: 2 },
      { op: "replace", path: "/", value: 2 },
    ]],
    ["keeps null apart from nothing", { a: null, b: 1 }, { b: null }, [
      { op: "remove", path: "/a" },
      { op: "replace", path: "/b", value: null },
    ]],
    ["replaces a document of another type", { a: 1 }, [1], [{
      op: "replace",
      path: "",
      value: [1],
    }]],
    ["keeps a list apart from an object of its items", { a: [["x", 1]] }, { a: [{ x: 1 }] }, [
      { op: "replace", path: "/a/0", value: { x: 1 } },
    ]],
    ["inserts a container at the front alone", { c: [{ name: "app" }] }, {
      c: [proxy, { name: "app" }],
    }, [
      { op: "add", path: "/c/0", value: proxy },
    ]],
    [
      "inserts at the front and still changes the one behind",
      { c: [{ name: "app", image: "a" }] },
      { c: [proxy, { name: "app", image: "b" }] },
      [
        { op: "add", path: "/c/0", value: proxy },
        { op: "replace", path: "/c/1/image", value: "b" },
      ],
    ],
    ["removes from the end", { a: [1, 2, 3, 4] }, { a: [2, 4] }, [
      { op: "remove", path: "/a/2" },
      { op: "remove", path: "/a/0" },
    ]],
    ["replaces one scalar among others", { a: ["x", "y", "z"] }, { a: ["x", "w", "z"] }, [
      { op: "replace", path: "/a/1", value: "w" },
    ]],
    ["replaces an item that is another one", { c: [{ name: "a", image: "x" }] }, {
      c: [{ name: "b", image: "x" }],
    }, [
      { op: "replace", path: "/c/0", value: { name: "b", image: "x" } },
    ]],
    ["goes into an item that has no key to know it by", { t: [{ effect: "a", value: "b" }] }, {
      t: [{ effect: "a", value: "c" }],
    }, [
      { op: "replace", path: "/t/0/value", value: "c" },
    ]],
    ["knows mounts by their path, as names repeat", { m: [{ name: "v", mountPath: "/b" }] }, {
      m: [{ name: "v", mountPath: "/a" }, { name: "v", mountPath: "/b" }],
    }, [
      { op: "add", path: "/m/0", value: { name: "v", mountPath: "/a" } },
    ]],
    [
      "moves an item by removing and adding it",
      { c: [{ name: "a" }, { name: "b" }, { name: "c" }] },
      { c: [{ name: "c" }, { name: "a" }, { name: "b" }] },
      [
        { op: "remove", path: "/c/2" },
        { op: "add", path: "/c/0", value: { name: "c" } },
      ],
    ],
  ];
  for (const [name, before, after, want] of rows) {
    test(name, () => {
      const patch = createPatch(deepFreeze(before), deepFreeze(after));
      expect(patch).toEqual(want as Operation[]);
      expect(textOf(applyPatch(before, patch))).toBe(textOf(after));
    });
  }

  test("replaces a long list as a whole if most items changed", () => {
    const before = Array.from({ length: 100_000 }, (_, i) => i);
    const after = before.map((i) => -i - 1);
    expect(createPatch({ a: before }, { a: after })).toEqual([{
      op: "replace",
      path: "/a",
      value: after,
    }]);
  });

  test("finds one new item in a long list quickly", () => {
    const before = Array.from({ length: 50_000 }, (_, i) => ({ name: `n${i}` }));
    const patch = createPatch({ a: before }, { a: [{ name: "new" }, ...before] });
    expect(patch).toEqual([{ op: "add", path: "/a/0", value: { name: "new" } }]);
  });

  test("replaces an object with very many members as a whole", () => {
    const object = (offset: number) =>
      Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, i + offset]));
    expect(createPatch({ a: object(0) }, { a: object(0) })).toEqual([]);
    expect(createPatch({ a: object(0) }, { a: object(1) })).toHaveLength(1);
  });

  test("replaces deeply nested values instead of running out of stack", () => {
    const nest = (leaf: unknown) => {
      let value = leaf;
      for (let i = 0; i < 900; i++) value = i % 2 === 0 ? { a: value } : [value];
      return value;
    };
    const patch = createPatch(nest(1), nest(2));
    expect(patch).toHaveLength(1);
    expect(applyPatch(nest(1), patch)).toEqual(nest(2));
  });
});

describe("applyPatch()", () => {
  const rows: [name: string, before: unknown, patch: Operation[], after: unknown][] = [
    ["adds a member", {}, [{ op: "add", path: "/a", value: 1 }], { a: 1 }],
    ["adds over a member", { a: 1 }, [{ op: "add", path: "/a", value: 2 }], { a: 2 }],
    ["inserts into a list", [1, 3], [{ op: "add", path: "/1", value: 2 }], [1, 2, 3]],
    ["appends at a list's length", [1], [{ op: "add", path: "/1", value: 2 }], [1, 2]],
    ["appends at -", [1], [{ op: "add", path: "/-", value: 2 }], [1, 2]],
    ["replaces the document", { a: 1 }, [{ op: "replace", path: "", value: [] }], []],
    ["adds the document", { a: 1 }, [{ op: "add", path: "", value: null }], null],
    ["removes from a list", [1, 2], [{ op: "remove", path: "/0" }], [2]],
    ["moves", { a: { b: 1 } }, [{ op: "move", from: "/a/b", path: "/c" }], { a: {}, c: 1 }],
    ["moves within a list", [1, 2, 3], [{ op: "move", from: "/0", path: "/2" }], [2, 3, 1]],
    ["copies, and the copies part ways", { a: { x: 1 } }, [
      { op: "add", path: "/a/y", value: 2 },
      { op: "copy", from: "/a", path: "/b" },
      { op: "replace", path: "/b/x", value: 3 },
    ], { a: { x: 1, y: 2 }, b: { x: 3, y: 2 } }],
    ["tests regardless of key order", { a: { x: 1, y: 2 } }, [{
      op: "test",
      path: "/a",
      value: { y: 2, x: 1 },
    }], { a: { x: 1, y: 2 } }],
    ["uses the empty key", { "": { "": 1 } }, [{ op: "replace", path: "//", value: 2 }], {
      "": { "": 2 },
    }],
    ["undoes escapes in the right order", { "~1": 1 }, [{ op: "remove", path: "/~01" }], {}],
    ["takes list-like keys of objects as keys", { "01": 1, "-": 2 }, [
      { op: "remove", path: "/01" },
      { op: "remove", path: "/-" },
    ], {}],
  ];
  for (const [name, before, patch, after] of rows) {
    test(name, () => expect(applyPatch(deepFreeze(before), deepFreeze(patch))).toEqual(after));
  }

  const failures: [name: string, before: unknown, operation: unknown, code: string][] = [
    ["removing what is not there", {}, { op: "remove", path: "/a" }, "missing"],
    ["replacing what is not there", {}, { op: "replace", path: "/a", value: 1 }, "missing"],
    ["a parent that is not there", {}, { op: "add", path: "/a/b", value: 1 }, "missing"],
    ["a parent that is a scalar", { a: 1 }, { op: "add", path: "/a/b", value: 1 }, "missing"],
    ["a list index past the end", [1], { op: "add", path: "/2", value: 1 }, "missing"],
    ["replacing at a list's end", [1], { op: "replace", path: "/1", value: 1 }, "missing"],
    ["a list index with a leading zero", [1, 2], { op: "remove", path: "/01" }, "bad-pointer"],
    [
      "a list index that goes on as text",
      [1, 2],
      { op: "replace", path: "/1x", value: 1 },
      "bad-pointer",
    ],
    ["removing at -", [1], { op: "remove", path: "/-" }, "bad-pointer"],
    ["a path without a slash", {}, { op: "add", path: "a", value: 1 }, "bad-pointer"],
    ["a bare tilde", {}, { op: "add", path: "/~2", value: 1 }, "bad-pointer"],
    ["no path", {}, { op: "add", value: 1 }, "bad-operation"],
    ["no value", {}, { op: "add", path: "/a" }, "bad-operation"],
    ["an unknown operation", {}, { op: "merge", path: "/a" }, "bad-operation"],
    ["an operation that is null", {}, null, "bad-operation"],
    ["removing the document", {}, { op: "remove", path: "" }, "bad-operation"],
    [
      "moving a value into itself",
      { a: { b: {} } },
      { op: "move", from: "/a", path: "/a/b" },
      "bad-operation",
    ],
    ["a test that fails", { a: 1 }, { op: "test", path: "/a", value: "1" }, "test-failed"],
    ["an inherited member", {}, { op: "remove", path: "/toString" }, "missing"],
    ["the prototype", {}, { op: "add", path: "/__proto__/x", value: 1 }, "missing"],
    ["the constructor", {}, { op: "add", path: "/constructor/prototype/x", value: 1 }, "missing"],
  ];
  for (const [name, before, operation, code] of failures) {
    test(`refuses ${name}`, () => {
      const patch = [{ op: "test", path: "", value: before }, operation] as Operation[];
      const path = (operation as Operation | null)?.path ?? "";
      expect(() => applyPatch(deepFreeze(before), patch)).toThrow(
        expect.objectContaining({ name: "JsonPatchError", code, index: 1, path }),
      );
      expect(Object.hasOwn(Object.prototype, "x")).toBe(false);
    });
  }

  test("reports which operation failed, where and why", () => {
    const patch: Operation[] = [{ op: "remove", path: "/spec/nodeName" }];
    expect(() => applyPatch({ spec: {} }, patch)).toThrow(
      'Cannot apply patch operation 0 at "/spec/nodeName": there is no "nodeName"',
    );
  });
});

const KEYS = ["a", "b", "name", "", "~", "/", "~1", "a/b", "__proto__", "constructor", "prototype"]
  .concat(["toString", "hasOwnProperty", "length", "0", "01", "-", "é", "\u2028", "😀"]);
const SCALARS = [null, true, false, 0, 1, -1.5, 1e21, "", "a", "1", "true", "é", "\u0000", "😀"];

/** Random documents, the same in every run (by mulberry32). */
function randomDocuments(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const upTo = (limit: number) => Math.floor(next() * limit);
  const value = (depth: number): unknown => {
    const kind = depth === 0 ? 0 : upTo(4);
    if (kind < 2) return SCALARS[upTo(SCALARS.length)];
    if (kind === 2) return Array.from({ length: upTo(6) }, () => value(depth - 1));
    const keys = Array.from({ length: upTo(5) }, () => KEYS[upTo(KEYS.length)]);
    return Object.fromEntries(keys.map((key) => [key, value(depth - 1)]));
  };
  const change = (before: unknown): unknown => {
    if (next() < 0.1) return value(2);
    if (Array.isArray(before)) {
      const after = before.filter(() => next() > 0.15).map((item) =>
        next() < 0.3 ? change(item) : item
      );
      if (next() < 0.4) after.splice(upTo(after.length + 1), 0, value(2));
      return next() < 0.1 ? after.reverse() : after;
    }
    if (typeof before !== "object" || before === null) return before;
    const kept = Object.entries(before).filter(() => next() > 0.15);
    const after = kept.map((
      [key, item],
    ): [string, unknown] => [key, next() < 0.4 ? change(item) : item]);
    if (next() < 0.3) after.push([KEYS[upTo(KEYS.length)], value(2)]);
    return Object.fromEntries(after);
  };
  return { value, change };
}

test("applying a created patch gives the target document", () => {
  const { value, change } = randomDocuments(1);
  for (let i = 0; i < 4_000; i++) {
    const before = deepFreeze(value(4));
    const after = deepFreeze(i % 4 === 0 ? value(4) : change(before));
    const patch = createPatch(before, after);
    expect(textOf(applyPatch(before, deepFreeze(patch)))).toBe(textOf(after));
    expect(patch.length === 0).toBe(textOf(before) === textOf(after));
    expect(JSON.parse(JSON.stringify(patch))).toEqual(patch); // Survives serialisation.
  }
});

test("createPatch() matches rfc6902, except for lists", () => {
  const { value, change } = randomDocuments(2);
  const withoutLists = (item: unknown): unknown => {
    if (typeof item !== "object" || item === null) return item;
    const entries = Object.entries(item).map(([key, inner]) => [key, withoutLists(inner)]);
    return Object.fromEntries(entries.filter(([key]) => key !== "__proto__"));
  };
  for (let i = 0; i < 2_000; i++) {
    const document = value(4);
    const before = withoutLists(document);
    const after = withoutLists(i % 4 === 0 ? value(4) : change(document));
    expect(createPatch(before, after)).toEqual(rfc6902(before, after) as Operation[]);
  }
});

const CASES = `${SHARED}/conformance/head/cases`;
withShared("conformance", "patches of conformance pods", () => {
  test("patches of conformance pods apply", () => {
    for (const name of readdirSync(CASES)) {
      for (const file of readdirSync(`${CASES}/${name}`)) {
        if (!file.startsWith("webhook-")) continue;
        const { pod, patched } = JSON.parse(
          readFileSync(`${CASES}/${name}/${file}`, "utf8"),
        );
        if (!pod || !patched) continue;
        const patch = createPatch(deepFreeze(pod), deepFreeze(patched));
        expect(textOf(applyPatch(pod, patch))).toBe(textOf(patched));
      }
    }
  });
});
