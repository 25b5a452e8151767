/**
 * The milliseconds without the end of a save after which all waiting requests go
 * on at the same time. Then compare-and-swap decides.
 */
const MAX_TURN = 1_000;

/** The requests of this process that save the same session, one at a time. */
export interface SaveQueue {
  /** Functions that let the waiting requests go on, oldest first. */
  readonly waiting: (() => void)[];
  /** The number of requests that went on after a save. */
  turns: number;
}

/** Waits until the saves that came first are done, or one of them hangs. */
export async function waitForTurn(queue: SaveQueue): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  queue.waiting.push(resolve);
  let { turns } = queue;
  // Each request has its own timer. Workers stop a request whose client leaves, and
  // the timers of a request that ends.
  const timer = setInterval(() => {
    if (queue.turns === turns) {
      for (const goOn of queue.waiting.splice(0)) goOn();
    }
    turns = queue.turns;
  }, MAX_TURN);
  await promise;
  clearInterval(timer);
}

/** Lets the next waiting request go on. */
export function passTurn(queue: SaveQueue): void {
  queue.turns++;
  queue.waiting.shift()?.();
}

/** Waits for a random time, so that writers do not meet again and again. */
export function backOff(attempt: number): Promise<void> {
  const longest = Math.min(2 ** attempt, 32);
  return new Promise((resolve) => setTimeout(resolve, Math.random() * longest));
}
