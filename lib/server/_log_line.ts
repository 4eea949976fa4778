/**
 * One line of the log. A pod's author chooses much of what stands in it, so every value is escaped and
 * bounded, and so is the line: nobody can forge a line, steer a terminal or fill a disk with one pod.
 */

import { cutMiddle, visible } from "../data/visible.ts";
import type { LogFields, LogFormat } from "./log.ts";

/** Longest value: room for any error of an ordinary template, a fifth of a line. */
const MAX_VALUE = 3 * 1024;

/** Longest message. Ours are short; at debug one is the patch, which has 7 KB for an ordinary pod. */
const MAX_MESSAGE = 12 * 1024;

/** Most items of a list or map: more templates or warnings tell nobody anything. */
const MAX_ITEMS = 32;

/** Values that are nested deeper are left out; ours nest once. */
const MAX_DEPTH = 4;

/**
 * Longest line, in bytes: container runtimes split a line past 16 KiB, and half of an object is not
 * JSON.
 */
const MAX_LINE = 16 * 1024;

export interface LogEntry {
  /** ISO 8601. */
  readonly time: string;
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields;
}

/** The line with its line break. Where it is too long, all values get shorter until it fits. */
export function logLine(entry: LogEntry, format: LogFormat): string {
  for (let share = 1;; share /= 4) {
    const line = lineOf(entry, { format, share });
    // A character takes three bytes at most.
    if (line.length * 3 <= MAX_LINE || new TextEncoder().encode(line).length <= MAX_LINE) {
      return line;
    }
  }
}

interface LineOptions {
  readonly format: LogFormat;
  /** What part of each limit there is. */
  readonly share: number;
}

function lineOf({ time, level, message, fields }: LogEntry, { format, share }: LineOptions) {
  const bounded = Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, bound(value, { share, depth: 0 })]),
  );
  const text = cut(message, MAX_MESSAGE * share);
  // Cut before and escaped after: in JSON, an escaped character is still the one that came.
  return format === "json"
    ? `${visible(JSON.stringify({ time, level, message: text, ...bounded }))}\n`
    : `${time}  ${level.padEnd(5)}  ${visible(text, { kept: "" })}${textFields(bounded)}\n`;
}

/** A copy with short strings, short lists and little depth. */
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
