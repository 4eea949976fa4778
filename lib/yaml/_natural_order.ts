/**
 * Orders map keys as go-yaml writes them: character by character, other characters before letters, letters
 * by code point, and runs of digits by their number, so that `a2` precedes `a10`.
 */

const LETTER = /^\p{L}$/u;
const DIGIT = /^\p{Nd}$/u;

/** Compares two different keys; a negative result puts `a` first. */
export function compareNatural(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  for (let i = 0; i < end; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    if (isAsciiLetter(x) && isAsciiLetter(y)) return x - y;
    if (x < 0x80 && y < 0x80 && !isAsciiDigit(x) && !isAsciiDigit(y)) {
      if (isAsciiLetter(x)) return 1;
      return isAsciiLetter(y) ? -1 : x - y;
    }
    return compareRunes(Array.from(a), Array.from(b));
  }
  return a.length - b.length;
}

/** Applies the full rule, for keys that differ at a digit or outside ASCII. */
function compareRunes(a: string[], b: string[]): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at++;
  if (at === a.length || at === b.length) return a.length - b.length;
  const x = a[at];
  const y = b[at];
  const xIsLetter = LETTER.test(x);
  const yIsLetter = LETTER.test(y);
  const byCode = x.codePointAt(0)! - y.codePointAt(0)!;
  if (xIsLetter && yIsLetter) return byCode;
  if (xIsLetter || yIsLetter) return yIsLetter ? -1 : 1;
  // `10` and `1` differ at a zero; the preceding character decides whether it is a leading zero.
  const start = (x === "0" || y === "0") && followsNonZeroDigit(a, at) ? 1n : 0n;
  const left = readDigits(a, at, start);
  const right = readDigits(b, at, start);
  if (left.number !== right.number) return left.number < right.number ? -1 : 1;
  if (left.end !== right.end) return left.end - right.end;
  return byCode;
}

function followsNonZeroDigit(runes: string[], at: number): boolean {
  for (let i = at - 1; i >= 0 && DIGIT.test(runes[i]); i--) {
    if (runes[i] !== "0") return true;
  }
  return false;
}

/**
 * Parses digits like Go: into an int64 that wraps, taking a digit of any script by its distance from `0`.
 */
function readDigits(runes: string[], at: number, start: bigint): { number: bigint; end: number } {
  let number = start;
  let end = at;
  for (; end < runes.length && DIGIT.test(runes[end]); end++) {
    number = BigInt.asIntN(64, number * 10n + BigInt(runes[end].codePointAt(0)! - 0x30));
  }
  return { number, end };
}

function isAsciiLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

function isAsciiDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
