import { describe, expect, test } from "bun:test";
import { joinDocuments, SeparatorError, splitDocuments } from "../../lib/inject/documents.ts";

const texts = (stream: string) => [...splitDocuments(stream)].map(({ text }) => text);

describe("splitDocuments()", () => {
  /** Recorded from Kubernetes' own reader. */
  const cases: [stream: string, documents: string[]][] = [
    ["", []],
    ["a: 1", ["a: 1\n"]],
    ["a: 1\n---\nb: 2\n", ["a: 1\n", "b: 2\n"]],
    ["a: 1\n---\n", ["a: 1\n"]],
    ["a: 1\n---", ["a: 1\n"]],
    ["---", ["---\n"]],
    ["---\na: 1\n", ["---\na: 1\n"]],
    ["---\n---\na: 1\n", ["---\n", "a: 1\n"]],
    ["a: 1\n---\n---\nb: 2\n", ["a: 1\n", "---\nb: 2\n"]],
    ["a: 1\n---\n--- \n\n", ["a: 1\n", "--- \n\n"]],
    ["a: 1\n--- # why\nb: 2", ["a: 1\n", "b: 2\n"]],
    ["a: 1\n---#why\nb: 2", ["a: 1\n", "b: 2\n"]],
    ["a: 1\n---\t\nb: 2", ["a: 1\n", "b: 2\n"]],
    ["a: 1\n ---\nb: 2", ["a: 1\n ---\nb: 2\n"]],
    ["a: 1\n...\nb: 2", ["a: 1\n...\nb: 2\n"]],
    ["\n\n---\n# c", ["\n\n", "# c\n"]],
    ["a: 1\r\nb: 2\r\n---\r\nc: 3\r\n", ["a: 1\nb: 2\n", "c: 3\n"]],
    ["a: 1\r", ["a: 1\r\n"]],
    ["a\rb\n\r\r\n", ["a\rb\n\r\n"]],
    ["a: 1\n---\r", ["a: 1\n"]],
    ["a: 1\n---\u0085\u00a0\u2003\nb: 2", ["a: 1\n", "b: 2\n"]],
    ["\ufeff---\na: 1\n---\nb: 2", ["\ufeff---\na: 1\n", "b: 2\n"]],
  ];
  test.each(cases)("%j", (stream, documents) => {
    expect(texts(stream)).toEqual(documents);
  });

  const refused: [stream: string, rest: string, line: number, before: number][] = [
    ["--- a: 1\n", "a: 1", 1, 0],
    ["a: 1\n----\n", "-", 2, 1],
    ["a: 1\n---\nb: 2\n\n--- |  \n", "|", 5, 2],
    ["--- \u00a0x\u0085\n", "x", 1, 0],
    ["---\ufeff\n", "\ufeff", 1, 0],
  ];
  test.each(refused)("refuses %j, after the documents before it", (stream, rest, line, before) => {
    const found: unknown[] = [];
    let thrown: unknown;
    try {
      for (const document of splitDocuments(stream)) found.push(document);
    } catch (error) {
      thrown = error;
    }
    if (!(thrown instanceof SeparatorError)) throw new Error(`threw ${thrown}`);
    expect(thrown.message).toBe(`invalid Yaml document separator: ${rest}`);
    expect(thrown.line).toBe(line);
    // The document before the bad line is lost too.
    expect(found.length).toBe(Math.max(0, before - 1));
  });

  test("reports the first line of each document", () => {
    const stream = "---\na: 1\n---\n\nb: 2\n---\n---\nc: 3\n";
    expect([...splitDocuments(stream)].map(({ line }) => line)).toEqual([1, 4, 7]);
  });

  test("takes linear time, however many spaces a line has", () => {
    const spaces = " ".repeat(2_000_000);
    expect(texts(`a: 1\n---${spaces}# c${spaces}c\nb: 2`)).toEqual(["a: 1\n", "b: 2\n"]);
    expect(() => texts(`a: 1\n---${spaces}x${spaces}y${spaces}`)).toThrow(SeparatorError);
  });
});

test("joinDocuments() adds a separator after each document", () => {
  expect(joinDocuments([])).toBe("");
  expect(joinDocuments(["a: 1\n", "---\nb: 2\n"])).toBe("a: 1\n---\n---\nb: 2\n---\n");
});
