/** Proofs that no honest client sends, and thieves without the key (RFC 9449). */
import { assertEquals } from "@std/assert";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { SignJWT } from "jose";
import { type Changes, createClientKey } from "../../auth/_dpop.ts";
import { type AttackRow, outcomeOf, testAttacks } from "../_attacks.ts";
import {
  API,
  browserOf,
  exchange,
  getCode,
  ORIGIN,
  refresh,
  tamper,
  type TestServer,
} from "../_server.ts";
import {
  callWith,
  codeForm,
  connectWith,
  exchangeWith,
  KEY,
  OTHER,
  proofOf,
  refreshForm,
  refreshWith,
  sendForm,
  startDPoPServer,
} from "./_dpop_client.ts";

const RSA = await createClientKey("RS256");

/** A proof of an attacker. */
type Proof = (app: TestServer) => string | null | Promise<string | null>;

const changed = (claims: Changes, header: Changes = {}): Proof => (app) =>
  proofOf(app, KEY, claims, header);

const signed =
  (header: Record<string, unknown>, secret: Uint8Array): Proof => (app) =>
    new SignJWT({
      jti: "a",
      htm: "POST",
      htu: `${ORIGIN}/token`,
      iat: app.clock.now / 1000,
    }).setProtectedHeader({ alg: "HS256", typ: "dpop+jwt", ...header })
      .sign(secret);

/** Proofs with one fault each. */
const PROOFS: Readonly<Record<string, Proof>> = {
  "an empty proof": () => "",
  "garbage": () => "a.b.c",
  "a proof of 20 kB": changed({ jti: "j".repeat(20_000) }),
  "two proofs": async (app) => `${await proofOf(app)}, ${await proofOf(app)}`,
  "a proof twice": async (app) => {
    const proof = await proofOf(app);
    return `${proof},${proof}`;
  },
  "another signature": async (app) => tamper(await proofOf(app)),
  "no signature": async (app) =>
    (await proofOf(app)).split(".").slice(0, 2).join(".") + ".",
  "the algorithm none": async (app) => {
    const [, payload] = (await proofOf(app)).split(".");
    const header = { alg: "none", typ: "dpop+jwt", jwk: KEY.jwk };
    return `${btoa(JSON.stringify(header)).replace(/=+$/, "")}.${payload}.`;
  },
  "HS256 with a secret in the header": (app) => {
    const secret = new Uint8Array(32).fill(7);
    const jwk = {
      kty: "oct",
      k: "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc",
    };
    return signed({ jwk }, secret)(app);
  },
  "HS256 with the public key": signed(
    { jwk: KEY.jwk },
    new TextEncoder().encode(JSON.stringify(KEY.jwk)),
  ),
  "a private key": changed({}, { jwk: KEY.privateJWK }),
  "a private RSA key": (app) => proofOf(app, RSA, {}, { jwk: RSA.privateJWK }),
  "the key of another client": changed({}, { jwk: OTHER.jwk }),
  "no key": changed({}, { jwk: undefined }),
  "a key as a string": changed({}, { jwk: "key" }),
  "the type JWT": changed({}, { typ: "JWT" }),
  "no type": changed({}, { typ: undefined }),
  "the method GET": changed({ htm: "GET" }),
  "the method in lower case": changed({ htm: "post" }),
  "no method": changed({ htm: undefined }),
  "the URL of the API": changed({ htu: API }),
  "the URL of the revocation endpoint": changed({ htu: `${ORIGIN}/revoke` }),
  "another origin": changed({ htu: "https://evil.example/token" }),
  "the origin with http": changed({ htu: "http://test.example/token" }),
  "another port": changed({ htu: "https://test.example:444/token" }),
  "a user in the URL": changed({ htu: "https://a@test.example/token" }),
  "a path with a slash": changed({ htu: `${ORIGIN}/token/` }),
  "a relative URL": changed({ htu: "/token" }),
  "no URL": changed({ htu: undefined }),
  "an array of URLs": changed({ htu: [`${ORIGIN}/token`] }),
  "no jti": changed({ jti: undefined }),
  "an empty jti": changed({ jti: "" }),
  "a jti that is a number": changed({ jti: 1 }),
  "no time": changed({ iat: undefined }),
  "a time that is a string": changed({ iat: "1800000000" }),
  "an old proof": changed({ iat: 1_800_000_000 - 91 }),
  "a proof of the future": changed({ iat: 1_800_000_000 + 31 }),
  "an expired proof": changed({ exp: 1_800_000_000 - 31 }),
};

testAttacks(
  "a code",
  Object.entries(PROOFS).map(([name, proof]): AttackRow => [
    `is refused with ${name}, and works afterwards`,
    "400 invalid_dpop_proof, then 200 tokens",
    async (app) => {
      const code = await getCode(await browserOf(app));
      const sent = await proof(app);
      const first = await outcomeOf(sendForm(app, codeForm(code), sent));
      return `${first}, then ${await outcomeOf(exchangeWith(app, code))}`;
    },
  ]),
  startDPoPServer,
);

testAttacks(
  "a bound refresh token",
  Object.entries<Proof>({ ...PROOFS, "no proof": () => null }).map((
    [name, proof],
  ): AttackRow => [
    `is refused with ${name}, and works afterwards`,
    "400 invalid_dpop_proof, then 200 tokens",
    async (app) => {
      const { refresh_token: token } = await connectWith(app);
      const sent = await proof(app);
      const first = await outcomeOf(sendForm(app, refreshForm(token), sent));
      return `${first}, then ${await outcomeOf(refreshWith(app, token))}`;
    },
  ]),
  startDPoPServer,
);

/** Refreshes twice, and returns the first and the last token. */
async function rotateTwice(app: TestServer): Promise<[string, string]> {
  const first = (await connectWith(app)).refresh_token;
  let last = first;
  for (let count = 0; count < 2; count++) {
    const response = await refreshWith(app, last);
    last = (await response.json()).refresh_token;
  }
  return [first, last];
}

const STOLEN: readonly AttackRow[] = [
  [
    "a refresh token with another key gets no tokens, and ends nothing",
    "400 invalid_grant, then 200 tokens",
    async (app) => {
      const { refresh_token: token } = await connectWith(app);
      const first = await outcomeOf(refreshWith(app, token, OTHER));
      return `${first}, then ${await outcomeOf(refreshWith(app, token))}`;
    },
  ],
  [
    "a refresh token that was used gets no repeated tokens with another key",
    "400 invalid_grant, then 200 tokens",
    async (app) => {
      const { refresh_token: token } = await connectWith(app);
      await refreshWith(app, token);
      const first = await outcomeOf(refreshWith(app, token, OTHER));
      return `${first}, then ${await outcomeOf(refreshWith(app, token))}`;
    },
  ],
  [
    "an old refresh token ends nothing without a proof",
    "400 invalid_dpop_proof, then 200 tokens",
    async (app) => {
      const [old, last] = await rotateTwice(app);
      const first = await outcomeOf(refresh(app, old));
      return `${first}, then ${await outcomeOf(refreshWith(app, last))}`;
    },
  ],
  [
    "an old refresh token ends nothing with another key",
    "400 invalid_grant, then 200 tokens",
    async (app) => {
      const [old, last] = await rotateTwice(app);
      const first = await outcomeOf(refreshWith(app, old, OTHER));
      return `${first}, then ${await outcomeOf(refreshWith(app, last))}`;
    },
  ],
  [
    "an old refresh token with the key ends the grant",
    "400 invalid_grant, then 400 invalid_grant",
    async (app) => {
      const [old, last] = await rotateTwice(app);
      const first = await outcomeOf(refreshWith(app, old));
      return `${first}, then ${await outcomeOf(refreshWith(app, last))}`;
    },
  ],
  [
    "a code of a named key with another key is not used up",
    "400 invalid_grant, then 200 tokens",
    async (app) => {
      const code = await getCode(await browserOf(app), {
        dpop_jkt: KEY.thumbprint,
      });
      const first = await outcomeOf(exchangeWith(app, code, OTHER));
      return `${first}, then ${await outcomeOf(exchangeWith(app, code))}`;
    },
  ],
  [
    "a code of a named key without a proof is not used up",
    "400 invalid_dpop_proof, then 200 tokens",
    async (app) => {
      const code = await getCode(await browserOf(app), {
        dpop_jkt: KEY.thumbprint,
      });
      const first = await outcomeOf(exchange(app, code));
      return `${first}, then ${await outcomeOf(exchangeWith(app, code))}`;
    },
  ],
  ...([["another key", OTHER], ["no key", null]] as const).map((
    [name, key],
  ): AttackRow => [
    `a code that was used ends nothing with ${name}`,
    `400 ${key === null ? "invalid_dpop_proof" : "invalid_grant"}, then 200`,
    async (app) => {
      const code = await getCode(await browserOf(app));
      const tokens = await (await exchangeWith(app, code)).json();
      app.clock.now += 10_000;
      const first = await outcomeOf(exchangeWith(app, code, key));
      const { status } = await callWith(app, tokens.access_token);
      return `${first}, then ${status}`;
    },
  ]),
  [
    "a code that was used ends the grant with its key",
    "400 invalid_grant, then 401",
    async (app) => {
      const code = await getCode(await browserOf(app));
      const tokens = await (await exchangeWith(app, code)).json();
      app.clock.now += 10_000;
      const first = await outcomeOf(exchangeWith(app, code));
      const { status } = await callWith(app, tokens.access_token);
      return `${first}, then ${status}`;
    },
  ],
  [
    "a proof works for one request",
    "200 tokens, then 400 invalid_dpop_proof",
    async (app) => {
      const { refresh_token: token } = await connectWith(app);
      const proof = await proofOf(app);
      const send = () => outcomeOf(sendForm(app, refreshForm(token), proof));
      return `${await send()}, then ${await send()}`;
    },
  ],
  [
    "a proof of another request works neither at once nor later",
    "1 × 200, 19 × 400",
    async (app) => {
      const { refresh_token: token } = await connectWith(app);
      const proof = await proofOf(app);
      const responses = await Promise.all(
        Array.from(
          { length: 20 },
          () => sendForm(app, refreshForm(token), proof),
        ),
      );
      const good = responses.filter(({ status }) => status === 200).length;
      return `${good} × 200, ${20 - good} × 400`;
    },
  ],
  [
    "a bearer grant cannot be bound to the key of a thief later",
    "200 tokens, then 200 tokens",
    async (app) => {
      const { refresh_token: token } = await connectWith(app, null);
      const first = await outcomeOf(refreshWith(app, token, OTHER));
      return `${first}, then ${await outcomeOf(refresh(app, token))}`;
    },
  ],
];

testAttacks("a thief", STOLEN, startDPoPServer);

const CALLS: readonly (readonly [
  name: string,
  expected: number,
  call: (app: TestServer, token: string) => Promise<Response>,
])[] = [
  ["with its key", 200, (app, token) => callWith(app, token)],
  [
    "as a bearer token",
    401,
    (app, token) => callWith(app, token, null, "Bearer"),
  ],
  [
    "as a bearer token with a proof",
    401,
    (app, token) => callWith(app, token, KEY, "Bearer"),
  ],
  ["without a proof", 401, (app, token) => callWith(app, token, null)],
  ["with another key", 401, (app, token) => callWith(app, token, OTHER)],
];

for (const [name, expected, call] of CALLS) {
  Deno.test(`a bound access token ${name} gets ${expected}`, async () => {
    const app = startDPoPServer();
    const { access_token } = await connectWith(app);
    assertEquals((await call(app, access_token)).status, expected);
  });
}

Deno.test("a bearer token is not accepted as a bound one", async () => {
  const app = startDPoPServer();
  const { access_token, token_type } = await connectWith(app, null);
  assertEquals(token_type, "Bearer");
  assertEquals((await callWith(app, access_token)).status, 401);
  const bearer = await callWith(app, access_token, null, "Bearer");
  assertEquals(bearer.status, 200);
});

for (const value of ["short", `${KEY.thumbprint}=`, "ü".repeat(43)]) {
  Deno.test(`dpop_jkt=${value} is an invalid request`, async () => {
    const app = startDPoPServer();
    const browser = await browserOf(app);
    const path = `/authorize?${new URLSearchParams({
      response_type: "code",
      client_id: "web",
      code_challenge: KEY.thumbprint,
      code_challenge_method: "S256",
      dpop_jkt: value,
    })}`;
    const outcome = await outcomeOf(browser.fetch(path));
    assertEquals(
      outcome,
      "invalid_request to https://client.example/callback",
    );
  });
}

Deno.test("a server without the option any more refuses bound grants", async () => {
  const store = createMemorySessionStore();
  const app = startDPoPServer({ store });
  const { access_token, refresh_token } = await connectWith(app);
  const plain = startDPoPServer({ dpop: undefined, store });
  assertEquals(
    await outcomeOf(refresh(plain, refresh_token)),
    "400 invalid_grant",
  );
  assertEquals((await callWith(plain, access_token)).status, 401);
  const bearer = await callWith(plain, access_token, null, "Bearer");
  assertEquals(bearer.status, 401);
  assertEquals(
    await outcomeOf(refreshWith(app, refresh_token)),
    "200 tokens",
  );
});

Deno.test("a bound refresh token that is newer than the code in the store is refused", async () => {
  const inner = createMemorySessionStore();
  let backup: [string, string] | undefined;
  const store = {
    get: (key: string) => inner.get(key),
    put: (...args: Parameters<typeof inner.put>) => {
      backup ??= [args[0], args[1]];
      return inner.put(...args);
    },
    delete: (key: string) => inner.delete(key),
    byIndex: (name: string) => inner.byIndex!(name),
  };
  const app = startDPoPServer({ store });
  const { refresh_token } = await connectWith(app);
  // The store loses everything after the consent, and with it the key.
  const [key, value] = backup!;
  await inner.delete(key);
  await inner.put(key, value, { ttl: 60_000, ifVersion: null });
  for (const sent of [null, OTHER, KEY]) {
    assertEquals(
      await outcomeOf(refreshWith(app, refresh_token, sent)),
      "400 invalid_grant",
    );
  }
});
