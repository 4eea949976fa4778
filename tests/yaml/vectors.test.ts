/**
 * The vectors of `sigs.k8s.io/yaml`: the value of each text, and the text it is written back as.
 */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { equalJson } from "../../lib/data/json.ts";
import { encodeJson } from "../../lib/go/json.ts";
import { parseYaml, stringifyYaml, YamlError } from "../../lib/yaml/mod.ts";

interface Vector {
  id: string;
  yaml: string;
  json?: unknown;
  error?: string;
  marshalled?: string;
}

const VECTORS: Vector[] = readFileSync(
  `${import.meta.dirname}/../vectors/yaml/sigs-yaml.jsonl`,
  "utf8",
).trimEnd().split("\n").map((line) => JSON.parse(line));

describe("parseYaml() and stringifyYaml() agree with the vectors", () => {
  for (const { id, yaml, json, error, marshalled } of VECTORS) {
    test(`${id} ${JSON.stringify(yaml)}`, () => {
      if (error !== undefined) {
        const thrown = caught(() => parseYaml(yaml));
        expect(thrown).toBeInstanceOf(YamlError);
        expect((thrown as YamlError).line).toBeGreaterThanOrEqual(1);
        expect((thrown as YamlError).column).toBeGreaterThanOrEqual(1);
        expect((thrown as YamlError).original).toBe(error);
        return;
      }
      expect(parseYaml(yaml)).toEqual(json);
      // All 64 bits of an integer are written back, which a number cannot hold.
      const exact = parseYaml(yaml, { bigints: true });
      expect(stringifyYaml(exact)).toBe(marshalled!);
      expect(JSON.parse(encodeJson(exact))).toEqual(json);
    });
  }
});

test("parseYaml() reads back what stringifyYaml() writes", () => {
  for (const { yaml, error } of VECTORS) {
    if (error !== undefined) continue;
    const value = parseYaml(yaml);
    expect(equalJson(parseYaml(stringifyYaml(value)), value)).toBe(true);
  }
});

function caught(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}
