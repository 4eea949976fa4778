/**
 * Tells whether values that were printed into a YAML text stayed inside the scalars they stand in. The text goes in as
 * parts, template text and printed values; the part that changed the text's structure comes out.
 *
 * The template's own structure is what the text parses to with neutral values: each printed text is replaced by a mark,
 * a letter that means nothing to YAML, and of a printed structure (JSON, YAML) each scalar is. The events of the two
 * texts are laid side by side. They must be the same but for the content of scalars that hold a mark.
 * @module
 */

import { YamlFailure } from "./_error.ts";
import { EVENT, STYLE, type YamlEvent } from "./_events.ts";
import { parseEvents, Parser } from "./_parser.ts";
import { keyText, resolveUntagged } from "./_tags.ts";

export interface YamlPart {
  readonly text: string;
  /**
   * - `template`: trusted text, which makes the structure;
   * - `text`: a value that must stay inside one scalar;
   * - `structure`: what a function printed that encodes a whole value, such as `toYaml`. It brings structure of its own,
   *   and none other.
   */
  readonly kind: "template" | "text" | "structure";
}

/**
 * The index of a part that changed the structure of the text; `undefined` where none did, and for a text that cannot be
 * parsed at all.
 *
 * @example
 * ```ts
 * const value = { text: "x\nadmin: true", kind: "text" } as const;
 * findStructureChange([{ text: "user: ", kind: "template" }, value]); // 1
 * ```
 */
export function findStructureChange(parts: readonly YamlPart[]): number | undefined {
  const suspects = [...parts.keys()].filter((i) => isSuspect(parts, i));
  if (suspects.length === 0) return undefined;
  const texts = parts.map(({ text }) => text);
  const real = read(texts);
  if (real === undefined) return undefined;
  const marks = chooseMarks(texts);
  const isKept = (marked: readonly number[]) => {
    const neutral = read(neutralTexts(parts, { marked: new Set(marked), marks }));
    return neutral !== undefined && isSameStructure(real, neutral, marks);
  };
  if (isKept(suspects)) return undefined;
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  const tries = Math.min(MAX_TRIES, Math.floor(MAX_TRIED_TEXT / length));
  return suspects.slice(0, tries).find((i) => !isKept([i])) ?? suspects[0];
}

/** How many values are looked at one by one to name the culprit. Each takes a parse of the whole text. */
const MAX_TRIES = 16;
/** Characters that may be parsed for that: some tens of milliseconds. */
const MAX_TRIED_TEXT = 256 * 1024;

/** Text that means the same as a mark wherever a scalar may stand. */
const HARMLESS = /^[A-Za-z0-9_/][A-Za-z0-9_./=@-]*$/;

/** Ends of a text after which harmless characters are not the beginning or the rest of a scalar. */
const INDICATOR_END = /[&*!%|>][^\s]*$/;

/** Beginnings of a text that make a key of what stands before. */
const KEY_REST = /^$|^[^\s:]*["']?[ \t]*:(?:\s|$)/;

function isSuspect(parts: readonly YamlPart[], i: number): boolean {
  const { text, kind } = parts[i];
  if (kind === "template") return false;
  if (!HARMLESS.test(text)) return true;
  const before = parts[i - 1]?.text ?? "";
  return INDICATOR_END.test(before.slice(-64)) || KEY_REST.test(parts[i + 1]?.text ?? "");
}

/** Stand for a value in a scalar: one for texts, one for scalars of printed structures. */
interface Marks {
  readonly text: string;
  readonly structure: string;
}

/** Two characters of private use that occur in none of the texts. */
function chooseMarks(texts: readonly string[]): Marks {
  const used = new Set(texts.flatMap((text) => text.match(/[\ue000-\uf8ff]/g) ?? []));
  const free: string[] = [];
  for (let code = 0xe000; code <= 0xf8ff && free.length < 2; code++) {
    const mark = String.fromCharCode(code);
    if (!used.has(mark)) free.push(mark);
  }
  const [text = "\ue000", structure = "\ue001"] = free;
  return { text, structure };
}

function neutralTexts(
  parts: readonly YamlPart[],
  { marked, marks }: { marked: ReadonlySet<number>; marks: Marks },
): string[] {
  let column = 0;
  return parts.map(({ text, kind }, i) => {
    const at = column;
    const lineEnd = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r"));
    column = lineEnd < 0 ? column + text.length : text.length - lineEnd - 1;
    if (!marked.has(i)) return text;
    if (kind === "text") return marks.text;
    return neutralStructure(text, { column: at, mark: marks.structure }) ?? marks.text;
  });
}

/** A printed structure with a mark for each scalar; `undefined` for a text that is no YAML by itself. */
function neutralStructure(
  text: string,
  { column, mark }: { column: number; mark: string },
): string | undefined {
  // The first line stands where the text before it ends, the others bring their indentation along.
  const indent = " ".repeat(column);
  const source = indent + text;
  const events = readWhole(source);
  if (events === undefined) return undefined;
  let neutral = "";
  let at = 0;
  for (const event of events) {
    if (event.kind !== EVENT.scalar || event.start === -1) continue;
    neutral += source.slice(at, event.start) + neutralScalar(event, { source, mark });
    at = event.end;
  }
  return (neutral + source.slice(at)).slice(column);
}

function neutralScalar(
  { style, start, end }: YamlEvent,
  { source, mark }: { source: string; mark: string },
): string {
  if (style < STYLE.literal) return mark;
  return source.slice(start, end).replace(/[^\s].*$/gm, mark);
}

/** The first document's events; `undefined` for a text that is not YAML. */
function read(texts: readonly string[]): readonly YamlEvent[] | undefined {
  return orUndefined(() => parseEvents(texts.join("")));
}

/** The events of a text that is one document and nothing else. */
function readWhole(text: string): readonly YamlEvent[] | undefined {
  return orUndefined(() => {
    const parser = new Parser(text);
    const events = parser.document();
    return parser.isDone ? events : undefined;
  });
}

function orUndefined<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof YamlFailure) return undefined;
    throw error;
  }
}

/** What is being compared: a list, or a map with what is known of its keys. */
interface Level {
  readonly keys?: Map<string, "template" | "value">;
  isKeyNext: boolean;
}

function isSameStructure(
  real: readonly YamlEvent[],
  neutral: readonly YamlEvent[],
  marks: Marks,
): boolean {
  if (real.length !== neutral.length) return false;
  const levels: Level[] = [];
  return real.every((event, i) => {
    const other = neutral[i];
    if (event.kind !== other.kind) return false;
    const level = levels.at(-1);
    const isKey = level?.keys !== undefined && level.isKeyNext;
    if (level !== undefined && event.kind !== EVENT.end) level.isKeyNext = !level.isKeyNext;
    switch (event.kind) {
      case EVENT.end:
        levels.pop();
        return true;
      case EVENT.map:
        levels.push({ keys: new Map(), isKeyNext: true });
        return event.style === other.style && hasSameProperties(event, other);
      case EVENT.list:
        levels.push({ isKeyNext: false });
        return event.style === other.style && hasSameProperties(event, other);
      case EVENT.alias:
        return event.value === other.value;
      case EVENT.scalar: {
        if (!hasSameProperties(event, other)) return false;
        const isValue = other.value.includes(marks.text);
        const isFree = isValue || other.value.includes(marks.structure);
        if (!isFree && (event.value !== other.value || event.style !== other.style)) return false;
        if (!isKey) return true;
        return !(isFree && DIRECTIVE.test(event.value)) &&
          isOwnKey(keyOf(event), level.keys!, isValue);
      }
      default:
        return true;
    }
  });
}

/** Keys that change what stands around them, once the document is merged into another. */
const DIRECTIVE = /^\$(?:patch$|retainKeys$|deleteFromPrimitiveList\/|setElementOrder\/)/;

/** A key that a value is part of must not stand for another key of its map. */
function isOwnKey(key: string, keys: Map<string, "template" | "value">, isValue: boolean): boolean {
  const known = keys.get(key);
  if (isValue && (known !== undefined || key === "<<")) return false;
  if (known === "value") return false;
  keys.set(key, isValue ? "value" : "template");
  return true;
}

/** Returns a key as the document ends up with it: `0x1` is the key `1`. */
function keyOf({ style, tag, value }: YamlEvent): string {
  return style === STYLE.plain && tag === "" ? String(keyText(resolveUntagged(value))) : value;
}

/** Whether two nodes have the same tag and anchor. */
function hasSameProperties(a: YamlEvent, b: YamlEvent): boolean {
  return a.anchor === b.anchor && a.tag === b.tag;
}
