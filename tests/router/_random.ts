/** A source of numbers that a seed repeats. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number from 0 up to 1. */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 up to a limit. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** Whether something happens that has a probability. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of several. */
  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  /** Several things in a row. */
  list<T>(min: number, max: number, make: () => T): T[] {
    return Array.from({ length: min + this.below(max - min + 1) }, make);
  }
}
