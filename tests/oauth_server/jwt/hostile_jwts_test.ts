/** Tokens that are not the server's own JWTs for a resource (RFC 9068, section 4). */
import { assertEquals } from "@std/assert";
import { auth } from "@gatehouse/web/auth-middleware";
import { createRouter } from "@gatehouse/web/fetch-router";
import { jwtAccessTokens } from "@gatehouse/web/oauth-server";
import { importJWK, SignJWT } from "jose";
import {
  decodeJWT,
  encodePart,
  generateJWK,
  type JSONObject,
  startOtherMachine,
} from "./_jwt.ts";
import {
  API,
  callAPI,
  connect,
  ED25519_KEY,
  FILES,
  ORIGIN,
  post,
  startServer,
  tamper,
  type TestServer,
  WITH_JWT,
} from "../_server.ts";

/** The public part of the key of the server. */
const { d: _private, ...PUBLIC_KEY } = ED25519_KEY;

/** A genuine token, and the server that has issued it. */
interface Genuine {
  readonly server: TestServer;
  readonly token: string;
}

/** Signs the claims of a genuine token, with changes of the claims or the header. */
async function forge(
  { token }: Genuine,
  { claims, header, key = ED25519_KEY }: {
    readonly claims?: JSONObject;
    readonly header?: JSONObject;
    readonly key?: JsonWebKey | Uint8Array;
  },
): Promise<string> {
  const decoded = decodeJWT(token);
  const all = { ...decoded.header, ...header };
  const imported = key instanceof Uint8Array
    ? key
    : await importJWK(key as { kty: string }, String(all.alg));
  return await new SignJWT({ ...decoded.claims, ...claims })
    .setProtectedHeader(all as { alg: string })
    .sign(imported);
}

/** Creates a token with any header and signature. */
function unsigned(
  { token }: Genuine,
  header: JSONObject,
  signature = "",
): string {
  const { claims } = decodeJWT(token);
  return `${encodePart(header)}.${encodePart(claims)}.${signature}`;
}

const typ = "at+jwt";

const FORGERIES: readonly (readonly [
  name: string,
  forge: (genuine: Genuine) => string | Promise<string>,
])[] = [
  ["a changed signature", ({ token }) => tamper(token)],
  ["no signature", ({ token }) => token.slice(0, token.lastIndexOf(".") + 1)],
  [
    "the signature of another token",
    async ({ server, token }) => {
      const other = (await connect(server)).access_token;
      return token.slice(0, token.lastIndexOf(".")) +
        other.slice(other.lastIndexOf("."));
    },
  ],
  [
    "changed scopes",
    ({ token }) => {
      const [header, , signature] = token.split(".");
      const { claims } = decodeJWT(token);
      const scope = "notes:read notes:delete";
      return `${header}.${encodePart({ ...claims, scope })}.${signature}`;
    },
  ],
  ["alg none", (genuine) => unsigned(genuine, { alg: "none", typ })],
  ["alg NONE", (genuine) => unsigned(genuine, { alg: "NONE", typ }, "AA")],
  [
    "HS256 with the public key as the secret",
    (genuine) =>
      forge(genuine, {
        header: { alg: "HS256" },
        key: new TextEncoder().encode(JSON.stringify(PUBLIC_KEY)),
      }),
  ],
  [
    "HS256 with the coordinate of the public key as the secret",
    (genuine) =>
      forge(genuine, {
        header: { alg: "HS256" },
        key: new TextEncoder().encode(PUBLIC_KEY.x),
      }),
  ],
  [
    "another algorithm in the header",
    ({ token }) => {
      const [, claims, signature] = token.split(".");
      const { header } = decodeJWT(token);
      const changed = encodePart({ ...header, alg: "RS256" });
      return `${changed}.${claims}.${signature}`;
    },
  ],
  [
    "a key of a stranger",
    async (genuine) =>
      await forge(genuine, { key: await generateJWK("Ed25519") }),
  ],
  [
    "a key of a stranger in the header",
    async (genuine) => {
      const key = await generateJWK("Ed25519");
      const { d: _d, ...jwk } = key;
      return await forge(genuine, { key, header: { jwk, kid: undefined } });
    },
  ],
  [
    "a key set of a stranger in the header",
    async (genuine) =>
      await forge(genuine, {
        key: await generateJWK("Ed25519"),
        header: { jku: "https://evil.example/jwks", kid: "evil" },
      }),
  ],
  [
    "RS256 with a key of a stranger and the id of the server's",
    async (genuine) =>
      await forge(genuine, {
        key: await generateJWK("RS256"),
        header: { alg: "RS256" },
      }),
  ],
  [
    "an unknown critical header",
    ({ token }) => {
      const [, claims, signature] = token.split(".");
      const { header } = decodeJWT(token);
      const changed = encodePart({ ...header, crit: ["x"], x: 1 });
      return `${changed}.${claims}.${signature}`;
    },
  ],
  ["the type of ID tokens", (one) => forge(one, { header: { typ: "JWT" } })],
  ["no type", (one) => forge(one, { header: { typ: undefined } })],
  [
    "the type of another token",
    (one) => forge(one, { header: { typ: "dpop+jwt" } }),
  ],
  ["two dots at its end", ({ token }) => `${token}..`],
  ["a fourth part", ({ token }) => `${token}.e30`],
  ["two parts", ({ token }) => token.split(".").slice(0, 2).join(".")],
  ["only dots", () => ".."],
  ["empty objects", () => "e30.e30.e30"],
  ["an array as its claims", ({ token }) => token.replace(/\.[^.]+/, ".W10")],
  ["no JSON", () => "eA.eA.eA"],
  ["a header of null", () => "bnVsbA.bnVsbA.bnVsbA"],
  [
    "100,000 characters",
    ({ token }) => token + "A".repeat(100_000),
  ],
  [
    "__proto__ in its header",
    ({ token }) =>
      `${btoa('{"__proto__":{"alg":"EdDSA"}}')}${
        token.slice(token.indexOf("."))
      }`,
  ],
];

for (const [name, forgery] of FORGERIES) {
  Deno.test(`a JWT with ${name} is refused by the server and on another machine, and revokes nothing (ASVS 9.1.1, 9.1.2, 9.1.3, 9.2.2)`, async () => {
    const server = startServer(WITH_JWT);
    const { access_token: token } = await connect(server);
    const other = startOtherMachine(server);
    const forged = await forgery({ server, token });
    assertEquals(await callAPI(server, forged), 401);
    assertEquals(await callAPI(other, forged), 401);
    const form = { token: forged, client_id: "web" };
    const revoked = await post(server, "/revoke", form);
    assertEquals(revoked.status, forged.length > 16_000 ? 413 : 200);
    assertEquals(await callAPI(server, token), 200);
    assertEquals(await callAPI(other, token), 200);
  });
}

/** Tokens that a leaked signing key signs, and the status on another machine. */
const WITH_LEAKED_KEY: readonly (readonly [string, JSONObject, number])[] = [
  ["another jti", { jti: "A".repeat(60) }, 200],
  ["a short jti", { jti: "1" }, 200],
  ["a number as its jti", { jti: 1 }, 200],
  ["no jti", { jti: undefined }, 401],
  ["an empty subject", { sub: "", jti: "1" }, 401],
  ["no expiry", { exp: undefined, jti: "1" }, 401],
  ["no client", { client_id: undefined, jti: "1" }, 401],
  ["a time in the future", { iat: 9_999_999_999, jti: "1" }, 401],
];

for (const [name, claims, status] of WITH_LEAKED_KEY) {
  Deno.test(`a leaked signing key forges no token for the server: ${name}`, async () => {
    const server = startServer(WITH_JWT);
    const { access_token: token } = await connect(server);
    const forged = await forge({ server, token }, { claims });
    assertEquals(await callAPI(server, forged), 401);
    assertEquals(await callAPI(startOtherMachine(server), forged), status);
  });
}

Deno.test("the server takes user, scopes and resource from the grant, not from a JWT", async () => {
  const server = startServer(WITH_JWT);
  const { access_token: token } = await connect(server, {
    scope: "notes:read",
  });
  const claims = { sub: "2", scope: "notes:read notes:write files:read" };
  const forged = await forge({ server, token }, { claims });
  const headers = { Authorization: `Bearer ${forged}` };
  const response = await server.router.fetch(API, { headers });
  assertEquals(await response.text(), "Ada");
  assertEquals(await callAPI(server, forged, "/api/write"), 403);
  const forFiles = await forge({ server, token }, { claims: { aud: FILES } });
  assertEquals(await callAPI(server, forFiles, "/files"), 403);
});

Deno.test("a JWT for one resource is refused by the others, of both formats (ASVS 9.2.3, 9.2.4)", async () => {
  const opaque = {
    ...WITH_JWT.resources,
    [FILES]: { ...WITH_JWT.resources[FILES], format: "opaque" },
  } as const;
  for (const resources of [WITH_JWT.resources, opaque]) {
    const server = startServer({ ...WITH_JWT, resources });
    const notes = (await connect(server, { resource: API })).access_token;
    const files = (await connect(server, { resource: FILES })).access_token;
    assertEquals(await callAPI(server, notes, "/api"), 200);
    assertEquals(await callAPI(server, files, "/files"), 200);
    assertEquals(await callAPI(server, notes, "/files"), 403);
    assertEquals(await callAPI(server, files, "/api"), 403);
    const api = server.server.resource(FILES);
    const alone = createRouter({
      middleware: [auth({ schemes: [api.scheme] })],
    });
    alone.get("/files", api.requireScope("files:read"), () => new Response());
    assertEquals(await callAPI({ router: alone }, files, "/files"), 200);
    assertEquals(await callAPI({ router: alone }, notes, "/files"), 401);
    const other = startOtherMachine(server, FILES);
    assertEquals(await callAPI(other, notes, "/files"), 401);
    // An opaque token says nothing to a machine that has only the keys.
    assertEquals(
      await callAPI(other, files, "/files"),
      resources === opaque ? 401 : 200,
    );
  }
});

Deno.test("another machine refuses an opaque token and a refresh token, without a request", async () => {
  const server = startServer();
  const other = startOtherMachine(server);
  const { access_token, refresh_token } = await connect(server);
  assertEquals(await callAPI(other, access_token), 401);
  assertEquals(await callAPI(other, refresh_token), 401);
  assertEquals(other.requests, []);
});

Deno.test("a JWT of a server with the same keys and other secrets is refused by the server", async () => {
  const server = startServer(WITH_JWT);
  const secrets = ["another secret with 32 characters: x7Qp"];
  const stranger = startServer({ ...WITH_JWT, secrets });
  const { access_token: token } = await connect(stranger);
  assertEquals(await callAPI(server, token), 401);
});

Deno.test("a JWT with another issuer is refused, even if the key is the same", async () => {
  const server = startServer(WITH_JWT);
  const other = startOtherMachine(server);
  const { access_token: token } = await connect(server);
  for (const iss of [`${ORIGIN}/`, "https://evil.example", 1, undefined]) {
    const forged = await forge({ server, token }, { claims: { iss } });
    assertEquals(await callAPI(server, forged), 401);
    assertEquals(await callAPI(other, forged), 401);
  }
  assertEquals(other.requests, []);
});

Deno.test("a JWT of a key that the server no longer has is refused", async () => {
  const server = startServer(WITH_JWT);
  const { access_token: token } = await connect(server);
  const next = startServer({
    ...WITH_JWT,
    jwt: jwtAccessTokens({ keys: [await generateJWK("Ed25519")] }),
  });
  assertEquals(await callAPI(next, token), 401);
  assertEquals(await callAPI(startOtherMachine(next), token), 401);
});
