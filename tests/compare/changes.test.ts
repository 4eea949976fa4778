import { describe, expect, test } from "bun:test";
import { changeLine, changesBetween, summaryOf } from "../../lib/compare/changes.ts";
import { ChangeGroups } from "../../lib/compare/groups.ts";

describe("changesBetween()", () => {
  const long = "x".repeat(200);
  const cases: [what: string, before: unknown, after: unknown, lines: string[]][] = [
    ["nothing", { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
    ["a value", { spec: { image: "a" } }, { spec: { image: "b" } }, ["~ spec.image: a → b"]],
    ["one that is new", {}, { a: { b: 1 } }, ['+ a: {"b":1}']],
    ["one that is gone", { a: "" }, {}, ['- a: ""']],
    ["another type", { a: "1" }, { a: 1 }, ["~ a: 1 → 1"]],
    ["null and absent", { a: null }, {}, ["- a: null"]],
    [
      "items by name, wherever they stand",
      { containers: [{ name: "app" }, { name: "proxy", image: "a" }] },
      { containers: [{ name: "proxy", image: "b" }] },
      ['- containers[app]: {"name":"app"}', "~ containers[proxy].image: a → b"],
    ],
    [
      "their order",
      { containers: [{ name: "a" }, { name: "b" }, { name: "c" }] },
      { containers: [{ name: "b" }, { name: "x" }, { name: "a" }] },
      [
        '- containers[c]: {"name":"c"}',
        '+ containers[x]: {"name":"x"}',
        '~ containers (order): ["a","b"] → ["b","a"]',
      ],
    ],
    [
      "mounts by path, where one volume is mounted twice",
      { volumeMounts: [{ name: "v", mountPath: "/a" }, { name: "v", mountPath: "/b" }] },
      { volumeMounts: [{ name: "v", mountPath: "/a" }, { name: "w", mountPath: "/b" }] },
      ["~ volumeMounts[/b].name: v → w"],
    ],
    ["lists without names, by place", { a: [1, 2] }, { a: [1, 3] }, ["~ a[1]: 2 → 3"]],
    ["lists of another length, whole", { a: [1] }, { a: [1, 2] }, ["~ a: [1] → [1,2]"]],
    [
      "annotations, whose names have dots",
      { annotations: { "a.io/b": "1" } },
      { annotations: { "a.io/b": "2" } },
      ["~ annotations[a.io/b]: 1 → 2"],
    ],
    ["the root", 1, 2, ["~ : 1 → 2"]],
    [
      "long values around what differs",
      { a: `${long}1` },
      { a: `${long}2` },
      [`~ a: …${"x".repeat(30)}1 → …${"x".repeat(30)}2`],
    ],
    ["a long new one, cut", {}, { a: long }, [`+ a: ${"x".repeat(120)}…`]],
    ["keys that mean something elsewhere", {}, JSON.parse('{"__proto__": 1}'), ["+ __proto__: 1"]],
  ];
  test.each(cases)("tells %s", (_, before, after, lines) => {
    expect(changesBetween(before, after).map(changeLine)).toEqual(lines);
  });

  test("stops at a depth beyond any pod", () => {
    const deep = (leaf: number) => {
      let value: unknown = leaf;
      for (let i = 0; i < 500; i++) value = { a: value };
      return value;
    };
    const [change, ...rest] = changesBetween(deep(1), deep(2));
    expect(rest).toEqual([]);
    expect(change.path.split(".").length).toBe(64);
  });
});

test("summaryOf() names the first changes and counts the others", () => {
  const changes = changesBetween({ a: 1, b: 1, c: 1, d: 1 }, { a: 2, c: 2, x: 1 });
  expect(summaryOf(changes)).toBe("~a, -b, ~c and 2 more");
  expect(summaryOf(changes.slice(0, 1))).toBe("~a");
});

test("ChangeGroups groups equal changes, the largest group first", () => {
  const groups = new ChangeGroups<string>();
  const one = changesBetween({ a: 1 }, { a: 2 });
  const other = changesBetween({ a: 1 }, { a: "2" });
  groups.add("p", other);
  groups.add("q", one);
  groups.add("r", structuredClone(one));
  expect(groups.list().map(({ members }) => members)).toEqual([["q", "r"], ["p"]]);
});
