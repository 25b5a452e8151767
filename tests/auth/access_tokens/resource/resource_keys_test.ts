// The keys of the issuers of a resource.
import type { ExternalAuthError } from "@gatehouse/web/auth/access-tokens";
import { assert, assertEquals } from "@std/assert";
import { createAPI, now, signToken } from "../../_resource.ts";
import { TestProvider } from "../../_test_provider.ts";

/** Sends a token in many requests at the same time. */
async function statusesOf(
  send: (token: string) => Promise<Response>,
  tokens: readonly string[],
): Promise<number[]> {
  const responses = await Promise.all(tokens.map((token) => send(token)));
  await Promise.all(responses.map(({ body }) => body?.cancel()));
  return responses.map(({ status }) => status);
}

Deno.test("createResourceServer() fetches new keys once under load, and refuses no valid token", async () => {
  const { provider, send, sign } = await createAPI();
  assertEquals((await send(await sign())).status, 200);
  const old = await sign();
  const [oldKey] = provider.keys;
  await provider.rotate();
  // The issuer still publishes the old key, as it should.
  provider.keys.push(oldKey!);
  const respond = Promise.withResolvers<void>();
  provider.faults.respond = async ({ path }) => {
    if (path === "/keys") await respond.promise;
  };
  const tokens = await Promise.all(
    Array.from({ length: 200 }, (_, index) => sign({ jti: `new${index}` })),
  );
  const statuses = statusesOf(send, tokens.flatMap((token) => [token, old]));
  // Tokens of known keys wait for nothing.
  assertEquals((await send(old)).status, 200);
  respond.resolve();
  assert((await statuses).every((status) => status === 200));
  assertEquals(provider.count("/keys"), 2);
});

Deno.test("createResourceServer() fetches the keys once for the first requests", async () => {
  const { provider, send, sign } = await createAPI();
  const tokens = Array<string>(100).fill(await sign());
  const statuses = await statusesOf(send, tokens);
  assert(statuses.every((status) => status === 200));
  assertEquals(provider.requests.length, 2);
});

Deno.test("createResourceServer() fetches keys at most once in 30 s because of unknown key ids", async () => {
  let time = now;
  const { provider, send, sign } = await createAPI({ now: () => time });
  await send(await sign());
  for (let count = 0; count < 50; count++) {
    const token = await sign({}, { kid: `unknown${count}` });
    assertEquals((await send(token)).status, 401);
  }
  assertEquals(provider.count("/keys"), 2);
  time += 30_000;
  await send(await sign({}, { kid: "unknown" }));
  assertEquals(provider.count("/keys"), 3);
});

Deno.test("createResourceServer() accepts tokens of new keys at once after expired tokens of old keys", async () => {
  const { provider, send, sign } = await createAPI();
  await send(await sign());
  const expired = await sign(
    { exp: now / 1000 - 3_600, iat: now / 1000 - 7_200 },
    { kid: "retired" },
  );
  assertEquals((await send(expired)).status, 401);
  assertEquals(provider.count("/keys"), 1);
  await provider.rotate();
  assertEquals((await send(await sign())).status, 200);
});

Deno.test("createResourceServer() answers 503 while the issuer is unavailable, and asks it once in 5 s", async () => {
  let time = now;
  const errors: ExternalAuthError[] = [];
  const { provider, send, sign } = await createAPI({
    now: () => time,
    onError: (error) => errors.push(error),
  });
  provider.faults.respond = () => new Response(null, { status: 503 });
  const token = await sign();
  for (let count = 0; count < 20; count++) {
    const response = await send(token);
    assertEquals(response.status, 503);
    assertEquals(response.headers.get("Retry-After"), "5");
    await response.body?.cancel();
  }
  assertEquals([provider.requests.length, errors.length], [1, 1]);
  provider.faults.respond = undefined;
  time += 5_000;
  assertEquals((await send(token)).status, 200);
});

Deno.test("createResourceServer() accepts tokens of known keys for an hour while the issuer is unavailable", async () => {
  let time = now;
  const { provider, send, sign } = await createAPI({
    now: () => time,
    onError: () => {},
  });
  const token = await sign({ exp: now / 1000 + 7_200 });
  assertEquals((await send(token)).status, 200);
  provider.faults.respond = () => new Response(null, { status: 503 });
  time += 3_599_000;
  assertEquals((await send(token)).status, 200);
  time += 1_000;
  assertEquals((await send(token)).status, 503);
});

Deno.test("createResourceServer() accepts several issuers, each with its own keys", async () => {
  const one = await TestProvider.create("https://one.example", ["ES256"]);
  const two = await TestProvider.create("https://two.example", ["ES256"]);
  await two.rotate();
  const { send } = await createAPI({
    issuers: [{ issuer: one.issuer }, { issuer: two.issuer }],
    fetch: (url, init) =>
      (url.startsWith(one.issuer) ? one : two).fetch(url, init),
  });
  for (const provider of [one, two]) {
    const response = await send(await signToken(provider));
    assertEquals((await response.json()).id, `${provider.issuer} user-1`);
  }
  const crossed = await signToken(one, { iss: two.issuer });
  assertEquals((await send(crossed)).status, 401);
  assertEquals(
    (await send(await signToken(two, { iss: one.issuer }))).status,
    401,
  );
});

Deno.test("createResourceServer() accepts the tokens of one issuer while another is unavailable", async () => {
  const one = await TestProvider.create("https://one.example", ["ES256"]);
  const two = await TestProvider.create("https://two.example", ["ES256"]);
  two.faults.respond = () => Promise.reject(new TypeError("refused"));
  const { send } = await createAPI({
    issuers: [{ issuer: one.issuer }, { issuer: two.issuer }],
    fetch: (url, init) =>
      (url.startsWith(one.issuer) ? one : two).fetch(url, init),
    onError: () => {},
  });
  assertEquals((await send(await signToken(two))).status, 503);
  assertEquals((await send(await signToken(one))).status, 200);
});

const issuers: [issuer: string, urls: string[]][] = [
  ["https://id.example", [
    "https://id.example/.well-known/openid-configuration",
    "https://id.example/.well-known/oauth-authorization-server",
  ]],
  ["https://id.example/a/b", [
    "https://id.example/a/b/.well-known/openid-configuration",
    "https://id.example/.well-known/oauth-authorization-server/a/b",
  ]],
];

for (const [issuer, expected] of issuers) {
  Deno.test(`createResourceServer() finds the keys of ${issuer} without OpenID Connect (RFC 8414, 3.1)`, async () => {
    const provider = await TestProvider.create(issuer, ["ES256"]);
    const urls: string[] = [];
    const { send } = await createAPI({
      issuers: [{ issuer }],
      fetch(url, init) {
        urls.push(url);
        if (url === expected[1]) {
          const metadata = { issuer, jwks_uri: "https://id.example/keys" };
          return Promise.resolve(Response.json(metadata));
        }
        return url.endsWith("/keys")
          ? provider.fetch(url, init)
          : Promise.resolve(new Response("Not Found", { status: 404 }));
      },
    });
    assertEquals((await send(await signToken(provider))).status, 200);
    assertEquals(urls, [...expected, "https://id.example/keys"]);
  });
}

Deno.test("createResourceServer() asks for no other metadata if the issuer fails or names another one", async () => {
  const responses = [
    new Response(null, { status: 500 }),
    Response.json({ issuer: "https://evil.example" }),
  ];
  for (const response of responses) {
    const { provider, send, sign } = await createAPI({ onError: () => {} });
    provider.faults.respond = () => response;
    assertEquals((await send(await sign())).status, 503);
    assertEquals(provider.requests.length, 1);
  }
});
