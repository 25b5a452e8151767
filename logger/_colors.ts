/** What the runtimes offer to ask about the terminal. Any of it may be absent. */
interface Runtime {
  readonly Deno?: {
    readonly noColor?: boolean;
    readonly stdout?: { isTerminal?(): boolean };
    readonly permissions?: {
      querySync?(
        descriptor: { name: "env"; variable: string },
      ): { readonly state: string };
    };
  };
  readonly process?: {
    readonly env?: Readonly<Record<string, string | undefined>>;
    readonly stdout?: { readonly isTTY?: boolean };
  };
}

/**
 * Tells whether what the console prints should be coloured: NO_COLOR decides,
 * then FORCE_COLOR, then TERM, then whether it is a terminal.
 *
 * @see {@link https://no-color.org | NO_COLOR}
 */
export function wantsColor(runtime: Runtime = globalThis as Runtime): boolean {
  const { Deno, process } = runtime;
  if (Deno?.noColor || read(runtime, "NO_COLOR")) return false;
  const force = read(runtime, "FORCE_COLOR");
  if (force) return force !== "0" && force !== "false";
  if (read(runtime, "TERM") === "dumb") return false;
  return Deno?.stdout?.isTerminal?.() ?? process?.stdout?.isTTY ?? false;
}

/** Reads an environment variable, unless Deno would have to ask the user. */
function read(
  { Deno, process }: Runtime,
  variable: string,
): string | undefined {
  if (Deno !== undefined) {
    const status = Deno.permissions?.querySync?.({ name: "env", variable });
    if (status?.state !== "granted") return undefined;
  }
  return process?.env?.[variable];
}
