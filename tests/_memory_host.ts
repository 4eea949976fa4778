/** A host that lives in memory: what went in is given, what came out can be read back, nothing is ambient. */

import { type FileKind, type Host, HostError, type Signal } from "../lib/host/mod.ts";

export interface MemoryHostOptions {
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Contents by path; directories are what the paths imply. */
  files?: Readonly<Record<string, string | Uint8Array>>;
  stdin?: string | Uint8Array;
  /** What `now()` says until it is set anew. */
  now?: number;
}

export interface MemoryHost extends Host {
  readonly out: { stdout: string; stderr: string; exitCode: number | undefined };
  readonly files: Map<string, Uint8Array>;
  /** Makes `stdout.write` fail from now on, as when the reader of a pipe has gone. */
  closeStdout(): void;
  setNow(milliseconds: number): void;
  /** Delivers a signal to those who listen, and says how many they were. */
  sendSignal(signal: Signal): number;
}

export function memoryHost(options: MemoryHostOptions = {}): MemoryHost {
  const out: MemoryHost["out"] = { stdout: "", stderr: "", exitCode: undefined };
  const files = new Map(
    Object.entries(options.files ?? {}).map(([path, data]) => [path, bytesOf(data)]),
  );
  /** Directories that may be empty; others are what paths imply. */
  const made = new Set<string>();
  const signals = new Map<Signal, Set<() => void>>();
  const watches = new Map<string, Set<(name: string) => void>>();
  const env = new Map(Object.entries(options.env ?? {}));
  let now = options.now ?? Date.UTC(2026, 0, 2, 3, 4, 5);
  let closed = false;

  const read = (path: string): Uint8Array => {
    const data = files.get(path);
    if (data !== undefined) return data.slice();
    const directory = entries(path).length > 0;
    const reason = directory ? "it is a directory" : "no such file or directory";
    throw new HostError(
      directory ? "wrong_kind" : "not_found",
      `Cannot read ${JSON.stringify(path)}: ${reason}`,
    );
  };
  const entries = (path: string) => {
    const prefix = path.endsWith("/") ? path : `${path}/`;
    const found = new Map<string, FileKind>();
    for (const file of files.keys()) {
      if (!file.startsWith(prefix)) continue;
      const [name, ...below] = file.slice(prefix.length).split("/");
      found.set(name, below.length > 0 ? "directory" : "file");
    }
    return [...found].map(([name, kind]) => ({ name, kind }));
  };

  return {
    runtime: { name: "bun", version: "0.0.0", platform: "test/test" },
    args: options.args ?? [],
    stdin: {
      isTerminal: false,
      readBytes: () => Promise.resolve(bytesOf(options.stdin ?? "")),
      readText: () => Promise.resolve(textOf(bytesOf(options.stdin ?? ""))),
    },
    stdout: {
      isTerminal: false,
      write(data) {
        if (closed) return Promise.reject(new HostError("closed", "Cannot write: closed"));
        out.stdout += textOf(bytesOf(data));
        return Promise.resolve();
      },
    },
    stderr: {
      isTerminal: false,
      write(data) {
        out.stderr += textOf(bytesOf(data));
        return Promise.resolve();
      },
    },
    env: (name) => env.get(name),
    readBytes: (path) => Promise.try(() => read(path)),
    readText: (path) => Promise.try(() => textOf(read(path))),
    writeFile(path, data) {
      files.set(path, bytesOf(data));
      const slash = path.lastIndexOf("/");
      watches.get(path.slice(0, slash))?.forEach((tell) => tell(path.slice(slash + 1)));
      return Promise.resolve();
    },
    appendFile(path, data) {
      const before = files.get(path) ?? new Uint8Array();
      files.set(path, new Uint8Array([...before, ...bytesOf(data)]));
      return Promise.resolve();
    },
    removeFile: (path) =>
      Promise.try(() => {
        if (files.delete(path)) return;
        const reason = "no such file or directory";
        throw new HostError("not_found", `Cannot remove ${JSON.stringify(path)}: ${reason}`);
      }),
    makeDirectory(path) {
      made.add(path);
      return Promise.resolve();
    },
    readDir: (path) =>
      Promise.try(() => {
        const found = entries(path);
        if (found.length > 0 || made.has(path)) {
          return found.sort((a, b) => a.name < b.name ? -1 : 1);
        }
        const [code, reason] = files.has(path)
          ? ["wrong_kind" as const, "it is not a directory"]
          : ["not_found" as const, "no such file or directory"];
        throw new HostError(code, `Cannot list ${JSON.stringify(path)}: ${reason}`);
      }),
    stat(path) {
      const data = files.get(path);
      if (data !== undefined) {
        return Promise.resolve({ kind: "file", size: data.length, modified: now });
      }
      const directory = entries(path).length > 0;
      return Promise.resolve(directory ? { kind: "directory", size: 0, modified: now } : undefined);
    },
    watchDirectory(path, handlers) {
      return listen(watches, path, (name) => handlers.onChange(name));
    },
    now: () => now,
    // Not random at all, so that what is made from it can be compared.
    randomBytes: (length) => Uint8Array.from({ length }, (_, i) => i % 256),
    onSignal: (signal, listener) => listen(signals, signal, listener),
    setExitCode(code) {
      out.exitCode = code;
    },

    out,
    files,
    closeStdout() {
      closed = true;
    },
    setNow(milliseconds) {
      now = milliseconds;
    },
    sendSignal(signal) {
      const listeners = [...signals.get(signal) ?? []];
      for (const listener of listeners) listener();
      return listeners.length;
    },
  };
}

function listen<K, L>(all: Map<K, Set<L>>, key: K, listener: L): () => void {
  const listeners = all.get(key) ?? new Set<L>();
  all.set(key, listeners.add(listener));
  return () => void listeners.delete(listener);
}

function bytesOf(data: string | Uint8Array): Uint8Array {
  return typeof data === "string" ? new TextEncoder().encode(data) : data.slice();
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}
