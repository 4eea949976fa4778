/**
 * Checks that values printed into a YAML text stayed inside their scalars. Takes the text in parts,
 * template text and printed values, and returns the part that changed its structure.
 *
 * The template's own structure is found by parsing it with neutral values: each printed text is replaced by
 * a mark, a letter with no meaning in YAML, as is each scalar of a printed structure (JSON, YAML). The
 * events of both texts must then be equal, except for the content of scalars that hold a mark.
 */

import { YamlFailure } from "./_error.ts";
import { EVENT, STYLE, type YamlEvent } from "./_events.ts";
import { parseEvents, Parser } from "./_parser.ts";
import { keyText, resolveUntagged } from "./_tags.ts";

export interface YamlPart {
  readonly text: string;
  /**
   * - `template`: trusted text, which defines the structure;
   * - `text`: a value that must stay inside one scalar;
   * - `structure`: the output of a function that encodes a whole value, such as `toYaml`, whose structure
   *   is expected.
   */
  readonly kind: "template" | "text" | "structure";
}

/**
 * Returns the index of a part that changed the structure of the text, or `undefined` if none did or the
 * text cannot be parsed.
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

/**
 * Limits the values that are checked one by one to find the bad one. Each takes a parse of the whole text.
 */
const MAX_TRIES = 16;
/** Limits the characters parsed for that, to some tens of milliseconds. */
const MAX_TRIED_TEXT = 256 * 1024;

/** Matches text that means the same as a mark wherever a scalar is allowed. */
const HARMLESS = /^[A-Za-z0-9_/][A-Za-z0-9_./=@-]*$/;

/** Matches ends of a text after which harmless characters do not start or continue a scalar. */
const INDICATOR_END = /[&*!%|>][^\s]*$/;

/** Matches starts of a text that turn the preceding text into a key. */
const KEY_REST = /^$|^[^\s:]*["']?[ \t]*:(?:\s|$)/;

function isSuspect(parts: readonly YamlPart[], i: number): boolean {
  const { text, kind } = parts[i];
  if (kind === "template") return false;
  if (!HARMLESS.test(text)) return true;
  const before = parts[i - 1]?.text ?? "";
  return INDICATOR_END.test(before.slice(-64)) || KEY_REST.test(parts[i + 1]?.text ?? "");
}

/** Placeholders for values: one for texts, one for scalars of printed structures. */
interface Marks {
  readonly text: string;
  readonly structure: string;
}

/** Returns two private-use characters that occur in none of the texts. */
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

/**
 * Returns a printed structure with each scalar replaced by a mark, or `undefined` if it is not YAML by
 * itself.
 */
function neutralStructure(
  text: string,
  { column, mark }: { column: number; mark: string },
): string | undefined {
  // The first line continues the text before it; the others bring their own indentation.
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

/** Returns the first document's events, or `undefined` if the text is not YAML. */
function read(texts: readonly string[]): readonly YamlEvent[] | undefined {
  return orUndefined(() => parseEvents(texts.join("")));
}

/** Returns the events of a text that is exactly one document. */
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

/** A level being compared: a list, or a map and its keys so far. */
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

/** Matches keys that affect what is around them when the document is merged. */
const DIRECTIVE = /^\$(?:patch$|retainKeys$|deleteFromPrimitiveList\/|setElementOrder\/)/;

/** Reports whether a key is not equal to another key of its map, if either contains a value. */
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

/** Reports whether two nodes have the same tag and anchor. */
function hasSameProperties(a: YamlEvent, b: YamlEvent): boolean {
  return a.anchor === b.anchor && a.tag === b.tag;
}
