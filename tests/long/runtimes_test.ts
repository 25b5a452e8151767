import { assertEquals } from "@std/assert";
import { bunPath } from "../runtimes/bun.ts";
import { type Bundle, bundleTests } from "../runtimes/bundle.ts";
import type { Result } from "../runtimes/collect.ts";
import { listOnDeno } from "../runtimes/deno.ts";
import { KNOWN_FAILURES } from "../runtimes/known_failures.ts";
import { NODE_VERSIONS, nodePath } from "../runtimes/node.ts";
import { runAsScript } from "../runtimes/script.ts";
import { runInWorkers } from "../runtimes/workers.ts";
import { isNightly } from "./_nightly.ts";

type Run = (bundle: Bundle) => Promise<Result[]>;

/** The oldest version of Node, and every night the other ones. */
const nodes = isNightly ? NODE_VERSIONS : NODE_VERSIONS.slice(0, 1);

const runtimes: [name: string, run: Run][] = [
  ["workers", runInWorkers],
  ["bun", (bundle) => runAsScript(bunPath(), bundle)],
  ...nodes.map((version): [string, Run] => [
    `node ${version}`,
    async (bundle) => runAsScript(await nodePath(version), bundle),
  ]),
];

Deno.test("all behavior tests pass on Bun, Node and Workers", {
  timeout: 30 * 60_000,
}, async (test) => {
  const bundle = await bundleTests();
  const onDeno = await listOnDeno(bundle);
  console.log(`deno: ${onDeno.length} behavior tests`);
  const expected = countsOf(bundle.files, onDeno);
  assertEquals(bundle.files.filter((file) => expected[file] === 0), []);
  // All at the same time: most of the time of a runtime is spent in timeouts.
  const outcomes = await Promise.allSettled(
    runtimes.map(([, run]) => run(bundle)),
  );
  for (const [index, [runtime]] of runtimes.entries()) {
    await test.step(runtime, () => {
      const outcome = outcomes[index]!;
      if (outcome.status === "rejected") throw outcome.reason;
      assertEquals(problems(runtime, outcome.value), []);
      // Counts the tests, because names may contain values that runtimes print differently.
      assertEquals(countsOf(bundle.files, outcome.value), expected);
    });
  }
});

/** Prints the count of a runtime and returns the problems. */
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
    ...unexpected.map(nameOf),
    ...Object.keys(known).filter((name) => !failing.includes(name))
      .map((name) => `${name} (known to fail, but does not)`),
  ];
}

/** Counts the tests of each file. */
function countsOf(
  files: readonly string[],
  results: readonly Result[],
): Record<string, number> {
  const counts = Object.fromEntries(files.map((file) => [file, 0]));
  for (const { file } of results) counts[file]++;
  return counts;
}

function nameOf({ file, name }: Result): string {
  return `${file}: ${name}`;
}
