/**
 * Structured logs: a constant lowercase message and key/values, as one JSON object per line or as
 * text. Logging never blocks: lines that cannot be written in time are dropped and counted.
 */

import type { Clock, Output } from "../host/mod.ts";
import { logLine } from "./_log_line.ts";

export type LogLevel = "debug" | "info" | "warn" | "error" | "none";
export type LogFormat = "json" | "text";
export type LogFields = Readonly<Record<string, unknown>>;

export interface Logger {
  isOn(level: LogLevel): boolean;
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Resolves once all lines have been written or dropped. */
  flush(): Promise<void>;
}

export interface LoggerOptions {
  readonly output: Output;
  readonly clock: Pick<Clock, "now">;
  readonly format: LogFormat;
  readonly level: LogLevel;
}

/**
 * The maximum number of characters waiting for a slow reader: some thousand decision lines. Beyond
 * it lines are dropped, because the alternatives are to block or to run out of memory.
 */
const MAX_WAITING = 4 * 1024 * 1024;

const ORDER: readonly LogLevel[] = ["debug", "info", "warn", "error", "none"];

export function createLogger({ output, clock, format, level }: LoggerOptions): Logger {
  const from = ORDER.indexOf(level);
  let waiting = "";
  let writing: Promise<void> | undefined;
  let dropped = 0;

  const isOn = (one: LogLevel) => ORDER.indexOf(one) >= from && one !== "none";
  const line = (one: LogLevel, message: string, fields: LogFields) => {
    const time = new Date(clock.now()).toISOString();
    return logLine({ time, level: one, message, fields }, format);
  };
  /** Writes one batch at a time; lines logged meanwhile go into the next one. */
  const drain = async () => {
    while (waiting !== "") {
      const text = waiting;
      waiting = "";
      // If the output is closed, the error cannot be reported either.
      await output.write(text).catch(() => {});
      if (dropped > 0) {
        waiting += line("warn", "log lines dropped", { count: dropped });
        dropped = 0;
      }
    }
    writing = undefined;
  };
  const log = (one: LogLevel) => (message: string, fields: LogFields = {}) => {
    if (!isOn(one)) return;
    if (waiting.length > MAX_WAITING) dropped++;
    else waiting += line(one, message, fields);
    writing ??= drain();
  };
  return {
    isOn,
    debug: log("debug"),
    info: log("info"),
    warn: log("warn"),
    error: log("error"),
    flush: () => writing ?? Promise.resolve(),
  };
}
