/**
 * The events of a document, in text order. A list or map consists of a start event, the events of its items
 * (or keys and values), and an end event.
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
  /** The start of the node, with its anchor and tag. */
  at: number;
  /**
   * The range of the content: of a quoted scalar without its quotes, of a block scalar from the line after
   * its header. Both are -1 for a missing scalar, as after the colon of `a:`. A collection has only a
   * start.
   */
  readonly start: number;
  readonly end: number;
  /** The text of a scalar with escapes and line breaks resolved, or the name of an alias. */
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
