import { captureConsole } from "../../_console.ts";

/** Runs a function with the recorded arguments of `console.warn`. */
export async function withWarnings(
  run: (warnings: readonly unknown[]) => Promise<void>,
): Promise<void> {
  using calls = captureConsole("warn");
  await run(calls.printed);
}
