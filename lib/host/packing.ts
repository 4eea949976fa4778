/** Texts named and data packed, by the runtime's own code: both stand in the way of every answer. */

import { hash } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";

/** The SHA-256 of a text, in base64. */
export function digest(text: string): string {
  return hash("sha256", text, "base64");
}

/** Past this level it takes longer and is hardly smaller, for data that is much alike. */
const LEVEL = 3;

/** Deflated, with what it is like as the dictionary. */
export function pack(data: Uint8Array, like: Uint8Array): Uint8Array {
  const packed = deflateRawSync(data, { level: LEVEL, dictionary: like });
  // As large as it has to be: the runtime may hand out a part of something larger.
  return new Uint8Array(packed);
}

/** What {@link pack} was given; `like` has to be the same. */
export function unpack(packed: Uint8Array, like: Uint8Array): Uint8Array {
  return inflateRawSync(packed, { dictionary: like });
}
