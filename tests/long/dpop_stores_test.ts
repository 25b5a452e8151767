/** 100 parallel requests with one proof, on real stores and several machines. */
import { assertEquals } from "@std/assert";
import {
  createDPoPKey,
  createDPoPProof,
  createDPoPVerifier,
  thumbprintOfDPoPKey,
} from "@gatehouse/web/auth/dpop";
import { createRouter, type Router } from "@gatehouse/web/fetch-router";
import type { SessionStore } from "@gatehouse/web/session";
import { bundle } from "../runtimes/bundle.ts";
import { startWorker } from "../runtimes/workers.ts";
import { findProgram, startPostgres, startRedis } from "../deno/_servers.ts";
import { type OpenStore, openStore } from "../deno/_session_stores.ts";

const ROOT = new URL("../../", import.meta.url);
const MACHINES = 4;
const ROUNDS = 5;

const redis = findProgram("redis-server", "DPoP proofs on Redis");
const postgres = findProgram("postgres", "DPoP proofs on PostgreSQL");

const key = await createDPoPKey();
const thumbprint = await thumbprintOfDPoPKey(key);
const token = "the-access-token";

function createAPI(store: SessionStore, origin: string): Router {
  const dpop = createDPoPVerifier({ store, origin });
  const router = createRouter();
  router.get("/", async (context) => {
    const { ok } = await dpop.verify(context, { token, thumbprint });
    return new Response(null, { status: ok ? 204 : 401 });
  });
  return router;
}

/** Sends each proof in 100 parallel requests, spread over the machines. */
async function assertOnePasses(
  url: string,
  send: (machine: number, proof: string) => Promise<number>,
) {
  for (let round = 0; round < ROUNDS; round++) {
    const proof = await createDPoPProof(key, { method: "GET", url, token });
    const statuses = await Promise.all(
      Array.from({ length: 100 }, (_, index) => send(index % MACHINES, proof)),
    );
    assertEquals(statuses.filter((status) => status === 204).length, 1);
    assertEquals(statuses.filter((status) => status === 401).length, 99);
  }
}

const kinds: [kind: string, program: string | null][] = [
  ["sqlite", ""],
  ["postgres", postgres],
  ["redis", redis],
  ["valkey", redis],
];

for (const [kind, program] of kinds) {
  Deno.test({
    name:
      `createDPoPVerifier() accepts one of 100 parallel requests with a proof on ${kind}, from ${MACHINES} machines`,
    ignore: program === null,
    // Clients keep their sockets for a moment.
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const folder = await Deno.makeTempDir();
      const server = program === ""
        ? { port: 0, stop: () => Promise.resolve() }
        : await (kind === "postgres" ? startPostgres : startRedis)(program!);
      const opened: OpenStore[] = [];
      try {
        const origin = "https://api.example";
        for (let index = 0; index < MACHINES; index++) {
          const address = program === "" ? `${folder}/proofs.db` : server.port;
          opened.push(await openStore(kind, address));
        }
        const machines = opened.map(({ store }) => createAPI(store, origin));
        await assertOnePasses(`${origin}/`, async (machine, proof) => {
          const headers = { DPoP: proof };
          const { fetch } = machines[machine]!;
          return (await fetch(`${origin}/`, { headers })).status;
        });
      } finally {
        for (const { close } of opened) await close();
        await server.stop();
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}

const stores = [
  [
    "D1",
    `createSQLSessionStore(async (sql, params) =>
      (await env.DB.prepare(sql).bind(...params).all()).results)`,
  ],
  ["a Durable Object", "createDurableObjectSessionStore(env.SESSIONS)"],
];

for (const [name, store] of stores) {
  Deno.test(`createDPoPVerifier() accepts one of 100 parallel requests with a proof on ${name}`, async () => {
    await using worker = await startAPI(store);
    await assertOnePasses(worker.url.href, async (_machine, proof) => {
      const response = await fetch(worker.url, { headers: { DPoP: proof } });
      await response.text();
      return response.status;
    });
  });
}

async function startAPI(store: string) {
  const script = await bundle(`
    import { createRouter } from "${ROOT.href}router/mod.ts";
    import { createDPoPVerifier } from "${ROOT.href}auth/dpop/mod.ts";
    import { createDurableObjectSessionStore } from "${ROOT.href}session/stores/cloudflare.ts";
    import { createSQLSessionStore } from "${ROOT.href}session/stores/sql.ts";
    export { SessionObject } from "${ROOT.href}session/stores/cloudflare.ts";
    export default {
      async fetch(request, env, context) {
        // A new verifier for each request shares nothing but the store.
        const dpop = createDPoPVerifier({ store: ${store} });
        const router = createRouter();
        router.get("/", async (context) => {
          const { ok } = await dpop
            .verify(context, ${JSON.stringify({ token, thumbprint })});
          return new Response(null, { status: ok ? 204 : 401 });
        });
        return router.fetch(request, env, context);
      },
    };`);
  return await startWorker({
    script,
    d1Databases: ["DB"],
    durableObjects: {
      SESSIONS: { className: "SessionObject", useSQLite: true },
    },
  });
}
