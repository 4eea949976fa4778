import { describe, expect, test } from "bun:test";
import {
  MAX_YAML_LENGTH,
  parseAllYaml,
  parseYaml,
  stringifyYaml,
  YamlError,
  type YamlErrorCode,
} from "../../lib/yaml/mod.ts";

function failure(run: () => unknown): YamlError {
  try {
    const value = run();
    throw new Error(`expected a YamlError, got ${JSON.stringify(value)}`);
  } catch (error) {
    if (error instanceof YamlError) return error;
    throw error;
  }
}

describe("parseYaml() errors have a message, a position and a code", () => {
  const rows: [yaml: string, code: YamlErrorCode, line: number, column: number][] = [
    ["a: [1\n", "syntax", 2, 1],
    ['a: 1\nb: "x\\q"\n', "syntax", 2, 7],
    ["a: 1\nb: 'x\n", "syntax", 3, 1],
    ["a:\n  b: *x\n", "unknown-anchor", 2, 6],
    ["a: &x\n  b: *x\n", "recursive-anchor", 2, 6],
    ["a: 1\n~: 2\n", "bad-key", 2, 1],
    ["? [a]\n: b\n", "bad-key", 1, 3],
    ["a: 1\n<<: 2\n", "bad-merge", 2, 5],
    ["a: !!int x\n", "bad-tag", 1, 4],
    ["a:\n- 1\n- .inf\n", "not-json", 3, 3],
    ["a: x\u0007\n", "control-character", 1, 5],
    ["a: \ud800\n", "control-character", 1, 4],
    ["a: 1\n\tb: 2\n", "syntax", 2, 1],
    ["a: b\u0085c: *x\n", "unknown-anchor", 2, 4],
    ["a: b\r\nc: *x\r\n", "unknown-anchor", 2, 4],
    // The offset survives the repair of the line before.
    ["a: [\n  1\n]\nb: *x\n", "unknown-anchor", 4, 4],
    ["a: [1]#c\nb: *x\n", "unknown-anchor", 2, 4],
    ['a: "\\\'" \nb: *x\n', "unknown-anchor", 2, 4],
    ["# c\n---\na: *x\n---\nb\n", "unknown-anchor", 3, 4],
  ];
  for (const [yaml, code, line, column] of rows) {
    test(JSON.stringify(yaml), () => {
      const error = failure(() => parseYaml(yaml));
      expect({ code: error.code, line: error.line, column: error.column })
        .toEqual({ code, line, column });
      expect(error.cause).toBeInstanceOf(Error);
    });
  }

  test("contain the given name of the text", () => {
    expect(failure(() => parseYaml("*x", { name: "mesh.yaml" })).message)
      .toBe('Cannot read "mesh.yaml" at line 1, column 1: unknown anchor "x"');
  });

  test("do not reveal values", () => {
    const error = failure(() => parseYaml("password: hunter2\nport: !!int hunter2\n"));
    expect(`${error.message} ${error.cause}`).not.toContain("hunter2");
    const syntax = failure(() => parseYaml("password: hunter2\nport: [\n"));
    expect(Bun.inspect(syntax)).not.toContain("hunter2");
  });
});

describe("parseYaml() limits", () => {
  const nineOf = (item: string) => `[${Array(9).fill(item).join(",")}]`;

  test("refuse a billion laughs", () => {
    const lines = ["a: &a [x,x,x,x,x,x,x,x,x]"];
    for (const [i, name] of [..."bcdefghi"].entries()) {
      lines.push(`${name}: &${name} ${nineOf(`*${"abcdefgh"[i]}`)}`);
    }
    expect(failure(() => parseYaml(lines.join("\n"))).code).toBe("too-many-aliases");
  });

  test("refuse a long text with many aliases", () => {
    const yaml = `a: &a ${"x".repeat(10_000)}\nb: [${Array(3000).fill("*a").join(",")}]\n`;
    expect(failure(() => parseYaml(yaml)).code).toBe("too-many-aliases");
  });

  test("refuse nested merges", () => {
    const lines = ["m0: &m0 {x: 1, z: 2}"];
    for (let i = 1; i < 40; i++) lines.push(`m${i}: &m${i} {<<: [*m${i - 1}, *m${i - 1}]}`);
    expect(failure(() => parseYaml(lines.join("\n"))).code).toBe("too-many-aliases");
  });

  test("never expand 300 bytes to megabytes", () => {
    const yaml = `a: &a "${"x".repeat(150)}"\nb: &b ${nineOf("*a")}\nc: ${nineOf("*b")}\n`;
    expect(yaml.length).toBeLessThan(300);
    expect(JSON.stringify(parseYaml(yaml)).length).toBeLessThan(67_000);
  });

  test("copy the value of each alias", () => {
    const value = parseYaml("a: &a {b: [1]}\nc: *a\nd: {<<: *a}\n") as Record<
      string,
      { b: number[] }
    >;
    expect(value.c).toEqual({ b: [1] });
    expect(value.c).not.toBe(value.a);
    expect(value.c.b).not.toBe(value.a.b);
    expect(value.d.b).not.toBe(value.a.b);
  });

  test("accept a thousand levels and no more", () => {
    const lists = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
    const maps = (depth: number) => "{a: ".repeat(depth) + "1" + "}".repeat(depth);
    for (const nest of [lists, maps, (depth: number) => `${"- ".repeat(depth)}a\n`]) {
      expect(stringifyYaml(parseYaml(nest(1000)))).toBeString();
      expect(failure(() => parseYaml(nest(1001))).code).toBe("too-deep");
      expect(failure(() => parseYaml(nest(100_000))).code).toBe("too-deep");
    }
  });

  test("refuse a text that is too long without parsing it", () => {
    expect(failure(() => parseYaml("a".repeat(MAX_YAML_LENGTH + 1))).code).toBe("too-large");
  });

  test("fail quickly on many errors", () => {
    expect(failure(() => parseYaml("a: [\n".repeat(100_000))).code).toBeOneOf([
      "syntax",
      "too-deep",
    ]);
  });
});

describe("parseYaml() treats every key as an ordinary one", () => {
  for (const key of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
    test(key, () => {
      const value = parseYaml(`${key}: {x: 1}\nb: &b {${key}: 1}\nc: {<<: *b}\n`) as object;
      expect(Object.keys(value)).toContain(key);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect((value as Record<string, unknown>).x).toBeUndefined();
      expect(stringifyYaml(value)).toContain(`c:\n  ${key}: 1\n`);
    });
  }
});

test("parseYaml() returns big integers as requested", () => {
  const yaml = "[9007199254740993, 18446744073709551615, 18446744073709551616, 5]";
  expect(parseYaml(yaml)).toEqual([
    9007199254740992,
    18446744073709552000,
    18446744073709552000,
    5,
  ]);
  expect(parseYaml(yaml, { bigints: true }))
    .toEqual([9007199254740993n, 18446744073709551615n, 18446744073709552000, 5]);
});

describe("parseAllYaml() reads each document", () => {
  const rows: [yaml: string, documents: unknown[]][] = [
    ["", []],
    ["# c\n\n", []],
    ["a", ["a"]],
    ["---\n", [null]],
    ["a: 1\n---\nb: 2\n", [{ a: 1 }, { b: 2 }]],
    ["---\na: 1\n---\n---\nb: 2\n", [{ a: 1 }, null, { b: 2 }]],
    ["# c\n---\n# d\na: 1\n---\n# e\n", [{ a: 1 }, null]],
    ["a: 1\n...\n# c\n", [{ a: 1 }]],
    ["a: 1\n...\n...\n---\nb: 2\n", [{ a: 1 }, { b: 2 }]],
    ["a: &x 1\n---\nb: |\n  --- no\n  ---\n--- c\n", [{ a: 1 }, { b: "--- no\n---\n" }, "c"]],
    ["a: 1\r\n---\r\nb: 2\r\n", [{ a: 1 }, { b: 2 }]],
  ];
  for (const [yaml, documents] of rows) {
    test(JSON.stringify(yaml), () => expect(parseAllYaml(yaml)).toEqual(documents));
  }

  const bad: [yaml: string, line: number][] = [
    ["a: &x 1\n---\nb: *x\n", 3],
    ["a: 1\n---\nb: [\n", 4],
    ["a: 1\n...\nb: 2\n", 3],
    ["...\n", 1],
  ];
  for (const [yaml, line] of bad) {
    test(JSON.stringify(yaml), () => expect(failure(() => parseAllYaml(yaml)).line).toBe(line));
  }
});

describe("stringifyYaml() refuses what go-yaml cannot write", () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const rows: [name: string, value: unknown, code: YamlErrorCode][] = [
    ["NaN", NaN, "unwritable"],
    ["Infinity", [Infinity], "unwritable"],
    ["a function", { a: () => 1 }, "unwritable"],
    ["a cycle", cycle, "too-deep"],
    ["DEL", "a\u007f", "control-character"],
    ["C1 controls", { "\u009f": 1 }, "control-character"],
    ["U+FFFE", "\ufffe", "control-character"],
    ["a key of 1100 characters", { ["k".repeat(1100)]: 1 }, "bad-key"],
    ["a key with U+0085", { "a\u0085b": 1 }, "bad-key"],
    ["a marker after U+0085", "a\u0085--- b", "unwritable"],
  ];
  for (const [name, value, code] of rows) {
    test(name, () => {
      const error = failure(() => stringifyYaml(value));
      expect(error.code).toBe(code);
      expect(error.message).toStartWith("Cannot write YAML: ");
    });
  }
});

test("stringifyYaml() omits undefined properties", () => {
  expect(stringifyYaml({ a: undefined, b: [undefined], c: { d: undefined } })).toBe(
    "b:\n- null\nc: {}\n",
  );
});

test("stringifyYaml() writes big integers exactly", () => {
  expect(stringifyYaml([9007199254740993n, 2n ** 64n - 1n, 2n ** 64n])).toBe(
    "- 9007199254740993\n- 18446744073709551615\n- 1.8446744073709552e+19\n",
  );
});

test("stringifyYaml() does not depend on the order of keys", () => {
  // Natural order can be cyclic: v10 < v1a < v2 < v10.
  const keys = ["v2", "v10", "v1a", "v1"];
  const texts = [keys, keys.toReversed(), keys.toSorted()].map((order) =>
    stringifyYaml(Object.fromEntries(order.map((key) => [key, 1])))
  );
  expect(new Set(texts).size).toBe(1);
});

test("stringifyYaml() does not modify its input", () => {
  const value = Object.freeze({ b: Object.freeze([2, 1]), a: Object.freeze({ d: 1, c: "x\ny" }) });
  stringifyYaml(value);
  expect(JSON.stringify(value)).toBe('{"b":[2,1],"a":{"d":1,"c":"x\\ny"}}');
});
