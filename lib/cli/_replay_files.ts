/** Reads the files of a recording line by line. */

import { readRecordLine, RecordingError, type RecordLine } from "../compare/mod.ts";
import type { Host } from "../host/mod.ts";

/** Returns the files of a recording in the order in which they were written. */
export async function recordingFiles(path: string, host: Host): Promise<string[]> {
  const info = await host.stat(path);
  if (info?.kind === "file") return [path];
  // Throws if the directory does not exist.
  const names = (await host.readDir(path)).map(({ name }) => name)
    .filter((name) => name.endsWith(".jsonl"));
  if (names.length === 0) {
    throw new Error(
      `Cannot replay ${JSON.stringify(path)}: it contains no recording (*.jsonl); ` +
        `create one with "outrigger serve --record ${path}"`,
    );
  }
  return names.map((name) => `${path.replace(/\/+$/, "")}/${name}`);
}

export interface ReadLine {
  readonly file: string;
  /** The line number, starting at 1. */
  readonly number: number;
  /** The parsed line, or an error, for example if the server was killed while writing it. */
  readonly line: RecordLine | RecordingError;
}

/** Reads lines, holding only one file in memory at a time. */
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
