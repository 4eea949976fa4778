/**
 * Records redacted reviews for `outrigger replay`: JSON Lines files in a directory of bounded size,
 * from which the oldest files are deleted first. If the disk is slow or full, lines are dropped and
 * counted; nothing else is affected.
 */

import { annotationsOf, configLine, type RecordedConfig, reviewLine } from "../compare/mod.ts";
import type { Clock, Host } from "../host/mod.ts";
import type { Observer, Seen } from "./afterwards.ts";
import type { Logger } from "./log.ts";

export type RecordHost = Pick<
  Host,
  "appendFile" | "makeDirectory" | "randomBytes" | "readDir" | "removeFile" | "stat"
>;

export interface RecorderOptions {
  readonly directory: string;
  /** The maximum size of all files together. */
  readonly maxBytes: number;
  /**
   * The config that an injector was made of; without it a review cannot be replayed and is not
   * recorded.
   */
  readonly configOf: (injector: Seen["injector"]) => RecordedConfig | undefined;
  readonly host: RecordHost;
  readonly clock: Pick<Clock, "now">;
  readonly log: Logger;
  readonly count: (result: RecordResult, reviews: number) => void;
}

export type RecordResult = "written" | "dropped" | "failed";

export interface Recorder extends Observer {
  /** Returns the size of all files, in bytes. */
  size(): number;
  /** Resolves once all lines have been written or dropped. */
  finish(): Promise<void>;
}

/** The maximum size of a file, unless an eighth of the whole recording is smaller. */
const FILE_BYTES = 4 * 1024 * 1024;

/** The maximum size of the lines waiting for a slow disk. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

const NAME = /^reviews-\d{8}T\d{9}Z-[0-9a-f]{8}\.jsonl$/;

interface RecordFile {
  readonly path: string;
  bytes: number;
}

interface Line {
  readonly config: RecordedConfig;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export function createRecorder(options: RecorderOptions): Recorder {
  const { directory, maxBytes, host, clock, log, count } = options;
  const fileBytes = Math.min(FILE_BYTES, Math.floor(maxBytes / 8));
  const encoder = new TextEncoder();
  /** Annotations named in the templates of each config. */
  const names = new WeakMap<RecordedConfig, ReadonlySet<string>>();
  const namesOf = (config: RecordedConfig) => {
    const found = names.get(config) ?? annotationsOf(config.sources.config);
    names.set(config, found);
    return found;
  };
  /** Oldest first; lines are appended to the last one. */
  let files: RecordFile[] | undefined;
  /** The config version of the last line in the last file; "" before the first line. */
  let version = "";
  let waiting: Line[] = [];
  let waitingBytes = 0;
  let writing: Promise<void> | undefined;
  let isFailing = false;

  const size = () => files?.reduce((sum, { bytes }) => sum + bytes, 0) ?? 0;

  /** Lists the files of earlier runs, which count towards the limit and are deleted first. */
  const open = async (): Promise<RecordFile[]> => {
    await host.makeDirectory(directory);
    const found: RecordFile[] = [];
    for (const { name, kind } of await host.readDir(directory)) {
      if (kind !== "file" || !NAME.test(name)) continue;
      const path = `${directory}/${name}`;
      found.push({ path, bytes: (await host.stat(path))?.size ?? 0 });
    }
    return found;
  };
  const begin = (): RecordFile => {
    const time = new Date(clock.now()).toISOString().replace(/[-:.]/g, "");
    const path = `${directory}/reviews-${time}-${host.randomBytes(4).toHex()}.jsonl`;
    version = "";
    return { path, bytes: 0 };
  };
  const makeRoom = async (kept: RecordFile[], file: RecordFile, needed: number) => {
    if (file.bytes + needed > maxBytes) {
      throw new Error(
        `Cannot record to ${JSON.stringify(directory)}: a review and its ` +
          `configuration take ${needed} bytes: the limit of the recording is ${maxBytes}`,
      );
    }
    while (size() + needed > maxBytes) {
      await host.removeFile(kept[0].path);
      kept.shift();
    }
  };
  /** Writes as many lines as fit into one file, at least one; returns their number. */
  const writeSome = async (lines: Line[]): Promise<number> => {
    files ??= await open();
    let file = version === "" ? undefined : files.at(-1);
    if (file === undefined || file.bytes + lines[0].bytes.length > fileBytes) {
      file = begin();
    }
    const parts: Uint8Array<ArrayBuffer>[] = [];
    let [length, taken, last] = [0, 0, version];
    for (const line of lines) {
      const isNew = line.config.version !== last;
      const head = isNew ? encoder.encode(configLine(line.config)) : undefined;
      const more = line.bytes.length + (head?.length ?? 0);
      if (taken > 0 && file.bytes + length + more > fileBytes) break;
      if (head !== undefined) parts.push(head);
      parts.push(line.bytes);
      length += more;
      last = line.config.version;
      taken++;
    }
    await makeRoom(files, file, length);
    await host.appendFile(file.path, new Uint8Array(await new Blob(parts).arrayBuffer()));
    if (!files.includes(file)) files.push(file);
    file.bytes += length;
    version = last;
    return taken;
  };
  const drain = async () => {
    while (waiting.length > 0) {
      const lines = waiting;
      waiting = [];
      waitingBytes = 0;
      let done = 0;
      try {
        while (done < lines.length) done += await writeSome(lines.slice(done));
        isFailing = false;
      } catch (error) {
        // The directory may have changed: list it again next time.
        files = undefined;
        version = "";
        const message = error instanceof Error ? error.message : String(error);
        // Log only the first failure in a row; the metric counts them all.
        if (!isFailing) log.error("recording failed", { error: message });
        isFailing = true;
        count("failed", lines.length - done);
      }
      if (done > 0) count("written", done);
    }
    writing = undefined;
  };

  return {
    size,
    missed: () => count("dropped", 1),
    see(seen) {
      const { outcome: { request, decision, reason, operations }, injector, path, cluster } = seen;
      // Record only pods that are being created, and no dry runs.
      if (request?.object === undefined || decision === "ignored" || request.dryRun) return;
      const config = options.configOf(injector);
      if (config === undefined) return;
      const line = reviewLine({
        time: clock.now(),
        path,
        namespace: request.namespace ?? "",
        object: request.object,
        cluster,
        outcome: { decision, reason, operations },
      }, {
        config: config.version,
        keepsAnnotation: (name) => namesOf(config).has(name),
      });
      const bytes = encoder.encode(line);
      if (waitingBytes + bytes.length > MAX_WAITING_BYTES || bytes.length > fileBytes) {
        count("dropped", 1);
        return;
      }
      waiting.push({ config, bytes });
      waitingBytes += bytes.length;
      writing ??= drain();
    },
    async finish() {
      await writing;
    },
  };
}
