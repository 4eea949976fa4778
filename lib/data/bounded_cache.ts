/**
 * A cache that stays within a number of bytes whatever it is fed: what was not asked for longest goes
 * first. Keys are compared whole: two keys that look alike to a hash are two keys.
 * @module
 */

interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
}

/** What an entry takes besides what its owner counts: the map's own share. */
const ENTRY_BYTES = 100;

/** What a text takes: two bytes a character where it has one past Latin-1, else one. */
export function bytesOf(text: string): number {
  return /[^\0-\xff]/.test(text) ? text.length * 2 : text.length;
}

export class BoundedCache<Value> {
  readonly #maxBytes: number;
  /** In the order in which they were last asked for. */
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

  /** `bytes` is what the value takes; the key is counted here. What is too large is not kept. */
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

  /** What all entries take, by the count of those who put them in. */
  get bytes(): number {
    return this.#bytes;
  }

  #delete(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}
