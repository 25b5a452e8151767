import {
  Auth,
  auth,
  requireAuth,
  requireFreshAuth,
} from "@gatehouse/web/auth-middleware";
import { createJWTAuthScheme } from "@gatehouse/web/auth/access-tokens";
import { createRouter } from "@gatehouse/web/fetch-router";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import {
  audience,
  type Changes,
  createIssuer,
  now,
  seconds,
} from "../_jwt_issuer.ts";
import { signingKey } from "../_test_provider.ts";

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
  ["a key that it is bound to (RFC 9449)", { cnf: { jkt: "abc" } }],
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
    assertEquals(outcome.status, "refused");
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

Deno.test("createJWTAuthScheme() accepts clocks that differ by clockTolerance", async () => {
  const { authenticate, sign } = await createIssuer({ clockTolerance: 120 });
  for (const [age, status] of [[119, "authenticated"], [121, "refused"]]) {
    const token = await sign({ exp: seconds - Number(age) });
    assertEquals((await authenticate(token)).status, status);
  }
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
    'Bearer realm="api", error="insufficient_user_authentication", error_description="The request needs a newer or stronger login", max_age="60"',
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
  [{ issuer: "http://localhost:9000" }, "issuer is not an https URL"],
  [{ issuer: "http://127.0.0.1:9000" }, "issuer is not an https URL"],
  [{ jwksUri: "http://localhost:9000/keys" }, "jwksUri is not an https URL"],
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
