/**
 * The interface to the machine. Code that does I/O takes a `Host` as an argument, so that tests can pass an
 * in-memory one and no other folder names a runtime.
 *
 * A host makes no decisions: no default paths, no retries, no logging.
 */

/** The JavaScript runtime. */
export interface Runtime {
  readonly name: "bun" | "deno" | "node";
  readonly version: string;
  /** Operating system and architecture: `linux/x64`. */
  readonly platform: string;
}

/** Standard output or standard error. */
export interface Output {
  readonly isTerminal: boolean;
  /** Resolves once the system has accepted the data; throws a `HostError` (`closed`) if the reader is gone. */
  write(data: string | Uint8Array): Promise<void>;
}

/** Standard input, which can be read once. */
export interface Input {
  readonly isTerminal: boolean;
  readBytes(): Promise<Uint8Array>;
  readText(): Promise<string>;
}

export interface DirEntry {
  readonly name: string;
  /** The kind of the entry itself: a symbolic link is `other`. */
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
   * Called when something in the directory changed; `name` may be unknown. One change can be reported
   * several times.
   */
  onChange(name: string | undefined): void;
  /** Called when the watch has ended, for example because the directory was removed. */
  onError(error: Error): void;
}

/** Signals that can be handled. */
export type Signal = "SIGINT" | "SIGTERM" | "SIGHUP";

export interface Host {
  readonly runtime: Runtime;
  /** The command-line arguments, without the program's name. */
  readonly args: readonly string[];
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;

  env(name: string): string | undefined;

  /** Reads a whole file, up to `MAX_READ_BYTES`. */
  readBytes(path: string): Promise<Uint8Array>;
  /** Reads a whole file as UTF-8, keeping a byte order mark; the error code is `not_text` otherwise. */
  readText(path: string): Promise<string>;
  /** Creates or replaces a file. */
  writeFile(path: string, data: string | Uint8Array): Promise<void>;
  /** Appends to a file; a new file is accessible only to its owner. */
  appendFile(path: string, data: string | Uint8Array): Promise<void>;
  removeFile(path: string): Promise<void>;
  /** Creates a directory and its parents; new ones are accessible only to their owner. */
  makeDirectory(path: string): Promise<void>;
  /** Returns the entries sorted by name, in code unit order. */
  readDir(path: string): Promise<DirEntry[]>;
  /** Follows symbolic links; resolves to undefined if nothing exists at the path. */
  stat(path: string): Promise<FileInfo | undefined>;
  /** Watches the entries of a directory, not of its subdirectories. Returns a function that stops it. */
  watchDirectory(path: string, handlers: WatchHandlers): () => void;

  /** Milliseconds since 1970. */
  now(): number;
  /** Cryptographically secure. */
  randomBytes(length: number): Uint8Array;

  /** Returns a function that removes the listener. */
  onSignal(signal: Signal, listener: () => void): () => void;
  /** Sets the exit code for when the process ends. */
  setExitCode(code: number): void;
}
