import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import {
  DecodeError,
  normalise,
  type NormaliseMemo,
  type NormaliseOptions,
} from "../../lib/kube/normalise.ts";
import { SHARED, withShared } from "../_shared.ts";

interface Vector extends NormaliseOptions {
  kind: string;
  input: unknown;
  want?: unknown;
  error?: string;
}

/** What Go's own decode and encode made of each input; texts are compared, so key order counts. */
const VECTORS: Vector[] = readLines("../vectors/schema/normalise.jsonl").map((line) =>
  JSON.parse(line)
);

function readLines(path: string): string[] {
  return readFileSync(`${import.meta.dirname}/${path}`, "utf8").trim().split("\n");
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.freeze(value);
    for (const key of Object.keys(value)) deepFreeze((value as Record<string, unknown>)[key]);
  }
  return value;
}

function outcome(vector: Vector): string {
  try {
    const { kind, input, ...options } = vector;
    return JSON.stringify(normalise(kind, deepFreeze(input), options));
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
}

describe("normalise() leaves what Go's round trip leaves", () => {
  for (const [index, vector] of VECTORS.entries()) {
    const shown = JSON.stringify(vector.input).slice(0, 80);
    test(`row ${index + 1}: ${vector.kind} ${shown}`, () => {
      expect(outcome(vector)).toBe(vector.error ?? JSON.stringify(vector.want));
    });
  }

  test("settles: normalised once more, nothing changes any longer", () => {
    // Years that Go writes and cannot read back, and the zero time, which turns into null and is gone.
    const odd = /"(10000|-0001|0001)-|Time(stamp)?":null/;
    for (const { kind, want } of VECTORS) {
      const text = JSON.stringify(want);
      if (want === undefined || odd.test(text)) continue;
      expect(JSON.stringify(normalise(kind, want))).toBe(text);
    }
  });
});

describe("normalise()", () => {
  const rows: [
    name: string,
    kind: string,
    input: unknown,
    want: string,
    options?: NormaliseOptions,
  ][] = [
    [
      "takes only exact names if told to",
      "EnvVar",
      { NAME: "a", value: "b" },
      '{"name":"","value":"b"}',
      {
        caseInsensitive: false,
      },
    ],
    [
      "prints floats as Go does where text is wanted",
      "EnvVar",
      { value: 1234567.5 },
      '{"name":"","value":"1.2345675e+06"}',
      {
        strings: "convert",
      },
    ],
    [
      "prints floats with the precision of 32 bits where text is wanted",
      "EnvVar",
      { value: 3.14159265358979 },
      '{"name":"","value":"3.1415927"}',
      {
        strings: "convert",
      },
    ],
    [
      "prints integers in full where text is wanted",
      "EnvVar",
      { value: 12345678901234567890n },
      '{"name":"","value":"12345678901234567890"}',
      {
        strings: "convert",
      },
    ],
    [
      "takes undefined for absent",
      "EnvVar",
      { name: undefined, value: "a" },
      '{"name":"","value":"a"}',
    ],
    [
      "takes objects without a prototype",
      "EnvVar",
      Object.assign(Object.create(null), { name: "a" }),
      '{"name":"a"}',
    ],
    ["knows no minus zero", "ContainerPort", { containerPort: -0 }, '{"containerPort":0}'],
    [
      "keeps raw parts as they are",
      "List",
      { items: [{ b: null, a: [] }] },
      '{"metadata":{},"items":[{"b":null,"a":[]}]}',
    ],
  ];
  for (const [name, kind, input, want, options] of rows) {
    test(name, () => expect(JSON.stringify(normalise(kind, input, options))).toBe(want));
  }

  test("keeps __proto__ an ordinary label", () => {
    const input = JSON.parse('{"metadata":{"labels":{"__proto__":"x"}}}');
    const { metadata } = normalise("Pod", input) as { metadata: { labels: object } };
    expect(Object.keys(metadata.labels)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(metadata.labels)).toBe(Object.prototype);
  });

  test("gives back what is normal as it is, and copies no more than it must", () => {
    const app = { name: "app", image: "a", resources: {} };
    const containers = [app, { name: "b", extra: 1 }];
    const output = normalise("Pod", {
      metadata: { labels: { b: "1", a: "2" } },
      spec: { containers },
    });
    const spec = output.spec as { containers: unknown[] };
    expect(spec.containers[0]).toBe(app);
    expect(spec.containers[1]).toEqual({ name: "b", resources: {} });
    expect(containers[1]).toEqual({ name: "b", extra: 1 });
    expect(normalise("Pod", output)).toBe(output);
  });

  test("looks at nothing again that is known to be normal", () => {
    const known = normalise("Pod", { spec: { containers: [{ name: "a" }, { name: "b" }] } });
    const { spec: { containers: [a, b] } } = known as { spec: { containers: [object, object] } };
    const list = Object.freeze([{ resources: {}, name: "new" }, a, { ...b, image: "" }]);
    const value = { ...known, spec: { containers: list } };
    const output = normalise("Pod", value, { known });
    expect(output).toEqual(normalise("Pod", value));
    expect((output as typeof value).spec.containers[1]).toBe(a as typeof list[0]);
    // A field that lies about itself is not found out, since nobody looks.
    const liar = { ...a, extra: true };
    const trusted = { spec: { containers: [liar] } };
    expect(normalise("Pod", { spec: { containers: [liar] } }, { known: trusted })).toMatchObject(
      trusted,
    );
  });

  const failures: [name: string, kind: string, input: unknown, code: string][] = [
    ["a kind it has no schema for", "Gateway", {}, "unknown-kind"],
    ["a kind named like an inherited member", "constructor", {}, "unknown-kind"],
    ["a wrong type", "Pod", [], "wrong-type"],
    ["a bad quantity", "Container", { resources: { limits: { cpu: "x" } } }, "bad-quantity"],
    ["a bad time", "ObjectMeta", { creationTimestamp: "x" }, "bad-time"],
  ];
  test("refuses a time with the first mistake that Go finds", () => {
    const input = { creationTimestamp: "2024-01-01T00:00:00+25:0x" };
    expect(() => normalise("ObjectMeta", input)).toThrow(
      'parsing time "2024-01-01T00:00:00+25:0x": time zone offset hour out of range',
    );
  });

  for (const [name, kind, input, code] of failures) {
    test(`refuses ${name} with code ${code}`, () => {
      expect(() => normalise(kind, input)).toThrow(
        expect.objectContaining({ name: "DecodeError", code }),
      );
    });
  }
});

describe("normalise() with a memo", () => {
  test("gives for every vector what it gives without, first and again", () => {
    for (const vector of VECTORS) {
      const memo: NormaliseMemo = new WeakMap();
      const wanted = outcome(vector);
      expect([1, 2, 3].map(() => outcome({ ...vector, memo }))).toEqual([wanted, wanted, wanted]);
    }
  });

  test("looks at a part that comes again only once, wherever it stands", () => {
    const memo: NormaliseMemo = new WeakMap();
    const resources = { requests: { memory: "1024Ki", cpu: "0.5" } };
    const [first, second] = ["a", "b"].map((name) =>
      normalise("Pod", { spec: { containers: [{ name, resources }] } }, { memo }) as {
        spec: { containers: { resources: unknown }[] };
      }
    );
    expect(first.spec.containers[0].resources).toEqual({
      requests: { cpu: "500m", memory: "1Mi" },
    });
    expect(second.spec.containers[0].resources).toBe(first.spec.containers[0].resources);
  });

  test("tells one part from the same part as another type", () => {
    const memo: NormaliseMemo = new WeakMap();
    const part = { cpu: "0.5", name: "x" };
    const read = (spec: object) => normalise("PodSpec", spec, { memo });
    for (let i = 0; i < 2; i++) {
      expect(read({ containers: [], nodeSelector: part }).nodeSelector).toEqual(part);
      expect(read({ containers: [part] }).containers).toEqual([{ name: "x", resources: {} }]);
      expect(read({ containers: [], overhead: { cpu: "0.5" } }).overhead).toEqual({ cpu: "500m" });
    }
  });

  test("complains of the same mistake each time, at its place", () => {
    const memo: NormaliseMemo = new WeakMap();
    const env = [{ name: 5 }];
    for (const list of ["containers", "initContainers", "containers"]) {
      const spec = { containers: [], [list]: [{ name: "x", env }] };
      expect(() => normalise("Pod", { spec }, { memo })).toThrow(`spec.${list}.env.name`);
    }
  });
});

const CASES = `${SHARED}/conformance/head/cases`;
withShared("conformance", "normalise() of conformance pods", () => {
  test("normalise() is stable on every conformance pod", () => {
    let pods = 0;
    for (const name of readdirSync(CASES)) {
      for (const file of readdirSync(`${CASES}/${name}`)) {
        if (!file.startsWith("webhook-")) continue;
        const { pod, patched } = JSON.parse(
          readFileSync(`${CASES}/${name}/${file}`, "utf8"),
        );
        for (const value of [pod, patched]) {
          if (value === null || value === undefined) continue;
          const once = normalise("Pod", deepFreeze(value));
          expect(JSON.stringify(normalise("Pod", once))).toBe(JSON.stringify(once));
          pods++;
        }
      }
    }
    expect(pods).toBeGreaterThan(100);
  });
});
