/** The parts of Go's `strings` and `unicode` that several folders use. */

/** Go's `unicode.IsSpace`. JavaScript's `\s` excludes U+0085 and includes U+FEFF. */
export function isSpace(rune: number): boolean {
  if (rune < 0x1680) {
    return rune === 0x20 || (rune >= 0x09 && rune <= 0x0d) || rune === 0x85 || rune === 0xa0;
  }
  return rune === 0x1680 || (rune >= 0x2000 && rune <= 0x200a) || rune === 0x2028 ||
    rune === 0x2029 || rune === 0x202f || rune === 0x205f || rune === 0x3000;
}

/** Go's `strings.TrimSpace`, in linear time. */
export function trimSpace(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isSpace(text.charCodeAt(from))) from++;
  while (to > from && isSpace(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}
