import type { RequestContext } from "../context/context.ts";
import { endsWithClient, waitUntilOf } from "./wait_until.ts";

/** Work that has not settled. */
interface Work {
  readonly done: Promise<unknown>;
  readonly startedAt: number;
  readonly count: number;
}

/**
 * The time after which work has ended on Workers, in milliseconds. They cancel what
 * follows a response after 30 seconds, and without `waitUntil` at once. Its promise
 * then never settles.
 */
const LIMIT = 31_000;

/** The time between two looks at the work of other requests, in milliseconds. */
const INTERVAL = 20;

/** Work that follows responses, such as emails and security events. */
export class LaterWork {
  readonly #running = new Set<Work>();
  readonly #limit: number;
  readonly #now: () => number;
  #count = 0;

  constructor(
    { limit = endsWithClient ? LIMIT : Infinity, now = Date.now } = {},
  ) {
    this.#limit = limit;
    this.#now = now;
  }

  /** The number of emails or events whose work has not settled. */
  get size(): number {
    this.#dropEnded();
    return this.#count;
  }

  /**
   * Adds work that never rejects, and keeps its request alive on Workers.
   *
   * @param count The number of emails or events.
   */
  add(context: RequestContext, promise: Promise<unknown>, count = 1): void {
    const done = promise.finally(() => this.#remove(work));
    const work: Work = { done, count, startedAt: this.#now() };
    this.#running.add(work);
    this.#count += count;
    waitUntilOf(context)?.(done);
  }

  /**
   * Waits for the work. On Workers, it waits for that of other requests only until
   * they have ended, so it always resolves.
   */
  async flush(): Promise<void> {
    while (this.size > 0) {
      const all = Promise.all([...this.#running].map(({ done }) => done));
      // Workers may never settle a promise of another request, but the set is shared.
      await (this.#limit === Infinity ? all : atMost(all, INTERVAL));
    }
  }

  #remove(work: Work): void {
    if (this.#running.delete(work)) this.#count -= work.count;
  }

  #dropEnded(): void {
    const time = this.#now();
    // The set has the order of the starts.
    for (const work of this.#running) {
      if (time - work.startedAt < this.#limit) return;
      this.#remove(work);
      console.error(
        "Cannot finish work after a response: its request has ended, pass the ctx of the Worker to router.fetch()",
      );
    }
  }
}

/** Waits for a promise, but not longer than a time in milliseconds. */
async function atMost(promise: Promise<unknown>, time: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, time);
  });
  await Promise.race([promise, late]);
  clearTimeout(timer);
}
