/** Places of a program at which it can kill itself. */

/** The places of a program. */
export interface CrashPoints {
  /** Passes a place, or ends the program there. */
  pass(name: string): void;
  /** Calls a function between two places. */
  around<Value>(
    name: string,
    call: () => Value | Promise<Value>,
  ): Promise<Value>;
}

/**
 * Counts the places, and kills the program at one of them.
 *
 * @param place The number of the place.
 * @param report Prints its name.
 */
export function crashPoints(
  place: string | undefined,
  report: (name: string) => void,
): CrashPoints {
  let passed = 0;
  const pass = (name: string) => {
    if (++passed !== Number(place)) return;
    report(name);
    Deno.kill(Deno.pid, "SIGKILL");
    // The signal arrives at once, but not within this statement.
    while (true);
  };
  return {
    pass,
    async around(name, call) {
      pass(`before ${name}`);
      const value = await call();
      pass(`after ${name}`);
      return value;
    },
  };
}
