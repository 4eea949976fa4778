/**
 * Explicit garbage collection. By default the runtime lets garbage grow to several times the live memory,
 * which suits short programs but not a server in a small container.
 */

import process from "node:process";

export interface Collector {
  /** Collects recently allocated objects. Returns the size of the heap in bytes. */
  young(): number;
  /** Collects all garbage, which takes ten times as long. Returns the size of the heap in bytes. */
  all(): number;
}

interface Engine {
  edenGC(): number;
  gcAndSweep(): number;
}

/** Returns undefined if the runtime does not expose its collector. */
export function createCollector(): Collector | undefined {
  const get = process.getBuiltinModule as ((name: string) => unknown) | undefined;
  const engine = get?.("bun:jsc") as Engine | undefined;
  if (engine === undefined) return undefined;
  return { young: () => engine.edenGC(), all: () => engine.gcAndSweep() };
}
