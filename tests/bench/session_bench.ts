/**
 * Sessions: what reading one costs, next to iron-session and @remix-run/session,
 * and what a request pays that does not touch its session. Reads are 50 in
 * flight, as on a busy server: one at a time, they measure how fast a thread
 * wakes up. On Deno and on Bun.
 *
 * Bounds: a sealed cookie is read 4 times as fast as by iron-session and twice
 * as fast as @remix-run's signed one; a read from the memory store takes at
 * most 2 SHA-256 digests; a request that never touches its session takes at
 * most 1.1 times one without the middleware, by `Deno.serve`. Those next to
 * iron-session and the digest are for Deno. On Bun the native half of a read takes
 * so little that promises are most of it: the rows of one decryption, and of a
 * session in memory that checks nothing, show how little is left. What is measured
 * of ours is all that the middleware does with a request, saving included; of the
 * others, the read alone where they have no middleware.
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

/** What the middleware adds where no session is, to a request from outside. */
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
