import {
  createDPoPVerifier,
  type DPoPVerifierOptions,
  readDPoPNonce,
} from "@gatehouse/web/auth/access-tokens";
import { createRouter } from "@gatehouse/web/fetch-router";
import { formData, methodOverride } from "@gatehouse/web/middleware";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  createClientKey,
  createVerifier,
  now,
  refused,
  seconds,
  signProof,
  token,
  url,
} from "../_dpop.ts";

const key = await createClientKey();

const ok = { ok: true } as const;

for (const alg of ["ES256", "ES384", "ES512", "RS256", "PS256", "EdDSA"]) {
  Deno.test(`createDPoPVerifier() accepts a proof with ${alg} (RFC 9449, 4.3)`, async () => {
    const key = await createClientKey(alg);
    const { verify } = createVerifier();
    assertEquals(await verify(await signProof(key), key.thumbprint), ok);
  });
}

Deno.test("createDPoPVerifier() accepts a proof once", async () => {
  const { verify } = createVerifier();
  const proof = await signProof(key);
  assertEquals(await verify(proof, key.thumbprint), ok);
  assertEquals(await verify(proof, key.thumbprint), refused);
});

Deno.test("createDPoPVerifier() without a clock tolerance accepts a proof once, also in its last second", async () => {
  let time = now;
  const clock = () => time;
  const store = createMemorySessionStore({ now: clock });
  const { verify } = createVerifier({ store, now: clock, clockTolerance: 0 });
  const proof = await signProof(key);
  assertEquals(await verify(proof, key.thumbprint), ok);
  for (const age of [59_999, 60_000, 60_500, 60_999]) {
    time = now + age;
    assertEquals(await verify(proof, key.thumbprint), refused);
  }
});

Deno.test("createDPoPVerifier() accepts one of 100 concurrent requests with one proof", async () => {
  const { verify } = createVerifier();
  const proof = await signProof(key);
  const results = await Promise.all(
    Array.from({ length: 100 }, () => verify(proof, key.thumbprint)),
  );
  assertEquals(results.filter(({ ok }) => ok).length, 1);
});

Deno.test("createDPoPVerifier() accepts the same jti of another key", async () => {
  const { verify } = createVerifier();
  const other = await createClientKey();
  for (const { thumbprint, ...rest } of [key, other]) {
    const proof = await signProof({ thumbprint, ...rest }, { jti: "same" });
    assertEquals(await verify(proof, thumbprint), ok);
  }
});

Deno.test("createDPoPVerifier() does not mark a refused proof as used", async () => {
  const { verify } = createVerifier();
  const proof = await signProof(key);
  const options = { method: "POST" };
  assertEquals(await verify(proof, key.thumbprint, options), refused);
  assertEquals(await verify(proof, "other"), refused);
  assertEquals(await verify(proof, key.thumbprint), ok);
});

Deno.test("createDPoPVerifier() stores short keys that reveal nothing of the proof", async () => {
  const keys: string[] = [];
  const memory = createMemorySessionStore();
  const { verify } = createVerifier({
    store: {
      get: (key) => memory.get(key),
      delete: (key) => memory.delete(key),
      put(key, value, options) {
        keys.push(`${key} ${value} ${options.ttl} ${options.ifVersion}`);
        return memory.put(key, value, options);
      },
    },
  });
  const proof = await signProof(key, { jti: "j".repeat(5_000) });
  assertEquals(await verify(proof, key.thumbprint), ok);
  assert(/^dpop:[\w-]{43} used 181000 null$/.test(keys[0]!), keys[0]);
});

Deno.test("createDPoPVerifier() forgets a proof only after it has expired", async () => {
  let time = now;
  const clock = () => time;
  const store = createMemorySessionStore({ now: clock });
  const { verify } = createVerifier({ store, now: clock });
  // The client's clock is ahead.
  const proof = await signProof(key, { iat: seconds + 30 });
  assertEquals(await verify(proof, key.thumbprint), ok);
  for (let step = 0; step < 40; step++) {
    time += 5_000;
    assertEquals(await verify(proof, key.thumbprint), refused);
  }
});

const times: [age: number, isAccepted: boolean][] = [
  [-31, false],
  [-30, true],
  [0, true],
  [90, true],
  [91, false],
  [1e9, false],
  [-1e9, false],
];

for (const [age, isAccepted] of times) {
  Deno.test(`createDPoPVerifier() ${isAccepted ? "accepts" : "refuses"} a proof that is ${age} s old (RFC 9449, 11.1)`, async () => {
    const { verify } = createVerifier();
    const proof = await signProof(key, { iat: seconds - age });
    const expected = isAccepted ? ok : refused;
    assertEquals(await verify(proof, key.thumbprint), expected);
  });
}

Deno.test("createDPoPVerifier() checks the method that the client sent, not the overridden one", async () => {
  const { verifier } = createVerifier();
  const router = createRouter({ middleware: [formData(), methodOverride()] });
  router.delete(
    "/notes",
    async (context) =>
      Response.json(
        await verifier.verify(context, { token, thumbprint: key.thumbprint }),
      ),
  );
  const send = async (htm: string) => {
    const response = await router.fetch(url, {
      method: "POST",
      headers: { DPoP: await signProof(key, { htm }) },
      body: new URLSearchParams({ _method: "DELETE" }),
    });
    return await response.json();
  };
  assertEquals(await send("POST"), ok);
  assertEquals(await send("DELETE"), refused);
});

Deno.test("createDPoPVerifier() rejects if the store fails", async () => {
  const { verify } = createVerifier({
    store: {
      get: () => null,
      put: () => Promise.reject(new Error("down")),
      delete: () => {},
    },
  });
  const proof = await signProof(key);
  await assertRejects(() => verify(proof, key.thumbprint));
});

const mistakes: [options: Partial<DPoPVerifierOptions>, message: string][] = [
  [{ origin: "api.example" }, "is not an origin"],
  [{ origin: "https://api.example/" }, "is not an origin"],
  [{ origin: "https://api.example/api" }, "is not an origin"],
  [{ origin: "null" }, "is not an origin"],
  [{ algorithms: ["HS256"] }, '"HS256" is not an asymmetric one'],
  [{ algorithms: ["none"] }, '"none" is not an asymmetric one'],
  [{ algorithms: [] }, "is not an asymmetric one"],
  [{ maxAge: 0 }, 'maxAge "0" is not a positive number'],
  [{ maxAge: 601 }, 'maxAge "601" is not a positive number'],
  [{ clockTolerance: -1 }, 'clockTolerance "-1" is not a positive number'],
  [{ clockTolerance: NaN }, 'clockTolerance "NaN" is not a positive number'],
  [{ storeTimeout: 0 }, 'storeTimeout "0" is not a positive number'],
  [{ nonceSecrets: ["short"] }, "has fewer than 32 characters"],
  [{ nonceSecrets: [] }, "secrets is empty"],
];

for (const [options, message] of mistakes) {
  Deno.test(`createDPoPVerifier() throws for ${JSON.stringify(options)}`, () => {
    assertThrows(() => createVerifier(options), Error, message);
  });
}

Deno.test("createDPoPVerifier() throws for a store that is eventually consistent", () => {
  const store = createMemorySessionStore();
  assertThrows(
    () =>
      createDPoPVerifier({
        store: {
          get: (key) => store.get(key),
          put: (key, value, options) => store.put(key, value, options),
          delete: (key) => store.delete(key),
          consistency: "eventual",
        },
      }),
    TypeError,
    "the store can't tell which request uses a proof first",
  );
});

for (const value of ["", " ", "a b", 'a"b', "a\\b", "é", "n".repeat(1_025)]) {
  Deno.test(`readDPoPNonce() ignores "${value.slice(0, 10)}" of ${value.length} characters`, () => {
    const response = new Response(null, { headers: { "DPoP-Nonce": value } });
    assertEquals(readDPoPNonce(response), null);
  });
}
