import { describe, expect, test } from "bun:test";
import { nearest } from "../../lib/cli/_nearest.ts";

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
