/** Just enough of ASN.1's DER to write certificates and keys, and to read back what is in them. */

import { FunctionError } from "../value.ts";

/** Tags of the universal class that keys and certificates use. */
export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Joins bytes. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** One element: tag, length, and the contents one after the other. */
export function der(tag: number, ...contents: readonly Uint8Array[]): Uint8Array {
  const body = concatBytes(...contents);
  const length = body.length < 0x80 ? [body.length] : longLength(body.length);
  return concatBytes(Uint8Array.from([tag, ...length]), body);
}

function longLength(length: number): number[] {
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}

export function sequence(...contents: readonly Uint8Array[]): Uint8Array {
  return der(TAG.sequence, ...contents);
}

/** `[n] EXPLICIT`. */
export function explicit(n: number, content: Uint8Array): Uint8Array {
  return der(0xa0 | n, content);
}

/** A whole number that is not negative. */
export function integer(value: bigint): Uint8Array {
  const bytes = bigintToBytes(value);
  // The top bit is the sign, so a number that has it set gets a zero in front.
  const isPadded = bytes.length === 0 || bytes[0] >= 0x80;
  return der(TAG.integer, Uint8Array.from(isPadded ? [0] : []), bytes);
}

export function octetString(content: Uint8Array): Uint8Array {
  return der(TAG.octetString, content);
}

/** Bits that fill their bytes, but for some at the end. */
export function bitString(content: Uint8Array, unused = 0): Uint8Array {
  return der(TAG.bitString, Uint8Array.from([unused]), content);
}

/** An object identifier in dots. */
export function oid(dotted: string): Uint8Array {
  const [first, second, ...rest] = dotted.split(".").map(Number);
  const bytes: number[] = [];
  for (const arc of [first * 40 + second, ...rest]) {
    const digits = [arc % 128];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) {
      digits.unshift(left % 128 | 0x80);
    }
    bytes.push(...digits);
  }
  return der(TAG.oid, Uint8Array.from(bytes));
}

/** Big-endian bytes of a number, none for zero. */
export function bigintToBytes(value: bigint): Uint8Array {
  if (value === 0n) return new Uint8Array();
  const hex = value.toString(16);
  const even = hex.length % 2 === 0 ? hex : `0${hex}`;
  return Uint8Array.from(even.match(/../g)!, (pair) => parseInt(pair, 16));
}

/** The number of big-endian bytes. */
export function bytesToBigint(bytes: Uint8Array): bigint {
  let hex = "0x0";
  for (const byte of bytes) hex += byte.toString(16).padStart(2, "0");
  return BigInt(hex);
}

/** An element that was read. */
export interface Element {
  readonly tag: number;
  readonly content: Uint8Array;
  /** With tag and length. */
  readonly raw: Uint8Array;
}

/** Reads elements one after the other; throws {@link FunctionError} with its text on anything odd. */
export class DerReader {
  readonly #bytes: Uint8Array;
  readonly #complaint: string;
  #at = 0;

  constructor(bytes: Uint8Array, complaint: string) {
    this.#bytes = bytes;
    this.#complaint = complaint;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** The tag of the next element, -1 at the end. */
  get nextTag(): number {
    return this.isAtEnd ? -1 : this.#bytes[this.#at];
  }

  /** The next element, which must have this tag. */
  read(tag: number, complaint = this.#complaint): Element {
    const start = this.#at;
    if (this.nextTag !== tag) throw new FunctionError(complaint);
    let length = this.#bytes[start + 1];
    let at = start + 2;
    if (length >= 0x80) {
      const size = length & 0x7f;
      // Four bytes are more than any input; none would be the indefinite form.
      if (size === 0 || size > 4) throw new FunctionError(complaint);
      length = Number(bytesToBigint(this.#bytes.subarray(at, at + size)));
      at += size;
    }
    if (!(at + length <= this.#bytes.length)) throw new FunctionError(complaint);
    this.#at = at + length;
    return {
      tag,
      content: this.#bytes.subarray(at, this.#at),
      raw: this.#bytes.subarray(start, this.#at),
    };
  }

  /** The next element's contents, to be read in turn. */
  enter(tag: number = TAG.sequence, complaint = this.#complaint): DerReader {
    return new DerReader(this.read(tag, complaint).content, complaint);
  }
}
