/** Access tokens that are bound to a key, at APIs that accept them. */
import { auth, requireAuth } from "@gatehouse/web/auth-middleware";
import {
  createDPoPVerifier,
  createJWTAuthScheme,
  createResourceServer,
  type DPoPVerifierOptions,
} from "@gatehouse/web/auth/access-tokens";
import { createRouter } from "@gatehouse/web/fetch-router";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import {
  type Changes,
  type ClientKey,
  createClientKey,
  hashOf,
  signProof,
} from "../_dpop.ts";
import { createAPI, now, resource, seconds } from "../_resource.ts";

const key = await createClientKey();
const thief = await createClientKey();
const nonceSecrets = ["4pZx8Qm2Lw9Vt6Rk1Yd5Nf3Hs7Jb0Gc8"];

type APIOptions = Parameters<typeof createAPI>[0];

/** Creates an API that accepts bound tokens, and a client that has one. */
async function createBound(
  options: APIOptions = {},
  dpopOptions: Partial<DPoPVerifierOptions> = {},
) {
  const used: string[] = [];
  const memory = createMemorySessionStore({ now: () => now });
  const dpop = createDPoPVerifier({
    store: {
      get: (key) => memory.get(key),
      delete: (key) => memory.delete(key),
      put(key, value, options) {
        used.push(key);
        return memory.put(key, value, options);
      },
    },
    now: () => now,
    ...dpopOptions,
  });
  const api = await createAPI({ dpop, ...options });
  const bound = await api.sign({ cnf: { jkt: key.thumbprint } });

  /** Creates a proof for a token; `claims` and `header` replace members. */
  const prove = async (
    token: string,
    claims: Changes = {},
    from: ClientKey = key,
  ) =>
    await signProof(from, {
      htu: resource,
      ath: await hashOf(token),
      ...claims,
    });

  /** Sends a token as DPoP, with a proof unless it is `null`. */
  async function send(
    token: string = bound,
    proof?: string | null,
    type = "DPoP",
    init: RequestInit = {},
  ): Promise<Response> {
    const headers = new Headers({ Authorization: `${type} ${token}` });
    const value = proof === undefined ? await prove(token) : proof;
    if (value !== null) headers.set("DPoP", value);
    return await api.router.fetch(resource, { ...init, headers });
  }
  return { ...api, bound, prove, send, used };
}

const challengeOf = (response: Response) =>
  response.headers.get("WWW-Authenticate") ?? "";

for (const type of ["DPoP", "dpop", "DPOP"]) {
  Deno.test(`createResourceServer() accepts a bound token with a proof as ${type} (RFC 9449, 7.1)`, async () => {
    const { send, bound } = await createBound();
    const response = await send(bound, undefined, type);
    assertEquals(response.status, 200);
    assertEquals(response.headers.get("DPoP-Nonce"), null);
  });
}

Deno.test("createResourceServer() compares the URL of a proof with the origin of the resource", async () => {
  const { bound, prove, router } = await createBound();
  const headers = { Authorization: `DPoP ${bound}`, DPoP: await prove(bound) };
  // A proxy ends TLS.
  const inside = await router.fetch("http://10.0.0.1:8080/notes", { headers });
  assertEquals(inside.status, 200);
});

Deno.test("createResourceServer() accepts a proof once, also from concurrent requests", async () => {
  const { bound, prove, send } = await createBound();
  const proof = await prove(bound);
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => send(bound, proof)),
  );
  const passed = responses.filter(({ status }) => status === 200);
  assertEquals(passed.length, 1);
  const refused = responses.find(({ status }) => status !== 200)!;
  assertMatch(challengeOf(refused), /^DPoP .*error="invalid_dpop_proof"/);
});

type Bound = Awaited<ReturnType<typeof createBound>>;

const attacks: Record<string, (client: Bound) => Promise<Response>> = {
  "as a bearer token": ({ bound, send }) => send(bound, null, "Bearer"),
  "as a bearer token with its proof": ({ bound, send }) =>
    send(bound, undefined, "Bearer"),
  "without a proof": ({ bound, send }) => send(bound, null),
  "with an empty proof": ({ bound, send }) => send(bound, ""),
  "with a proof of another key": async ({ bound, prove, send }) =>
    send(bound, await prove(bound, {}, thief)),
  "with a proof for another token": async ({ bound, prove, send }) =>
    send(bound, await prove("another")),
  "with a proof for another method": async ({ bound, prove, send }) =>
    send(bound, await prove(bound, { htm: "POST" })),
  "with a proof for another path": async ({ bound, prove, send }) =>
    send(bound, await prove(bound, { htu: `${resource}/1` })),
  "with a proof for another host": async ({ bound, prove, send }) =>
    send(bound, await prove(bound, { htu: "https://evil.example/notes" })),
  "with an old proof": async ({ bound, prove, send }) =>
    send(bound, await prove(bound, { iat: seconds - 91 })),
  "with a proof of the future": async ({ bound, prove, send }) =>
    send(bound, await prove(bound, { iat: seconds + 31 })),
  "with two proofs": async ({ bound, prove, send }) =>
    send(bound, `${await prove(bound)}, ${await prove(bound)}`),
  "with the token as proof": ({ bound, send }) => send(bound, bound),
  "with the proof as token": async ({ bound, prove, send }) =>
    send(await prove(bound), await prove(bound)),
  "twice in one header": ({ bound, send, prove }) =>
    prove(bound).then((proof) => send(`${bound}, DPoP ${bound}`, proof)),
};

for (const [name, attack] of Object.entries(attacks)) {
  Deno.test(`createResourceServer() refuses a bound token ${name}`, async () => {
    const client = await createBound();
    const response = await attack(client);
    assertEquals(response.status, 401);
    assertMatch(challengeOf(response), /DPoP /);
    assertEquals(client.used, []);
  });
}

const unusable: unknown[] = [
  null,
  "",
  "key",
  1,
  true,
  [],
  {},
  { jkt: null },
  { jkt: 1 },
  { jkt: [key.thumbprint] },
  { jkt: "" },
  { jkt: thief.thumbprint },
  { jkt: key.thumbprint, "x5t#S256": "AAAA" },
  { "x5t#S256": "AAAA", jkt: key.thumbprint },
  { "x5t#S256": "AAAA" },
  { jwk: key.jwk },
  { kid: key.thumbprint },
  { JKT: key.thumbprint },
];

for (const cnf of unusable) {
  Deno.test(`createResourceServer() refuses a token with cnf ${JSON.stringify(cnf)}, with and without a proof`, async () => {
    const { send, sign, used } = await createBound();
    const token = await sign({ cnf });
    assertEquals((await send(token)).status, 401);
    assertEquals((await send(token, null, "Bearer")).status, 401);
    assertEquals(used, []);
  });
}

Deno.test("createResourceServer() refuses a token with the scheme DPoP that is not bound", async () => {
  const { send, sign, used } = await createBound();
  const response = await send(await sign());
  assertEquals(response.status, 401);
  assertMatch(challengeOf(response), /error="invalid_token"/);
  assertEquals(used, []);
});

Deno.test("createResourceServer() does not use up the proof of an invalid token", async () => {
  const { bound, prove, send, sign, used } = await createBound();
  for (const claims of [{ exp: seconds - 100 }, { aud: "https://b.example" }]) {
    const token = await sign({ cnf: { jkt: key.thumbprint }, ...claims });
    assertEquals((await send(token)).status, 401);
  }
  const changed = `${bound.slice(0, -4)}AAAA`;
  assertEquals((await send(changed, await prove(changed))).status, 401);
  assertEquals(used, []);
});

Deno.test("createResourceServer() accepts bearer tokens that are not bound, unless requireDPoP is set", async () => {
  const open = await createBound();
  const unbound = await open.sign();
  assertEquals((await open.send(unbound, null, "Bearer")).status, 200);

  const strict = await createBound({ requireDPoP: true });
  const response = await strict.send(unbound, null, "Bearer");
  assertEquals(response.status, 401);
  assertMatch(challengeOf(response), /^DPoP (?!.*Bearer)/);
  assertEquals((await strict.send()).status, 200);
});

Deno.test("createResourceServer() without dpop refuses bound tokens and the scheme DPoP", async () => {
  const { bound, send } = await createBound({ dpop: undefined });
  for (const type of ["DPoP", "Bearer"]) {
    const response = await send(bound, undefined, type);
    assertEquals(response.status, 401);
    assertMatch(challengeOf(response), /^Bearer (?!.*DPoP)/);
  }
});

Deno.test("createResourceServer() names both schemes and the algorithms in challenges (RFC 9449, 7.1)", async () => {
  const dpop = createDPoPVerifier({
    store: createMemorySessionStore(),
    algorithms: ["ES256", "PS256"],
  });
  const { router, send, sign } = await createBound({ dpop });
  const anonymous = await router.fetch(resource);
  const metadata =
    'resource_metadata="https://api.example/.well-known/oauth-protected-resource/notes"';
  assertEquals(
    challengeOf(anonymous),
    `Bearer realm="notes", ${metadata}, DPoP realm="notes", ${metadata}, algs="ES256 PS256"`,
  );
  // The right scope is missing.
  const init = { method: "POST" };
  const forbidden = await send(await sign(), null, "Bearer", init);
  assertEquals(forbidden.status, 403);
  const scope = 'scope="notes:write", error="insufficient_scope"';
  assertEquals(challengeOf(forbidden).split(scope).length, 3);
});

Deno.test("createResourceServer() publishes the algorithms of proofs (RFC 9728, 2)", async () => {
  const { api, router } = await createBound({ requireDPoP: true }, {
    algorithms: ["ES256"],
  });
  const document = await (await router.fetch(api.metadataUrl)).json();
  assertEquals(document.dpop_signing_alg_values_supported, ["ES256"]);
  assertEquals(document.dpop_bound_access_tokens_required, true);

  const plain = await createBound({ dpop: undefined });
  const other = await (await plain.router.fetch(plain.api.metadataUrl)).json();
  assertEquals(other.dpop_signing_alg_values_supported, undefined);
  assertEquals(other.dpop_bound_access_tokens_required, undefined);
});

Deno.test("createResourceServer() sends a nonce, and a new one before it expires (RFC 9449, 9)", async () => {
  let time = now;
  const options = { nonceSecrets, now: () => time };
  const { bound, prove, send } = await createBound({}, options);

  const first = await send();
  assertEquals(first.status, 401);
  assertMatch(challengeOf(first), /^DPoP .*error="use_dpop_nonce"/);
  const nonce = first.headers.get("DPoP-Nonce");
  assert(nonce !== null);
  const second = await send(bound, await prove(bound, { nonce }));
  assertEquals(second.status, 200);
  assertEquals(second.headers.get("DPoP-Nonce"), null);

  time += 200_000;
  const iat = seconds + 200;
  const third = await send(bound, await prove(bound, { nonce, iat }));
  assertEquals(third.status, 200);
  const next = third.headers.get("DPoP-Nonce");
  assert(next !== null && next !== nonce);
  const fourth = await send(bound, await prove(bound, { nonce: next, iat }));
  assertEquals(fourth.status, 200);
});

Deno.test("createJWTAuthScheme() accepts bound tokens with proofs, and refuses them without dpop", async () => {
  const { bound, prove, provider } = await createBound();
  for (const hasVerifier of [true, false]) {
    const dpop = createDPoPVerifier({
      store: createMemorySessionStore(),
      now: () => now,
    });
    const scheme = createJWTAuthScheme({
      name: "api",
      issuer: provider.issuer,
      audience: resource,
      verify: ({ sub }) => ({ id: sub }),
      fetch: provider.fetch,
      now: () => now,
      ...hasVerifier && { dpop },
    });
    const router = createRouter({
      middleware: [auth({ schemes: [scheme] }), requireAuth()],
    });
    router.get("/notes", () => new Response("notes"));
    const send = async (type: string, token: string) => {
      const headers = {
        Authorization: `${type} ${token}`,
        DPoP: await prove(token),
      };
      return (await router.fetch(resource, { headers })).status;
    };
    assertEquals(await send("DPoP", bound), hasVerifier ? 200 : 401);
    assertEquals(await send("Bearer", bound), 401);
  }
});

Deno.test("requireDPoP without dpop throws", () => {
  const options = { name: "api", requireDPoP: true, verify: () => null };
  const issuer = "https://id.example";
  assertThrows(
    () => createJWTAuthScheme({ ...options, issuer, audience: resource }),
    TypeError,
    'Cannot create the auth scheme "api": requireDPoP needs dpop',
  );
  assertThrows(
    () => createResourceServer({ ...options, issuers: [{ issuer }], resource }),
    TypeError,
    'Cannot create the resource server "api": requireDPoP needs dpop',
  );
});
