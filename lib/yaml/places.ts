/**
 * Where each part of a YAML document stands in its text: the first document goes in, paths with offsets come out, in
 * the order of the text. For messages about a value that was read with `parseYaml`; nothing here gives values.
 *
 * What an alias or a merge key brings in stands where the alias is, as a whole.
 * @module
 */

import { YamlFailure } from "./_error.ts";
import { EVENT, STYLE, type YamlEvent } from "./_events.ts";
import { parseEvents } from "./_parser.ts";
import { keyText, resolveUntagged } from "./_tags.ts";

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
  let events: readonly YamlEvent[];
  try {
    events = parseEvents(text);
  } catch (error) {
    if (error instanceof YamlFailure) return [];
    throw error;
  }
  const places: YamlPlace[] = [];
  new Walker(events, places).node([], -1);
  return places;
}

class Walker {
  readonly #events: readonly YamlEvent[];
  readonly #places: YamlPlace[];
  #next = 0;

  constructor(events: readonly YamlEvent[], places: YamlPlace[]) {
    this.#events = events;
    this.#places = places;
  }

  /** Notes the node at `#next` with all in it, and gives the offset after it. */
  node(path: YamlPath, keyStart: number): number {
    const event = this.#events[this.#next++];
    if (event === undefined) return 0;
    const at = this.#places.length;
    const isScalar = event.kind === EVENT.scalar;
    const note = (kind: YamlPlace["kind"], { start, end }: { start: number; end: number }) => {
      this.#places[at] = {
        path,
        kind,
        start,
        end,
        keyStart: keyStart < 0 ? start : keyStart,
        isPlain: isScalar && event.style === STYLE.plain,
        isBlock: isScalar && event.style >= STYLE.literal,
      };
      return end;
    };
    const { start, end } = event;
    switch (event.kind) {
      case EVENT.scalar: {
        if (start >= 0) return note("scalar", event);
        // Nothing after a colon stands where the key does.
        const place = Math.max(keyStart, 0);
        return note("scalar", { start: place, end: place });
      }
      case EVENT.alias:
        return note("alias", event);
      case EVENT.map: {
        note("map", { start, end });
        let last = start;
        while (this.#isOpen()) last = this.#pair(path);
        this.#next++;
        return note("map", { start, end: last });
      }
      default: {
        note("list", { start, end });
        let last = start;
        for (let i = 0; this.#isOpen(); i++) last = this.node([...path, i], -1);
        this.#next++;
        return note("list", { start, end: last });
      }
    }
  }

  #isOpen(): boolean {
    return this.#events[this.#next].kind !== EVENT.end;
  }

  #pair(path: YamlPath): number {
    const key = this.#events[this.#next];
    if (key.kind !== EVENT.scalar) {
      // A key of another kind was refused when the text was read, but for an alias.
      const hidden = new Walker(this.#events, []);
      hidden.#next = this.#next;
      const at = hidden.node([], -1);
      this.#next = hidden.#next;
      return this.node([...path, "*"], at);
    }
    this.#next++;
    return this.node([...path, textOfKey(key)], Math.max(key.start, 0));
  }
}

/** A key as it is read: `on` is `true`. */
function textOfKey({ value, style, tag }: YamlEvent): string {
  return style !== STYLE.plain || tag !== "" ? value : String(keyText(resolveUntagged(value)));
}
