/**
 * Waits for events, because a test that sleeps for a fixed time is slow on a fast
 * machine and fails on a slow one.
 */

/** Waits for turns of the event loop, in which other tasks run. */
export async function turns(count = 1): Promise<void> {
  for (let turn = 0; turn < count; turn++) {
    await new Promise((resolve) => setTimeout(resolve));
  }
}

/**
 * Waits until a function returns a truthy value, and returns it. The time limit of
 * the test ends it otherwise.
 */
export async function until<Value>(
  find: () => Value | Promise<Value>,
): Promise<Exclude<Value, null | undefined | false>> {
  for (;;) {
    const value = await find();
    if (value) return value as Exclude<Value, null | undefined | false>;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Waits for a promise. After a minute, it throws an error with a text. */
export async function withinMinute<Value>(
  promise: Promise<Value>,
  describe: () => string,
): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(describe())), 60_000);
  });
  try {
    return await Promise.race([promise, end]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits until a number stands still while other tasks and sockets have turns. */
export async function untilStill(count: () => number): Promise<number> {
  // A task between two parts of a stream takes fewer turns.
  for (let still = 0, last = count(); still < 50; still++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    const now = count();
    if (now !== last) still = 0;
    last = now;
  }
  return count();
}

/**
 * Waits until all timers of a time that have started before have fired: timers fire
 * in the order of their ends, on a slow machine too.
 */
export async function afterTimers(milliseconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Waits until a signal aborts, and throws its reason. */
export async function untilAborted(signal: AbortSignal): Promise<never> {
  return await new Promise((_, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}
