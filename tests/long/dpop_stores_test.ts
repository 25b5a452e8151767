/** 100 parallel requests with one proof, on real stores and several machines. */
import { assertEquals } from "@std/assert";
import {
  createDPoPKey,
  createDPoPProof,
  createDPoPVerifier,
  thumbprintOfDPoPKey,
} from "@gatehouse/web/auth/access-tokens";
import { createRouter, type Router } from "@gatehouse/web/fetch-router";
import type { SessionStore } from "@gatehouse/web/session";
import {
  startStoreWorker,
  testOnSharedStores,
  WORKER_STORES,
} from "../deno/_shared_stores.ts";

const MACHINES = 4;
const ROUNDS = 5;

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

const NAME =
  "createDPoPVerifier() accepts one of 100 parallel requests with a proof";

testOnSharedStores(
  "DPoP proofs",
  (kind) => `${NAME} on ${kind}, from ${MACHINES} machines`,
  async (connect) => {
    const origin = "https://api.example";
    const machines: Router[] = [];
    for (let index = 0; index < MACHINES; index++) {
      machines.push(createAPI(await connect(), origin));
    }
    await assertOnePasses(`${origin}/`, async (machine, proof) => {
      const headers = { DPoP: proof };
      const { fetch } = machines[machine]!;
      return (await fetch(`${origin}/`, { headers })).status;
    });
  },
);

for (const [name, store] of WORKER_STORES) {
  Deno.test(`${NAME} on ${name}`, async () => {
    await using worker = await startAPI(store);
    await assertOnePasses(worker.url.href, async (_machine, proof) => {
      const response = await fetch(worker.url, { headers: { DPoP: proof } });
      await response.text();
      return response.status;
    });
  });
}

function startAPI(store: string) {
  return startStoreWorker(`
    import { createDPoPVerifier } from "@gatehouse/web/auth/access-tokens";
    import { createRouter } from "@gatehouse/web/fetch-router";
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
}
