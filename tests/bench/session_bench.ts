/**
 * Sessions on Deno and on Bun: the cost of a read and of a change, next to
 * iron-session, h3, `@hono/session` and @remix-run/session, and of a request
 * that does not touch its session. Reads and changes are 50 in flight, as on a
 * busy server. One at a time, they would measure how fast a thread wakes up.
 *
 * Each request has the same cookie, reads the user's id, and changes one value
 * in the table of changes. Cookies are sealed, and those of @remix-run only
 * signed. `@hono/session` with a `Map` also has an encrypted cookie, and only
 * its values in memory. h3 derives its keys with 8,192 rounds in each request.
 *
 * Bounds: a sealed cookie is read 4 times as fast as by iron-session and twice
 * as fast as @remix-run's signed one, and changed no slower than by any of them.
 * A read from the memory store takes at most 2 SHA-256 digests, and half of the
 * time of `@hono/session`. A request that never touches its session takes at
 * most 1.1 times one without the middleware, by `Deno.serve`. Ours is the
 * fastest in both tables.
 *
 * The bounds for iron-session and the digest apply on Deno. On Bun, promises
 * take most of the time of a read, because its native part is so fast. The rows
 * of one decryption, and of an unchecked session in memory, show how little is
 * left.
 *
 * The rows of libraries with a middleware measure all of it, including the
 * save, and those of h3 and Hono their router too. iron-session has none.
 *
 * `deno run -A tests/bench/session_bench.ts [--quick]`
 */
import { finish, measure, printTable } from "./_measure.ts";
import { benchOnBun } from "./_on_bun.ts";
import { raceSessions, untouchedRouters } from "./_session_race.ts";

const quick = Deno.args.includes("--quick");

const onDeno = await raceSessions(quick);
const served = await raceServed();
const onBun = await benchOnBun(
  new URL("_session_race.ts", import.meta.url),
  `raceSessions(${quick})`,
);
finish(onDeno && served && onBun);

/** Measures the middleware with served requests that have no session. */
async function raceServed(): Promise<boolean> {
  const servers = untouchedRouters().map(({ name, fetch }) => ({
    name,
    server: Deno.serve({ port: 0, onListen: () => {} }, fetch),
  }));
  const worker = new Worker(new URL("_load_worker.ts", import.meta.url), {
    type: "module",
  });
  const requests = 1_000;
  const candidates = servers.map(({ name, server }) => ({
    name,
    run() {
      const { promise, resolve } = Promise.withResolvers<unknown>();
      worker.onmessage = resolve;
      worker.postMessage({
        port: server.addr.port,
        path: "/articles/17",
        headers: { Accept: "text/html", "User-Agent": "bench" },
        connections: 32,
        requests,
      });
      return promise;
    },
  }));
  const medians = await measure(candidates, {
    rounds: quick ? 40 : 400,
    turns: 1,
  });
  worker.terminate();
  for (const { server } of servers) await server.shutdown();
  const perRequest = [...medians].map(([name, time]) =>
    [name, time / requests] as const
  );
  return printTable("Session, untouched, by Deno.serve", new Map(perRequest), [
    { of: "session", to: "no middleware", most: 1.1 },
    { of: "session, lazy", to: "no middleware", most: 1.1 },
  ]);
}
