/** The part of `Deno` that is used. */
interface Runtime {
  readonly Deno?: {
    readonly stdout?: { writeSync?(bytes: Uint8Array): number };
  };
}

/**
 * Prints text to the console.
 *
 * On Deno it goes to the standard output directly: `console.log` keeps its last
 * 1,000 arguments for a debugger. For lines in batches of 16 kB this takes 16 MB
 * of memory, and 115 µs for each batch instead of 45.
 */
export function print(text: string): void {
  const { stdout } = (globalThis as Runtime).Deno ?? {};
  if (stdout?.writeSync === undefined) return console.log(text);
  let rest = new TextEncoder().encode(`${text}\n`);
  while (rest.length > 0) rest = rest.subarray(stdout.writeSync(rest));
}
