/**
 * Whole servers: requests per second under `Deno.serve` and `Bun.serve`,
 * counted by wrk. A param route runs next to a bare handler and to other
 * libraries: without middleware, with five that return the promise of `next()`,
 * and with five async functions that await it. A function around `router.fetch`
 * may cost 5 % more. Five entries for an API have no bound: reading headers and
 * setting timers takes most of their time.
 *
 * Each server is a separate process. Short runs alternate, and medians count.
 * Two processes of the same program differ in speed, so each server is
 * restarted now and then.
 *
 * On Linux the bounds apply to the processor time of a server per request. A
 * server fills one processor, so this shows the same, but other load on the
 * machine hardly changes it.
 */
import { bunPath } from "../runtimes/bun.ts";
import { bundle } from "../runtimes/bundle.ts";
import { applications } from "./_dispatch.ts";
import { type Bound, finish, printTable } from "./_measure.ts";
import { hasWrk, raceServers } from "./_serve_race.ts";

const quick = Deno.args.includes("--quick");

const effort = quick
  ? { starts: 1, warmUps: 1, rounds: 3 }
  : { starts: 4, warmUps: 3, rounds: 4 };

/** The server that calls `router.fetch` with the request only. */
const wrapped = "gatehouse in a function";

/** The router behind five middleware that an API has. */
const entries = "five entries of the API floor";

/** Not Remix's: its middleware would not let the others have their turn. */
const names = Object.keys(applications)
  .filter((name) => !name.startsWith("@"))
  .concat(wrapped);

/** The bounds behind async middleware: 1.15 times the requests of Hono. */
const ASYNC_BOUNDS: readonly Bound[] = [
  { of: "gatehouse", to: "hono", most: 1 / 1.15 },
  { of: wrapped, to: "gatehouse", most: 1.05 },
];

if (!await hasWrk()) {
  console.log("Skipped: wrk is not installed");
} else {
  const folder = await Deno.makeTempDir();
  try {
    const script = `${folder}/server.js`;
    await Deno.writeTextFile(script, await bundle(serverSource()));
    let holds = true;
    for (
      const [runtime, command] of [
        ["Deno.serve", [Deno.execPath(), "run", "--allow-all", script]],
        ["Bun.serve", [bunPath(), script]],
      ] as const
    ) {
      for (
        const [kind, application, list, limits] of [
          ["0 middleware", ["0", "returns"], names, bounds(0.97)],
          ["5 middleware", ["5", "returns"], names, bounds(0.9)],
          ["5 async middleware", ["5", "awaits"], names, ASYNC_BOUNDS],
          ["entries", ["0", "returns"], ["bare", "gatehouse", entries], []],
        ] as const
      ) {
        const title = `${runtime}, param route, ${kind}`;
        const servers = list.map((name) => ({
          name,
          command: [...command, name, ...application],
          path: "/users/7x",
        }));
        const { between, busy } = await raceServers(servers, effort);
        const unit = "ns between answers";
        holds = (busy.size > 0
          ? printTable(title, between, [], unit) &&
            printTable(`${title}, processor`, busy, limits, "ns per answer")
          : printTable(title, between, limits, unit)) && holds;
      }
    }
    finish(holds);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Returns bounds, among them the least part of the bare handler's requests. */
function bounds(leastOfBare: number): Bound[] {
  const peers = ["hono", "h3", "itty-router"];
  return [
    { of: "gatehouse", to: "bare", most: 1 / leastOfBare },
    { of: wrapped, to: "gatehouse", most: 1.05 },
    ...peers.map((to) => ({ of: "gatehouse", to, most: 1 })),
  ];
}

/** Returns a program for both runtimes that prints its port. */
function serverSource(): string {
  const module = new URL("_dispatch.ts", import.meta.url).href;
  const entriesModule = new URL("_entries.ts", import.meta.url).href;
  return `import { applications } from ${JSON.stringify(module)};
import { createEntries } from ${JSON.stringify(entriesModule)};
const isBun = "Bun" in globalThis;
const [name, middleware, form] = isBun ? Bun.argv.slice(2) : Deno.args;
const isWrapped = name === ${JSON.stringify(wrapped)};
const handle = name === ${JSON.stringify(entries)}
  ? createEntries()
  : applications[isWrapped ? "gatehouse" : name](Number(middleware), form);
const fetch = isWrapped ? (request) => handle(request) : handle;
const hostname = "127.0.0.1";
const tell = (port) => console.error("port " + port);
if (isBun) tell(Bun.serve({ port: 0, hostname, fetch }).port);
else Deno.serve({ port: 0, hostname, onListen: ({ port }) => tell(port) }, fetch);
`;
}
