import { assertEquals } from "@std/assert";
import { createToken, hashToken } from "@gatehouse/web/auth";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import type {
  ClientAuthentication,
  TokenClient,
} from "../../../oauth_server/clients/client.ts";
import { CHATGPT, ClientWorld } from "./_client_world.ts";

const ISSUER = "https://app.example";

const ID = "partner";

const TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** Asks for authentication with a form and an `Authorization` header. */
function authenticate(
  { clients }: ClientWorld,
  client: TokenClient,
  form: Record<string, string>,
  authorization?: string,
): Promise<boolean> {
  const headers = new Headers();
  if (authorization !== undefined) headers.set("Authorization", authorization);
  const request = { form: new Map(Object.entries(form)), headers };
  return clients.authenticate(request, client);
}

function clientWith(authentication: ClientAuthentication): TokenClient {
  const isPublic = authentication === "none";
  return { id: ID, source: "registered", authentication, isPublic };
}

function basic(id: string, secret: string): string {
  return `Basic ${btoa(`${id}:${secret}`)}`;
}

Deno.test("authenticate() accepts a public client by its id only", async () => {
  const world = new ClientWorld();
  const client = clientWith("none");
  const check = (form: Record<string, string>, header?: string) =>
    authenticate(world, client, form, header);
  assertEquals(await check({ client_id: ID }), true);
  // Each of these is another method, or no client.
  assertEquals(await check({}), false);
  assertEquals(await check({ client_id: "other" }), false);
  assertEquals(await check({ client_id: ID, client_secret: "x" }), false);
  assertEquals(await check({ client_id: ID }, basic(ID, "")), false);
  assertEquals(await check({ client_id: ID }, basic(ID, "x")), false);
  assertEquals(await check({ client_id: ID }, "Bearer x"), false);
  assertEquals(await check({ client_id: ID, client_assertion: "x" }), false);
  const type = { client_id: ID, client_assertion_type: TYPE };
  assertEquals(await check(type), false);
});

Deno.test("authenticate() accepts both secrets of a client that changes its secret", async () => {
  const world = new ClientWorld();
  const [old, current, other] = [1, 2, 3].map(() =>
    createToken({ prefix: "acme" })
  );
  const secretHashes = [await hashToken(old!), await hashToken(current!)];
  const client = clientWith({ secretHashes });
  for (const secret of [old!, current!]) {
    assertEquals(
      await authenticate(world, client, {}, basic(ID, secret)),
      true,
    );
  }
  for (const secret of [other!, "", secretHashes[0]!, `${current} `]) {
    assertEquals(
      await authenticate(world, client, {}, basic(ID, secret)),
      false,
    );
  }
});

const SECRET = "pässword: 100%+ &";

Deno.test("authenticate() decodes both parts of Basic as a form (RFC 6749, section 2.3.1)", async () => {
  const world = new ClientWorld();
  const id = "https://partner.example/a b";
  const client: TokenClient = {
    id,
    source: "registered",
    authentication: { secretHashes: [await hashToken(SECRET)] },
    isPublic: false,
  };
  const encode = (text: string) =>
    new URLSearchParams([["", text]]).toString().slice(1);
  const header = basic(encode(id), encode(SECRET));
  assertEquals(await authenticate(world, client, {}, header), true);
  assertEquals(
    await authenticate(world, client, { client_id: id }, header),
    true,
  );
  assertEquals(
    await authenticate(world, client, { client_id: "other" }, header),
    false,
  );
});

Deno.test("authenticate() rejects a secret in any other place or form (ASVS 10.4.10)", async () => {
  const world = new ClientWorld();
  const client = clientWith({ secretHashes: [await hashToken("secret")] });
  const valid = basic(ID, "secret");
  assertEquals(await authenticate(world, client, {}, valid), true);
  const headers = [
    "Basic",
    "Basic ",
    "Basic !",
    "Basic a",
    `Basic ${btoa(ID)}`,
    `Basic ${btoa(`:secret`)}`,
    `Basic ${btoa(`${ID}:%`)}`,
    `Basic ${btoa(`${ID}:%ff`)}`,
    `Basic ${btoa(`${ID}2:secret`)}`,
    `${valid}, ${valid}`,
    `${valid} x`,
    `Bearer ${btoa(`${ID}:secret`)}`,
    `Basic ${btoa(`${ID}:secret${"a".repeat(5_000)}`)}`,
    "secret",
  ];
  for (const header of headers) {
    const form = { client_id: ID };
    assertEquals(
      await authenticate(world, client, form, header),
      false,
      header,
    );
  }
  const other = basic("other", "secret");
  assertEquals(await authenticate(world, client, {}, other), false);
  const forms: Record<string, string>[] = [
    { client_id: ID },
    { client_id: ID, client_secret: "secret" },
  ];
  for (const form of forms) {
    assertEquals(await authenticate(world, client, form), false);
  }
  // Two methods at once.
  const both = { client_id: ID, client_secret: "secret" };
  assertEquals(await authenticate(world, client, both, valid), false);
  const assertion = { client_assertion: "a.b.c", client_assertion_type: TYPE };
  assertEquals(await authenticate(world, client, assertion, valid), false);
});

/** Creates a client with a key. */
async function createSigner(alg = "ES256") {
  const { publicKey, privateKey } = await generateKeyPair(alg);
  const jwk = { ...await exportJWK(publicKey), kid: "1", alg };
  return {
    jwks: { keys: [jwk] },
    async sign(
      claims: Record<string, unknown> = {},
      header: Record<string, unknown> = {},
    ): Promise<Record<string, string>> {
      const jwt = await new SignJWT({
        iss: ID,
        sub: ID,
        aud: ISSUER,
        exp: 1_700_000_060,
        jti: crypto.randomUUID(),
        ...claims,
      }).setProtectedHeader({ alg, kid: "1", ...header }).sign(privateKey);
      return { client_assertion: jwt, client_assertion_type: TYPE };
    },
  };
}

Deno.test("authenticate() accepts each assertion once, of 20 at the same time (RFC 7523, section 3)", async () => {
  const world = new ClientWorld();
  const { jwks, sign } = await createSigner();
  const client = clientWith({ jwks });
  assertEquals(await authenticate(world, client, await sign()), true);
  const form = await sign({ aud: [ISSUER] }, {
    typ: "client-authentication+jwt",
  });
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, () => authenticate(world, client, form)),
  );
  assertEquals(outcomes.filter((isValid) => isValid).length, 1);
  world.now += 60_000;
  assertEquals(await authenticate(world, client, form), false);
});

/** Assertions that the client must not have signed for this server. */
const WRONG_CLAIMS: Record<string, unknown>[] = [
  { iss: "other" },
  { iss: undefined },
  { sub: "other" },
  { sub: undefined },
  { sub: [ID] },
  { aud: undefined },
  { aud: "https://other.example" },
  { aud: `${ISSUER}/token` },
  { aud: `${ISSUER}/` },
  { aud: [ISSUER, "https://other.example"] },
  { aud: [] },
  { exp: undefined },
  { exp: "1700000060" },
  { exp: 1_699_999_900 },
  { exp: 1_700_000_400 },
  { exp: 1e300 },
  { nbf: 1_700_000_400 },
  { jti: undefined },
  { jti: "" },
  { jti: 7 },
  { jti: "a".repeat(257) },
];

Deno.test("authenticate() rejects assertions with other claims, and writes nothing", async () => {
  const { jwks, sign } = await createSigner();
  const world = new ClientWorld();
  const put = world.store.put.bind(world.store);
  let writes = 0;
  world.store.put = (...args) => {
    writes++;
    return put(...args);
  };
  const client = clientWith({ jwks });
  for (const claims of WRONG_CLAIMS) {
    const form = await sign(claims);
    const message = JSON.stringify(claims);
    assertEquals(await authenticate(world, client, form), false, message);
  }
  assertEquals(writes, 0);
  assertEquals(await authenticate(world, client, await sign()), true);
  assertEquals(writes, 1);
});

Deno.test("authenticate() rejects assertions of other keys, types and forms", async () => {
  const world = new ClientWorld();
  const { jwks, sign } = await createSigner();
  const other = await createSigner();
  const client = clientWith({ jwks });
  const valid = await sign();
  const jwt = valid.client_assertion!;
  const [header, payload] = jwt.split(".");
  const unsigned = btoa(JSON.stringify({ alg: "none" })).replaceAll("=", "");
  const hmac = await new SignJWT({
    ...{ iss: ID, sub: ID, aud: ISSUER, exp: 1_700_000_060, jti: "1" },
  }).setProtectedHeader({ alg: "HS256" })
    .sign(new TextEncoder().encode(JSON.stringify(jwks.keys[0])));
  const forms: Record<string, string>[] = [
    await other.sign(),
    await sign({}, { typ: "at+jwt" }),
    await sign({}, { typ: "dpop+jwt" }),
    await sign({}, { kid: "2" }),
    { ...valid, client_id: "other" },
    { ...valid, client_assertion: `${unsigned}.${payload}.` },
    { ...valid, client_assertion: hmac },
    { ...valid, client_assertion: `${header}.${payload}` },
    { ...valid, client_assertion: `${jwt}a` },
    { ...valid, client_assertion: `${jwt}.${jwt}` },
    { ...valid, client_assertion: jwt + " ".repeat(10_000) },
    { ...valid, client_assertion: "" },
    { ...valid, client_assertion: "…" },
    { ...valid, client_assertion_type: `${TYPE}2` },
    { client_assertion: jwt },
  ];
  for (const form of forms) {
    const message = JSON.stringify(form);
    assertEquals(await authenticate(world, client, form), false, message);
  }
  assertEquals(await authenticate(world, client, valid), true);
});

Deno.test("authenticate() rejects an assertion of a client without keys", async () => {
  const world = new ClientWorld();
  const { sign } = await createSigner();
  const form = await sign();
  assertEquals(await authenticate(world, clientWith("none"), form), false);
  const secretHashes = [await hashToken("secret")];
  const withSecret = clientWith({ secretHashes });
  assertEquals(await authenticate(world, withSecret, form), false);
});

Deno.test("authenticate() fetches the keys of a client once, and again for a new key", async () => {
  const world = new ClientWorld();
  const url = "https://partner.example/jwks";
  const [first, second] = [await createSigner(), await createSigner()];
  const client = clientWith({ jwksUri: url });
  world.publish(url, first.jwks);
  assertEquals(await authenticate(world, client, await first.sign()), true);
  assertEquals(await authenticate(world, client, await first.sign()), true);
  assertEquals(world.fetched.length, 1);

  world.publish(url, second.jwks);
  assertEquals(await authenticate(world, client, await second.sign()), true);
  assertEquals(world.fetched.length, 2);
  // Unknown keys cause one request in 30 seconds.
  for (let count = 0; count < 5; count++) {
    assertEquals(await authenticate(world, client, await first.sign()), false);
  }
  assertEquals(world.fetched.length, 2);
});

Deno.test("authenticate() returns false if the keys are unavailable, with one request in a while", async () => {
  const world = new ClientWorld();
  const { sign } = await createSigner();
  const client = clientWith({ jwksUri: "https://partner.example/jwks" });
  for (let count = 0; count < 5; count++) {
    assertEquals(await authenticate(world, client, await sign()), false);
  }
  assertEquals(world.fetched.length, 1);
  assertEquals(world.errors.length, 1);
});

Deno.test("authenticate() accepts ChatGPT's client with a key and without one", async () => {
  const world = new ClientWorld();
  const { jwks, sign } = await createSigner("RS256");
  world.publish(CHATGPT.client_id, CHATGPT);
  world.publish(CHATGPT.jwks_uri, jwks);
  const client = await world.clients.resolve(CHATGPT.client_id, "1");
  const id = CHATGPT.client_id;
  const form = await sign({ iss: id, sub: id });
  assertEquals(await authenticate(world, client!, form), true);
  assertEquals(await authenticate(world, client!, { client_id: id }), true);
  // A signature that is sent must be valid.
  const stranger = await createSigner("RS256");
  const forged = await stranger.sign({ iss: id, sub: id });
  assertEquals(await authenticate(world, client!, forged), false);
});

Deno.test("authenticate() uses the current keys of a document that contains them", async () => {
  const world = new ClientWorld();
  const id = "https://client.example/client.json";
  const [first, second] = [await createSigner(), await createSigner()];
  const publish = ({ jwks }: typeof first) =>
    world.publish(id, {
      client_id: id,
      redirect_uris: ["https://client.example/callback"],
      token_endpoint_auth_method: "private_key_jwt",
      jwks,
    }, { "Cache-Control": "max-age=60" });
  publish(first);
  const client = await world.clients.resolve(id, "1");
  assertEquals(client?.isPublic, false);
  const claims = { iss: id, sub: id };
  const check = async (signer: typeof first) =>
    await authenticate(world, client!, await signer.sign(claims));
  assertEquals(await check(first), true);
  assertEquals(await authenticate(world, client!, { client_id: id }), false);

  publish(second);
  world.now += 60_000;
  const later = async (signer: typeof first) =>
    await authenticate(
      world,
      client!,
      await signer.sign({ ...claims, exp: 1_700_000_120 }),
    );
  assertEquals(await later(first), false);
  assertEquals(await later(second), true);
});
