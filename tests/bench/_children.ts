/** Processes that end with this one, whatever ends it. */
import type { Subprocess } from "bun";
import { readFileSync } from "node:fs";

const alive = new Set<Subprocess>();
process.on("exit", () => alive.forEach((child) => child.kill("SIGKILL")));

/** On one core, and with nothing of this process's environment but the path; besides what our image sets. */
export function spawnPinned<Out extends "pipe" | "ignore">(
  core: string,
  command: readonly string[],
  { stdout, timeout }: { stdout: Out; timeout?: number },
): Subprocess<"ignore", Out, "inherit"> {
  const child = Bun.spawn(["taskset", "-c", core, ...command], {
    env: ENVIRONMENT,
    stdin: "ignore",
    stdout,
    stderr: "inherit",
    timeout,
    killSignal: "SIGKILL",
  });
  alive.add(child);
  child.exited.then(() => alive.delete(child));
  return child;
}

/** What `ENV` lines of a Containerfile set. */
export function environmentOf(containerfile: string): Record<string, string> {
  const lines = containerfile.matchAll(/^ENV (\w+)=(\S+)$/gm);
  return Object.fromEntries([...lines].map(([, name, value]) => [name, value]));
}

/**
 * Outrigger is measured as its image runs it. Native sidecars are what a cluster of today has; injectors
 * are told, so that none has to guess.
 */
const ENVIRONMENT = {
  ...environmentOf(readFileSync(`${import.meta.dirname}/../../Containerfile`, "utf8")),
  PATH: process.env.PATH ?? "",
  ENABLE_NATIVE_SIDECARS: "true",
};
