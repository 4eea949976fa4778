/** The real host: the current process, under Bun (which ships), Deno or Node. */

import process from "node:process";
import { files } from "./_files.ts";
import { createInput, createOutput } from "./_streams.ts";
import type { Host, Runtime } from "./host.ts";

export function createHost(): Host {
  return {
    runtime: runtime(),
    args: process.argv.slice(2),
    stdin: createInput(),
    stdout: createOutput(process.stdout, "standard output"),
    stderr: createOutput(process.stderr, "standard error"),
    env: (name) => Object.hasOwn(process.env, name) ? process.env[name] : undefined,
    ...files,
    now: () => Date.now(),
    randomBytes,
    onSignal(signal, listener) {
      process.on(signal, listener);
      return () => void process.off(signal, listener);
    },
    setExitCode(code) {
      process.exitCode = code;
    },
  };
}

function runtime(): Runtime {
  const { bun, deno, node } = process.versions;
  const platform = `${process.platform}/${process.arch}`;
  if (bun !== undefined) return { name: "bun", version: bun, platform };
  if (deno !== undefined) return { name: "deno", version: deno, platform };
  return { name: "node", version: node, platform };
}

/** `getRandomValues` fills at most this many bytes per call (Web Cryptography API, §10.1.1). */
const RANDOM_QUOTA = 65536;

function randomBytes(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let start = 0; start < length; start += RANDOM_QUOTA) {
    crypto.getRandomValues(bytes.subarray(start, start + RANDOM_QUOTA));
  }
  return bytes;
}
