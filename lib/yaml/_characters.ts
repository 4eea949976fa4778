/**
 * Kinds of characters, as YAML 1.1 sees them. Characters are UTF-16 units; 0 stands for the end of the
 * text, since no text may hold it.
 * @module
 */

/** Ends the run of a plain scalar outside brackets: a blank, a line break, a colon or the end. */
export const ENDS_PLAIN = 1;
/** Ends it inside brackets, too. */
export const ENDS_FLOW_PLAIN = 2;
/** A letter, a digit, `_` or `-`: what names are made of. */
export const WORD = 4;
/** May stand in a tag. */
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

/** Whether a line ends here. YAML 1.1 knows U+0085, U+2028 and U+2029 beside CR and LF. */
export function isBreak(code: number): boolean {
  return code === 0x0a || code === 0x0d || (code >= 0x85 && isWideBreak(code));
}

/** The same for characters past ASCII. */
export function isWideBreak(code: number): boolean {
  return code === 0x85 || code === 0x2028 || code === 0x2029;
}

export function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** A blank, a line break or the end. */
export function isGap(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0 || code === 0x09 || isBreak(code);
}

export function isWord(code: number): boolean {
  return code < 128 && (KINDS[code] & WORD) !== 0;
}
