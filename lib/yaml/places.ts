/**
 * Locates each part of the first document of a YAML text. Returns paths with offsets, in text order, for
 * messages about a value read with `parseYaml`.
 *
 * Everything from an alias or merge key is located at the alias.
 */

import { YamlFailure } from "./_error.ts";
import { EVENT, STYLE, type YamlEvent } from "./_events.ts";
import { parseEvents } from "./_parser.ts";
import { keyText, resolveUntagged } from "./_tags.ts";

/** Map keys and list indexes, starting at the root. */
export type YamlPath = readonly (string | number)[];

export interface YamlPlace {
  readonly path: YamlPath;
  /** The range of the value, without quotes. */
  readonly start: number;
  readonly end: number;
  /** The start of the key, or of a list item's value. */
  readonly keyStart: number;
  readonly kind: "scalar" | "map" | "list" | "alias";
  /** Whether the value is a plain scalar, whose text decides its type. */
  readonly isPlain: boolean;
  /** Whether the value is a block scalar (`|`, `>`), whose first line follows the key's. */
  readonly isBlock: boolean;
}

/**
 * Returns the places of a text; empty if it is not YAML. `parseYaml` reports why.
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

  /** Records the node at `#next` and everything in it, and returns the offset after it. */
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
        // A missing value is placed at its key.
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
      // Other kinds of keys were rejected when the text was parsed, except for aliases.
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

/** Returns a key as parsed: `on` is `true`. */
function textOfKey({ value, style, tag }: YamlEvent): string {
  return style !== STYLE.plain || tag !== "" ? value : String(keyText(resolveUntagged(value)));
}
