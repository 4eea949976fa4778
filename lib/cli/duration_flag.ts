/** A flag that is a time, as Go writes them. */

import { parseDuration } from "../go/time.ts";
import { UsageError } from "./command.ts";

/** Milliseconds; throws a UsageError. */
export function durationFlag(
  { command, name }: { readonly command: string; readonly name: string },
  text: string,
): number {
  const misuse = (wanted: string, cause?: unknown) => {
    const what = `Flag "--${name}" wants ${wanted}, got ${JSON.stringify(text)}.`;
    return new UsageError(`${what} Run "outrigger help ${command}"`, { cause });
  };
  let nanoseconds: bigint;
  try {
    nanoseconds = parseDuration(text);
  } catch (cause) {
    throw misuse("a duration, as in 20s or 1m30s", cause);
  }
  if (nanoseconds < 0n) throw misuse("a duration from 0 on");
  return Number(nanoseconds / 1_000_000n);
}
