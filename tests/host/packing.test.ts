import { expect, test } from "bun:test";
import { digest, pack, unpack } from "../../lib/host/mod.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

test("digest() is a text's SHA-256 in base64", () => {
  expect(digest("")).toBe("47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
  expect(digest("ü€")).not.toBe(digest("u€"));
});

test("unpack() gives what pack() was given", () => {
  const like = bytes(JSON.stringify([{ op: "add", path: "/spec/containers/0", value: "proxy" }]));
  for (const text of ["", "x", "ü€😀\0", "proxy".repeat(20_000), JSON.stringify({ like: "so" })]) {
    for (const other of [like, bytes("x"), bytes("y".repeat(100_000))]) {
      expect(unpack(pack(bytes(text), other), other)).toEqual(bytes(text));
    }
  }
});

test("pack() leaves little of what is much alike", () => {
  const lines = Array.from({ length: 200 }, (_, i) => `{"name":"VARIABLE_${i * 7_919}"}`);
  const like = bytes(lines.join(","));
  const data = bytes(lines.with(100, '{"name":"OTHER"}').join(","));
  expect(pack(data, like).length).toBeLessThan(data.length / 20);
});
