/** Runs the program `create migrate`. */
import { BETTER_AUTH_SECRET } from "./_better_auth.ts";

/** The secrets of the new accounts. */
export const SECRETS = "2Xq8vN5kR1tY7wB4zP9cH3mJ6fL0sD-aB7";

const PROGRAM = new URL("../../create/mod.ts", import.meta.url).pathname;

/** Runs the program, and returns its output. */
export async function migrate(
  args: readonly string[],
  env: Record<string, string> = {},
) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", PROGRAM, "migrate", ...args],
    env: { SECRETS, BETTER_AUTH_SECRET, NO_COLOR: "1", ...env },
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}
