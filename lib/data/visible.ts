/**
 * Makes untrusted text safe to show in logs, messages, Events and terminals. Characters that
 * control a terminal, break a line or change the text direction are escaped, and long text is
 * shortened. Everything that shows text of a pod, a manifest or a server uses this module.
 * @module
 */

/**
 * C0 and C1 controls, DEL, unpaired surrogates, U+2028 and U+2029, the byte order mark, and
 * Unicode's Bidi_Control characters: U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069.
 */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\ufeff]/gu;

/** Matches text that needs no escaping, which is nearly all. */
const PLAIN = /^[ -~]*$/;

const SHORT: ReadonlyMap<string, string> = new Map([["\t", "\\t"], ["\r", "\\r"], ["\n", "\\n"]]);

export interface VisibleOptions {
  /** Characters that are not escaped; line breaks by default. */
  readonly kept?: string;
  /**
   * The maximum length of the result. The middle is removed, because an error often ends with its
   * cause.
   */
  readonly limit?: number;
}

/**
 * Escapes unsafe characters as JSON does, for example as `\u009b`, so that JSON text keeps its
 * meaning.
 *
 * @example
 * ```ts
 * visible("\x1b[2J"); // "\\u001b[2J"
 * ```
 */
export function visible(text: string, options: VisibleOptions = {}): string {
  const { kept = "\n", limit = Infinity } = options;
  // Escaping lengthens text: the first cut bounds the work, the second one the result.
  const short = cutMiddle(text, limit);
  if (PLAIN.test(short)) return short;
  const escaped = short.replace(UNSAFE, (char) => {
    if (kept.includes(char)) return char;
    return SHORT.get(char) ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
  return cutMiddle(escaped, limit);
}

/** Shortens a text to `limit` characters by removing its middle, and states its full length. */
export function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const mark = ` … (${text.length} characters in all) … `;
  const room = Math.max(0, limit - mark.length);
  const tail = Math.floor(room / 4);
  return whole(text.slice(0, room - tail)) + mark + whole(text.slice(text.length - tail));
}

/** Formats a text on one line, with white space collapsed, truncated to `limit` characters. */
export function visibleLine(text: string, limit: number): string {
  // Enough for any text that is not mostly white space.
  const line = visible(text.slice(0, 8 * limit).replace(/\s+/g, " ").trim());
  return line.length <= limit ? line : `${whole(line.slice(0, limit - 1))}…`;
}

/** Removes half a surrogate pair at a cut end. */
function whole(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
}
