/** Tests what is measured of a review's JSON before it is parsed. */
import { describe, expect, test } from "bun:test";
import { headOf, MAX_SHAPES, MAX_VALUES, sizeOf } from "../../lib/admission/_size.ts";

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
/** Makes a text long enough to be measured. */
const PADDING = "x".repeat(128 * 1024);
const list = <T>(count: number, item: (i: number) => T) =>
  Array.from({ length: count }, (_, i) => item(i));

describe("sizeOf()", () => {
  test.each<[string, unknown, { values: number; shapes: number }]>([
    ["counts lists, objects, and what follows a comma", [PADDING, 1, [2, 3], { a: 4 }], {
      values: 7,
      shapes: 1,
    }],
    ["sees no syntax in texts", [PADDING, 'a,b{[:\\",{'], { values: 2, shapes: 0 }],
    ["takes objects with the same keys for one shape", [
      PADDING,
      ...list(50, () => ({ a: 1, b: 2 })),
    ], { values: 151, shapes: 2 }],
    ["tells orders of keys apart", [PADDING, { a: 1, b: 2 }, { b: 1, a: 2 }], {
      values: 7,
      shapes: 4,
    }],
    ["goes on with an object after one inside it", [PADDING, { a: { b: 1 }, c: 2 }, {
      a: {},
      c: 2,
    }], { values: 9, shapes: 3 }],
    ["counts each key of a map", [PADDING, Object.fromEntries(list(100, (i) => [`k${i}`, 0]))], {
      values: 102,
      shapes: 100,
    }],
  ])("%s", (_, value, size) => {
    const { values, shapes } = sizeOf(bytes(value));
    expect({ values, shapes }).toEqual(size);
  });

  test("with a million different keys, reports more shapes than are allowed, with any seed", () => {
    const body = bytes(Object.fromEntries(list(100_000, (i) => [`k${i}`, 0])));
    for (const seed of [0, 1, 123_456.789]) {
      expect(sizeOf(body, seed).shapes).toBeGreaterThan(MAX_SHAPES);
    }
  });

  test.each(["{".repeat(200_000), "}".repeat(200_000), '"'.repeat(200_001), "\\".repeat(200_000)])(
    "ends on what is not JSON: %.3s…",
    (text) => expect(sizeOf(new TextEncoder().encode(text)).values).toBeLessThanOrEqual(MAX_VALUES),
  );
});

test("headOf() finds what an answer needs, where the API server writes it", () => {
  const review = {
    kind: "AdmissionReview",
    apiVersion: "admission.k8s.io/v1",
    request: { uid: "u-1", object: {} },
  };
  expect(headOf(bytes(review))).toEqual({
    apiVersion: "admission.k8s.io/v1",
    request: { uid: "u-1" },
  });
  expect(headOf(bytes({ a: 1 }))).toEqual({});
});
