/** The quoting of Go's time package, which differs from `strconv.Quote`. */

/** Quotes a binary string (see bytes.ts) and escapes all that is not printable ASCII as `\xff`. */
export function quoteBytes(binary: string): string {
  const body = binary.replace(/["\\]/g, "\\$&").replace(
    // deno-lint-ignore no-control-regex -- it escapes control characters
    /[\x00-\x1f\x80-\xff]/g,
    (char) => "\\x" + char.charCodeAt(0).toString(16).padStart(2, "0"),
  );
  return `"${body}"`;
}
