/**
 * Logs: a constant lowercase message and key/values, one JSON object a line, or text for people. Never
 * waits for whoever reads them: lines that cannot be written in time are dropped and counted.
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
  /** Resolves once all lines have been taken or dropped. */
  flush(): Promise<void>;
}

export interface LoggerOptions {
  readonly output: Output;
  readonly clock: Pick<Clock, "now">;
  readonly format: LogFormat;
  readonly level: LogLevel;
}

/**
 * Characters that may wait for a slow reader: some thousand lines of decisions. Past it a line is
 * dropped, since the alternatives are to wait for the reader or to run out of memory.
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
  /** One write at a time; what comes meanwhile goes out with the next. */
  const drain = async () => {
    while (waiting !== "") {
      const text = waiting;
      waiting = "";
      // Nobody reads any more: then there is nobody to tell, either.
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
