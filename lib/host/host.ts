/**
 * What the rest of the program may ask of the machine it runs on. Rooms that do I/O take a `Host` as an
 * argument, so that tests hand them one that lives in memory and none of them names a runtime.
 *
 * Nothing here decides anything: no defaults for paths, no retries, no logging.
 */

/** The program that runs this code. */
export interface Runtime {
  readonly name: "bun" | "deno" | "node";
  readonly version: string;
  /** Operating system and processor, as in `linux/x64`. */
  readonly platform: string;
}

/** Where text and bytes go: standard output and standard error. */
export interface Output {
  readonly isTerminal: boolean;
  /** Resolves once the system has taken the data; a reader that went away is a `HostError` with code `closed`. */
  write(data: string | Uint8Array): Promise<void>;
}

/** Where text and bytes come from: standard input. It can be read once. */
export interface Input {
  readonly isTerminal: boolean;
  readBytes(): Promise<Uint8Array>;
  readText(): Promise<string>;
}

export interface DirEntry {
  readonly name: string;
  /** What the entry itself is: a symbolic link is `other`, whatever it points at. */
  readonly kind: FileKind;
}

export type FileKind = "file" | "directory" | "other";

export interface FileInfo {
  readonly kind: FileKind;
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
}

export interface WatchHandlers {
  /**
   * Something in the directory changed; `name` where the system tells it. One change may be told several
   * times, so read again and compare.
   */
  onChange(name: string | undefined): void;
  /** The watch is over and will tell no more, for example since the directory went away. */
  onError(error: Error): void;
}

/** Signals that a server or a long command answers. */
export type Signal = "SIGINT" | "SIGTERM" | "SIGHUP";

export interface Host {
  readonly runtime: Runtime;
  /** The arguments after the program's name. */
  readonly args: readonly string[];
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;

  env(name: string): string | undefined;

  /** Whole files only, bounded by `MAX_READ_BYTES`. */
  readBytes(path: string): Promise<Uint8Array>;
  /** As `readBytes`, and an error with code `not_text` where the bytes are not UTF-8. A byte order mark stays. */
  readText(path: string): Promise<string>;
  /** Creates the file or replaces what is in it. */
  writeFile(path: string, data: string | Uint8Array): Promise<void>;
  /** Adds to the end of a file; one that is not there is made, for its owner's eyes alone. */
  appendFile(path: string, data: string | Uint8Array): Promise<void>;
  removeFile(path: string): Promise<void>;
  /** With those above it; one that is new is its owner's alone, one that is there stays as it is. */
  makeDirectory(path: string): Promise<void>;
  /** The entries sorted by name (by code unit, so the same on every machine). */
  readDir(path: string): Promise<DirEntry[]>;
  /** Follows symbolic links; `undefined` where there is nothing. */
  stat(path: string): Promise<FileInfo | undefined>;
  /** Returns what ends the watch. Sees the directory's own entries, not those of folders below it. */
  watchDirectory(path: string, handlers: WatchHandlers): () => void;

  /** Milliseconds since 1970. */
  now(): number;
  /** Cryptographically secure. */
  randomBytes(length: number): Uint8Array;

  /** Returns what takes the listener off again. */
  onSignal(signal: Signal, listener: () => void): () => void;
  /** The code the process ends with once nothing keeps it alive. */
  setExitCode(code: number): void;
}
