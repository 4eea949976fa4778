import { describe, expect, test } from "bun:test";
import { lineChanges, unifiedDiff } from "../../lib/data/text_diff.ts";

describe("unifiedDiff()", () => {
  const diff = (before: string, after: string) =>
    unifiedDiff(
      before.split("").map((line) => `${line}\n`).join(""),
      after.split("").map((line) => `${line}\n`).join(""),
      { from: "a", to: "b" },
    ).replace(/^--- a\n\+\+\+ b\n/, "").replaceAll("\n", "|");

  const cases: [before: string, after: string, diff: string][] = [
    ["", "", ""],
    ["abc", "abc", ""],
    ["", "ab", "@@ -0,0 +1,2 @@|+a|+b|"],
    ["ab", "", "@@ -1,2 +0,0 @@|-a|-b|"],
    ["abc", "axc", "@@ -1,3 +1,3 @@| a|-b|+x| c|"],
    ["abcabba", "cbabac", "@@ -1,7 +1,6 @@|-a|-b| c|+b| a| b|-b| a|+c|"],
    ["abcdefghi", "abcdXefghi", "@@ -2,6 +2,7 @@| b| c| d|+X| e| f| g|"],
    [
      "abcdefghijklm",
      "Xbcdefghijkl",
      "@@ -1,4 +1,4 @@|-a|+X| b| c| d|@@ -10,4 +10,3 @@| j| k| l|-m|",
    ],
    ["{a}", "{a}{b}", "@@ -1,3 +1,6 @@| {| a| }|+{|+b|+}|"],
    ["abcdefg", "Xbcdefg", "@@ -1,4 +1,4 @@|-a|+X| b| c| d|"],
    ["aaaaaaaaa", "baaaaaaab", "@@ -1,3 +1,4 @@|+b| a| a| a|@@ -5,5 +6,4 @@| a| a| a|-a|-a|+b|"],
  ];
  test.each(cases)("%j to %j", (before, after, expected) => {
    expect(diff(before, after)).toBe(expected);
  });

  test("ends, however much changed", () => {
    const lines = (prefix: string) => Array.from({ length: 20_000 }, (_, i) => `${prefix}${i}\n`);
    const text = unifiedDiff(lines("a").join(""), lines("b").join(""), { from: "a", to: "b" });
    expect(text).toStartWith("--- a\n+++ b\n@@ -1,20000 +1,20000 @@\n-a0\n");
    expect(text.split("\n").length).toBe(40_004);
  });

  test("hands each line but the unchanged to paint, with what it is", () => {
    const parts: string[] = [];
    const paint = (part: string, line: string) => {
      parts.push(`${part} ${line}`);
      return line.toUpperCase();
    };
    expect(unifiedDiff("a\nb\n", "a\nc\n", { from: "x", to: "y", paint }))
      .toBe("--- X\n+++ Y\n@@ -1,2 +1,2 @@\n a\n-B\n+C\n");
    expect(parts).toEqual([
      ...["file --- x", "file +++ y"],
      ...["place @@ -1,2 +1,2 @@", "removed -b", "added +c"],
    ]);
  });
});

describe("lineChanges()", () => {
  const changes = (before: string, after: string) => {
    const text = (letters: string) => letters.split("").map((line) => `${line}\n`).join("");
    return lineChanges(text(before), text(after)).map(({ oldStart, oldEnd, newStart, newEnd }) =>
      `${oldStart}-${oldEnd} ${newStart}-${newEnd}`
    );
  };
  const cases: [before: string, after: string, changes: string[]][] = [
    ["", "", []],
    ["abc", "abc", []],
    ["", "ab", ["0-0 0-2"]],
    ["ab", "", ["0-2 0-0"]],
    ["abc", "axc", ["1-2 1-2"]],
    ["ac", "abc", ["1-1 1-2"]],
    ["{a}", "{a}{b}", ["3-3 3-6"]],
    ["abcd", "xbcy", ["0-1 0-1", "3-4 3-4"]],
  ];
  test.each(cases)("%j to %j", (before, after, expected) => {
    expect(changes(before, after)).toEqual(expected);
  });
});
