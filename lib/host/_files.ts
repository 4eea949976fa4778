/** Files and directories through `node:fs`, which Bun, Deno and Node support. */

import { createReadStream, watch } from "node:fs";
import {
  appendFile as append,
  mkdir,
  readdir,
  rm,
  stat as statFile,
  writeFile as write,
} from "node:fs/promises";
import { compareStrings } from "../data/bytes.ts";
import { collect, decodeText } from "./_streams.ts";
import type { DirEntry, FileInfo, FileKind, Host } from "./host.ts";
import { hostErrorFrom } from "./host_error.ts";

type Files = Pick<
  Host,
  | "readBytes"
  | "readText"
  | "writeFile"
  | "appendFile"
  | "removeFile"
  | "makeDirectory"
  | "readDir"
  | "stat"
  | "watchDirectory"
>;

export const files: Files = {
  readBytes,

  async readText(path) {
    return decodeText(await readBytes(path), quote(path));
  },

  async writeFile(path, data) {
    try {
      await write(path, data);
    } catch (error) {
      throw hostErrorFrom(error, `write ${quote(path)}`);
    }
  },

  async appendFile(path, data) {
    try {
      await append(path, data, { mode: 0o600 });
    } catch (error) {
      throw hostErrorFrom(error, `write ${quote(path)}`);
    }
  },

  async removeFile(path) {
    try {
      await rm(path);
    } catch (error) {
      throw hostErrorFrom(error, `remove ${quote(path)}`);
    }
  },

  async makeDirectory(path) {
    try {
      await mkdir(path, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw hostErrorFrom(error, `make directory ${quote(path)}`);
    }
  },

  async readDir(path): Promise<DirEntry[]> {
    try {
      const entries = await readdir(path, { withFileTypes: true });
      return entries
        .map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
        .sort((a, b) => compareStrings(a.name, b.name));
    } catch (error) {
      throw hostErrorFrom(error, `list ${quote(path)}`);
    }
  },

  async stat(path): Promise<FileInfo | undefined> {
    try {
      const info = await statFile(path);
      return { kind: kindOf(info), size: info.size, modified: info.mtimeMs };
    } catch (cause) {
      const error = hostErrorFrom(cause, `look at ${quote(path)}`);
      if (error.code === "not_found") return undefined;
      throw error;
    }
  },

  watchDirectory(path, handlers) {
    const action = `watch ${quote(path)}`;
    try {
      const watcher = watch(path);
      watcher.on("change", (_event, name) => handlers.onChange(name?.toString()));
      watcher.on("error", (error) => handlers.onError(hostErrorFrom(error, action)));
      return () => watcher.close();
    } catch (error) {
      throw hostErrorFrom(error, action);
    }
  },
};

/** Reads a file as a stream, so that pipes and devices of unknown size are bounded too. */
function readBytes(path: string): Promise<Uint8Array> {
  return collect(createReadStream(path), quote(path));
}

function kindOf(entry: { isFile(): boolean; isDirectory(): boolean }): FileKind {
  return entry.isFile() ? "file" : entry.isDirectory() ? "directory" : "other";
}

/** Quotes an untrusted path as JSON, so that no control character reaches a terminal. */
function quote(path: string): string {
  return JSON.stringify(path);
}
