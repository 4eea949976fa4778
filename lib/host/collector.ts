/**
 * The runtime's garbage collector, for those who know better than it when to run. Left alone, it lets
 * garbage pile up to several times what is alive: right for programs that end, and wrong for one that
 * stays on every small machine of a cluster.
 */

import process from "node:process";

export interface Collector {
  /** Frees what was made since last time and is not used any more. Returns the heap's bytes. */
  young(): number;
  /** Frees all that is not used any more, which takes ten times as long. Returns the heap's bytes. */
  all(): number;
}

interface Engine {
  edenGC(): number;
  gcAndSweep(): number;
}

/** `undefined` where the runtime has none that can be asked. */
export function createCollector(): Collector | undefined {
  const get = process.getBuiltinModule as ((name: string) => unknown) | undefined;
  const engine = get?.("bun:jsc") as Engine | undefined;
  if (engine === undefined) return undefined;
  return { young: () => engine.edenGC(), all: () => engine.gcAndSweep() };
}
