import type { ExternalAuthCache, ExternalAuthError } from "@gatehouse/web/auth";
import { Auth, auth, type AuthScheme } from "@gatehouse/web/auth-middleware";
import { createRouter } from "@gatehouse/web/fetch-router";
import { assertEquals } from "@std/assert";
import { UnsecuredJWT } from "jose";
import { createIssuer, now, type User } from "../_jwt_issuer.ts";

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

Deno.test("createJWTAuthScheme() reports metadata without keys", async () => {
  const errors: ExternalAuthError[] = [];
  const { authenticate, provider, sign } = await createIssuer({
    onError: (error) => errors.push(error),
  });
  provider.faults.metadata = ({ issuer }) => ({ issuer });
  assertEquals((await authenticate(await sign())).status, "refused");
  assertEquals(errors.map(({ code }) => code), ["keys_failed"]);
});
