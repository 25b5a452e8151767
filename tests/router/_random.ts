/** A generator of pseudorandom numbers from a seed. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns a number from 0 to 1, exclusive. */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  }

  /** Returns an integer from 0 to a limit, exclusive. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** Returns `true` with a probability. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Returns a random item of an array. */
  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  /** Creates an array of random length. */
  array<T>(min: number, max: number, create: () => T): T[] {
    return Array.from({ length: min + this.below(max - min + 1) }, create);
  }
}
