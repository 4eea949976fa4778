/**
 * Formats nodes as Go's `%#v` prints their decoded values, for go-yaml's errors that quote a value. Only
 * for nodes that were composed successfully: their tags fit, and no alias contains itself.
 */

import { compareStrings } from "../data/bytes.ts";
import { sprintf } from "../go/fmt.ts";
import { formatFloat } from "../go/strconv.ts";
import { EVENT, STYLE, type YamlEvent } from "./_events.ts";
import { fitsInt64 } from "./_scalars.ts";
import { isMergeKey, type ResolvedScalar, resolveTagged, resolveUntagged } from "./_tags.ts";

/** Formats the node that starts at `events[at]`. */
export function goSyntax(events: readonly YamlEvent[], at: number): string {
  return new Printer(events).node(at).text;
}

/** Formats a standalone value: null has no type here. */
export function goSyntaxAlone(events: readonly YamlEvent[], at: number): string {
  const { text, rank } = new Printer(events).node(at);
  return rank === NIL ? "<nil>" : text;
}

/** A formatted node. Map keys sort by the rank of their type, then by value. */
interface Shown {
  readonly text: string;
  readonly rank: number;
  readonly value: ResolvedScalar["value"];
}

const NIL = 0;
const [STRING, UINT, INT, FLOAT, BOOL, OTHER] = [1, 2, 3, 4, 5, 6];

class Printer {
  readonly #events: readonly YamlEvent[];
  #next = 0;

  constructor(events: readonly YamlEvent[]) {
    this.#events = events;
  }

  /** Formats the node at `at` and moves `#next` past it. */
  node(at: number): Shown {
    const event = this.#events[at];
    this.#next = at + 1;
    switch (event.kind) {
      case EVENT.scalar:
        return showScalar(event);
      case EVENT.alias: {
        const shown = this.node(event.target);
        this.#next = at + 1;
        return shown;
      }
      case EVENT.list: {
        const items: string[] = [];
        while (!this.#isEnd()) items.push(this.node(this.#next).text);
        return { text: `[]interface {}{${items.join(", ")}}`, rank: OTHER, value: "" };
      }
      default: {
        const pairs = new Map<string, [Shown, Shown]>();
        this.#mapInto(pairs);
        const sorted = [...pairs.values()].sort(([a], [b]) => compareKeys(a, b));
        const shown = sorted.map(([key, value]) => `${key.text}:${value.text}`);
        const text = `map[interface {}]interface {}{${shown.join(", ")}}`;
        return { text, rank: OTHER, value: "" };
      }
    }
  }

  /** Reports whether the collection ends here, and if so skips its end. */
  #isEnd(): boolean {
    if (this.#events[this.#next].kind !== EVENT.end) return false;
    this.#next++;
    return true;
  }

  #mapInto(pairs: Map<string, [Shown, Shown]>): void {
    while (!this.#isEnd()) {
      const isMerge = isMergeKey(this.#events[this.#next]);
      const key = this.node(this.#next);
      if (isMerge) {
        this.#merge(pairs);
      } else {
        const value = this.node(this.#next);
        // NaN equals no other key.
        const isNan = typeof key.value === "number" && Number.isNaN(key.value);
        const name = isNan ? `NaN ${pairs.size}` : `${key.rank} ${key.text}`;
        pairs.set(name, [key, value]);
      }
    }
  }

  #merge(pairs: Map<string, [Shown, Shown]>): void {
    const at = this.#next;
    const event = this.#events[at];
    if (event.kind === EVENT.list) {
      const items: number[] = [];
      for (this.#next = at + 1; !this.#isEnd(); this.node(this.#next)) items.push(this.#next);
      const end = this.#next;
      for (const item of items.reverse()) {
        this.#next = item;
        this.#merge(pairs);
      }
      this.#next = end;
    } else {
      const target = event.kind === EVENT.alias ? event.target : at;
      this.#next = target + 1;
      this.#mapInto(pairs);
      if (target !== at) this.#next = at + 1;
    }
  }
}

function showScalar({ value: text, tag, style }: YamlEvent): Shown {
  let resolved: ResolvedScalar = { value: text, isFloat: false };
  if (tag !== "") resolved = resolveTagged(tag, text) as ResolvedScalar;
  else if (style === STYLE.plain) resolved = resolveUntagged(text);
  const { value, isFloat } = resolved;
  switch (typeof value) {
    case "boolean":
      return { text: String(value), rank: BOOL, value };
    case "bigint":
      if (fitsInt64(value)) return { text: String(value), rank: INT, value };
      return { text: `0x${value.toString(16)}`, rank: UINT, value };
    case "number":
      if (!isFloat) return { text: String(value), rank: INT, value };
      return {
        text: formatFloat(value, "g", -1, 64),
        rank: FLOAT,
        value,
      };
    default:
      if (value === null) return { text: "interface {}(nil)", rank: NIL, value };
      return { text: quote(value), rank: STRING, value };
  }
}

function quote(text: string): string {
  return /^[ !#-[\]-~]*$/.test(text) ? `"${text}"` : sprintf("%#v", [text]);
}

function compareKeys(a: Shown, b: Shown): number {
  if (a.rank !== b.rank) return a.rank - b.rank;
  if (a.rank === STRING) return compareStrings(String(a.value), String(b.value));
  const [x, y] = [a.value ?? 0, b.value ?? 0];
  if (x !== x || y !== y) return x !== x ? (y !== y ? 0 : -1) : 1;
  return x < y ? -1 : x > y ? 1 : 0;
}
