/** Tests what is measured of a review's JSON before it is parsed. */
import { describe, expect, test } from "bun:test";
import { headOf, MAX_DEPTH, MAX_SHAPES, MAX_VALUES, sizeOf } from "../../lib/admission/_size.ts";

const list = <T>(count: number, item: (i: number) => T) =>
  Array.from({ length: count }, (_, i) => item(i));
const map = (count: number, key: (i: number) => string) =>
  Object.fromEntries(list(count, (i) => [key(i), 0]));

describe("sizeOf()", () => {
  test.each<[string, unknown, { values: number; shapes: number }]>([
    ["counts lists, objects, and what follows a comma", [1, [2, 3], { a: 4 }], {
      values: 6,
      shapes: 1,
    }],
    ["sees no syntax in texts", ['a,b{[:\\",{', "\\", "\\\\"], { values: 3, shapes: 0 }],
    ["takes objects with the same keys for one shape", list(50, () => ({ a: 1, b: 2 })), {
      values: 150,
      shapes: 2,
    }],
    ["tells orders of keys apart", [{ a: 1, b: 2 }, { b: 1, a: 2 }], { values: 6, shapes: 4 }],
    ["goes on with an object after one inside it", [{ a: { b: 1 }, c: 2 }, { a: {}, c: 2 }], {
      values: 8,
      shapes: 3,
    }],
    ["tells long keys apart that end differently", map(3, (i) => "k".repeat(1_000) + i), {
      values: 3,
      shapes: 3,
    }],
  ])("%s", (_, value, size) => {
    expect(sizeOf(JSON.stringify(value))).toEqual(size);
    expect(sizeOf(JSON.stringify(value), 123_456.789)).toEqual(size);
  });

  test("counts nearly each key of a map", () => {
    for (const count of [100, MAX_SHAPES]) {
      const { shapes } = sizeOf(JSON.stringify(map(count, (i) => `k${i}`)));
      expect(shapes).toBeLessThanOrEqual(count);
      expect(shapes).toBeGreaterThan(count * 0.85);
    }
  });

  test("sees keys before spaces", () => {
    expect(sizeOf('{ "a" : 1 , "b" :2}')).toEqual({ values: 2, shapes: 2 });
  });

  test.each<[string, unknown, string]>([
    ["values", list(MAX_VALUES + 1, () => 0), `it has more than ${MAX_VALUES} values`],
    ["keys", map(MAX_SHAPES * 2, (i) => `k${i}`), `it has more than ${MAX_SHAPES} different keys`],
    [
      "keys of many objects",
      list(MAX_SHAPES * 2, (i) => ({ [`k${i}`]: 0 })),
      `it has more than ${MAX_SHAPES} different keys`,
    ],
    [
      "levels",
      JSON.parse("[".repeat(MAX_DEPTH + 1) + "]".repeat(MAX_DEPTH + 1)),
      `it nests deeper than ${MAX_DEPTH} levels`,
    ],
  ])("tells which limit is exceeded: %s", (_, value, excess) => {
    const text = JSON.stringify(value);
    for (const seed of [0, 1, 123_456.789]) expect(sizeOf(text, seed).excess).toBe(excess);
  });

  test.each(["}", "]", "\\", ":", `"${"k".repeat(500)}"${":".repeat(500)}`, '\\"', '"\\"'])(
    "takes time that grows as the text does, whatever it is: %.9s…",
    (part) => {
      const text = part.repeat(Math.ceil(1e6 / part.length));
      let reads = 0;
      const counting = new Proxy(Object(text), {
        get(target, key) {
          if (key === "charCodeAt") {
            return (i: number) => (reads++, text.charCodeAt(i));
          }
          const value = Reflect.get(target, key);
          return typeof value === "function" ? value.bind(text) : value;
        },
      });
      sizeOf(counting);
      expect(reads).toBeLessThan(3 * text.length);
    },
  );
});

test("headOf() finds what an answer needs, where the API server writes it", () => {
  const review = {
    kind: "AdmissionReview",
    apiVersion: "admission.k8s.io/v1",
    request: { uid: "u-1", object: {} },
  };
  expect(headOf(JSON.stringify(review))).toEqual({
    apiVersion: "admission.k8s.io/v1",
    request: { uid: "u-1" },
  });
  expect(headOf('{"a":1}')).toEqual({});
});
