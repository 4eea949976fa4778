/** Processes that end with this one, whatever ends it. */
import type { Subprocess } from "bun";

const alive = new Set<Subprocess>();
process.on("exit", () => alive.forEach((child) => child.kill("SIGKILL")));

/** On one core, and with nothing of this process's environment but the path. */
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

/** Native sidecars are what a cluster of today has; injectors are told, so that none has to guess. */
const ENVIRONMENT = { PATH: process.env.PATH ?? "", ENABLE_NATIVE_SIDECARS: "true" };
