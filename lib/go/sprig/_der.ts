/** The parts of DER (ASN.1) needed to write and read certificates and keys. */

import { FunctionError } from "../value.ts";

/** The universal tags that keys and certificates use. */
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

/** Concatenates byte arrays. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Encodes an element: tag, length and contents. */
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

/** Encodes an element with the tag `[n] EXPLICIT`. */
export function explicit(n: number, content: Uint8Array): Uint8Array {
  return der(0xa0 | n, content);
}

/** Encodes an integer that is not negative. */
export function integer(value: bigint): Uint8Array {
  const bytes = bigintToBytes(value);
  // The top bit is the sign, so a number with that bit set needs a leading zero.
  const isPadded = bytes.length === 0 || bytes[0] >= 0x80;
  return der(TAG.integer, Uint8Array.from(isPadded ? [0] : []), bytes);
}

export function octetString(content: Uint8Array): Uint8Array {
  return der(TAG.octetString, content);
}

/** Encodes a bit string, whose last byte has some unused bits. */
export function bitString(content: Uint8Array, unused = 0): Uint8Array {
  return der(TAG.bitString, Uint8Array.from([unused]), content);
}

/** Encodes an object identifier in dotted notation. */
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

/** Returns the big-endian bytes of a number, none for zero. */
function bigintToBytes(value: bigint): Uint8Array {
  if (value === 0n) return new Uint8Array();
  const hex = value.toString(16);
  return Uint8Array.fromHex(hex.length % 2 === 0 ? hex : `0${hex}`);
}

/** Returns the number of big-endian bytes. */
export function bytesToBigint(bytes: Uint8Array): bigint {
  return BigInt(`0x0${bytes.toHex()}`);
}

/** A decoded element. */
interface Element {
  readonly tag: number;
  readonly content: Uint8Array;
  /** The whole element, with tag and length. */
  readonly raw: Uint8Array;
}

/** Reads elements one after the other. Throws a {@link FunctionError} with a given message. */
export class DerReader {
  readonly #bytes: Uint8Array;
  readonly #message: string;
  #at = 0;

  constructor(bytes: Uint8Array, message: string) {
    this.#bytes = bytes;
    this.#message = message;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** The tag of the next element, or -1 at the end. */
  get nextTag(): number {
    return this.isAtEnd ? -1 : this.#bytes[this.#at];
  }

  /** Reads the next element, which must have the given tag. */
  read(tag: number, message = this.#message): Element {
    const start = this.#at;
    if (this.nextTag !== tag) throw new FunctionError(message);
    let length = this.#bytes[start + 1];
    let at = start + 2;
    if (length >= 0x80) {
      const size = length & 0x7f;
      // Four bytes can express the length of any input; zero means the indefinite form.
      if (size === 0 || size > 4) throw new FunctionError(message);
      length = Number(bytesToBigint(this.#bytes.subarray(at, at + size)));
      at += size;
    }
    if (!(at + length <= this.#bytes.length)) throw new FunctionError(message);
    this.#at = at + length;
    return {
      tag,
      content: this.#bytes.subarray(at, this.#at),
      raw: this.#bytes.subarray(start, this.#at),
    };
  }

  /** Reads the next element and returns a reader of its contents. */
  enter(tag: number = TAG.sequence, message = this.#message): DerReader {
    return new DerReader(this.read(tag, message).content, message);
  }
}
