/** Opaque access tokens that are bound to a key. */
import { createDPoPVerifier } from "@gatehouse/web/auth/access-tokens";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { assertEquals } from "@std/assert";
import { type Changes, createClientKey, hashOf, signProof } from "../_dpop.ts";
import { activeToken, createIntrospectingAPI } from "../_introspecting_api.ts";
import { now, resource } from "../_resource.ts";

const key = await createClientKey();
const cnf = { jkt: key.thumbprint };

/** Creates an API that accepts opaque tokens, and a function to send one. */
async function createAPI(member: Changes, hasVerifier = true) {
  const dpop = createDPoPVerifier({
    store: createMemorySessionStore({ now: () => now }),
    now: () => now,
  });
  const { responses, router } = await createIntrospectingAPI(
    {},
    hasVerifier ? { dpop } : {},
  );
  responses.t0ken = activeToken(member);
  return async (type: string, token = "t0ken") => {
    const ath = await hashOf("t0ken");
    const proof = await signProof(key, { htu: resource, ath });
    const headers = { Authorization: `${type} ${token}`, DPoP: proof };
    return (await router.fetch(resource, { headers })).status;
  };
}

Deno.test("createIntrospection() accepts a bound token with a proof (RFC 9449, 6.2)", async () => {
  for (const token_type of ["DPoP", "Bearer", undefined]) {
    const send = await createAPI({ cnf, token_type });
    assertEquals(await send("DPoP"), 200);
    // From the cache.
    assertEquals(await send("DPoP"), 200);
    assertEquals(await send("Bearer"), 401);
    assertEquals(await send("DPoP", "another"), 401);
  }
});

Deno.test("createIntrospection() refuses a bound token if the API has no verifier", async () => {
  const send = await createAPI({ cnf }, false);
  assertEquals(await send("DPoP"), 401);
  assertEquals(await send("Bearer"), 401);
});

Deno.test("createIntrospection() refuses a token of the type DPoP without its key", async () => {
  const send = await createAPI({ token_type: "DPoP" });
  assertEquals(await send("DPoP"), 401);
  assertEquals(await send("Bearer"), 401);
});
