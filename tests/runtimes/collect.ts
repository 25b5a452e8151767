/** Replaces `Deno.test` on other runtimes. */

/** The result of one test, or only its name. */
export interface Result {
  readonly file: string;
  readonly name: string;
  /** The error of a failed test. */
  readonly error?: string;
}

type Test = {
  name: string;
  /** The time limit in milliseconds. */
  timeout: number;
  run: () => void | Promise<void>;
};

/** Milliseconds that a test may take. */
export const TIME_LIMIT = 60_000;

/** Loads one file of tests and runs them, one after the other. */
export async function runFile(
  file: string,
  load: () => Promise<unknown>,
): Promise<Result[]> {
  const results: Result[] = [];
  try {
    for (const test of await collect(load)) {
      results.push({ file, name: test.name, error: await failure(test) });
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
  const test = (name: unknown, ...others: unknown[]) => {
    const run = others.pop();
    const [{ timeout = TIME_LIMIT, ...options } = {}] = others as [
      Partial<Test>?,
    ];
    if (
      typeof name !== "string" || typeof run !== "function" ||
      Object.keys(options).length > 0
    ) {
      throw new TypeError(
        "Cannot collect a test: use Deno.test(name, fn) or Deno.test(name, { timeout }, fn)",
      );
    }
    tests.push({ name, timeout, run: run as Test["run"] });
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

async function failure({ run, timeout }: Test): Promise<string | undefined> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`Not done after ${timeout} ms`)),
    timeout,
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
