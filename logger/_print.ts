/** The part of `Deno` that is used. */
interface Runtime {
  readonly Deno?: {
    readonly stdout?: { writeSync?(bytes: Uint8Array): number };
  };
}

/**
 * Prints text to the standard output of Deno, or to the console.
 *
 * Deno's `console.log` keeps its last 1,000 arguments for a debugger: 16 MB for
 * batches of 16 kB. It takes 115 µs of processor time for each batch instead of 45.
 */
export function print(text: string): void {
  const { stdout } = (globalThis as Runtime).Deno ?? {};
  if (stdout?.writeSync === undefined) return console.log(text);
  let rest = new TextEncoder().encode(`${text}\n`);
  while (rest.length > 0) {
    const written = stdout.writeSync(rest);
    if (!(written > 0)) throw new Error("Cannot write log: no progress");
    rest = rest.subarray(written);
  }
}
