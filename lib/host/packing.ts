/** Hashing and compression with the runtime's native code, because both run for every review. */

import { hash } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";

/** Returns the SHA-256 of a text in base64. */
export function digest(text: string): string {
  return hash("sha256", text, "base64");
}

/** Higher levels take longer and hardly save space on similar data. */
const LEVEL = 3;

/** Compresses data with similar data as the dictionary. */
export function pack(data: Uint8Array, like: Uint8Array): Uint8Array {
  const packed = deflateRawSync(data, { level: LEVEL, dictionary: like });
  // Copy, because the runtime may return a view of a larger buffer.
  return new Uint8Array(packed);
}

/** Decompresses the result of {@link pack} with the same dictionary. */
export function unpack(packed: Uint8Array, like: Uint8Array): Uint8Array {
  return inflateRawSync(packed, { dictionary: like });
}
