import { expect, test } from "bun:test";
import { BoundedCache, bytesOf } from "../../lib/data/bounded_cache.ts";

test("BoundedCache gives back what was put in", () => {
  const cache = new BoundedCache<number>(10_000);
  cache.set("a", 1, 10);
  cache.set("a", 2, 10);
  cache.set("__proto__", 3, 10);
  expect(["a", "__proto__", "toString"].map((key) => cache.get(key))).toEqual([2, 3, undefined]);
});

test("BoundedCache drops what was not asked for longest", () => {
  const cache = new BoundedCache<number>(1_000);
  for (const key of ["a", "b", "c"]) cache.set(key, 1, 200);
  cache.get("a");
  cache.set("d", 1, 200);
  expect(["a", "b", "c", "d"].filter((key) => cache.get(key) !== undefined))
    .toEqual(["a", "c", "d"]);
});

test("BoundedCache stays within its bytes whatever it is fed", () => {
  const cache = new BoundedCache<string>(100_000);
  for (let i = 0; i < 20_000; i++) {
    cache.set(`key ${i % 5_000} ${"x".repeat(i % 300)}`, "", i % 2_000);
    expect(cache.bytes).toBeLessThanOrEqual(100_000);
  }
  expect(cache.bytes).toBeGreaterThan(90_000);
});

test("BoundedCache does not keep what is larger than all of it", () => {
  const cache = new BoundedCache<number>(1_000);
  cache.set("small", 1, 10);
  cache.set("large", 1, 2_000);
  expect([cache.get("small"), cache.get("large")]).toEqual([1, undefined]);
});

test("bytesOf() counts wide characters twice", () => {
  expect([bytesOf("abü"), bytesOf("ab€")]).toEqual([3, 6]);
});
