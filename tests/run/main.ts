/**
 * Runs tests for the tasks in `deno.json`: a suite, files and folders (`t`), or
 * the whole gate (`ok`). Other options go to `deno test`.
 */
import { registry, standIns } from "../offline/jsr.ts";
import { onEnd } from "../runtimes/signals.ts";
import { runSuite, write } from "./command.ts";
import { runGate } from "./gate.ts";
import { isSuite, suiteOf, SUITES } from "./suites.ts";

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
  const suite = await SUITES[command]();
  return (await runSuite(suite, rest, { env, print: write, signal })).success;
}

/** Runs files and folders. Does not ask JSR, which would take time. */
async function runChosen(): Promise<boolean> {
  const env = { JSR_URL: Deno.env.get("JSR_URL") ?? await standIns() };
  const paths = rest.filter((part) => !part.startsWith("-"));
  const options = rest.filter((part) => part.startsWith("-"));
  const suite = await suiteOf(paths.length > 0 ? paths : ["tests"]);
  return (await runSuite(suite, options, { env, print: write, signal }))
    .success;
}
