import { assertEquals } from "@std/assert";
import { runInBun } from "../runtimes/bun.ts";
import { bundleTests } from "../runtimes/bundle.ts";
import type { Result } from "../runtimes/collect.ts";
import { KNOWN_FAILURES } from "../runtimes/known_failures.ts";
import { runInWorkers } from "../runtimes/workers.ts";

Deno.test("the behaviour tests pass on bun", async () => {
  const results = await runInBun(await bundleTests());
  assertEquals(problems("bun", results), []);
});

Deno.test("the behaviour tests pass on workers", async () => {
  const results = await runInWorkers(await bundleTests());
  assertEquals(problems("workers", results), []);
});

/** Prints the count of a runtime and returns what should not be. */
function problems(runtime: string, results: readonly Result[]): string[] {
  const known = KNOWN_FAILURES[runtime] ?? {};
  const failed = results.filter(({ error }) => error !== undefined);
  const unexpected = failed.filter((result) => !(nameOf(result) in known));
  for (const result of failed) {
    const why = known[nameOf(result)] ?? result.error;
    console.log(`${runtime}: FAILED ${nameOf(result)}\n  ${why}`);
  }
  const passed = results.length - failed.length;
  console.log(`${runtime}: ${passed} passed, ${failed.length} failed`);

  const failing = failed.map(nameOf);
  return [
    ...results.length > 0 ? [] : ["no test ran"],
    ...unexpected.map(nameOf),
    ...Object.keys(known).filter((name) => !failing.includes(name))
      .map((name) => `${name} (known to fail, but does not)`),
  ];
}

function nameOf({ file, name }: Result): string {
  return `${file}: ${name}`;
}
