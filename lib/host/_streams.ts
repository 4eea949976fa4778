/** Standard input, output and error through the streams that Bun, Deno and Node support. */

import process from "node:process";
import type { Input, Output } from "./host.ts";
import { HostError, hostErrorFrom } from "./host_error.ts";
import { joinBytes } from "./join_bytes.ts";

/**
 * The limit of one read. An object in a cluster is smaller than 1.5 MiB (etcd's request limit), so this has
 * room for a List of dozens of the largest objects or tens of thousands of typical workloads.
 */
export const MAX_READ_BYTES = 64 * 1024 * 1024;

export function createOutput(stream: NodeJS.WriteStream, name: string): Output {
  const action = `write to ${name}`;
  // A failed write also emits an event, which would end the process if it had no listener.
  if (!stream.listeners("error").includes(ignore)) stream.on("error", ignore);
  return {
    isTerminal: stream.isTTY === true,
    write(data) {
      return new Promise((resolve, reject) => {
        stream.write(data, (error) => error ? reject(hostErrorFrom(error, action)) : resolve());
      });
    },
  };
}

function ignore(): void {}

export function createInput(): Input {
  // Access `process.stdin` only when it is read, because opening it can keep the process alive.
  const readBytes = () => collect(process.stdin, "standard input");
  return {
    get isTerminal() {
      return process.stdin.isTTY === true;
    },
    readBytes,
    readText: async () => decodeText(await readBytes(), "standard input"),
  };
}

/** Reads a stream up to `MAX_READ_BYTES`; `name` is for error messages. */
export async function collect(
  stream: AsyncIterable<Uint8Array | string>,
  name: string,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of stream) {
      const bytes = typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk;
      length += bytes.length;
      if (length > MAX_READ_BYTES) {
        const limit = `${MAX_READ_BYTES / 1024 / 1024} MiB`;
        throw new HostError("too_large", `Cannot read ${name}: it is larger than ${limit}`);
      }
      chunks.push(bytes);
    }
  } catch (error) {
    throw hostErrorFrom(error, `read ${name}`);
  }
  return joinBytes(chunks);
}

/** Decodes UTF-8 and refuses invalid bytes, which would otherwise become replacement characters. */
export function decodeText(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new HostError("not_text", `Cannot read ${name}: it is not UTF-8 text`, { cause });
  }
}
