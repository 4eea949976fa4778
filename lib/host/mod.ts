/**
 * The machine: files, streams, environment, clock, randomness, signals. This folder is the only one that names a
 * runtime (`node:`, `Bun`, `Deno`); all others take a `Host` as an argument. `tests/checks/` keeps it so.
 */

export { createHost } from "./create_host.ts";
export type {
  DirEntry,
  FileInfo,
  FileKind,
  Host,
  Input,
  Output,
  Runtime,
  Signal,
  WatchHandlers,
} from "./host.ts";
export { HostError, type HostErrorCode } from "./host_error.ts";
