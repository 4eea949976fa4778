/**
 * Reviews on a disk, redacted, for `outrigger replay`: files of lines in a directory of bounded size, of
 * which the oldest go first. A disk that is slow or full costs lines of the recording, which are counted,
 * and nothing else.
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
  /** Of all files of the recording together. */
  readonly maxBytes: number;
  /** What an injector was made of; without it a review cannot be replayed and is passed over. */
  readonly configOf: (injector: Seen["injector"]) => RecordedConfig | undefined;
  readonly host: RecordHost;
  readonly clock: Pick<Clock, "now">;
  readonly log: Logger;
  readonly count: (result: RecordResult, reviews: number) => void;
}

export type RecordResult = "written" | "dropped" | "failed";

export interface Recorder extends Observer {
  /** Bytes on the disk. */
  size(): number;
  /** Resolves once all lines have been written or given up. */
  finish(): Promise<void>;
}

/** A file more is begun at this size, or at an eighth of what all may have. */
const FILE_BYTES = 4 * 1024 * 1024;

/** What may wait for a slow disk. */
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
  /** Annotations that a configuration's templates name. */
  const names = new WeakMap<RecordedConfig, ReadonlySet<string>>();
  const namesOf = (config: RecordedConfig) => {
    const found = names.get(config) ?? annotationsOf(config.sources.config);
    names.set(config, found);
    return found;
  };
  /** Oldest first; the last one is being written. */
  let files: RecordFile[] | undefined;
  /** Version that the last file's lines are of; "" before the first. */
  let version = "";
  let waiting: Line[] = [];
  let waitingBytes = 0;
  let writing: Promise<void> | undefined;
  let isFailing = false;

  const size = () => files?.reduce((sum, { bytes }) => sum + bytes, 0) ?? 0;

  /** Those of an earlier run count too, and are the first to go. */
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
        `Cannot record to ${JSON.stringify(directory)}: a review with its ` +
          `configuration has ${needed} bytes, all may have ${maxBytes}`,
      );
    }
    while (size() + needed > maxBytes) {
      await host.removeFile(kept[0].path);
      kept.shift();
    }
  };
  /** As many of the lines as one file takes; at least one. */
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
        // The disk is not as it was thought to be: look anew the next time.
        files = undefined;
        version = "";
        const message = error instanceof Error ? error.message : String(error);
        // The first of a row tells it; the others are counted.
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
      // Only pods being created, and none that somebody merely asks about.
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
