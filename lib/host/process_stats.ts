/** What this process takes of the machine, for metrics. */

import process from "node:process";

export interface ProcessStats {
  readonly residentBytes: number;
  /** Seconds of processor time, the system's on our behalf included. */
  readonly cpuSeconds: number;
}

export function processStats(): ProcessStats {
  const { user, system } = process.cpuUsage();
  return { residentBytes: process.memoryUsage.rss(), cpuSeconds: (user + system) / 1e6 };
}

/**
 * Tells of errors that nobody caught, and lets the process live: in a server, what went wrong on one
 * connection is no reason to drop the others. Returns what undoes it.
 */
export function onStrayError(listener: (error: unknown) => void): () => void {
  process.on("uncaughtException", listener);
  process.on("unhandledRejection", listener);
  return () => {
    process.off("uncaughtException", listener);
    process.off("unhandledRejection", listener);
  };
}
