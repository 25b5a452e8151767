import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { ExternalAuthCache, ExternalAuthError } from "@gatehouse/web/auth";
import {
  Auth,
  auth,
  type AuthOutcome,
  type AuthScheme,
  requireAuth,
  requireFreshAuth,
} from "@gatehouse/web/auth-middleware";
import {
  type AccessTokenClaims,
  createJWTAuthScheme,
  type JWTAuthSchemeOptions,
} from "@gatehouse/web/auth/jwt";
import { createRouter, RequestContext } from "@gatehouse/web/fetch-router";
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import { signingKey, TestProvider } from "./_test_provider.ts";

interface User {
  readonly id: string;
  readonly claims: AccessTokenClaims;
}

const audience = "https://api.example";
const now = 1_700_000_000_000;
const seconds = now / 1000;

type Changes = Record<string, unknown>;

/** Creates an issuer and a scheme that trusts it. */
async function createIssuer(
  options: Partial<JWTAuthSchemeOptions<User>> = {},
  algorithms: ("RS256" | "PS256" | "ES256" | "EdDSA")[] = ["RS256"],
) {
  const provider = await TestProvider.create("https://id.example", algorithms);
  const scheme = createJWTAuthScheme<User>({
    name: "api",
    issuer: provider.issuer,
    audience,
    verify: (claims) => ({ id: claims.sub, claims }),
    fetch: provider.fetch,
    now: () => now,
    ...options,
  });

  /** Signs a token with changed claims and header; `undefined` removes a member. */
  async function sign(claims: Changes = {}, header: Changes = {}) {
    const { alg, jwk, privateKey } = provider.keys[0]!;
    return await new SignJWT({
      iss: provider.issuer,
      sub: "user-1",
      aud: audience,
      iat: seconds,
      exp: seconds + 300,
      client_id: "app",
      jti: "t1",
      ...claims,
    }).setProtectedHeader({
      alg,
      kid: jwk.kid as string,
      typ: "at+jwt",
      ...header,
    }).sign(privateKey);
  }

  async function authenticate(token: string): Promise<AuthOutcome<User>> {
    const request = new Request("https://api.example/", {
      headers: { Authorization: `Bearer ${token}` },
    });
    return await scheme.authenticate(new RequestContext(request));
  }

  return { provider, scheme, sign, authenticate };
}

Deno.test("createJWTAuthScheme() returns the user of a valid token (RFC 9068, 4)", async () => {
  const { authenticate, sign } = await createIssuer();
  const outcome = await authenticate(await sign({ scope: "read write" }));
  assert(outcome.status === "authenticated");
  assertEquals(outcome.user.id, "user-1");
  assertEquals(outcome.user.claims.scope, "read write");
  assertEquals(outcome.authenticatedAt, undefined);
});

for (const algorithm of ["RS256", "PS256", "ES256", "EdDSA"] as const) {
  Deno.test(`createJWTAuthScheme() accepts ${algorithm} (ASVS 9.1.2)`, async () => {
    const { authenticate, sign } = await createIssuer({}, [algorithm]);
    assertEquals((await authenticate(await sign())).status, "authenticated");
  });
}

const refused: [name: string, claims: Changes, header?: Changes][] = [
  ["another issuer (ASVS 10.3.3)", { iss: "https://evil.example" }],
  ["an issuer with a slash (RFC 9068, 4)", { iss: "https://id.example/" }],
  ["no issuer", { iss: undefined }],
  ["another audience (ASVS 9.2.3, 10.3.1)", { aud: "https://other.example" }],
  ["no audience (ASVS 9.2.3)", { aud: undefined }],
  ["audiences of others", { aud: ["https://a.example", "https://b.example"] }],
  ["an exp in the past (ASVS 9.2.1)", { exp: seconds - 31 }],
  ["no exp (ASVS 9.2.1)", { exp: undefined }],
  ["an exp that is not a number", { exp: `${seconds + 300}` }],
  ["an nbf in the future (ASVS 9.2.1)", { nbf: seconds + 31 }],
  ["an iat in 31 s", { iat: seconds + 31 }],
  ["an iat in an hour", { iat: seconds + 3600, exp: seconds + 7200 }],
  ["no subject", { sub: undefined }],
  ["an empty subject", { sub: "" }],
  ["a subject that is not a string", { sub: 7 }],
  ["no client (RFC 9068, 2.2)", { client_id: undefined }],
  ["no id (RFC 9068, 2.2)", { jti: undefined }],
  ["no iat (RFC 9068, 2.2)", { iat: undefined }],
  ["the type of an ID token (ASVS 9.2.2)", {}, { typ: "JWT" }],
  ["no type (ASVS 9.2.2)", {}, { typ: undefined }],
  ["the type of a logout token (ASVS 9.2.2)", {}, { typ: "logout+jwt" }],
];

for (const [name, claims, header] of refused) {
  Deno.test(`createJWTAuthScheme() rejects a token with ${name}`, async () => {
    const { authenticate, sign } = await createIssuer();
    const outcome = await authenticate(await sign(claims, header));
    assertEquals(outcome, { status: "refused" });
  });
}

const accepted: [name: string, claims: Changes, header?: Changes][] = [
  ["several audiences", { aud: ["https://a.example", audience] }],
  ["an exp within the tolerance", { exp: seconds - 29 }],
  ["an nbf within the tolerance", { nbf: seconds + 29 }],
  ["the full type", {}, { typ: "application/at+jwt" }],
  ["the type in uppercase", {}, { typ: "AT+JWT" }],
  ["no key id", {}, { kid: undefined }],
];

for (const [name, claims, header] of accepted) {
  Deno.test(`createJWTAuthScheme() accepts a token with ${name}`, async () => {
    const { authenticate, sign } = await createIssuer();
    const outcome = await authenticate(await sign(claims, header));
    assertEquals(outcome.status, "authenticated");
  });
}

Deno.test("createJWTAuthScheme() rejects a token without a signature (ASVS 9.1.1, 9.1.2)", async () => {
  const { authenticate, sign } = await createIssuer();
  const [header, payload] = (await sign()).split(".");
  const claims = { iss: "https://id.example", sub: "user-1", aud: audience };
  const none = new UnsecuredJWT(claims).setExpirationTime("5m").encode();
  for (const token of [none, `${header}.${payload}.`, `${header}.${payload}`]) {
    assertEquals(await authenticate(token), { status: "refused" });
  }
});

Deno.test("createJWTAuthScheme() rejects a token that was changed (ASVS 9.1.1)", async () => {
  const { authenticate, sign } = await createIssuer();
  const [header, , signature] = (await sign()).split(".");
  const [, payload] = (await sign({ sub: "admin" })).split(".");
  const token = `${header}.${payload}.${signature}`;
  assertEquals(await authenticate(token), { status: "refused" });
});

Deno.test("createJWTAuthScheme() rejects a token signed with the public key as an HMAC secret (ASVS 9.1.2)", async () => {
  const { authenticate, provider } = await createIssuer();
  const { jwk } = await signingKey("RS256");
  for (const secret of [String(jwk.n), JSON.stringify(jwk)]) {
    const token = await new SignJWT({ sub: "admin", client_id: "a", jti: "b" })
      .setIssuer(provider.issuer).setAudience(audience)
      .setIssuedAt(seconds).setExpirationTime(seconds + 300)
      .setProtectedHeader({
        alg: "HS256",
        typ: "at+jwt",
        kid: String(jwk.kid),
      })
      .sign(new TextEncoder().encode(secret));
    assertEquals(await authenticate(token), { status: "refused" });
  }
});

Deno.test("createJWTAuthScheme() rejects a token with a key in its header and fetches no key (ASVS 9.1.3)", async () => {
  const { authenticate, provider } = await createIssuer();
  const pair = await generateKeyPair("RS256", { extractable: true });
  const jwk = await exportJWK(pair.publicKey);
  for (
    const header of [
      { jwk },
      { jku: "https://evil.example/keys" },
      { x5u: "https://evil.example/cert" },
      { jwk, kid: "evil", jku: "https://evil.example/keys" },
    ]
  ) {
    const token = await new SignJWT({ sub: "admin", client_id: "a", jti: "b" })
      .setIssuer(provider.issuer).setAudience(audience)
      .setIssuedAt(seconds).setExpirationTime(seconds + 300)
      .setProtectedHeader({ alg: "RS256", typ: "at+jwt", ...header })
      .sign(pair.privateKey);
    assertEquals(await authenticate(token), { status: "refused" });
  }
  const paths = provider.requests.map(({ path }) => path);
  const known = ["/.well-known/openid-configuration", "/keys"];
  assertEquals(paths.filter((path) => !known.includes(path)), []);
});

Deno.test("createJWTAuthScheme() rejects an algorithm that is not listed (ASVS 9.1.2)", async () => {
  const { authenticate, sign } = await createIssuer({ algorithms: ["ES256"] });
  assertEquals(await authenticate(await sign()), { status: "refused" });
});

const garbage = [
  "a",
  "a.b",
  "a.b.c",
  "..",
  "e30.e30.",
  "e30.bnVsbA.e30",
  "=.=.=".replaceAll("=", "_"),
  "a".repeat(16_000),
  `${"a.".repeat(8_000)}a`,
];

for (const token of garbage) {
  Deno.test(`createJWTAuthScheme() rejects "${token.slice(0, 16)}" of ${token.length} characters without a request to the issuer`, async () => {
    const { authenticate, provider } = await createIssuer();
    assertEquals(await authenticate(token), { status: "refused" });
    assertEquals(provider.requests, []);
  });
}

Deno.test("createJWTAuthScheme() requests metadata and keys once", async () => {
  const { authenticate, provider, sign } = await createIssuer();
  const token = await sign();
  await Promise.all(Array.from({ length: 20 }, () => authenticate(token)));
  await authenticate(token);
  assertEquals(provider.requests.length, 2);
});

Deno.test("createJWTAuthScheme() fetches new keys at once, but not for every invalid token", async () => {
  const { authenticate, provider, sign } = await createIssuer();
  await authenticate(await sign());
  await provider.rotate();
  assertEquals((await authenticate(await sign())).status, "authenticated");
  for (let time = 0; time < 10; time++) {
    await authenticate(await sign({}, { kid: `unknown-${time}` }));
  }
  assertEquals(provider.count("/keys"), 2);
});

Deno.test("createJWTAuthScheme() rejects tokens without a 500 and tries every 5 s while the issuer is unavailable", async () => {
  let time = now;
  const errors: ExternalAuthError[] = [];
  const { authenticate, provider, sign } = await createIssuer({
    now: () => time,
    onError: (error) => errors.push(error),
  });
  provider.faults.respond = () => new Response(null, { status: 503 });
  const token = await sign();
  const forged = new UnsecuredJWT({ iss: provider.issuer }).encode();
  for (const tried of [token, ...Array(20).fill(forged)]) {
    assertEquals(await authenticate(tried), { status: "refused" });
  }
  assertEquals([provider.requests.length, errors.length], [1, 1]);
  assertEquals(errors[0].code, "discovery_failed");
  assertEquals(errors[0].message.includes(token), false);
  assertEquals(errors[0].message.includes("user-1"), false);

  provider.faults.respond = undefined;
  time += 4_999;
  assertEquals((await authenticate(token)).status, "refused");
  time += 1;
  assertEquals((await authenticate(token)).status, "authenticated");
});

Deno.test("createJWTAuthScheme() lets one request in 5 s wait for an issuer that does not respond", async () => {
  let time = now;
  const { authenticate, provider, sign } = await createIssuer({
    now: () => time,
    timeout: 50,
    onError: () => {},
  });
  provider.faults.respond = () => new Promise<Response>(() => {});
  const token = await sign();
  assertEquals((await authenticate(token)).status, "refused");
  time += 5_000;
  const waiting = authenticate(token);
  const first = await Promise.race([
    waiting.then(() => "the request that waits"),
    authenticate(token).then(() => "the others"),
  ]);
  assertEquals(first, "the others");
  assertEquals((await waiting).status, "refused");
  assertEquals(provider.requests.length, 2);
});

Deno.test("createJWTAuthScheme() accepts tokens of known keys while invalid ones wait for an unavailable issuer", async () => {
  const errors: ExternalAuthError[] = [];
  const { authenticate, provider, sign } = await createIssuer({
    onError: (error) => errors.push(error),
  });
  const token = await sign();
  assertEquals((await authenticate(token)).status, "authenticated");
  provider.faults.respond = () => new Response(null, { status: 503 });
  const unknown = await sign({}, { kid: "unknown" });
  assertEquals((await authenticate(unknown)).status, "refused");
  assertEquals((await authenticate(token)).status, "authenticated");
  assertEquals(errors.map(({ code }) => code), ["keys_failed"]);
});

Deno.test("createJWTAuthScheme() waits 5 s after a slow failure to fetch new keys", async () => {
  let time = now;
  const { authenticate, provider, sign } = await createIssuer({
    now: () => time,
    onError: () => {},
  });
  await authenticate(await sign());
  provider.faults.respond = () => {
    time += 10_000;
    return new Response(null, { status: 503 });
  };
  for (let count = 0; count < 3; count++) {
    const unknown = await sign({}, { kid: "unknown" });
    assertEquals((await authenticate(unknown)).status, "refused");
  }
  assertEquals(provider.count("/keys"), 2);
});

Deno.test("createJWTAuthScheme() requests new keys again 5 s after a failure", async () => {
  let time = now;
  const errors: ExternalAuthError[] = [];
  const { authenticate, provider, sign } = await createIssuer({
    now: () => time,
    onError: (error) => errors.push(error),
  });
  await authenticate(await sign());
  await provider.rotate();
  const token = await sign();
  provider.faults.respond = () => new Response(null, { status: 503 });
  assertEquals((await authenticate(token)).status, "refused");
  provider.faults.respond = undefined;
  time += 4_999;
  assertEquals((await authenticate(token)).status, "refused");
  assertEquals(provider.count("/keys"), 2);
  time += 1;
  assertEquals((await authenticate(token)).status, "authenticated");
  assertEquals(errors.map(({ code }) => code), ["keys_failed"]);

  await provider.rotate();
  time += 29_999;
  assertEquals((await authenticate(await sign())).status, "refused");
  time += 1;
  assertEquals((await authenticate(await sign())).status, "authenticated");
});

Deno.test("createJWTAuthScheme() lets auth() try the next scheme if the issuer is unavailable", async () => {
  const { provider, scheme, sign } = await createIssuer({ onError: () => {} });
  provider.faults.respond = () => new Response(null, { status: 503 });
  const other: AuthScheme<User> = {
    name: "other",
    authenticate: () => ({
      status: "authenticated",
      user: { id: "other", claims: { iss: "", sub: "" } },
    }),
  };
  const router = createRouter({
    middleware: [auth({ schemes: [scheme, other] })],
  });
  router.get("/", (context) => new Response(context.get(Auth)?.id));
  const response = await router.fetch("https://api.example/", {
    headers: { Authorization: `Bearer ${await sign()}` },
  });
  assertEquals(await response.text(), "other");
});

Deno.test("createJWTAuthScheme() with jwksUri requests no metadata", async () => {
  const jwksUri = "https://id.example/keys";
  const { authenticate, provider, sign } = await createIssuer({ jwksUri });
  assertEquals((await authenticate(await sign())).status, "authenticated");
  assertEquals(provider.requests.map(({ path }) => path), ["/keys"]);
});

Deno.test("createJWTAuthScheme() accepts metadata without login endpoints", async () => {
  const { authenticate, provider, sign } = await createIssuer();
  provider.faults.metadata = ({ issuer, jwks_uri }) => ({ issuer, jwks_uri });
  assertEquals((await authenticate(await sign())).status, "authenticated");
});

Deno.test("createJWTAuthScheme() rejects a jwks_uri with HTTP in the metadata", async () => {
  const errors: ExternalAuthError[] = [];
  const { authenticate, provider, sign } = await createIssuer({
    onError: (error) => errors.push(error),
  });
  provider.faults.metadata = ({ issuer }) => ({
    issuer,
    jwks_uri: "http://localhost/keys",
  });
  assertEquals((await authenticate(await sign())).status, "refused");
  assertEquals(errors.map(({ code }) => code), ["discovery_failed"]);
});

Deno.test("createJWTAuthScheme() keeps metadata and keys in its cache", async () => {
  const kept = new Map<string, unknown>();
  const cache: ExternalAuthCache = {
    get: (key) => kept.get(key),
    set: (key, value) => void kept.set(key, value),
  };
  const { authenticate, provider, sign } = await createIssuer({ cache });
  const token = await sign();
  assertEquals((await authenticate(token)).status, "authenticated");
  assertEquals([...kept.keys()], [
    "gatehouse:metadata:https://id.example",
    "gatehouse:keys:https://id.example/keys",
  ]);

  const { authenticate: other } = await createIssuer({
    cache,
    fetch: () => Promise.reject(new Error("The issuer is unavailable")),
  });
  assertEquals((await other(token)).status, "authenticated");
  assertEquals(provider.requests.length, 2);
});

Deno.test("createJWTAuthScheme() accepts clocks that differ by clockTolerance", async () => {
  const { authenticate, sign } = await createIssuer({ clockTolerance: 120 });
  for (const [age, status] of [[119, "authenticated"], [121, "refused"]]) {
    const token = await sign({ exp: seconds - Number(age) });
    assertEquals((await authenticate(token)).status, status);
  }
});

Deno.test("createJWTAuthScheme() reports metadata without keys", async () => {
  const errors: ExternalAuthError[] = [];
  const { authenticate, provider, sign } = await createIssuer({
    onError: (error) => errors.push(error),
  });
  provider.faults.metadata = ({ issuer }) => ({ issuer });
  assertEquals((await authenticate(await sign())).status, "refused");
  assertEquals(errors.map(({ code }) => code), ["keys_failed"]);
});

Deno.test("createJWTAuthScheme() with another type accepts tokens of issuers without RFC 9068", async () => {
  const { authenticate, sign } = await createIssuer({ type: "JWT" });
  const bare = { client_id: undefined, jti: undefined, iat: undefined };
  const token = await sign(bare, { typ: "JWT" });
  assertEquals((await authenticate(token)).status, "authenticated");
  assertEquals(await authenticate(await sign(bare)), { status: "refused" });
  const ofApp = await sign({ ...bare, aud: "app" }, { typ: "JWT" });
  assertEquals(await authenticate(ofApp), { status: "refused" });
});

for (const type of ["AT+JWT", "application/at+jwt", "Application/AT+JWT"]) {
  Deno.test(`createJWTAuthScheme() accepts the type ${type} as at+jwt (RFC 9068, 2.1 and 2.2)`, async () => {
    const { authenticate, sign } = await createIssuer({ type });
    assertEquals((await authenticate(await sign())).status, "authenticated");
    const bare = await sign({ client_id: undefined, jti: undefined });
    assertEquals(await authenticate(bare), { status: "refused" });
  });
}

Deno.test("createJWTAuthScheme() rejects a user that verify rejects", async () => {
  const { authenticate, sign } = await createIssuer({ verify: () => null });
  assertEquals(await authenticate(await sign()), { status: "refused" });
});

Deno.test("createJWTAuthScheme() passes the time of the login (RFC 9470)", async () => {
  const { scheme, sign } = await createIssuer();
  const router = createRouter({
    middleware: [
      auth({ schemes: [scheme] }),
      requireAuth(),
      requireFreshAuth(60_000, { now: () => now }),
    ],
  });
  router.get("/", (context) => new Response(String(context.get(Auth)?.id)));
  const fetch = async (claims: Changes) =>
    await router.fetch("https://api.example/", {
      headers: { Authorization: `Bearer ${await sign(claims)}` },
    });

  assertEquals((await fetch({ auth_time: seconds - 59 })).status, 200);
  const stale = await fetch({ auth_time: seconds - 61 });
  assertEquals(stale.status, 401);
  assertEquals(
    stale.headers.get("WWW-Authenticate"),
    'Bearer realm="api", error="insufficient_user_authentication", max_age="60"',
  );
  assertEquals((await fetch({})).status, 401);
});

Deno.test("createJWTAuthScheme() sends the challenge of RFC 6750", async () => {
  const { scheme, sign } = await createIssuer();
  const router = createRouter({
    middleware: [auth({ schemes: [scheme] }), requireAuth()],
  });
  router.get("/", () => new Response());
  const expired = await sign({ exp: seconds - 100 });
  const response = await router.fetch("https://api.example/", {
    headers: { Authorization: `Bearer ${expired}` },
  });
  assertEquals(
    response.headers.get("WWW-Authenticate"),
    'Bearer realm="api", error="invalid_token"',
  );
});

const mistakes: [options: Changes, message: string][] = [
  [{ issuer: "http://id.example" }, "issuer is not an https URL"],
  [{ issuer: "id.example" }, "issuer is not an https URL"],
  [{ issuer: undefined }, "issuer is not an https URL"],
  [{ jwksUri: "http://id.example/keys" }, "jwksUri is not an https URL"],
  [{ audience: "" }, "it needs an audience"],
  [{ audience: undefined }, "it needs an audience"],
  [{ algorithms: ["HS256"] }, '"HS256" is not an asymmetric one'],
  [{ algorithms: ["none"] }, '"none" is not an asymmetric one'],
  [{ algorithms: [] }, "is not an asymmetric one"],
  [{ name: 'a"b' }, "its name must be"],
  [{ type: null }, "type is not a string"],
];

for (const [options, message] of mistakes) {
  Deno.test(`createJWTAuthScheme() throws for ${JSON.stringify(options)}`, () => {
    assertThrows(
      () =>
        createJWTAuthScheme({
          name: "api",
          issuer: "https://id.example",
          audience,
          verify: () => null,
          ...options,
        }),
      TypeError,
      message,
    );
  });
}

const bounds: Changes[] = [
  { clockTolerance: 0, timeout: 1, maxResponseBytes: 1024 },
  { clockTolerance: 600, timeout: 600_000, maxResponseBytes: 16_777_216 },
];

for (const options of bounds) {
  Deno.test(`createJWTAuthScheme() accepts ${JSON.stringify(options)}`, async () => {
    await createIssuer(options);
  });
}

const outOfRange: Changes[] = [
  { clockTolerance: NaN },
  { clockTolerance: -1 },
  { clockTolerance: 601 },
  { clockTolerance: "30" },
  { timeout: 0 },
  { timeout: Infinity },
  { maxResponseBytes: NaN },
  { maxResponseBytes: 1023 },
];

for (const options of outOfRange) {
  const [[name, value]] = Object.entries(options);
  Deno.test(`createJWTAuthScheme() throws a RangeError for the ${name} ${value} (${typeof value})`, async () => {
    await assertRejects(
      () => createIssuer(options),
      RangeError,
      `Cannot create the auth scheme "api": ${name} "${value}" is not between`,
    );
  });
}

Deno.test("createJWTAuthScheme() accepts a token from a clock that is 30 s ahead", async () => {
  const { authenticate, sign } = await createIssuer();
  const token = await sign({ iat: seconds + 30 });
  assertEquals((await authenticate(token)).status, "authenticated");
});
