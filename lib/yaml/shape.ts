/**
 * YAML that differs from text to text in a few values only, as what one template makes: parsed once, and
 * from then on filled in. A text goes in as fixed parts with values between them, a shape comes out; it
 * takes other values and gives the document that parsing the text with them would give.
 *
 * That is so because a hole is only left open where the value can't change structure: inside quotes on
 * one line, in a literal block, in an unquoted text, and there only for values made of characters that
 * mean nothing there. Any other value (one with a quote, a line break, a colon …) is not filled in: the
 * caller parses the text. Holes elsewhere, as in a key or with several lines, are part of the shape, and
 * so it fits texts with the same value there.
 *
 * Documents of one shape share the parts that are alike: treat them as read-only.
 * @module
 */

import { equalJson } from "../data/json.ts";
import { isMap } from "../data/map.ts";
import { lineStart, YamlFailure } from "./_error.ts";
import { EVENT, STYLE, type YamlEvent } from "./_events.ts";
import { Parser } from "./_parser.ts";
import { composeDocument } from "./_reader.ts";
import { resolvePlain } from "./_scalars.ts";
import { parseYaml } from "./yaml.ts";

/** A text in parts: `texts[0] + values[0] + texts[1] + … + texts[n]`. */
export interface YamlParts {
  readonly texts: readonly string[];
  readonly values: readonly string[];
}

export interface YamlShape {
  /** The values, by place, that must be the same for the shape to fit. */
  readonly fixed: readonly number[];
  /** The document with these values; `undefined` where only parsing can tell. */
  fill(values: readonly string[]): Record<string, unknown> | undefined;
}

/** Where a hole may be: each with the values that mean nothing but themselves there. */
const SAFE = {
  /** Within double quotes. */
  double: /^[ !#-[\]-~]*$/,
  /** Double quotes and all: what `quote` gives. */
  quoted: /^"[ !#-[\]-~]*"$/,
  single: /^[ -&(-~]*$/,
  /** A line of a literal block, whose indentation stands before it. */
  literal: /^[!-~](?:[ -~]*[!-~])?$/,
  /** The beginning of an unquoted text. */
  plain: /^[A-Za-z0-9_/][A-Za-z0-9_./=@-]*$/,
  /** The rest of one. */
  plainRest: /^[A-Za-z0-9_./=@-]+$/,
} as const;

type Context = keyof typeof SAFE;

/** Characters of private use, around a hole's number: they mean nothing to YAML wherever they stand. */
const [OPEN, CLOSE] = ["\ue000", "\ue001"];

/** Each round closes holes that turned out to be none; a template's are settled in two or three. */
const MAX_ROUNDS = 6;

/** Makes a shape of a text that can be parsed; `undefined` where it has no shape that can be filled. */
export function compileYamlShape({ texts, values }: YamlParts): YamlShape | undefined {
  const source = texts.map((text, i) => text + (values[i] ?? "")).join("");
  if (/[\ue000\ue001\u0085]/.test(source)) return undefined;
  const document = parseYaml(source);
  let open = new Map<number, Mark>();
  values.forEach((value, i) => {
    if (/[\r\n]/.test(value)) return;
    open.set(i, SAFE.quoted.test(value) ? "quoted" : "bare");
  });
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const marked = markedText({ texts, values }, open);
    const read = readMarked(marked, open);
    if (read === undefined) {
      // An empty value may have been the key to the structure: only text can stand in for text.
      const kept = new Map([...open].filter(([i]) => values[i] !== ""));
      if (kept.size === open.size) return undefined;
      open = kept;
      continue;
    }
    const next = new Map<number, Mark>();
    for (const [i, mark] of open) {
      const context = read.contexts.get(i);
      if (context === "quoted" || mark === "bare") {
        if (context !== undefined && SAFE[context].test(values[i])) next.set(i, mark);
      } else next.set(i, "bare");
    }
    const isSettled = next.size === open.size &&
      [...open].every(([i, mark]) => next.get(i) === mark);
    if (isSettled) {
      const shape = new Filling(read.document, { values, contexts: read.contexts });
      return equalJson(shape.fill(values), document) ? shape : undefined;
    }
    open = next;
  }
  return undefined;
}

/** Whether a hole's quotes belong to its value. */
type Mark = "bare" | "quoted";

function markedText({ texts, values }: YamlParts, open: ReadonlyMap<number, Mark>): string {
  return texts.map((text, i) => {
    if (i === values.length) return text;
    const mark = `${OPEN}${i}${CLOSE}`;
    switch (open.get(i)) {
      case "bare":
        return text + mark;
      case "quoted":
        return `${text}"${mark}"`;
      default:
        return text + values[i];
    }
  }).join("");
}

interface MarkedDocument {
  readonly document: Record<string, unknown>;
  /** Of the holes that stand in a value. */
  readonly contexts: ReadonlyMap<number, Context>;
}

function readMarked(text: string, marks: ReadonlyMap<number, Mark>): MarkedDocument | undefined {
  try {
    const parser = new Parser(text);
    const events = parser.document();
    if (events === undefined || !parser.isDone) return undefined;
    // An alias's text is counted, and a value may be in more places than one.
    if (events.some(({ kind, anchor }) => kind === EVENT.alias || anchor !== "")) return undefined;
    const document = composeDocument(events, { length: text.length, bigints: false });
    if (!isMap(document)) {
      return undefined;
    }
    const contexts = new Map<number, Context>();
    for (const event of events) {
      if (event.kind !== EVENT.scalar || event.start === -1 || event.tag !== "") continue;
      const content = text.slice(event.start, event.end);
      for (const match of content.matchAll(HOLE)) {
        const hole = Number(match[1]);
        const context = contextOf(event, { content, match, text, mark: marks.get(hole)! });
        if (context !== undefined) contexts.set(hole, context);
      }
    }
    const inValues = new Set(slotsOf(document).flatMap(({ holes }) => holes));
    for (const hole of [...contexts.keys()]) if (!inValues.has(hole)) contexts.delete(hole);
    return { document: document as Record<string, unknown>, contexts };
  } catch (error) {
    if (error instanceof YamlFailure) return undefined;
    throw error;
  }
}

const HOLE = /\ue000(\d+)\ue001/g;

const MARKER_START = /^(?:-(?! )|\.)/;

interface HolePlace {
  /** The scalar, and the hole in it. */
  readonly content: string;
  readonly match: RegExpExecArray;
  readonly text: string;
  readonly mark: Mark;
}

function contextOf(
  { style }: YamlEvent,
  { content, match, text, mark }: HolePlace,
): Context | undefined {
  const place = text.indexOf(match[0]);
  const start = lineStart(text, place);
  // A line that could become `---` or `...` by what is filled in.
  if (place === start || MARKER_START.test(text.slice(start, place))) return undefined;
  if (style === STYLE.literal) return mark === "bare" ? "literal" : undefined;
  if (/[\r\n]/.test(content)) return undefined;
  switch (style) {
    case STYLE.double:
      if (mark === "bare") return "double";
      return match[0] === content ? "quoted" : undefined;
    case STYLE.single:
      return mark === "bare" ? "single" : undefined;
    case STYLE.plain:
      return match.index === 0 ? "plain" : "plainRest";
    default:
      return undefined;
  }
}

/** A string of the marked document that has holes. */
interface Slot {
  readonly path: readonly (string | number)[];
  /** Fixed text between the holes, one more than these. */
  readonly texts: readonly string[];
  readonly holes: readonly number[];
}

function slotsOf(document: unknown, path: readonly (string | number)[] = []): Slot[] {
  if (typeof document === "string") {
    if (!document.includes(OPEN)) return [];
    const parts = document.split(/\ue000(\d+)\ue001/);
    const texts = parts.filter((_, i) => i % 2 === 0);
    const holes = parts.filter((_, i) => i % 2 === 1).map(Number);
    return [{ path, texts, holes }];
  }
  if (typeof document !== "object" || document === null) return [];
  if (Array.isArray(document)) return document.flatMap((item, i) => slotsOf(item, [...path, i]));
  // Nobody's overlay has that key; what it would do to an assignment is not worth finding out.
  if (Object.hasOwn(document, "__proto__")) return [];
  return Object.entries(document).flatMap(([key, item]) => slotsOf(item, [...path, key]));
}

/** The way to slots: a part of the document, and what of it may change. */
interface Branch {
  slot?: Slot & { readonly isPlain: boolean; value: unknown };
  readonly children: Map<string | number, Branch>;
}

/** What is no value: an unquoted `.inf` is an error. */
const FAILED = Symbol("failed");

class Filling implements YamlShape {
  readonly fixed: readonly number[];
  readonly #patterns: readonly (RegExp | undefined)[];
  readonly #quoted: ReadonlySet<number>;
  readonly #root: Branch = { children: new Map() };
  readonly #slots: NonNullable<Branch["slot"]>[] = [];
  /** What was filled in last, and the document with it: the next one differs little. */
  #values: readonly string[];
  #document: Record<string, unknown>;

  constructor(
    document: Record<string, unknown>,
    { values, contexts }: {
      values: readonly string[];
      contexts: ReadonlyMap<number, Context>;
    },
  ) {
    this.fixed = [...values.keys()].filter((i) => !contexts.has(i));
    this.#patterns = values.map((_, i) => contexts.has(i) ? SAFE[contexts.get(i)!] : undefined);
    this.#quoted = new Set(values.keys().filter((i) => contexts.get(i) === "quoted"));
    for (const slot of slotsOf(document)) {
      let branch = this.#root;
      for (const key of slot.path) {
        const child: Branch = branch.children.get(key) ?? { children: new Map() };
        branch.children.set(key, child);
        branch = child;
      }
      const isPlain = slot.holes.some((hole) => contexts.get(hole)?.startsWith("plain"));
      this.#slots.push(branch.slot = { ...slot, isPlain, value: undefined });
    }
    this.#values = values;
    for (const slot of this.#slots) slot.value = this.#scalar(slot, values);
    this.#document = refill(this.#root, document) as Record<string, unknown>;
  }

  fill(values: readonly string[]): Record<string, unknown> | undefined {
    const last = this.#values;
    if (values.length !== last.length) return undefined;
    let isSame = true;
    for (let i = 0; i < values.length; i++) {
      if (values[i] === last[i]) continue;
      if (this.#patterns[i]?.test(values[i]) !== true) return undefined;
      isSame = false;
    }
    if (isSame) return this.#document;
    const changed: unknown[] = [];
    for (const slot of this.#slots) {
      const isChanged = slot.holes.some((hole) => values[hole] !== last[hole]);
      const value = isChanged ? this.#scalar(slot, values) : slot.value;
      if (value === FAILED) return undefined;
      changed.push(value);
    }
    this.#slots.forEach((slot, i) => slot.value = changed[i]);
    this.#values = values;
    return this.#document = refill(this.#root, this.#document) as Record<string, unknown>;
  }

  #scalar({ texts, holes, isPlain }: Branch["slot"] & object, values: readonly string[]): unknown {
    let text = texts[0];
    for (let i = 0; i < holes.length; i++) {
      const value = values[holes[i]];
      text += (this.#quoted.has(holes[i]) ? value.slice(1, -1) : value) + texts[i + 1];
    }
    if (!isPlain) return text;
    const value = resolvePlain(text);
    if (typeof value === "bigint") return Number(value);
    return typeof value === "number" && !Number.isFinite(value) ? FAILED : value;
  }
}

/** The part of the document with the slots' values, copied as far down as they changed. */
function refill(branch: Branch, part: unknown): unknown {
  if (branch.slot !== undefined) return branch.slot.value;
  let copy: Record<string | number, unknown> | undefined;
  for (const [key, child] of branch.children) {
    const before = (part as Record<string | number, unknown>)[key];
    const after = refill(child, before);
    if (after === before) continue;
    copy ??= (Array.isArray(part) ? [...part] : { ...part as object }) as Record<string, unknown>;
    copy[key] = after;
  }
  return copy ?? part;
}
