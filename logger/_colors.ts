/** The properties that runtimes have for terminals. Each one may be missing. */
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
 * Returns `true` if console output should be colored. NO_COLOR decides, then
 * FORCE_COLOR, then TERM, then whether the console is a terminal.
 *
 * @see {@link https://no-color.org | NO_COLOR}
 */
export function wantsColor(): boolean {
  const { Deno, process } = globalThis as Runtime;
  if (Deno?.noColor || readEnv("NO_COLOR")) return false;
  const force = readEnv("FORCE_COLOR");
  if (force) return force !== "0" && force !== "false";
  if (readEnv("TERM") === "dumb") return false;
  return Deno?.stdout?.isTerminal?.() ?? process?.stdout?.isTTY ?? false;
}

/** Reads an environment variable, unless Deno would prompt for permission. */
function readEnv(variable: string): string | undefined {
  const { Deno, process } = globalThis as Runtime;
  const status = Deno?.permissions?.querySync?.({ name: "env", variable });
  return Deno === undefined || status?.state === "granted"
    ? process?.env?.[variable]
    : undefined;
}
