import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { strategicMerge } from "../../lib/patch/strategic_merge.ts";

interface Vector {
  id: string;
  original: unknown;
  patch: unknown;
  want?: unknown;
  error?: string;
}

function readVectors(file: string): Vector[] {
  const text = readFileSync(`${import.meta.dirname}/../vectors/strategic-merge/${file}`, "utf8");
  return text.trim().split("\n").map((line) => JSON.parse(line));
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.freeze(value);
    for (const key of Object.keys(value)) deepFreeze((value as Record<string, unknown>)[key]);
  }
  return value;
}

// Both are recorded from Kubernetes' own code; `more` is random, with many directives.
for (const file of ["pods.jsonl", "more.jsonl"]) {
  describe(`strategicMerge() matches Kubernetes: ${file}`, () => {
    for (const { id, original, patch, want, error } of readVectors(file)) {
      test(id, () => {
        const merge = () => strategicMerge(deepFreeze(original), deepFreeze(patch), "Pod");
        if (error === undefined) expect(merge()).toEqual(want as Record<string, unknown>);
        else {expect(merge).toThrow(
            expect.objectContaining({ name: "StrategicMergeError", message: error }),
          );}
      });
    }
  });
}

type Json = Record<string, unknown>;
const spec = (members: Json) => ({ spec: members });
const named = (...names: string[]) => names.map((name) => ({ name }));

describe("strategicMerge()", () => {
  const rows: [name: string, original: unknown, patch: unknown, want: unknown][] = [
    [
      "puts new items before the originals that remain",
      spec({ containers: named("a", "b") }),
      spec({ containers: named("z", "b", "w") }),
      spec({ containers: named("z", "a", "b", "w") }),
    ],
    [
      "takes a list that was not there as it is, duplicates included",
      {},
      spec({ containers: named("a", "a") }),
      spec({ containers: named("a", "a") }),
    ],
    [
      "changes nothing for an empty list",
      spec({ containers: named("a") }),
      spec({ containers: [] }),
      spec({ containers: named("a") }),
    ],
    [
      "replaces lists without a merge key",
      spec({ tolerations: [{ key: "a" }] }),
      spec({ tolerations: [] }),
      spec({ tolerations: [] }),
    ],
    ["unites finalizers", { metadata: { finalizers: ["a", "b"] } }, {
      metadata: { finalizers: ["c", "b"] },
    }, { metadata: { finalizers: ["c", "a", "b"] } }],
    [
      "drops nulls of what is new to a map",
      {},
      spec({ hostname: null, dnsConfig: { searches: null, options: [{ name: null }] } }),
      spec({ dnsConfig: { options: [{}] } }),
    ],
    [
      "keeps nulls of what is new to a keyed list",
      spec({ containers: named("a") }),
      spec({ containers: [{ name: "b", args: null }] }),
      spec({ containers: [{ name: "b", args: null }, { name: "a" }] }),
    ],
    [
      "keeps both of two probe handlers",
      spec({ containers: [{ name: "a", livenessProbe: { exec: {} } }] }),
      spec({ containers: [{ name: "a", livenessProbe: { httpGet: { port: 1 } } }] }),
      spec({ containers: [{ name: "a", livenessProbe: { exec: {}, httpGet: { port: 1 } } }] }),
    ],
    [
      "replaces on a change of type",
      spec({ hostname: "a", nodeSelector: { a: "b" } }),
      spec({ hostname: { a: null }, nodeSelector: "x" }),
      spec({ hostname: {}, nodeSelector: "x" }),
    ],
    ["takes no patch and no original for empty ones", null, undefined, {}],
    ["looks fields up regardless of letter case", { Spec: { Containers: named("a") } }, {
      Spec: { Containers: named("b") },
    }, { Spec: { Containers: named("b", "a") } }],
    [
      "$patch: delete empties a map",
      spec({ nodeSelector: { a: "b" } }),
      spec({ nodeSelector: { $patch: "delete" } }),
      spec({ nodeSelector: {} }),
    ],
    [
      "$patch: replace on one item replaces the list",
      spec({ containers: named("a", "b") }),
      spec({ containers: [{ $patch: "replace" }, { name: "c" }] }),
      spec({ containers: named("c") }),
    ],
    [
      "$patch: delete takes every item of that key",
      spec({ containers: named("a", "b", "a") }),
      spec({ containers: [{ name: "a", $patch: "delete" }] }),
      spec({ containers: named("b") }),
    ],
    ["an empty $setElementOrder turns new items round", spec({}), {
      spec: { containers: named("a", "b", "c"), "$setElementOrder/containers": [] },
    }, spec({ containers: named("c", "b", "a") })],
    ["$deleteFromPrimitiveList: null deletes the list", { metadata: { finalizers: ["a"] } }, {
      metadata: { "$deleteFromPrimitiveList/finalizers": null },
    }, { metadata: {} }],
  ];
  for (const [name, original, patch, want] of rows) {
    test(
      name,
      () =>
        expect(strategicMerge(deepFreeze(original), deepFreeze(patch), "Pod")).toEqual(
          want as Json,
        ),
    );
  }

  const failures: [
    name: string,
    original: unknown,
    patch: unknown,
    code: string,
    message: string,
  ][] = [
    ["a document that is no map", {}, [], "bad-document", "invalid JSON document"],
    [
      "a merge into a field unknown to the schema",
      spec({ x: {} }),
      spec({ x: {} }),
      "unknown-field",
      'unable to find api field in struct PodSpec for the json field "x"',
    ],
    [
      "a merge of maps inside labels",
      { metadata: { labels: { a: {} } } },
      { metadata: { labels: { a: {} } } },
      "wrong-type",
      "merging an object in json but data type is not struct, instead is: map",
    ],
    [
      "lists where the API has a map",
      { metadata: { labels: [] } },
      { metadata: { labels: [] } },
      "wrong-type",
      "expected slice or array type, but got: struct",
    ],
    [
      "lists behind a pointer where the API has none",
      spec({ containers: [{ name: "a", lifecycle: { preStop: { httpGet: { port: [] } } } }] }),
      spec({ containers: [{ name: "a", lifecycle: { preStop: { httpGet: { port: [] } } } }] }),
      "wrong-type",
      "expected slice or array type, but got: ptr",
    ],
    [
      "an item without its key",
      spec({ containers: [] }),
      spec({ containers: [{ image: "x" }] }),
      "missing-merge-key",
      "map: map[image:x] does not contain declared merge key: name",
    ],
    [
      "a list of both maps and scalars",
      spec({ containers: named("a") }),
      spec({ containers: ["a"] }),
      "mixed-list",
      "list element types are not identical: [[map[name:a]] [a]]",
    ],
    [
      "$patch: merge",
      {},
      { $patch: "merge" },
      "bad-directive",
      "unknown patch type: merge in map: map[$patch:merge]",
    ],
    [
      "a $patch that is no string",
      {},
      { $patch: 5 },
      "bad-directive",
      "unknown patch type: %!s(float64=5) in map: map[$patch:5]",
    ],
    [
      "$retainKeys that don't name what is patched",
      {},
      { $retainKeys: ["kind"], spec: {} },
      "bad-directive",
      "invalid patch format of retainKeys",
    ],
    [
      "large numbers as Go prints floats",
      spec({ containers: [] }),
      spec({ containers: [{ securityContext: { runAsUser: 1000620000 } }] }),
      "missing-merge-key",
      "map: map[securityContext:map[runAsUser:1.00062e+09]] does not contain declared merge key: name",
    ],
    [
      "a list that starts with null",
      spec({ containers: [null] }),
      spec({ containers: [] }),
      "panic",
      "Cannot merge a list that starts with null",
    ],
    [
      "a merge key that is a map",
      spec({ containers: [{ name: {} }] }),
      spec({ containers: [{ name: {} }] }),
      "panic",
      "runtime error: comparing uncomparable type map[string]interface {}",
    ],
  ];
  for (const [name, original, patch, code, message] of failures) {
    test(`refuses ${name}`, () => {
      expect(() => strategicMerge(original, patch, "Pod")).toThrow(
        expect.objectContaining({ code, message }),
      );
    });
  }

  test("refuses a kind without a schema", () => {
    expect(() => strategicMerge({}, {}, "constructor")).toThrow(
      expect.objectContaining({ code: "unknown-kind" }),
    );
  });

  test("shares what the patch does not change", () => {
    const original = {
      metadata: { labels: { a: "b" } },
      spec: { containers: [{ name: "a", env: [] }], volumes: [] },
    };
    const patch = spec({ containers: [{ name: "b", env: [] }] });
    const merged = strategicMerge(original, patch, "Pod") as typeof original;
    expect(merged.metadata).toBe(original.metadata);
    expect(merged.spec.volumes).toBe(original.spec.volumes);
    expect(merged.spec.containers[1]).toBe(original.spec.containers[0]);
    expect(merged.spec.containers[0]).toBe(
      (patch.spec.containers as typeof original.spec.containers)[0],
    );
    expect(strategicMerge(original, {}, "Pod")).toBe(original);
  });

  test("treats __proto__ and constructor as ordinary keys", () => {
    const patch = JSON.parse('{"metadata":{"labels":{"__proto__":"x","constructor":"y"}}}');
    const merged = strategicMerge({ metadata: { labels: { a: "b" } } }, patch, "Pod");
    expect(JSON.stringify(merged)).toBe(
      '{"metadata":{"labels":{"a":"b","__proto__":"x","constructor":"y"}}}',
    );
    const gone = JSON.parse('{"metadata":{"labels":{"__proto__":null}}}');
    expect(JSON.stringify(strategicMerge(merged, gone, "Pod"))).toBe(
      '{"metadata":{"labels":{"a":"b","constructor":"y"}}}',
    );
  });

  test("refuses documents nested too deep instead of running out of stack", () => {
    let deep: unknown = null;
    for (let i = 0; i < 20_000; i++) deep = { a: deep };
    expect(() => strategicMerge({}, { spec: deep }, "Pod")).toThrow(
      expect.objectContaining({ code: "too-deep" }),
    );
  });

  test("merges long lists in reasonable time", () => {
    const items = (from: number) =>
      Array.from({ length: 20_000 }, (_, i) => ({ name: `c${from + i}` }));
    const merged = strategicMerge(
      spec({ containers: items(0) }),
      spec({ containers: items(10_000) }),
      "Pod",
    );
    expect(((merged.spec as Json).containers as unknown[]).length).toBe(30_000);
  });
});
