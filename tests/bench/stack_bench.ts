/**
 * The middleware that most applications run, in servers on Deno, Bun and Node:
 * in parts, all together for a visitor, and all together for a logged-in user
 * whose session is in memory. Hono has its logger, its secure headers, its
 * protection against cross-site requests, and `@hono/session` with a `Map`.
 *
 * Every request has the headers `Accept` and `User-Agent`. All loggers, including
 * Hono's, write to `/dev/null` in batches with the target `"stdout"`, as the
 * guide recommends for many requests. On Node, srvx turns Node's requests into
 * web requests, as the guide shows.
 *
 * The bounds keep the stack from becoming slower. On Linux they apply to processor
 * time. A quick run has only their rows, and omits Node.
 *
 * `deno run -A tests/bench/stack_bench.ts [--quick]`
 */
import { bunPath } from "../runtimes/bun.ts";
import { bundle } from "../runtimes/bundle.ts";
import { nodePath } from "../runtimes/node.ts";
import { type Bound, finish } from "./_measure.ts";
import {
  hasWrk,
  printRace,
  raceServers,
  SERVE,
  type ServerEntry,
} from "./_serve_race.ts";
import { applications } from "./_stack.ts";

const quick = Deno.args.includes("--quick");

/** In Deno, the first 20,000 requests take 1.6 times as long with all together. */
const warmUp = { warmUps: 4, warmUpRequests: 100_000 };

const effort = quick
  ? { starts: 1, ...warmUp, rounds: 2 }
  : { starts: 1, ...warmUp, rounds: 7 };

const boundsOf = (runtime: string): readonly Bound[] => [
  { of: "all together", to: "bare", most: 2.6 },
  { of: "all together, logged in", to: "bare", most: 3.8 },
  { of: "JSON logger", to: "bare", most: 2 },
  // The counter is a stream, for which Deno.serve takes longer than for bytes.
  { of: "countBytes", to: "bare", most: runtime === "Deno.serve" ? 4 : 2.5 },
];

/** The servers that are also measured with a logged-in user. */
const withUser = ["session and auth", "all together", "hono"];

/** The headers of every request. */
const HEADERS = { Accept: "text/html", "User-Agent": "Mozilla/5.0 (X11)" };

if (!await hasWrk()) {
  console.log("Skipped: wrk is not installed");
} else {
  const folder = await Deno.makeTempDir();
  try {
    const script = `${folder}/server.mjs`;
    await Deno.writeTextFile(script, await bundle(serverSource()));
    let holds = true;
    for (
      const [runtime, command] of [
        ["Deno.serve", [Deno.execPath(), "run", "--allow-all", script]],
        ["Bun.serve", [bunPath(), script]],
        ["srvx on Node", [await nodePath(), script, "srvx"]],
      ] as const
    ) {
      if (quick && runtime === "srvx on Node") continue;
      const title = `${runtime}, the middleware of most applications`;
      const race = await raceServers(entries(command), effort);
      holds = printRace(title, race, boundsOf(runtime)) && holds;
    }
    finish(holds);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Returns the servers of a table. A quick table has only those with bounds. */
function entries(command: readonly string[]): ServerEntry[] {
  const bound = new Set(boundsOf("").flatMap(({ of, to }) => [of, to]));
  return Object.keys(applications).flatMap((application) => {
    const entry = (name: string, isUser: boolean): ServerEntry => ({
      name,
      command: [...command, application],
      path: "/",
      prepare: (origin) => headersFor(origin, isUser),
    });
    const names = [entry(application, false)];
    if (withUser.includes(application)) {
      names.push(entry(`${application}, logged in`, true));
    }
    return names;
  }).filter(({ name }) => !quick || bound.has(name));
}

/** Logs in if wanted. Throws if the server greets the wrong user. */
async function headersFor(
  origin: string,
  isUser: boolean,
): Promise<Record<string, string>> {
  const headers: Record<string, string> = { ...HEADERS };
  if (isUser) {
    const login = await fetch(`${origin}/login`);
    await login.body?.cancel();
    headers.Cookie = login.headers.getSetCookie()[0]!.split(";")[0]!;
  }
  const text = await (await fetch(origin, { headers })).text();
  if (text !== `Hello ${isUser ? "Ada" : "visitor"}`) {
    throw new Error(`${origin} answers wrongly: ${text}`);
  }
  return headers;
}

/** Returns a program for all runtimes. Its last argument names the application. */
function serverSource(): string {
  const module = new URL("_stack.ts", import.meta.url).href;
  return `import { applications } from ${JSON.stringify(module)};
const args = process.argv.slice(2);
const isWrapped = false;
const fetch = applications[args.at(-1)]();
${SERVE}`;
}
