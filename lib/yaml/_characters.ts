/**
 * Classifies characters as YAML 1.1 does. Characters are UTF-16 units; 0 stands for the end of the text,
 * since no text may contain it.
 */

/** Ends the run of a plain scalar outside brackets: a blank, a line break, a colon or the end. */
export const ENDS_PLAIN = 1;
/** Ends the run of a plain scalar inside brackets too. */
export const ENDS_FLOW_PLAIN = 2;
/** A letter, a digit, `_` or `-`: the characters of names. */
export const WORD = 4;
/** Allowed in a tag. */
export const URI = 8;
/** Cannot start a plain scalar. */
export const INDICATOR = 16;

/** The flags of each ASCII character. */
export const KINDS: Uint8Array = makeKinds();

function makeKinds(): Uint8Array {
  const kinds = new Uint8Array(128);
  const mark = (flag: number, characters: string) => {
    for (let i = 0; i < characters.length; i++) kinds[characters.charCodeAt(i)] |= flag;
  };
  mark(ENDS_PLAIN | ENDS_FLOW_PLAIN, "\0\t\n\r :");
  mark(ENDS_FLOW_PLAIN, ",?[]{}");
  const word = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-";
  mark(WORD | URI, word);
  mark(URI, ";/?:@&=+$,.!~*'()[]%");
  mark(INDICATOR, "\0\t\n\r -?:,[]{}#&*!|>'\"%@`");
  return kinds;
}

/** Reports whether a character is a line break. In YAML 1.1 U+0085, U+2028 and U+2029 are too. */
export function isBreak(code: number): boolean {
  return code === 0x0a || code === 0x0d || (code >= 0x85 && isWideBreak(code));
}

/** Reports whether a character past ASCII is a line break. */
export function isWideBreak(code: number): boolean {
  return code === 0x85 || code === 0x2028 || code === 0x2029;
}

export function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** Reports whether a character is a blank, a line break or the end. */
export function isGap(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0 || code === 0x09 || isBreak(code);
}

export function isWord(code: number): boolean {
  return code < 128 && (KINDS[code] & WORD) !== 0;
}
