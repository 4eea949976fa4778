import { describe, expect, test } from "bun:test";
import { editDistance, nearest } from "../../lib/cli/_nearest.ts";

const WORDS = ["inject", "uninject", "explain", "render", "version", "help"];

describe("nearest()", () => {
  const cases: [word: string, found: string | undefined][] = [
    ["injcet", "inject"],
    ["inejct", "inject"],
    ["unject", "inject"],
    ["Inject", "inject"],
    ["rendr", "render"],
    ["ver", "version"],
    ["hepl", "help"],
    ["explian", "explain"],
    ["serve", undefined],
    ["x", undefined],
    ["", undefined],
    ["--", undefined],
    ["constructor", undefined],
    ["v".repeat(100_000), undefined],
  ];
  test.each(cases)("%.20s", (word, found) => {
    expect(nearest(word, WORDS)).toBe(found);
  });
});

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
