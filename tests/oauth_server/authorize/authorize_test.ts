import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Actor, Auth } from "@gatehouse/web/auth-middleware";
import { createRouter, type Middleware } from "@gatehouse/web/fetch-router";
import { session } from "@gatehouse/web/session-middleware";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { createTestClient } from "@gatehouse/web/testing";
import {
  API,
  authorizePath,
  browserOf,
  CALLBACK,
  connect,
  ORIGIN,
  readConsent,
  sendConsent,
  startServer,
  targetOf,
} from "../_server.ts";

Deno.test("GET /authorize sends a visitor to the login page, and writes nothing", async () => {
  const { router } = startServer();
  const browser = createTestClient(router, { origin: ORIGIN });
  const response = await browser.fetch(authorizePath());
  assertEquals(response.status, 303);
  const location = new URL(response.headers.get("Location")!, ORIGIN);
  assertEquals(location.pathname, "/login");
  const returnTo = location.searchParams.get("returnTo")!;
  assertStringIncludes(returnTo, authorizePath());
  assertEquals([...browser.cookies], []);
  assertEquals(response.headers.get("Cache-Control"), "no-store");
});

/** Requests that get a page, because their redirect URI cannot be trusted. */
const PAGES: readonly Record<string, string | undefined>[] = [
  { client_id: undefined },
  { client_id: "unknown" },
  { client_id: "WEB" },
  { client_id: "__proto__" },
  { client_id: "x".repeat(1_500) },
  { redirect_uri: "https://evil.example/callback" },
  { redirect_uri: `${CALLBACK}/` },
  { redirect_uri: `${CALLBACK}?a=b` },
  { redirect_uri: `${CALLBACK}#fragment` },
  { redirect_uri: "https://client.example.evil.example/callback" },
  { redirect_uri: "https://client.example@evil.example/callback" },
  { redirect_uri: "https://CLIENT.example/callback" },
  { redirect_uri: "https://client.example./callback" },
  { redirect_uri: "https://client.example:444/callback" },
  { redirect_uri: "http://client.example/callback" },
  { redirect_uri: "https://client.example/callback/../x" },
  { redirect_uri: "https://client.example/%63allback" },
  { redirect_uri: "//client.example/callback" },
  { redirect_uri: "javascript:alert(1)//https://client.example/callback" },
  { redirect_uri: "data:text/html,x" },
  { redirect_uri: " https://client.example/callback" },
  { redirect_uri: `${CALLBACK}\n` },
  { redirect_uri: "" },
  { client_id: "other", redirect_uri: undefined },
  {
    client_id: "cli",
    redirect_uri: "http://127.0.0.1:80@evil.example/callback",
  },
  { client_id: "cli", redirect_uri: "http://127.0.0.1:99999/callback" },
  { client_id: "cli", redirect_uri: "http://localhost/callback" },
  { client_id: "cli", redirect_uri: "http://127.0.0.1/other" },
  { client_id: "app", redirect_uri: "com.example.app2:/callback" },
];

Deno.test("GET /authorize shows a page for an unknown client or redirect URI (ASVS 10.4.1)", async () => {
  const app = startServer();
  const browser = await browserOf(app);
  for (const params of PAGES) {
    const response = await browser.fetch(authorizePath(params));
    const html = await response.text();
    assertEquals(response.status, 400, JSON.stringify(params));
    assertEquals(response.headers.get("Location"), null);
    assertEquals(response.headers.get("Refresh"), null);
    assert(!html.includes("evil.example"), JSON.stringify(params));
    assertStringIncludes(html, "cannot be connected");
  }
  for (const name of ["client_id", "redirect_uri"]) {
    const path = `${authorizePath()}&${name}=${encodeURIComponent("x")}`;
    assertEquals((await browser.fetch(path)).status, 400, name);
  }
  assertEquals(app.events, []);
});

/** Requests whose error goes to the client. */
const ERRORS: readonly (readonly [
  Record<string, string | undefined>,
  string,
])[] = [
  [{ response_type: undefined }, "invalid_request"],
  [{ response_type: "token" }, "unsupported_response_type"],
  [{ response_type: "code id_token" }, "unsupported_response_type"],
  [{ response_mode: "fragment" }, "invalid_request"],
  [{ response_mode: "form_post" }, "invalid_request"],
  [{ code_challenge: undefined }, "invalid_request"],
  [{ code_challenge: "short" }, "invalid_request"],
  [{ code_challenge: `${"a".repeat(42)}+` }, "invalid_request"],
  [{ code_challenge_method: undefined }, "invalid_request"],
  [{ code_challenge_method: "plain" }, "invalid_request"],
  [{ code_challenge_method: "s256" }, "invalid_request"],
  [{ scope: "unknown" }, "invalid_scope"],
  [{ scope: "notes:read unknown" }, "invalid_scope"],
  [{ scope: "files:read" }, "invalid_scope"],
  [{ scope: "NOTES:READ" }, "invalid_scope"],
  [{ client_id: "other", scope: "notes:write" }, "invalid_scope"],
  [{ resource: "https://evil.example/" }, "invalid_target"],
  [{ resource: `${API}/` }, "invalid_target"],
  [{ resource: ORIGIN }, "invalid_target"],
  [{ prompt: "none" }, "consent_required"],
  [{ prompt: "none login" }, "invalid_request"],
  [{ prompt: "unknown" }, "invalid_request"],
  [{ max_age: "-1" }, "invalid_request"],
  [{ max_age: "1e3" }, "invalid_request"],
  [{ max_age: "99999999999" }, "invalid_request"],
  [{ request: "eyJ" }, "request_not_supported"],
  [{ request_uri: "https://evil.example" }, "request_uri_not_supported"],
];

Deno.test("GET /authorize redirects other errors, such as a missing challenge (RFC 9207, ASVS 10.4.6)", async () => {
  const browser = await browserOf(startServer());
  for (const [params, error] of ERRORS) {
    const response = await browser.fetch(authorizePath(params));
    const name = JSON.stringify(params);
    assertEquals(response.status, 302, name);
    const { origin, pathname, searchParams } = targetOf(response);
    assertEquals(origin + pathname, CALLBACK);
    assertEquals(searchParams.get("error"), error, name);
    assertEquals(searchParams.get("state"), "s1");
    assertEquals(searchParams.get("iss"), ORIGIN);
    assertEquals(searchParams.get("code"), null);
  }
  for (const name of ["state", "scope", "code_challenge", "prompt", "other"]) {
    const path = `${authorizePath()}&${name}=a&${name}=b`;
    const { searchParams } = targetOf(await browser.fetch(path));
    assertEquals(searchParams.get("error"), "invalid_request", name);
  }
  const path = `${authorizePath({ resource: API })}&resource=b`;
  const { searchParams } = targetOf(await browser.fetch(path));
  assertEquals(searchParams.get("error"), "invalid_target");
});

Deno.test("GET /authorize has defaults for scope and resource, and leaves out scopes of others (ASVS 10.4.11)", async () => {
  const browser = await browserOf(startServer());
  const cases = [
    [{}, ["notes:read", "notes:write"]],
    [{ scope: "offline_access" }, ["notes:read", "notes:write"]],
    [{ scope: "offline_access notes:read" }, ["notes:read"]],
    [{ scope: "notes:read files:read" }, ["notes:read"]],
    [{ resource: `${ORIGIN}/files` }, ["files:read"]],
    [{ client_id: "other" }, ["notes:read"]],
    [{ client_id: "cli", redirect_uri: "http://127.0.0.1:5123/callback" }, [
      "notes:read",
      "notes:write",
    ]],
    [{ redirect_uri: undefined }, ["notes:read", "notes:write"]],
  ] as const;
  for (const [params, scopes] of cases) {
    const page = await browser.fetch(authorizePath(params));
    assertEquals((await readConsent(page)).scopes, scopes);
  }
});

Deno.test("GET /authorize refuses a URL that a login page would lose", async () => {
  const { router } = startServer();
  const anonymous = createTestClient(router, { origin: ORIGIN });
  // The parameter that asks for a login once is a part of the path.
  const { length } = `${authorizePath({ state: "" })}&login_after=1800000000`;
  const fits = authorizePath({ state: "s".repeat(2_000 - length) });
  const response = await anonymous.fetch(fits);
  assertEquals(response.status, 303);
  const location = new URL(response.headers.get("Location")!, ORIGIN);
  assert(location.searchParams.get("returnTo")!.length <= 2_000);
  const long = authorizePath({ state: "s".repeat(2_001 - length) });
  assertEquals((await anonymous.fetch(long)).status, 414);
});

Deno.test("prompt=login and max_age ask for a login once", async () => {
  const app = startServer();
  const browser = await browserOf(app);
  for (const params of [{ prompt: "login" }, { max_age: "0" }] as const) {
    await browser.fetch("/login/1", { method: "POST" });
    app.clock.now += 5_000;
    const stale = await browser.fetch(authorizePath(params));
    assertEquals(stale.status, 303);
    const location = new URL(stale.headers.get("Location")!, ORIGIN);
    assertEquals(location.pathname, "/confirm");
    const returnTo = location.searchParams.get("returnTo")!;
    // Without a login in between, the server asks again.
    assertEquals((await browser.fetch(returnTo)).status, 303);
    app.clock.now += 5_000;
    await browser.fetch("/login/1", { method: "POST" });
    await readConsent(await browser.fetch(returnTo));
    // An earlier login than that which the parameter names does not count.
    app.clock.now += 5_000_000;
    assertEquals((await browser.fetch(returnTo)).status, 303);
  }
  await browser.fetch("/login/1", { method: "POST" });
  app.clock.now += 5_000;
  const late = authorizePath({ prompt: "login", login_after: "9999999999" });
  assertEquals((await browser.fetch(late)).status, 303);
  const recent = authorizePath({ max_age: "5" });
  await readConsent(await browser.fetch(recent));
  app.clock.now += 1;
  const stale = await browser.fetch(recent);
  assertEquals(stale.status, 303);
  await browser.fetch("/login/1", { method: "POST" });
  const location = new URL(stale.headers.get("Location")!, ORIGIN);
  // The login is in the same second as the parameter.
  app.clock.now += 500;
  const returnTo = location.searchParams.get("returnTo")!;
  await readConsent(await browser.fetch(returnTo));

  const silent = targetOf(
    await browser.fetch(authorizePath({ prompt: "none", max_age: "0" })),
  );
  assertEquals(silent.searchParams.get("error"), "login_required");
});

Deno.test("a scope in fresh asks for a recent login, which no parameter changes", async () => {
  const app = startServer();
  const browser = await browserOf(app);
  const params = { scope: "notes:read notes:delete" };
  const form = await readConsent(await browser.fetch(authorizePath(params)));
  app.clock.now += 599_000;
  const path = authorizePath({
    ...params,
    login_after: String(app.clock.now / 1_000 - 3_600),
  });
  const other = await readConsent(await browser.fetch(path));
  app.clock.now += 2_000;
  assertEquals((await browser.fetch(path)).status, 303);

  // The form is older than the login may be.
  const stale = await sendConsent(browser, other);
  assertEquals(stale.status, 303);
  assertStringIncludes(stale.headers.get("Location")!, "/confirm?returnTo=");
  assertEquals(app.events, []);
  assertEquals((await sendConsent(browser, form)).status, 400);
});

Deno.test("tokens and users who act as others cannot connect applications", async () => {
  const app = startServer();
  const { access_token } = await connect(app);
  const headers = { Authorization: `Bearer ${access_token}` };
  const response = await app.router.fetch(
    new Request(ORIGIN + authorizePath(), { headers }),
  );
  assertEquals(response.status, 403);
  assertStringIncludes(await response.text(), "Only users themselves");

  const store = createMemorySessionStore();
  const inner = startServer({ sessions: store });
  const acting: Middleware<readonly []> = (context, next) => {
    context.set(Auth, { id: "1" });
    context.set(Actor, { id: "9" });
    return next();
  };
  const router = createRouter({
    middleware: [session({ store, now: () => inner.clock.now }), acting],
  });
  router.map(inner.server.routes, inner.server.controller);
  const browser = await browserOf(inner);
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`)
    .join("; ");
  const acted = await router.fetch(
    new Request(ORIGIN + authorizePath(), { headers: { cookie } }),
  );
  assertEquals(acted.status, 403);
});

Deno.test("prompt=none without a login shows a page, because nothing may be fetched", async () => {
  const { router } = startServer();
  const browser = createTestClient(router, { origin: ORIGIN });
  const response = await browser.fetch(authorizePath({ prompt: "none" }));
  assertEquals(response.status, 401);
  assertEquals(response.headers.get("Location"), null);
});

Deno.test("a missing session and a mount prefix are errors at the first request", async () => {
  const { server } = startServer();
  const errors: string[] = [];
  const onError = (error: unknown) => {
    errors.push(String(error));
    return new Response(null, { status: 500 });
  };
  const without = createRouter({ onError });
  without.map(server.routes, server.controller);
  await without.fetch(ORIGIN + authorizePath());

  const strict = createRouter({
    onError,
    middleware: [session({ cookie: { sameSite: "Strict" } })],
  });
  strict.map(server.routes, server.controller);
  await strict.fetch(ORIGIN + authorizePath());

  const inner = createRouter({ onError, middleware: [server.endpoints] });
  const outer = createRouter({ onError });
  outer.mount("/auth", inner);
  await outer.fetch(`${ORIGIN}/auth/token`);
  const pages = createRouter({ onError, middleware: [session()] });
  pages.map(server.routes, server.controller);
  outer.mount("/pages", pages);
  await outer.fetch(`${ORIGIN}/pages${authorizePath()}`);

  const expected = [
    "there is no session, put the session middleware in front",
    'use "Lax"',
    "put it into the outermost router",
    "put it into the outermost router",
  ];
  assertEquals(errors.length, expected.length);
  for (const [index, text] of expected.entries()) {
    assertStringIncludes(errors[index]!, text);
  }
});
