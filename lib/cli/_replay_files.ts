/** A recording as it lies on a disk, file by file and line by line. */

import { readRecordLine, RecordingError, type RecordLine } from "../compare/mod.ts";
import type { Host } from "../host/mod.ts";

/** Files in the order in which they were written. */
export async function recordingFiles(path: string, host: Host): Promise<string[]> {
  const info = await host.stat(path);
  if (info?.kind === "file") return [path];
  // A directory that is not there is told as such.
  const names = (await host.readDir(path)).map(({ name }) => name)
    .filter((name) => name.endsWith(".jsonl"));
  if (names.length === 0) {
    throw new Error(
      `Cannot replay ${JSON.stringify(path)}: there is no recording in it (*.jsonl); ` +
        `"outrigger serve --record ${path}" makes one`,
    );
  }
  return names.map((name) => `${path.replace(/\/+$/, "")}/${name}`);
}

export interface ReadLine {
  readonly file: string;
  /** From 1. */
  readonly number: number;
  /** What is wrong with the line instead, for example where a server was killed while writing it. */
  readonly line: RecordLine | RecordingError;
}

/** A file at a time: no more than that of a recording is in memory. */
export async function* readRecording(
  files: readonly string[],
  host: Host,
): AsyncGenerator<ReadLine> {
  for (const file of files) {
    for (const [index, text] of (await host.readText(file)).split("\n").entries()) {
      if (text === "") continue;
      yield { file, number: index + 1, line: read(text) };
    }
  }
}

function read(text: string): RecordLine | RecordingError {
  try {
    return readRecordLine(text);
  } catch (error) {
    if (error instanceof RecordingError) return error;
    throw error;
  }
}
