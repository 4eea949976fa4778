/**
 * Text from outside, made safe to show: in a log, a message, an Event or a terminal. Characters that
 * steer a terminal, break a line or change the direction of writing are escaped, and text that is too
 * long is cut. Everything that shows text of a pod, a manifest or a server goes through here.
 * @module
 */

/**
 * C0, DEL, C1, lone surrogates, U+2028 and U+2029, the byte order mark, and all that Unicode calls
 * Bidi_Control: U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069.
 */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\ufeff]/gu;

/** Nearly all text needs no second look. */
const PLAIN = /^[ -~]*$/;

const SHORT: ReadonlyMap<string, string> = new Map([["\t", "\\t"], ["\r", "\\r"], ["\n", "\\n"]]);

export interface VisibleOptions {
  /** Characters that stay as they are: line breaks, if nothing else is said. */
  readonly kept?: string;
  /** The most characters that the result has. The middle is cut out, since an error often ends with its cause. */
  readonly limit?: number;
}

/**
 * Escapes unsafe characters as JSON does, for example as `\u009b`, so that a text of JSON keeps its
 * meaning.
 *
 * @example
 * ```ts
 * visible("\x1b[2J"); // "\\u001b[2J"
 * ```
 */
export function visible(text: string, options: VisibleOptions = {}): string {
  const { kept = "\n", limit = Infinity } = options;
  // Escaping makes text longer: the first cut bounds the work, the second one the result.
  const short = cutMiddle(text, limit);
  if (PLAIN.test(short)) return short;
  const escaped = short.replace(UNSAFE, (char) => {
    if (kept.includes(char)) return char;
    return SHORT.get(char) ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
  return cutMiddle(escaped, limit);
}

/** A text of at most `limit` characters, which says how long it was where its middle is left out. */
export function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const mark = ` … (${text.length} characters in all) … `;
  const room = Math.max(0, limit - mark.length);
  const tail = Math.floor(room / 4);
  return whole(text.slice(0, room - tail)) + mark + whole(text.slice(text.length - tail));
}

/** Escapes a text on one line, with one space for each run of white space, and cuts its end off past `limit`. */
export function visibleLine(text: string, limit: number): string {
  // Enough for any text whose white space is not most of it.
  const line = visible(text.slice(0, 8 * limit).replace(/\s+/g, " ").trim());
  return line.length <= limit ? line : `${whole(line.slice(0, limit - 1))}…`;
}

/** Without half of a surrogate pair at an end that was cut. */
function whole(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
}
