/** Replaces `Deno.test` in ten lines on other runtimes. */

/** The result of one test, or only its name. */
export interface Result {
  readonly file: string;
  readonly name: string;
  /** The error of a failed test. */
  readonly error?: string;
}

type Test = { name: string; run: () => void | Promise<void> };

/** Milliseconds that a test may take. */
export const TIME_LIMIT = 60_000;

/** Loads one file of tests and runs them, one after the other. */
export async function runFile(
  file: string,
  load: () => Promise<unknown>,
): Promise<Result[]> {
  const results: Result[] = [];
  try {
    for (const { name, run } of await collect(load)) {
      results.push({ file, name, error: await failure(run) });
    }
  } catch (error) {
    results.push({ file, name: "(the file itself)", error: describe(error) });
  }
  return results;
}

/** Loads one file of tests and names them, without running any. */
export async function listFile(
  file: string,
  load: () => Promise<unknown>,
): Promise<Result[]> {
  return (await collect(load)).map(({ name }) => ({ file, name }));
}

async function collect(load: () => Promise<unknown>): Promise<Test[]> {
  const tests: Test[] = [];
  const test = (name: unknown, run: unknown) => {
    if (typeof name !== "string" || typeof run !== "function") {
      throw new TypeError("Cannot collect a test: use Deno.test(name, fn)");
    }
    tests.push({ name, run: run as Test["run"] });
  };
  // Gone again before a test runs: code under test must not meet a Deno.
  Object.assign(globalThis, { Deno: { test } });
  try {
    await load();
  } finally {
    Reflect.deleteProperty(globalThis, "Deno");
  }
  return tests;
}

async function failure(run: Test["run"]): Promise<string | undefined> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`Not done after ${TIME_LIMIT} ms`)),
    TIME_LIMIT,
  );
  try {
    await Promise.race([run(), late]);
  } catch (error) {
    return describe(error);
  } finally {
    clearTimeout(timer);
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.stack ?? String(error) : String(error);
}
