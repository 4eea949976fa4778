/**
 * Structure stage: one document's text goes in, js-yaml's events come out, where the oracle would
 * accept the text too. js-yaml reads YAML 1.2, the oracle is libyaml's descendant and reads 1.1; this
 * file holds what the two disagree on. Where js-yaml is stricter the text is repaired (always in a way
 * that changes no value) and parsed again; where it is laxer the events are checked.
 *
 * Known to remain, and refused rather than misread (rows in the tests): `[?a]`, `[!a, b]`, and a few
 * texts of which the oracle reads only the beginning. U+2028 and U+2029 end no line here; inside quotes
 * that makes no difference, elsewhere they are refused.
 * @module
 */

import {
  COLLECTION_STYLE,
  type Event,
  EVENT_ID,
  parseEvents,
  SCALAR_STYLE,
  YAMLException,
} from "js-yaml";
import { checkEvents } from "./_checks.ts";
import { lineStart, tooDeep, YamlFailure } from "./_error.ts";

/** What the composing stage needs: the events, and the text that their offsets point into. */
export interface Structure {
  events: Event[];
  source: string;
  /** Takes an offset in `source` back to the text as it was given. */
  originalOffset(offset: number): number;
}

/**
 * How many characters may be parsed again for the sake of repairs: a pod of 6 KB may need thousands, a
 * megabyte sixteen, and a hostile text costs a second at most.
 */
const REPAIR_BUDGET = 16 * 1024 * 1024;

/** More than any line is indented in earnest, so that one insertion settles a line. */
const DEEP_INDENT = " ".repeat(512);

/** Parses one document; `maxDepth` bounds lists and maps. */
export function readStructure(text: string, maxDepth: number): Structure {
  const draft = new Draft(text);
  let spent = 0;
  while (true) {
    try {
      const events = parseEvents(draft.text, { maxDepth: maxDepth + 2 });
      if (draft.quoteFlowKeys(events)) continue;
      draft.checkCut(events);
      checkEvents(events, draft.text);
      if (draft.isWrapped) events.splice(1, 2);
      const originalOffset = (offset: number) => draft.originalOffset(offset);
      return { events, source: draft.text, originalOffset };
    } catch (error) {
      if (error instanceof YamlFailure) {
        throw new YamlFailure(error.code, draft.originalOffset(error.offset), error.message);
      }
      if (!(error instanceof YAMLException)) throw error;
      const offset = error.mark?.position ?? 0;
      spent += draft.text.length;
      if (spent < REPAIR_BUDGET && draft.repair(error.reason, offset)) continue;
      const place = draft.originalOffset(offset);
      if (error.reason.startsWith("nesting exceeded")) throw tooDeep(place, maxDepth);
      throw new YamlFailure("syntax", place, error.reason);
    }
  }
}

// Comments, blank lines and markers, up to a `|` or `>` that may have a tag and an anchor before it.
const ROOT_BLOCK_SCALAR =
  /^(?:(?:%[^\r\n]*|[ \t]*(?:#[^\r\n]*)?)[\r\n])*(?:---(?=\s)(?:[ \t]*(?:#[^\r\n]*)?[\r\n])*)?[ \t]*(?=(?:[!&]\S*[ \t]+)*[|>])/;

const FLOW_KEY_END = /[^\s"'\]}]:[,[\]{}]/;

/** A key ends within 1024 characters, so no colon past them matters. */
const MAX_CUT_LOOK = 1100;

/** A change of the text: at `at`, `removed` characters gave way to `added` new ones. */
interface Edit {
  at: number;
  removed: number;
  added: number;
}

/** The text as repaired so far. */
class Draft {
  text: string;
  /** Whether the root was made the value of a key. */
  readonly isWrapped: boolean;
  readonly #edits: Edit[] = [];
  /** Where text after the document's root was cut off, and why. */
  #cut: { column: number; offset: number; reason: string; line: string } | undefined;

  constructor(text: string) {
    this.text = text;
    // A root that is a block scalar is indented as if it were the value of a key in the first column.
    const root = ROOT_BLOCK_SCALAR.exec(text);
    this.isWrapped = root !== null;
    if (root === null) return;
    this.#replace(root[0].length, 0, "\nk: ");
    // The scalar ends at the first text in the first column, and the oracle reads no further.
    const end = /[\r\n](?=[^\s])/.exec(text.slice(root[0].length));
    if (end !== null) this.text = this.text.slice(0, root[0].length + 4 + end.index + 1);
  }

  originalOffset(offset: number): number {
    let original = offset;
    for (const edit of this.#edits.toReversed()) {
      if (original >= edit.at + edit.added) original += edit.removed - edit.added;
      else if (original > edit.at) original = edit.at;
    }
    return original;
  }

  /** Makes the text acceptable at `offset`, if that is known to change no value. */
  repair(reason: string, offset: number): boolean {
    const { text } = this;
    const code = text[offset];
    const before = text[offset - 1] ?? "\n";
    if (reason === "deficient indentation") {
      // Inside brackets and quotes indentation means nothing to the oracle.
      const start = lineStart(text, offset);
      const line = text.slice(start, offset);
      if (line.trim() !== "") return this.#replaceTab(start, line);
      if (line.startsWith(DEEP_INDENT)) return false;
      this.#replace(start, 0, DEEP_INDENT);
      return true;
    }
    if (reason === "unknown escape sequence" && code === "'") {
      this.#replace(offset - 1, 1, "");
      return true;
    }
    // A comment needs no space before it, after quotes and brackets and in the head of a block scalar.
    if (code === "#" && /["'\]}|>+\-1-9]/.test(before)) {
      this.#replace(offset, 0, " ");
      return true;
    }
    if (code === "-" && /^-[,\]}]/.test(text.slice(offset, offset + 2))) {
      this.#replace(offset, 1, '"-"');
      return true;
    }
    if (reason === "end of the stream or a document separator is expected") {
      if (this.#cut !== undefined || offset === 0) return false;
      const line = /^[^\r\n]*/.exec(text.slice(offset, offset + MAX_CUT_LOOK))![0];
      this.#cut = { column: offset - lineStart(text, offset), offset, reason, line };
      this.text = text.slice(0, offset);
      return true;
    }
    return false;
  }

  /** js-yaml takes a tab amid a line for indentation, once brackets follow or stand around it. */
  #replaceTab(start: number, line: string): boolean {
    const tab = /\t[ \t]*$/.exec(line) ??
      /(?<=:[ \t]*)\t(?=[ \t]*(?:[!&]\S+[ \t]+)*[[{])/.exec(line);
    if (tab === null) return false;
    this.#replace(start + tab.index, 1, " ");
    return true;
  }

  /** The oracle stops at the end of the root and leaves the rest unread, but cuts nothing short. */
  checkCut(events: Event[]): void {
    if (this.#cut === undefined || events.length > 1 && this.#isWhole(events[1], this.#cut)) return;
    throw new YamlFailure("syntax", this.#cut.offset, this.#cut.reason);
  }

  #isWhole(root: Event, cut: { column: number; offset: number; line: string }): boolean {
    if (/^[@`%:]/.test(cut.line)) return false;
    // A colon further on would make a key of the root.
    if (/:(?:\s|$)/.test(cut.line) && lineStart(this.text, cut.offset) <= startOf(root)) {
      return false;
    }
    switch (root.type) {
      case EVENT_ID.MAPPING:
      case EVENT_ID.SEQUENCE:
        return root.style === COLLECTION_STYLE.FLOW ||
          cut.column < root.start - lineStart(this.text, root.start);
      case EVENT_ID.SCALAR:
        // A plain root goes on over every line, unless a comment ends it.
        if (root.style !== SCALAR_STYLE.PLAIN) return true;
        return root.valueEnd !== -1 && this.text.slice(root.valueEnd).includes("#");
      default:
        return true;
    }
  }

  /**
   * In brackets, a colon that no blank follows belongs to the text before it: `{a:}` has the key `a:`.
   * js-yaml ends the key there, so such keys are put in quotes. Says whether there were any.
   */
  quoteFlowKeys(events: Event[]): boolean {
    const { text } = this;
    if (!FLOW_KEY_END.test(text)) return false;
    for (const event of events.toReversed()) { // from the end, so that offsets stay true
      if (event.type !== EVENT_ID.SCALAR || event.style !== SCALAR_STYLE.PLAIN) continue;
      const { valueStart, valueEnd } = event;
      if (text.charCodeAt(valueEnd) !== 0x3a || !isFlowIndicator(text.charCodeAt(valueEnd + 1))) {
        continue;
      }
      const key = text.slice(valueStart, valueEnd + 1);
      if (!key.includes("?")) {
        this.#replace(valueStart, key.length, `'${key.replaceAll("'", "''")}'`);
      }
    }
    return this.text !== text;
  }

  #replace(at: number, removed: number, added: string): void {
    this.text = this.text.slice(0, at) + added + this.text.slice(at + removed);
    this.#edits.push({ at, removed, added: added.length });
  }
}

function isFlowIndicator(code: number): boolean {
  return code === 0x2c || code === 0x5b || code === 0x5d || code === 0x7b || code === 0x7d;
}

function startOf(root: Event): number {
  if (root.type === EVENT_ID.SCALAR) return root.valueStart;
  return root.type === EVENT_ID.MAPPING || root.type === EVENT_ID.SEQUENCE ? root.start : 0;
}
