/**
 * The events of a document: what the parser finds in a text, in the text's order. A list or map is an
 * event that starts it, the events of its items (or keys and values), and an event that ends it.
 * @module
 */

export const EVENT = { scalar: 0, alias: 1, map: 2, list: 3, end: 4 } as const;

/** How a scalar or collection is written. Block scalars have the highest numbers. */
export const STYLE = {
  plain: 0,
  single: 1,
  double: 2,
  literal: 3,
  folded: 4,
  block: 5,
  flow: 6,
} as const;

export class YamlEvent {
  readonly kind: number;
  readonly style: number;
  /** Where the node begins, with its anchor and tag. */
  at: number;
  /**
   * The content: of a scalar without its quotes, of a block scalar from the line after its header. Both
   * are -1 for a scalar that is not there, as after the colon of `a:`. A collection knows its start only.
   */
  readonly start: number;
  readonly end: number;
  /** The text of a scalar, escapes and line breaks resolved; the name of an alias. */
  readonly value: string;
  /** The name after `&`, or "". */
  anchor = "";
  /** The full name of the tag (`tag:yaml.org,2002:int`), or "". */
  tag = "";
  /** For an alias, the index of the event that its anchor belongs to. */
  target = -1;

  constructor(
    kind: number,
    style: number,
    { at, start, end, value }: { at: number; start: number; end: number; value: string },
  ) {
    this.kind = kind;
    this.style = style;
    this.at = at;
    this.start = start;
    this.end = end;
    this.value = value;
  }
}
