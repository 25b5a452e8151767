/**
 * The milliseconds that requests wait for one save. If it takes longer, all of
 * them go on at the same time, and compare-and-swap decides.
 */
const MAX_TURN = 1_000;

/** The requests of this process that save the same session, one at a time. */
export interface SaveQueue {
  /** Functions that let the waiting requests go on, oldest first. */
  readonly waiting: (() => void)[];
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** Waits until the saves that came first are done, or one of them hangs. */
export function waitForTurn(queue: SaveQueue): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  queue.waiting.push(resolve);
  queue.timer ??= startTimer(queue);
  return promise;
}

/** Lets the next waiting request go on. */
export function passTurn(queue: SaveQueue): void {
  clearTimeout(queue.timer);
  queue.waiting.shift()?.();
  queue.timer = queue.waiting.length > 0 ? startTimer(queue) : undefined;
}

function startTimer(queue: SaveQueue): SaveQueue["timer"] {
  return setTimeout(() => {
    queue.timer = undefined;
    for (const goOn of queue.waiting.splice(0)) goOn();
  }, MAX_TURN);
}

/** Waits for a random time, so that writers do not meet again and again. */
export function backOff(attempt: number): Promise<void> {
  const longest = Math.min(2 ** attempt, 32);
  return new Promise((resolve) => setTimeout(resolve, Math.random() * longest));
}
