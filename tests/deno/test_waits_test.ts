/** Tests neither sleep, nor read the clock, nor replace globals. */
import { assertEquals } from "@std/assert";

const TESTS = new URL("../", import.meta.url);

/** Folders of programs that measure or test with load, and not of tests. */
const OTHERS = ["bench/", "load/", "mutation/", "offline/", "run/"];

/** A sleep, a time limit, a bound on the real clock, and a replaced global. */
const FORBIDDEN = [
  /\b(?:setTimeout|setInterval)\(/,
  /\.waitForTimeout\(/,
  /\bAbortSignal\.timeout\(/,
  /\bperformance\.now\(/,
  /^(?!.*until\().*(?:\bDate\.now\(\)[^,;=]* [<>]=? | [<>]=? Date\.now\(\))|assert(?:Less|Greater)\w*\([^;]*Date\.now/,
  /\b(?:console|Date|performance|Math|globalThis)(?:\.\w+|\[\w+\]) = /,
  /\bObject\.assign\((?:console|globalThis)\b/,
  /\bDeno\.serve\(/,
];

/** The files that need one of them, and why. */
const EXCEPTIONS: Record<string, string> = {
  "_console.ts": "It captures the console, and restores it.",
  "_wait.ts": "It waits for events in turns of the event loop.",
  "deno/passkey_browser_oddities_test.ts":
    "It gives the script of a page timers that never fire.",
  "deno/_bundle_sizes.ts": "A bundled program keeps its exports by a global.",
  "deno/_hostile_documents.ts": "A server sends its responses slowly.",
  "deno/_log_app.ts": "A request of a Worker cannot wake another one.",
  "deno/_mcp_conformance_server.ts": "The conformance tests measure pauses.",
  "deno/_oauth_process.ts": "The process serves until it is killed.",
  "deno/_programs.ts": "A port that was picked long ago is free again.",
  "deno/_serve.ts": "It closes the connections of Deno's server.",
  "deno/_servers.ts": "A server that ignores its signal is killed.",
  "deno/_session_worker.ts": "The process works until it is killed.",
  "deno/_sockets.ts": "One server neither answers nor hangs up.",
  "deno/_stopped_clock.ts": "It stops the clock of a separate program.",
  "deno/_token_process.ts": "The process serves until it is killed.",
  "deno/app_test.ts": "It compares two times, as an attacker would.",
  "deno/cache_test.ts": "A separate program waits for other processes.",
  "deno/mutants_test.ts": "It collects the tests of a file by a global.",
  "deno/router_native_patterns_test.ts":
    "The library looks for URLPattern when it loads.",
  "deno/router_signal_test.ts": "A separate program serves.",
  "deno/site_pages_test.ts": "It shows a program that serves.",
  "deno/timeout_test.ts": "Its handler computes for a time.",
  "long/accounts_workers_test.ts": "A request of a Worker sends an email late.",
  "long/bundle_size_test.ts":
    "A bundled program keeps its exports by a global.",
  "long/client_browser_test.ts": "A script of a page has a global.",
  "long/client_bundle_test.ts": "A bundled program has a global.",
  "long/consumer_test.ts": "It looks for a program in the README.",
  "long/device_bound_browser_test.ts": "A real browser refreshes meanwhile.",
  "long/external_workers_test.ts": "A request of a Worker can't wake another.",
  "long/forward_attacks_test.ts": "A server waits for the rest of a request.",
  "long/guide_programs_test.ts": "It stops the clock of a Worker.",
  "long/guide_stop_test.ts": "A request is slow while a process stops.",
  "long/guide_stores_test.ts": "A value of a real store expires.",
  "long/logger_abort_test.ts": "A server says nothing of a waiting request.",
  "long/logger_colors_test.ts": "A bundled program has globals.",
  "long/match_growth_test.ts": "It compares two times that take turns.",
  "long/oauth_public_fetch_test.ts": "A program measures its own timeouts.",
  "long/password_workers_test.ts": "A request of a Worker hangs for ever.",
  "long/rate_limit_stores_test.ts": "Clients leave at different times.",
  "long/servers_test.ts": "A client sends its body slowly.",
  "long/run_test.ts": "It tests the time limit of tests.",
  "long/session_outage_test.ts": "A real Redis is frozen for seconds.",
  "long/session_runtimes_test.ts": "The alarms of workerd come late.",
  "long/session_state_browser_test.ts": "A script of a page has a global.",
  "long/session_workers_test.ts": "A request of a Worker can't wake another.",
  "long/telemetry_test.ts": "A separate program serves.",
  "long/token_crash_test.ts": "The server of a killed process starts again.",
  "runtimes/collect.ts": "It gives each test a time limit.",
  "runtimes/script.ts": "It replaces what a runtime lacks.",
  "runtimes/start_worker.ts": "A separate program serves.",
};

Deno.test("a test waits for events, takes clocks as options, and replaces no global", async () => {
  const found = new Map<string, string[]>();
  for (const path of await sources("")) {
    const source = await Deno.readTextFile(new URL(path, TESTS));
    const lines = source.split("\n").filter((line) =>
      !/^\s*(?:\/\/|\*|\/\*\*)/.test(line) &&
      FORBIDDEN.some((pattern) => pattern.test(line))
    );
    if (lines.length > 0) found.set(path, lines.map((line) => line.trim()));
  }
  const violations = [...found].filter(([path]) => !(path in EXCEPTIONS));
  assertEquals(violations, []);
  const unused = Object.keys(EXCEPTIONS).filter((path) => !found.has(path));
  assertEquals(unused, []);
});

/** Returns the paths of the programs below a folder of the tests. */
async function sources(folder: string): Promise<string[]> {
  const paths: string[] = [];
  for await (
    const { isDirectory, name } of Deno.readDir(new URL(folder || ".", TESTS))
  ) {
    const path = folder + name + (isDirectory ? "/" : "");
    if (OTHERS.includes(path) || path === "deno/test_waits_test.ts") continue;
    if (isDirectory) paths.push(...await sources(path));
    else if (name.endsWith(".ts")) paths.push(path);
  }
  return paths.sort();
}
