/**
 * Where each part of a YAML document stands in its text: the first document goes in, paths with offsets come out, in
 * the order of the text. For messages about a value that was read with `parseYaml`; nothing here gives values.
 *
 * What an alias or a merge key brings in stands where the alias is, as a whole.
 * @module
 */

import { type Event, EVENT_ID, getScalarValue, SCALAR_STYLE, type ScalarEvent } from "js-yaml";
import { findDocuments } from "./_documents.ts";
import { YamlFailure } from "./_error.ts";
import { MAX_DEPTH } from "./_reader.ts";
import { readStructure } from "./_syntax.ts";
import { resolveUntagged } from "./_tags.ts";

/** Keys of maps and places in lists, from the root. */
export type YamlPath = readonly (string | number)[];

export interface YamlPlace {
  readonly path: YamlPath;
  /** Of the value: from its first character to the one after its last, quotes not counted. */
  readonly start: number;
  readonly end: number;
  /** Where the key begins, or the value of a list's item. */
  readonly keyStart: number;
  readonly kind: "scalar" | "map" | "list" | "alias";
  /** Whether a scalar is in no quotes and no block, so that its text decides its type. */
  readonly isPlain: boolean;
  /** Whether it is a block scalar (`|`, `>`), whose first line comes after the key's. */
  readonly isBlock: boolean;
}

/**
 * Gives nothing for a text that is no YAML: whoever wants to know why reads it first.
 *
 * @example
 * ```ts
 * yamlPlaces("a: [b]")[1].path; // ["a", 0]
 * ```
 */
export function yamlPlaces(text: string): YamlPlace[] {
  try {
    for (const { start, end } of findDocuments(text)) {
      const structure = readStructure(text.slice(start, end), MAX_DEPTH);
      const places: YamlPlace[] = [];
      const offset = (at: number) => start + structure.originalOffset(at);
      if (structure.events.length > 0) {
        new Walker(structure.events, { source: structure.source, offset, places }).node([], -1);
      }
      return places;
    }
  } catch (error) {
    if (!(error instanceof YamlFailure)) throw error;
  }
  return [];
}

interface WalkerOptions {
  readonly source: string;
  readonly offset: (at: number) => number;
  readonly places: YamlPlace[];
}

class Walker {
  readonly #events: readonly Event[];
  readonly #options: WalkerOptions;
  /** After the event that starts the document. */
  #next = 1;

  constructor(events: readonly Event[], options: WalkerOptions) {
    this.#events = events;
    this.#options = options;
  }

  /** Notes the node at `#next` with all in it, and gives the offset after it. */
  node(path: YamlPath, keyStart: number): number {
    const { offset, places } = this.#options;
    const event = this.#events[this.#next++];
    if (event === undefined) return 0;
    const at = places.length;
    const note = (
      kind: YamlPlace["kind"],
      { start, end, style }: { start: number; end: number; style?: number },
    ) => {
      const key = keyStart < 0 ? start : keyStart;
      places[at] = {
        path,
        kind,
        start: offset(start),
        end: offset(end),
        keyStart: offset(key),
        isPlain: style === SCALAR_STYLE.PLAIN,
        isBlock: style !== undefined && style >= SCALAR_STYLE.LITERAL_BLOCK,
      };
      return end;
    };
    switch (event.type) {
      case EVENT_ID.SCALAR: {
        const { valueStart, valueEnd, style } = event;
        // Nothing after a colon stands where the key does.
        const start = valueStart < 0 ? Math.max(keyStart, 0) : valueStart;
        return note("scalar", { start, end: valueStart < 0 ? start : valueEnd, style });
      }
      case EVENT_ID.ALIAS:
        return note("alias", { start: event.anchorStart - 1, end: event.anchorEnd });
      case EVENT_ID.MAPPING: {
        const { start } = event;
        note("map", { start, end: start });
        let end = start;
        while (this.#isOpen()) end = this.#pair(path);
        this.#next++;
        return note("map", { start, end });
      }
      case EVENT_ID.SEQUENCE: {
        const { start } = event;
        note("list", { start, end: start });
        let end = start;
        for (let i = 0; this.#isOpen(); i++) end = this.node([...path, i], -1);
        this.#next++;
        return note("list", { start, end });
      }
      default:
        return 0;
    }
  }

  #isOpen(): boolean {
    const event = this.#events[this.#next];
    return event !== undefined && event.type !== EVENT_ID.POP;
  }

  #pair(path: YamlPath): number {
    const key = this.#events[this.#next];
    if (key.type !== EVENT_ID.SCALAR) {
      // A key of another kind was refused when the text was read, but for an alias.
      const hidden = new Walker(this.#events, { ...this.#options, places: [] });
      hidden.#next = this.#next;
      const at = hidden.node([], -1);
      this.#next = hidden.#next;
      return this.node([...path, "*"], at);
    }
    this.#next++;
    return this.node([...path, this.#keyText(key)], Math.max(key.valueStart, 0));
  }

  /** As reading has it: `on` is `true`. */
  #keyText(event: ScalarEvent): string {
    const text = getScalarValue(this.#options.source, event);
    if (event.style !== SCALAR_STYLE.PLAIN || event.tagStart !== -1) return text;
    const { value } = resolveUntagged(text);
    return typeof value === "string" ? value : String(value);
  }
}
