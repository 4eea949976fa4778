/** A reproducible random source: the same seed gives the same pods on any machine. */
export class Random {
  #state: number;
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number in [0, 1), by mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer from `low` to `high`, both included. */
  int(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.int(0, list.length - 1)];
  }

  /** Up to `most` different items, in the list's order. */
  some<T>(list: readonly T[], most: number): T[] {
    const wanted = this.int(0, Math.min(most, list.length));
    const places = new Set<number>();
    while (places.size < wanted) places.add(this.int(0, list.length - 1));
    return list.filter((_, i) => places.has(i));
  }

  /** Returns the result of `make` with the given probability, otherwise undefined. */
  maybe<T>(probability: number, make: () => T): T | undefined {
    return this.chance(probability) ? make() : undefined;
  }
}
