import { describe, expect, test } from "bun:test";
import { editDistance } from "../../lib/data/edit_distance.ts";

describe("editDistance()", () => {
  const cases: [a: string, b: string, distance: number][] = [
    ["", "", 0],
    ["", "abc", 3],
    ["abc", "", 3],
    ["abc", "abc", 0],
    ["abc", "acb", 1],
    ["abc", "abd", 1],
    ["abc", "bc", 1],
    ["ca", "abc", 3],
    ["kitten", "sitting", 3],
  ];
  test.each(cases)("%s to %s", (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
    expect(editDistance(b, a)).toBe(distance);
  });
});
