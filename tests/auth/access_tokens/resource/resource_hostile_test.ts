// Access tokens that an attacker created, changed or took from elsewhere.
import { assertEquals, assertLess, assertStringIncludes } from "@std/assert";
import { base64url } from "jose";
import {
  byAttacker,
  claims,
  encode,
  header,
  issuer,
  large,
  parts,
  sign,
  withClaims,
  withHeader,
  withSecret,
} from "../../_forge_tokens.ts";
import { createAPI, resource, seconds } from "../../_resource.ts";

const tokens: [name: string, create: () => string | Promise<string>][] = [
  // No signature (RFC 8725, 2.1).
  [
    "alg none, without a signature",
    async () => `${encode({ ...header, alg: "none" })}.${(await parts())[1]}.`,
  ],
  ["alg none, with a signature", withHeader({ alg: "none" })],
  ["alg None", withHeader({ alg: "None" })],
  ["alg NONE", withHeader({ alg: "NONE" })],
  ["an empty alg", withHeader({ alg: "" })],
  ["no alg", withHeader({ alg: undefined })],
  ["alg null", withHeader({ alg: null })],
  ["an array as alg", withHeader({ alg: ["ES256"] })],
  ["an object as alg", withHeader({ alg: { name: "ES256" } })],
  ["no signature", async () => (await parts()).slice(0, 2).join(".") + "."],
  ["two parts", async () => (await parts()).slice(0, 2).join(".")],
  ["four parts", async () => [...await parts(), "AA"].join(".")],
  [
    "five parts, as encrypted ones",
    async () => [...await parts(), "AA", "AA"].join("."),
  ],
  [
    "the signature of zeros (CVE-2022-21449)",
    async () =>
      [...(await parts()).slice(0, 2), base64url.encode(new Uint8Array(64))]
        .join("."),
  ],
  [
    "a signature of another length",
    async () => `${(await parts()).join(".")}AAAA`,
  ],
  [
    "a signature in DER",
    async () =>
      [
        ...(await parts()).slice(0, 2),
        base64url.encode(new Uint8Array([48, 6, 2, 1, 1, 2, 1, 1])),
      ].join("."),
  ],
  ["other claims than the signed ones", async () => {
    const [first, , last] = await parts();
    return `${first}.${encode({ ...claims, sub: "admin" })}.${last}`;
  }],
  ["another header than the signed one", async () => {
    const [, payload, last] = await parts();
    return `${encode({ ...header, x: 1 })}.${payload}.${last}`;
  }],
  // Confused algorithms.
  ["HS256 and the public key as JWK", withSecret(JSON.stringify)],
  [
    "HS256 and the coordinate of the public key",
    withSecret(({ x }) => String(x)),
  ],
  ["HS256 and the id of the key", withSecret(({ kid }) => String(kid))],
  ["HS256 and an empty object as the secret", withSecret(() => "{}")],
  ["an HMAC that claims to be ES256", withSecret(JSON.stringify, "ES256")],
  ["an HMAC that claims to be RS256", withSecret(JSON.stringify, "RS256")],
  ["alg RS256 for an EC key", withHeader({ alg: "RS256" })],
  ["alg ES384 for a P-256 key", withHeader({ alg: "ES384" })],
  ["alg EdDSA for an EC key", withHeader({ alg: "EdDSA" })],
  ["alg ES256K", withHeader({ alg: "ES256K" })],
  ["alg es256", withHeader({ alg: "es256" })],
  ["an algorithm of encryption", withHeader({ alg: "RSA-OAEP" })],
  ["alg __proto__", withHeader({ alg: "__proto__" })],
  ["alg constructor", withHeader({ alg: "constructor" })],
  // Keys of the attacker (ASVS 9.1.3).
  ["another key", byAttacker()],
  [
    "another key under the id of the issuer's",
    byAttacker((_, kid) => ({ kid })),
  ],
  ["its key in jwk", byAttacker((jwk) => ({ jwk }))],
  [
    "its key in jwk under the id of the issuer's",
    byAttacker((jwk, kid) => ({ jwk, kid })),
  ],
  ["a private key in jwk", byAttacker((jwk) => ({ jwk: { ...jwk, d: "AA" } }))],
  ["jku", byAttacker(() => ({ jku: "https://evil.example/keys" }))],
  [
    "jku of the issuer with an open redirect",
    byAttacker(() => ({ jku: `${issuer}/go?to=https://evil.example/keys` })),
  ],
  [
    "jku of the metadata service of a cloud",
    byAttacker(() => ({ jku: "http://169.254.169.254/latest" })),
  ],
  ["x5u", byAttacker(() => ({ x5u: "https://evil.example/cert.pem" }))],
  ["x5c", byAttacker(() => ({ x5c: ["MIIB"] }))],
  ["x5t", byAttacker(() => ({ x5t: "AA" }))],
  ["a kid that is a path", byAttacker(() => ({ kid: "../../../../dev/null" }))],
  ["a kid that is SQL", byAttacker(() => ({ kid: "' OR 1=1 --" }))],
  [
    "a kid that is a URL",
    byAttacker(() => ({ kid: "https://evil.example/key" })),
  ],
  ["the kid __proto__", byAttacker(() => ({ kid: "__proto__" }))],
  [
    "a kid of 10,000 characters",
    byAttacker(() => ({ kid: "k".repeat(10_000) })),
  ],
  ["a kid that is an object", byAttacker(() => ({ kid: { $ne: "" } }))],
  // Extensions (RFC 7515, 4.1.11).
  ["an unknown extension in crit", withHeader({ crit: ["exp2"], exp2: 1 })],
  ["crit b64 (RFC 7797)", withHeader({ crit: ["b64"], b64: false })],
  ["an empty crit", withHeader({ crit: [] })],
  ["crit as a string", withHeader({ crit: "exp" })],
  ["crit with a name that is not there", withHeader({ crit: ["x"] })],
  ["compression", withHeader({ zip: "DEF", crit: ["zip"] })],
  // Other tokens of the issuer (RFC 8725, 3.11).
  ["the type of an ID token", withHeader({ typ: "JWT" })],
  ["no type", withHeader({ typ: undefined })],
  ["the type of a logout token", withHeader({ typ: "logout+jwt" })],
  ["the type of a DPoP proof", withHeader({ typ: "dpop+jwt" })],
  [
    "the type of an introspection response",
    withHeader({ typ: "token-introspection+jwt" }),
  ],
  ["the type of a security event", withHeader({ typ: "secevent+jwt" })],
  ["a type with a suffix", withHeader({ typ: "at+jwt;x=1" })],
  ["a type that is an array", withHeader({ typ: ["at+jwt"] })],
  // Issuer and audience.
  ["another issuer", withClaims({ iss: "https://evil.example" })],
  ["the issuer with a slash", withClaims({ iss: `${issuer}/` })],
  ["the issuer in uppercase", withClaims({ iss: issuer.toUpperCase() })],
  ["the issuer as a prefix", withClaims({ iss: `${issuer}.evil.example` })],
  ["an array of issuers", withClaims({ iss: [issuer] })],
  ["no issuer", withClaims({ iss: undefined })],
  [
    "two issuers, the last one false",
    () =>
      sign(
        header,
        JSON.stringify(claims).replace(/}$/, ',"iss":"https://evil.example"}'),
      ),
  ],
  ["another audience", withClaims({ aud: "https://other.example" })],
  [
    "the audience of the whole host",
    withClaims({ aud: "https://api.example" }),
  ],
  ["a part of the audience", withClaims({ aud: "https://api.example/note" })],
  ["the audience with a suffix", withClaims({ aud: `${resource}s` })],
  ["the client as the audience, as in ID tokens", withClaims({ aud: "app" })],
  [
    "audiences of others",
    withClaims({ aud: ["app", "https://other.example"] }),
  ],
  ["no audience", withClaims({ aud: undefined })],
  ["an empty audience", withClaims({ aud: "" })],
  ["no element in the audience", withClaims({ aud: [] })],
  ["an object as the audience", withClaims({ aud: { 0: resource } })],
  ["an array in the audience", withClaims({ aud: [[resource]] })],
  [
    "two audiences, the last one false",
    () => sign(header, JSON.stringify(claims).replace(/}$/, ',"aud":"app"}')),
  ],
  // Time.
  [
    "an exp 30 s ago, at the edge of the tolerance",
    withClaims({ exp: seconds - 30 }),
  ],
  ["an exp long ago", withClaims({ exp: 1 })],
  ["an exp of 0", withClaims({ exp: 0 })],
  ["a negative exp", withClaims({ exp: -1 })],
  ["no exp", withClaims({ exp: undefined })],
  ["exp null", withClaims({ exp: null })],
  ["an exp that is a string", withClaims({ exp: String(seconds + 300) })],
  [
    "an exp beyond all numbers",
    () =>
      sign(
        header,
        JSON.stringify(claims).replace(/"exp":\d+/, '"exp":"1e999"'),
      ),
  ],
  ["an nbf in 31 s", withClaims({ nbf: seconds + 31 })],
  ["an nbf that is a string", withClaims({ nbf: "0" })],
  ["an iat in 31 s", withClaims({ iat: seconds + 31 })],
  ["an iat that is a string", withClaims({ iat: String(seconds) })],
  ["no iat", withClaims({ iat: undefined })],
  // Other claims (RFC 9068, 2.2).
  ["no subject", withClaims({ sub: undefined })],
  ["an empty subject", withClaims({ sub: "" })],
  ["a subject that is a number", withClaims({ sub: 1 })],
  ["a subject that is an array", withClaims({ sub: ["user-1"] })],
  ["no client", withClaims({ client_id: undefined })],
  ["no id", withClaims({ jti: undefined })],
  ["a key that it is bound to", withClaims({ cnf: { jkt: "abc" } })],
  [
    "a certificate that it is bound to",
    withClaims({ cnf: { "x5t#S256": "abc" } }),
  ],
  ["cnf null", withClaims({ cnf: null })],
  [
    "an inherited issuer",
    () => sign(header, `{"__proto__":${JSON.stringify(claims)}}`),
  ],
  // Forms.
  ["claims that are an array", () => sign(header, JSON.stringify([claims]))],
  ["claims that are null", () => sign(header, "null")],
  ["claims that are a string", () => sign(header, '"a"')],
  ["claims with malformed JSON", () => sign(header, "{iss:1}")],
  ["claims that are empty", () => sign(header, "")],
  ["a header that is an array", () => sign("[]", claims)],
  ["a header with malformed JSON", () => sign("{alg}", claims)],
  [
    "a header with an inherited alg",
    () => sign('{"__proto__":{"alg":"ES256","typ":"at+jwt"}}', claims),
  ],
  [
    "two algs, the last one none",
    () => sign('{"alg":"ES256","typ":"at+jwt","alg":"none"}', claims),
  ],
  [
    "two types, the last one another",
    () => sign('{"alg":"ES256","typ":"at+jwt","typ":"JWT"}', claims),
  ],
  [
    "claims that are nested deeply",
    () => sign(header, "[".repeat(5_000) + "]".repeat(5_000)),
  ],
  [
    "15,000 characters and another audience",
    withClaims({ ...large, aud: "a" }),
  ],
];

const challenge =
  `Bearer realm="notes", resource_metadata="https://api.example/.well-known/oauth-protected-resource/notes", error="invalid_token"`;

for (const [name, create] of tokens) {
  Deno.test(`createResourceServer() refuses a token with ${name}`, async () => {
    const { provider, send } = await createAPI();
    const response = await send(await create());
    assertEquals(response.status, 401);
    assertStringIncludes(response.headers.get("WWW-Authenticate")!, challenge);
    await response.body?.cancel();
    assertLess(provider.count("/keys"), 3);
    const known = ["/.well-known/openid-configuration", "/keys"];
    const paths = provider.requests.map(({ path }) => path);
    assertEquals(paths.filter((path) => !known.includes(path)), []);
  });
}

Deno.test("the table of hostile tokens starts from a valid token", async () => {
  const { send } = await createAPI();
  const valid: (() => Promise<string>)[] = [
    () => sign(header, claims),
    withClaims({ exp: seconds - 29 }),
    withClaims({ nbf: seconds + 30, iat: seconds + 30 }),
    withClaims({ aud: ["app", resource] }),
    withClaims(large),
    withHeader({ typ: "application/AT+JWT" }),
  ];
  for (const create of valid) {
    const response = await send(await create());
    assertEquals(response.status, 200);
    await response.body?.cancel();
  }
  assertLess(100, tokens.length);
});

const headers: [name: string, value: (token: string) => string][] = [
  ["another scheme", (token) => `Basic ${token}`],
  ["no scheme", (token) => token],
  ["two tokens", (token) => `Bearer ${token} ${token}`],
  ["two credentials", (token) => `Bearer ${token}, Bearer ${token}`],
  ["a parameter", (token) => `Bearer token="${token}"`],
  ["the scheme only", () => "Bearer"],
  ["20,000 characters", () => `Bearer ${"a".repeat(20_000)}`],
];

for (const [name, value] of headers) {
  Deno.test(`createResourceServer() ignores a header with ${name} (RFC 6750, 2.1 and 3.1)`, async () => {
    const { provider, router, sign } = await createAPI();
    const response = await router.fetch(resource, {
      headers: { Authorization: value(await sign()) },
    });
    assertEquals(response.status, 401);
    assertEquals(
      response.headers.get("WWW-Authenticate"),
      challenge.replace(', error="invalid_token"', ""),
    );
    assertEquals(provider.requests, []);
  });
}

Deno.test("createResourceServer() ignores tokens in the query and in forms (RFC 6750, 2.2 and 2.3)", async () => {
  const { router, sign } = await createAPI();
  const token = await sign({ scope: "notes:write" });
  const query = await router.fetch(`${resource}?access_token=${token}`);
  assertEquals(query.status, 401);
  const form = await router.fetch(resource, {
    method: "POST",
    body: new URLSearchParams({ access_token: token }),
  });
  assertEquals(form.status, 401);
});
