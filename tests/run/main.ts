/**
 * Runs tests for the tasks in `deno.json`: a suite, files and folders (`t`), or
 * the whole gate (`ok`). Other options go to `deno test`.
 */
import { registry, standIns } from "../offline/jsr.ts";
import { onEnd } from "../runtimes/signals.ts";
import { runSuite, write } from "./command.ts";
import { runGate } from "./gate.ts";
import { isSuite, type Suite, suiteOf, SUITES } from "./suites.ts";

const [command = "", ...rest] = Deno.args;
const stop = new AbortController();
const { signal } = stop;
onEnd(() => stop.abort());
Deno.exit(await main() ? 0 : 1);

async function main(): Promise<boolean> {
  if (command === "t") return await runChosen();
  const env = { JSR_URL: await registry() };
  if (command === "ok") {
    return await runGate({ env, signal, strict: rest.includes("--strict") });
  }
  if (!isSuite(command)) throw new Error(`Cannot run "${command}": no suite`);
  return await runTests(await SUITES[command](), rest, env);
}

/** Runs files and folders. Does not ask JSR, which would take time. */
async function runChosen(): Promise<boolean> {
  const env = { JSR_URL: Deno.env.get("JSR_URL") ?? await standIns() };
  const paths = rest.filter((part) => !part.startsWith("-"));
  const options = rest.filter((part) => part.startsWith("-"));
  return await runTests(await suiteOf(paths), options, env);
}

/** Runs a suite, and repeats at the end what it skipped. */
async function runTests(
  suite: Suite,
  options: readonly string[],
  env: Record<string, string>,
): Promise<boolean> {
  const outcome = await runSuite(suite, options, { env, print: write, signal });
  if (outcome.skipped.length > 0) console.log(outcome.skipped.join("\n"));
  return outcome.success;
}
