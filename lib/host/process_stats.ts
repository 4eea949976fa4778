/** Memory and CPU usage of the process, and a handler for uncaught errors. */

import process from "node:process";

export interface ProcessStats {
  readonly residentBytes: number;
  /** User and system CPU time in seconds. */
  readonly cpuSeconds: number;
}

export function processStats(): ProcessStats {
  const { user, system } = process.cpuUsage();
  return { residentBytes: process.memoryUsage.rss(), cpuSeconds: (user + system) / 1e6 };
}

/**
 * Calls the listener for uncaught errors and keeps the process alive, because an error on one connection
 * must not drop the others. Returns a function that removes the listener.
 */
export function onStrayError(listener: (error: unknown) => void): () => void {
  process.on("uncaughtException", listener);
  process.on("unhandledRejection", listener);
  return () => {
    process.off("uncaughtException", listener);
    process.off("unhandledRejection", listener);
  };
}
