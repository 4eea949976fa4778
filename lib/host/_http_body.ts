/** Reads a request's body into one buffer, up to a limit. */

import type { IncomingMessage } from "node:http";
import { BodyError } from "./http.ts";
import { joinBytes } from "./join_bytes.ts";

/**
 * A client that sends too much should still get the refusal, and many clients read only after
 * sending everything. So up to this many times the limit is read and discarded first.
 */
const PATIENCE = 2;

export function readBody(
  incoming: IncomingMessage,
  limit: number,
  onFailure: (fail: (error: BodyError) => void) => void,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const tooLarge = () => new BodyError("too_large", `the body exceeds ${limit} bytes`);
    const declared = Number(incoming.headers["content-length"] ?? 0);
    if (declared > limit * PATIENCE) return reject(tooLarge());
    const chunks: Uint8Array[] = [];
    let length = 0;
    incoming.on("data", (chunk: Uint8Array) => {
      length += chunk.length;
      if (length <= limit) return void chunks.push(chunk);
      chunks.length = 0;
      if (length > limit * PATIENCE) reject(tooLarge());
    });
    incoming.on("end", () => {
      if (length > limit) reject(tooLarge());
      else if (incoming.complete) resolve(joinBytes(chunks));
      else reject(new BodyError("gone", "the body ended early"));
    });
    incoming.on("error", () => reject(new BodyError("gone", "the body ended early")));
    onFailure(reject);
  });
}
