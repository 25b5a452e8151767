/**
 * Whole servers: requests per second under `Deno.serve` and `Bun.serve`,
 * counted by wrk. A param route runs next to a bare handler and to other
 * libraries: without middleware, with five that return the promise of `next()`,
 * and with five async functions that await it. Five entries for an API have no
 * bound: reading headers and setting timers takes most of their time.
 *
 * A function around `router.fetch`, which passes the request only, may cost 5 %
 * more. It is also measured on Node, with srvx and `@hono/node-server` as in the
 * guide, and on workerd. A quick run omits these.
 *
 * Each server is a separate process. Short runs alternate, and medians count.
 * Two processes of the same program differ in speed, so each server is
 * restarted now and then.
 *
 * On Linux the bounds apply to the processor time of a server per request. A
 * server fills one processor, so this shows the same, but other load on the
 * machine hardly changes it.
 */
import { applications } from "./_dispatch.ts";
import { type Bound, finish } from "./_measure.ts";
import { hasWrk, printRace, raceServers } from "./_serve_race.ts";
import { ENTRIES, serveRuntimes, WRAPPED } from "./_serve_runtimes.ts";

const quick = Deno.args.includes("--quick");

const effort = quick
  ? { starts: 1, warmUps: 1, rounds: 3 }
  : { starts: 1, warmUps: 2, rounds: 7 };

/** Not Remix's: its middleware would not let the others have their turn. */
const names = Object.keys(applications)
  .filter((name) => !name.startsWith("@"))
  .concat(WRAPPED);

const WRAPPED_BOUND: Bound = { of: WRAPPED, to: "gatehouse", most: 1.05 };

/** The bounds behind async middleware: 1.15 times the requests of Hono. */
const ASYNC_BOUNDS: readonly Bound[] = [
  { of: "gatehouse", to: "hono", most: 1 / 1.15 },
  WRAPPED_BOUND,
];

/** The tables of Deno and Bun. */
const ALL = [
  ["0 middleware", ["0", "returns"], names, bounds(0.97)],
  ["5 middleware", ["5", "returns"], names, bounds(0.9)],
  ["5 async middleware", ["5", "awaits"], names, ASYNC_BOUNDS],
  ["entries", ["0", "returns"], ["bare", "gatehouse", ENTRIES], []],
] as const;

/** The rows of the other runtimes, whose servers take most of the time. */
const forms = ["bare", "gatehouse", WRAPPED, "hono", "h3", "itty-router"];

const FORMS = [
  ["0 middleware", ["0", "returns"], forms, [WRAPPED_BOUND]],
  ["5 async middleware", ["5", "awaits"], forms, [WRAPPED_BOUND]],
] as const;

if (!await hasWrk()) {
  console.log("Skipped: wrk is not installed");
} else {
  const folder = await Deno.makeTempDir();
  try {
    let holds = true;
    for (const { name: runtime, command } of await serveRuntimes(folder)) {
      const isFull = /^(?:Deno|Bun)/.test(runtime);
      if (quick && !isFull) continue;
      const tables = isFull ? ALL : FORMS;
      for (const [kind, application, list, limits] of tables) {
        const title = `${runtime}, param route, ${kind}`;
        const servers = await Promise.all(list.map(async (name) => ({
          name,
          command: await command([name, ...application]),
          path: "/users/7x",
        })));
        const race = await raceServers(servers, effort);
        holds = printRace(title, race, limits) && holds;
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
    WRAPPED_BOUND,
    ...peers.map((to) => ({ of: "gatehouse", to, most: 1 })),
  ];
}
