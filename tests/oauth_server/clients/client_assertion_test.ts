import { assertEquals } from "@std/assert";
import { hashToken } from "@gatehouse/web/auth";
import { SignJWT } from "jose";
import { ClientWorld } from "./_client_world.ts";
import {
  authenticate,
  clientWith,
  createSigner,
  ID,
  ISSUER,
  TYPE,
} from "./_assertions.ts";

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
  { exp: 1_699_999_970 },
  { exp: 1_700_000_331 },
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

Deno.test("authenticate() accepts an assertion that ends up to 330 s later or 30 s ago, and a jti of 256 characters", async () => {
  const { jwks, sign } = await createSigner();
  const world = new ClientWorld();
  const limits: Record<string, unknown>[] = [
    { exp: 1_700_000_330 },
    { exp: 1_699_999_971 },
    { jti: "a".repeat(256) },
  ];
  for (const claims of limits) {
    const form = await sign(claims);
    const message = JSON.stringify(claims);
    const isValid = await authenticate(world, clientWith({ jwks }), form);
    assertEquals(isValid, true, message);
  }
});

Deno.test("authenticate() remembers an assertion for 7 minutes, in which it ends on all machines", async () => {
  const { jwks, sign } = await createSigner();
  const world = new ClientWorld();
  const put = world.store.put.bind(world.store);
  const lifetimes: number[] = [];
  world.store.put = (key, value, options) => {
    lifetimes.push(options.ttl);
    return put(key, value, options);
  };
  await authenticate(world, clientWith({ jwks }), await sign());
  assertEquals(lifetimes, [420_000]);
});

Deno.test("authenticate() accepts an assertion of 8,192 characters, and none that is longer", async () => {
  const world = new ClientWorld();
  const { jwks, sign } = await createSigner();
  const client = clientWith({ jwks });
  const rows = [[5_916, 8_192, true], [5_917, 8_193, false]] as const;
  for (const [padding, length, isValid] of rows) {
    const form = await sign({ padding: "a".repeat(padding) });
    assertEquals(form.client_assertion!.length, length);
    assertEquals(await authenticate(world, client, form), isValid);
  }
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
