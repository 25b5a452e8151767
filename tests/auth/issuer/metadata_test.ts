import { createOIDCAuthProvider } from "@gatehouse/web/auth";
import { assert, assertEquals } from "@std/assert";
import { Login, logIn } from "../_login.ts";
import { TestProvider, USER } from "../_test_provider.ts";
import { WELL_KNOWN, withoutDocuments } from "./_documents.ts";

type Body = Record<string, unknown>;

const issuers = [
  ["https://id.example", "/.well-known/openid-configuration"],
  ["https://id.example/", "/.well-known/openid-configuration"],
  ["https://id.example/tenant", "/tenant/.well-known/openid-configuration"],
  ["https://id.example/tenant/", "/tenant/.well-known/openid-configuration"],
];

for (const [issuer, path] of issuers) {
  Deno.test(`discovery of ${issuer} requests ${path} (OpenID Connect Discovery 1.0, section 4.1)`, async () => {
    const provider = await TestProvider.create(issuer);
    const { profile, result } = await logIn(provider);
    assertEquals(profile, USER);
    assert(result.ok);
    assertEquals(result.issuer, issuer);
    assertEquals(provider.requests[0]!.path, path);
  });
}

const unusable: [string, (metadata: Body) => unknown][] = [
  ["another issuer", (m) => ({ ...m, issuer: "https://evil.example" })],
  ["the issuer with a slash", (m) => ({ ...m, issuer: `${m.issuer}/` })],
  ["the issuer in capitals", (m) => ({ ...m, issuer: "https://ID.example" })],
  ["no issuer", ({ issuer: _, ...m }) => m],
  ["an array of issuers", (m) => ({ ...m, issuer: [m.issuer] })],
  ["no authorization_endpoint", ({ authorization_endpoint: _, ...m }) => m],
  ["no token_endpoint", ({ token_endpoint: _, ...m }) => m],
  [
    "a token_endpoint with HTTP",
    (m) => ({ ...m, token_endpoint: "http://id.example/token" }),
  ],
  [
    "a token_endpoint on loopback",
    (m) => ({ ...m, token_endpoint: "http://127.0.0.1/token" }),
  ],
  ["a jwks_uri with file:", (m) => ({ ...m, jwks_uri: "file:///etc/keys" })],
  [
    "a jwks_uri with data:",
    (m) => ({ ...m, jwks_uri: 'data:application/json,{"keys":[]}' }),
  ],
  [
    "a userinfo_endpoint that is relative",
    (m) => ({ ...m, userinfo_endpoint: "/userinfo" }),
  ],
  [
    "an authorization_endpoint with javascript:",
    (m) => ({ ...m, authorization_endpoint: "javascript:alert(1)" }),
  ],
  [
    "credentials in a URL",
    (m) => ({ ...m, token_endpoint: "https://a:b@id.example/token" }),
  ],
  ["an endpoint that is a number", (m) => ({ ...m, userinfo_endpoint: 1 })],
  ["a list", () => []],
];

for (const [name, metadata] of unusable) {
  Deno.test(`discovery rejects metadata with ${name} (OpenID Connect Discovery 1.0, sections 3 and 4.3; RFC 8414, section 3.3)`, async () => {
    const provider = await TestProvider.create();
    provider.faults = { metadata };
    const codes: string[] = [];
    const login = new Login(provider, {
      onError: ({ code }) => codes.push(code),
    });
    assertEquals((await login.visit("/login")).status, 502);
    assertEquals(codes, ["discovery_failed"]);
    assertEquals(provider.requests.length, 1);
  });
}

const usable: [string, (metadata: Body) => unknown][] = [
  [
    "unknown members (section 4.2)",
    (m) => ({ ...m, x: { y: [1] }, __proto__: null }),
  ],
  [
    "null for missing members",
    (m) => ({ ...m, revocation_endpoint: null, end_session_endpoint: null }),
  ],
  [
    "lists that are not arrays",
    (m) => ({
      ...m,
      token_endpoint_auth_methods_supported: "x",
      id_token_signing_alg_values_supported: 1,
    }),
  ],
  [
    "arrays with values of other types",
    (m) => ({
      ...m,
      token_endpoint_auth_methods_supported: [null, 1, "client_secret_basic"],
    }),
  ],
  [
    "an array of a million values",
    (m) => ({ ...m, scopes_supported: Array(10_000).fill("a") }),
  ],
];

for (const [name, metadata] of usable) {
  Deno.test(`discovery accepts metadata with ${name}`, async () => {
    const provider = await TestProvider.create();
    provider.faults = { metadata };
    assertEquals((await logIn(provider)).profile, USER);
  });
}

Deno.test("discovery and keys are requested once for 100 concurrent logins", async () => {
  const provider = await TestProvider.create();
  const login = new Login(provider);
  const { router } = login;
  const cookieOf = (response: Response) =>
    response.headers.getSetCookie()[0].split(";")[0];
  const callbacks = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const response = await router.fetch("https://app.example/login");
      const url = provider.authorize(response.headers.get("Location"));
      return { url, cookie: cookieOf(response) };
    }),
  );
  const statuses = await Promise.all(callbacks.map(async ({ cookie, url }) => {
    const response = await router.fetch(url, { headers: { cookie } });
    return response.status;
  }));
  assertEquals(statuses, Array(100).fill(200));
  assertEquals(provider.count(WELL_KNOWN), 1);
  assertEquals(provider.count("/keys"), 1);
  assertEquals(provider.count("/token"), 100);
});

Deno.test("logins wait for slow discovery, not for each other", async () => {
  const provider = await TestProvider.create();
  const login = new Login(provider);
  const first = Promise.withResolvers<Response>();
  const second = Promise.withResolvers<Response>();
  const answers = [first, second];
  provider.faults.respond = () => {
    // The first login is slow but finishes after another request.
    if (provider.requests.length === 2) first.resolve(metadata());
    return answers.shift()?.promise;
  };
  const metadata = () => Response.json(provider.metadata());
  const statuses = await Promise.all(
    Array.from(
      { length: 10 },
      async () => (await login.visit("/login")).status,
    ),
  );
  second.resolve(metadata());
  assertEquals(statuses, Array(10).fill(302));
  assertEquals(provider.count(WELL_KNOWN), 2);
});

Deno.test("the option metadata replaces discovery", async () => {
  const provider = await TestProvider.create();
  const metadata = provider.metadata() as never;
  assertEquals((await logIn(provider, { metadata })).profile, USER);
  assertEquals(provider.count(WELL_KNOWN), 0);
});

Deno.test("HTTP is only used for loopback, and only if allowed", async () => {
  const provider = await TestProvider.create("http://localhost:9000");
  const options = { allowInsecureLoopback: true };
  assertEquals((await logIn(provider, options)).profile, USER);
  provider.faults = {
    metadata: (m) => ({
      ...m,
      token_endpoint: "http://localhost.evil.example/",
    }),
  };
  const login = new Login(provider, options);
  assertEquals((await login.visit("/login")).status, 502);
});

Deno.test("createOIDCAuthProvider() sends no request before the first login", async () => {
  const provider = await TestProvider.create();
  createOIDCAuthProvider({
    name: "test",
    issuer: provider.issuer,
    clientId: "app",
    clientSecret: "s3cret",
    redirectUri: "https://app.example/callback",
    fetch: provider.fetch,
  });
  assertEquals(provider.requests, []);
});

const outages: [string, () => Response | Promise<Response>][] = [
  ["can't be reached", () => Promise.reject(new TypeError("refused"))],
  ["answer 503", () => Response.json({}, { status: 503 })],
  ["answer a page", () => new Response("<h1>Soon back</h1>")],
];

for (const [name, answer] of outages) {
  Deno.test(`logins work for an hour while metadata and keys ${name}`, async () => {
    const { login, pass } = await withoutDocuments(answer);
    pass(3_599_000);
    assertEquals((await login.run()).code, "");
    pass(2_000);
    assertEquals((await login.run()).code, "keys_failed");
  });
}

Deno.test("failed metadata and keys are requested every five seconds", async () => {
  const { count, login, pass } = await withoutDocuments(() =>
    new Response(null, { status: 503 })
  );
  pass(3_600_000 - 60_000);
  await login.run();
  const first = count();
  await login.run();
  assertEquals(count(), first);
  pass(5_000);
  await login.run();
  assertEquals(count(), first + 1);
});

Deno.test("metadata that changes to another issuer is not replaced by the old metadata", async () => {
  const { login, pass } = await withoutDocuments(() =>
    Response.json({ issuer: "https://evil.example" })
  );
  pass(3_600_000);
  assertEquals((await login.visit("/login")).status, 502);
});

Deno.test("keys that a provider removes are not replaced by the old keys", async () => {
  const { login, pass } = await withoutDocuments(() =>
    Response.json({ keys: [] })
  );
  pass(600_000);
  assertEquals((await login.run()).code, "keys_failed");
});

Deno.test("logins use fresh metadata and keys when the provider works again", async () => {
  const { login, pass, provider } = await withoutDocuments(() =>
    new Response(null, { status: 503 })
  );
  pass(3_599_000);
  await login.run();
  provider.faults = {};
  await provider.rotate();
  pass(5_000);
  assertEquals((await login.run()).code, "");
});
