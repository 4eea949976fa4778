/**
 * Formats one log line. Pod authors control many of the values, so each value and the whole line
 * are escaped and bounded: a pod cannot forge a line, send terminal control codes or fill a disk.
 */

import { cutMiddle, visible } from "../data/visible.ts";
import type { LogFields, LogFormat } from "./log.ts";

/**
 * The maximum length of a value. It holds any error of an ordinary template, in a fifth of a line.
 */
const MAX_VALUE = 3 * 1024;

/**
 * The maximum length of a message. The longest is the patch at debug level: 7 KB for an ordinary
 * pod.
 */
const MAX_MESSAGE = 12 * 1024;

/** The maximum number of items of a list or map. */
const MAX_ITEMS = 32;

/** The maximum nesting of a value; deeper values are omitted. Our own values nest once. */
const MAX_DEPTH = 4;

/**
 * The maximum length of a line, in bytes. Container runtimes split lines past 16 KiB, and a split
 * object is not valid JSON.
 */
const MAX_LINE = 16 * 1024;

export interface LogEntry {
  /** In ISO 8601. */
  readonly time: string;
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields;
}

/**
 * Formats an entry as a line, including the line break. Shortens all values until the line fits.
 */
export function logLine(entry: LogEntry, format: LogFormat): string {
  for (let share = 1;; share /= 4) {
    const line = lineOf(entry, { format, share });
    // A UTF-16 unit takes at most three bytes.
    if (line.length * 3 <= MAX_LINE || new TextEncoder().encode(line).length <= MAX_LINE) {
      return line;
    }
  }
}

interface LineOptions {
  readonly format: LogFormat;
  /** The fraction of each limit to use. */
  readonly share: number;
}

function lineOf({ time, level, message, fields }: LogEntry, { format, share }: LineOptions) {
  const bounded = Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, bound(value, { share, depth: 0 })]),
  );
  const text = cut(message, MAX_MESSAGE * share);
  // Cut before escaping, so that no escape sequence is split. JSON escapes do not change the value.
  return format === "json"
    ? `${visible(JSON.stringify({ time, level, message: text, ...bounded }))}\n`
    : `${time}  ${level.padEnd(5)}  ${visible(text, { kept: "" })}${textFields(bounded)}\n`;
}

/** Copies a value with long strings and lists shortened and deep nesting removed. */
function bound(value: unknown, { share, depth }: { share: number; depth: number }): unknown {
  if (typeof value === "string") return cut(value, MAX_VALUE * share);
  if (typeof value !== "object" || value === null) return value;
  if (depth === MAX_DEPTH) return "…";
  const inner = { share, depth: depth + 1 };
  const most = Math.max(1, Math.floor(MAX_ITEMS * share));
  if (Array.isArray(value)) {
    const items = value.slice(0, most).map((item) => bound(item, inner));
    return value.length > most ? [...items, `… ${value.length - most} more`] : items;
  }
  const entries = Object.entries(value).slice(0, most);
  return Object.fromEntries(
    entries.map(([key, item]) => [cut(key, MAX_VALUE * share), bound(item, inner)]),
  );
}

const cut = (text: string, limit: number) => cutMiddle(text, Math.floor(limit));

function textFields(fields: LogFields): string {
  return Object.entries(fields).map(([key, value]) => {
    if (value === undefined) return "";
    const text = typeof value === "string"
      ? value
      : Array.isArray(value)
      ? value.join(",")
      : JSON.stringify(value);
    const isPlain = /^[^\s"=]+$/.test(text) && visible(text) === text;
    return `  ${key}=${isPlain ? text : visible(JSON.stringify(text))}`;
  }).join("");
}
