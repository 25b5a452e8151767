/** The parts of the tests, as arguments of `deno test`. */
import { findExamples, wrapExamples } from "./examples.ts";
import { LONG, quickFiles, SHARED, testFiles, wrap } from "./wrappers.ts";

/** A part of the tests. */
export interface Suite {
  /** Arguments of `deno test`. */
  readonly args: readonly string[];
  /**
   * The number of isolates that run at the same time.
   *
   * @default {1}
   */
  readonly jobs?: number;
  /** Removes files that were written for it. */
  readonly clean?: () => Promise<void>;
}

/**
 * The files in `tests/long/` that measure time or memory, or give a program a
 * fixed time, and what for. No other test may run at the same time.
 */
export const UNDISTURBED: Readonly<Record<string, string>> = {
  "tests/long/device_bound_browser_test.ts": "refreshes of a cookie in time",
  "tests/long/external_workers_test.ts": "logins during a slow response",
  "tests/long/forward_attacks_test.ts": "the end of a response that stalls",
  "tests/long/guide_stop_test.ts": "requests while a server stops",
  "tests/long/head_test.ts": "responses to raw requests",
  "tests/long/load_test.ts": "the memory of a process under load",
  "tests/long/match_growth_test.ts": "how matching grows with the routes",
  "tests/long/router_sockets_test.ts": "responses to raw requests",
  "tests/long/servers_test.ts": "responses to raw requests",
  "tests/long/session_outage_test.ts": "how long requests wait for a store",
  "tests/long/session_redis_memory_test.ts": "the memory of Redis",
  "tests/long/session_stores_test.ts": "how long a frozen store blocks",
};

/**
 * The files in `tests/long/` that take minutes. They run next to the others, so
 * that none of them begins last and runs by itself.
 */
export const SLOW: readonly string[] = [
  "tests/long/app_runtimes_browser_test.ts",
  "tests/long/create_runtimes_test.ts",
  "tests/long/runtimes_test.ts",
  "tests/long/session_runtimes_test.ts",
  "tests/long/site_browser_test.ts",
];

/**
 * The number of cores. More isolates run at the same time, because many tests wait
 * for timeouts, and twice as many if they start no other programs.
 */
const CORES = navigator.hardwareConcurrency;

/** All suites by name. */
export const SUITES = {
  /** All tests but the long ones, in a few isolates. */
  test: async () => parallel(await wrap(await quickFiles())),
  /** The same tests, with an isolate for each file. */
  "test:isolates": async () => parallel({ paths: await quickFiles() }),
  /** The examples in the documentation. */
  "test:docs": async () => parallel(await wrapExamples(await findExamples())),
  /** The long tests that share the machine, but for the slow ones. */
  "test:long": async () =>
    parallel({
      paths: (await testFiles(LONG))
        .filter((file) => !(file in UNDISTURBED) && !SLOW.includes(file)),
    }, CORES + 1),
  /** The slow ones. */
  "test:slow": () => Promise.resolve(parallel({ paths: SLOW }, CORES + 1)),
  /** The long tests that run one after the other. */
  "test:undisturbed": () => Promise.resolve({ args: Object.keys(UNDISTURBED) }),
} satisfies Record<string, () => Promise<Suite>>;

/** The name of a suite. */
export type SuiteName = keyof typeof SUITES;

/** Returns `true` if a suite has this name. */
export function isSuite(name: string): name is SuiteName {
  return Object.hasOwn(SUITES, name);
}

/**
 * Returns the tests of files and folders, in as few isolates as possible.
 * If there are no paths, returns the quick tests.
 */
export async function suiteOf(paths: readonly string[]): Promise<Suite> {
  const files = paths.length === 0 ? await quickFiles() : [];
  for (const given of paths) {
    const path = given.replaceAll("\\", "/").replace(/^\.\//, "");
    if (path.endsWith(".ts")) files.push(path);
    else files.push(...await testFiles(path.replace(/\/?$/, "/")));
  }
  if (files.length === 1) return parallel({ paths: files });
  // Two isolates at least, for two cores.
  const most = Math.min(SHARED, Math.ceil(files.length / 2));
  return parallel(await wrap(files, most));
}

function parallel(
  { paths, remove }: { paths: readonly string[]; remove?: Suite["clean"] },
  jobs = CORES * 2,
): Suite {
  return { args: ["--parallel", ...paths], clean: remove, jobs };
}
