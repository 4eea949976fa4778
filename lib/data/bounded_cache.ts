/**
 * A least-recently-used cache of bounded size in bytes. Keys are compared as whole strings, not by
 * hash.
 * @module
 */

interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
}

/** The memory that an entry takes in the map, besides its key and value. */
const ENTRY_BYTES = 100;

/**
 * Returns the memory that a string takes: one byte per character, or two if it has one outside
 * Latin-1.
 */
export function bytesOf(text: string): number {
  return /[^\0-\xff]/.test(text) ? text.length * 2 : text.length;
}

export class BoundedCache<Value> {
  readonly #maxBytes: number;
  /** In the order of last use. */
  readonly #entries = new Map<string, Entry<Value>>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /**
   * Adds a value of this size; the key's size is added. An entry larger than the cache is not
   * stored.
   */
  set(key: string, value: Value, bytes: number): void {
    this.#delete(key);
    const entry = { value, bytes: bytes + bytesOf(key) + ENTRY_BYTES };
    if (entry.bytes > this.#maxBytes) return;
    this.#entries.set(key, entry);
    this.#bytes += entry.bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#delete(oldest);
    }
  }

  /** The size of all entries. */
  get bytes(): number {
    return this.#bytes;
  }

  #delete(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}
