/**
 * Parses YAML that differs from text to text in a few values only, such as one template's output, once and
 * fills in values from then on. A shape is compiled from fixed parts with values between them; it takes
 * other values and returns the document that parsing the text with them would give.
 *
 * A value can be filled in only where it cannot change the structure: inside quotes on one line, in a
 * literal block, or in plain text, and there only if all its characters are harmless. For any other value
 * (with a quote, a line break, a colon …) the caller parses the text. Values elsewhere, as in a key or over
 * several lines, are part of the shape, which fits only texts with the same values there.
 *
 * Documents of one shape share equal parts: treat them as read-only.
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
  /** The indexes of the values that must be equal for the shape to fit. */
  readonly fixed: readonly number[];
  /** Returns the document with these values, or `undefined` if the text must be parsed. */
  fill(values: readonly string[]): Record<string, unknown> | undefined;
}

/** Contexts of a hole, each with the values that have no special meaning there. */
const SAFE = {
  /** Within double quotes. */
  double: /^[ !#-[\]-~]*$/,
  /** Including double quotes: the output of `quote`. */
  quoted: /^"[ !#-[\]-~]*"$/,
  single: /^[ -&(-~]*$/,
  /** A line of a literal block, after its indentation. */
  literal: /^[!-~](?:[ -~]*[!-~])?$/,
  /** The start of a plain text. */
  plain: /^[A-Za-z0-9_/][A-Za-z0-9_./=@-]*$/,
  /** The rest of a plain text. */
  plainRest: /^[A-Za-z0-9_./=@-]+$/,
} as const;

type Context = keyof typeof SAFE;

/** Private-use characters around a hole's number; they have no meaning anywhere in YAML. */
const [OPEN, CLOSE] = ["\ue000", "\ue001"];

/** Limits the rounds. Each closes holes that cannot be filled; a template settles in two or three. */
const MAX_ROUNDS = 6;

/** Compiles a shape of a valid text; returns `undefined` if no hole can be filled. */
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
      // An empty value may have been significant for the structure; text can only replace text.
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

/** Whether a hole's quotes are part of its value. */
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
  /** The contexts of the holes in values. */
  readonly contexts: ReadonlyMap<number, Context>;
}

function readMarked(text: string, marks: ReadonlyMap<number, Mark>): MarkedDocument | undefined {
  try {
    const parser = new Parser(text);
    const events = parser.document();
    if (events === undefined || !parser.isDone) return undefined;
    // An alias's text counts towards a limit, and its value occurs more than once.
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
  // A value could turn this line into `---` or `...`.
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

/** A string of the marked document with holes. */
interface Slot {
  readonly path: readonly (string | number)[];
  /** The fixed text around the holes, one more than there are holes. */
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
  // No overlay has that key, and assigning to it would be special.
  if (Object.hasOwn(document, "__proto__")) return [];
  return Object.entries(document).flatMap(([key, item]) => slotsOf(item, [...path, key]));
}

/** A part of the document on the way to slots. */
interface Branch {
  slot?: Slot & { readonly isPlain: boolean; value: unknown };
  readonly children: Map<string | number, Branch>;
}

/** Marks an invalid value: a plain `.inf` is an error. */
const FAILED = Symbol("failed");

class Filling implements YamlShape {
  readonly fixed: readonly number[];
  readonly #patterns: readonly (RegExp | undefined)[];
  readonly #quoted: ReadonlySet<number>;
  readonly #root: Branch = { children: new Map() };
  readonly #slots: NonNullable<Branch["slot"]>[] = [];
  /** The last values and their document; the next one differs little. */
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

/** Returns a part of the document with new slot values, copied as far down as it changed. */
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
