/**
 * Go's `regexp` on top of re2js, with Go's syntax, errors, handling of empty matches, and templates
 * for replacements. A search takes linear time; this file limits large programs on long text, and
 * the time of all searches in a call.
 */

import type { RE2JS } from "re2js";
import { byteLength, fromBytes, toBytes } from "../../data/bytes.ts";
import { FunctionError } from "../value.ts";
import { compileRegexp } from "./_regexp_compile.ts";

/** The maximum cost of a search, characters times instructions: one or two seconds at worst. */
const MAX_SEARCH_COST = 100_000_000;
/**
 * The maximum time of all searches in a call, each of which can read the rest of the text. It is as long as a review may
 * take; a call takes microseconds.
 */
const MAX_NANOSECONDS = 250_000_000n;
const SEARCHES_PER_CLOCK_READ = 64;
const MAX_RESULT_LENGTH = 16 * 1024 * 1024;
const CACHE_SIZE = 256;

const cache = new Map<string, GoRegexp>();

/** Compiles a pattern, or returns it from a cache of those used last. */
export function goRegexp(pattern: string): GoRegexp {
  let regexp = cache.get(pattern);
  if (regexp) cache.delete(pattern);
  else {
    regexp = new GoRegexp(pattern);
    if (cache.size >= CACHE_SIZE) cache.delete(cache.keys().next().value!);
  }
  cache.set(pattern, regexp);
  return regexp;
}

/** The offsets of a match. */
type Match = readonly [start: number, end: number];

/** The text to search, in UTF-16, or in bytes if it is not valid UTF-8. */
interface Subject {
  readonly length: number;
  readonly matcher: ReturnType<RE2JS["matcher"]>;
  slice(from: number, to?: number): string;
  /** Returns the length of the character at an offset, 0 at the end. */
  width(at: number): number;
}

/** A compiled regular expression, with the methods of Go's `*regexp.Regexp` that sprig calls. */
export class GoRegexp {
  readonly #pattern: string;
  readonly #compiled: RE2JS;
  readonly #names: ReadonlyMap<string, readonly number[]>;

  constructor(pattern: string) {
    const { program, names } = compileRegexp(pattern);
    this.#pattern = pattern;
    this.#compiled = program;
    this.#names = names;
  }

  /** The number of instructions. */
  get size(): number {
    return this.#compiled.programSize();
  }

  matchString(text: string): boolean {
    this.#checkCost(text);
    return this.#compiled.test(text.isWellFormed() ? text : toBytes(text));
  }

  findString(text: string): string {
    const subject = this.#subject(text);
    if (!subject.matcher.find(0)) return "";
    return subject.slice(subject.matcher.start(), subject.matcher.end());
  }

  /** Returns up to `n` matches, or all if `n` is negative; `null` if there is none. */
  findAllString(text: string, n: number, now: () => bigint): string[] | null {
    const subject = this.#subject(text);
    const found: string[] = [];
    for (const [start, end] of findAll(subject, n, now)) found.push(subject.slice(start, end));
    return found.length === 0 ? null : found;
  }

  split(text: string, n: number, now: () => bigint): string[] | null {
    if (n === 0) return null;
    if (this.#pattern.length > 0 && text.length === 0) return [""];
    const subject = this.#subject(text);
    const parts: string[] = [];
    let begin = 0;
    let end = 0;
    for (const match of findAll(subject, n, now)) {
      if (n > 0 && parts.length === n - 1) break;
      end = match[0];
      if (match[1] !== 0) parts.push(subject.slice(begin, end));
      begin = match[1];
    }
    if (end !== subject.length) parts.push(subject.slice(begin));
    return parts;
  }

  /** Replaces all matches. The replacement can contain `$1` and `${name}`. */
  replaceAllString(text: string, replacement: string, now: () => bigint): string {
    const parts = parseTemplate(replacement);
    if (parts.length === 0 || parts.length === 1 && typeof parts[0] === "string") {
      return this.replaceAllLiteralString(text, parts.length ? parts[0] as string : "", now);
    }
    const groupCount = this.#compiled.groupCount();
    return this.#replace(text, now, ({ matcher, slice }) => {
      let out = "";
      for (const part of parts) {
        if (typeof part === "string") {
          out += part;
          continue;
        }
        const groups = part.index < 0 ? this.#names.get(part.name) : [part.index];
        const group = groups?.find((group) => group <= groupCount && matcher.start(group) >= 0);
        if (group !== undefined) out += slice(matcher.start(group), matcher.end(group));
      }
      return out;
    });
  }

  replaceAllLiteralString(text: string, replacement: string, now: () => bigint): string {
    return this.#replace(text, now, () => replacement);
  }

  #replace(text: string, now: () => bigint, make: (subject: Subject) => string): string {
    const subject = this.#subject(text);
    const watch = stopwatch(now);
    let out = "";
    let lastEnd = 0;
    for (let at = 0; at <= subject.length && subject.matcher.find(at);) {
      watch();
      const start = subject.matcher.start();
      const end = subject.matcher.end();
      out += subject.slice(lastEnd, start);
      // Go ignores an empty match directly after another match.
      if (end > lastEnd || start === 0) out += make(subject);
      if (out.length > MAX_RESULT_LENGTH) throw new FunctionError("regexp: result too long");
      lastEnd = end;
      at = Math.max(end, at + Math.max(1, subject.width(at)));
    }
    return out + subject.slice(lastEnd);
  }

  #subject(text: string): Subject {
    this.#checkCost(text);
    if (text.isWellFormed()) {
      return {
        length: text.length,
        matcher: this.#compiled.matcher(text),
        slice: (from, to) => text.slice(from, to),
        width: (at) => at >= text.length ? 0 : text.codePointAt(at)! > 0xffff ? 2 : 1,
      };
    }
    const bytes = toBytes(text);
    return {
      length: bytes.length,
      matcher: this.#compiled.matcher(bytes),
      slice: (from, to) => fromBytes(bytes.subarray(from, to)),
      width: (at) => {
        const [char] = fromBytes(bytes.subarray(at, at + 4));
        return char === undefined ? 0 : byteLength(char);
      },
    };
  }

  #checkCost(text: string) {
    if (text.length * this.size > MAX_SEARCH_COST) {
      throw new FunctionError(
        `regexp: text of ${text.length} characters is too long for this expression`,
      );
    }
  }
}

/** Returns successive matches. As in Go, an empty match directly after another one is ignored. */
function* findAll(subject: Subject, n: number, now: () => bigint): Generator<Match> {
  const watch = stopwatch(now);
  let previousEnd = -1;
  let found = 0;
  for (let at = 0; (n < 0 || found < n) && at <= subject.length && subject.matcher.find(at);) {
    watch();
    const start = subject.matcher.start();
    const end = subject.matcher.end();
    const accept = end !== at || start !== previousEnd;
    at = end === at ? at + Math.max(1, subject.width(at)) : end;
    previousEnd = end;
    if (!accept) continue;
    found++;
    yield [start, end];
  }
}

/** Returns a function that fails once the searches of a call have taken too long. */
function stopwatch(now: () => bigint): () => void {
  let searches = 0;
  let started = 0n;
  return () => {
    if (searches++ % SEARCHES_PER_CLOCK_READ !== 0) return;
    const time = now();
    if (searches === 1) started = time;
    else if (time - started > MAX_NANOSECONDS) {
      throw new FunctionError("regexp: searching took too long");
    }
  };
}

/** A reference to a group in a replacement: by index, or by name if the index is -1. */
interface GroupReference {
  readonly name: string;
  readonly index: number;
}

const REFERENCE = /\$(?:(\$)|([\p{L}\p{Nd}_]+)|\{([\p{L}\p{Nd}_]+)\})/gu;

/** Splits a replacement into text and references. `$1x` means the group `1x`; a lone `$` stays. */
function parseTemplate(template: string): (string | GroupReference)[] {
  const parts: (string | GroupReference)[] = [];
  let text = "";
  let at = 0;
  for (const match of template.matchAll(REFERENCE)) {
    text += template.slice(at, match.index);
    at = match.index + match[0].length;
    const name = match[2] ?? match[3];
    if (name === undefined) {
      text += "$";
      continue;
    }
    if (text) parts.push(text);
    text = "";
    // Go accepts an index of up to nine digits without leading zeros.
    parts.push({ name, index: /^(?:0|[1-9]\d{0,8})$/.test(name) ? Number(name) : -1 });
  }
  text += template.slice(at);
  if (text) parts.push(text);
  return parts;
}
