import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Actor, Auth } from "@gatehouse/web/auth-middleware";
import { createRouter, type Middleware } from "@gatehouse/web/fetch-router";
import { session } from "@gatehouse/web/session-middleware";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { createTestClient } from "@gatehouse/web/testing";
import {
  authorizePath,
  browserOf,
  CALLBACK,
  connect,
  ORIGIN,
  startServer,
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

Deno.test("tokens and users who act as others cannot connect applications", async () => {
  const app = startServer();
  const { access_token } = await connect(app);
  const headers = { Authorization: `Bearer ${access_token}` };
  const response = await app.router.fetch(
    new Request(ORIGIN + authorizePath(), { headers }),
  );
  assertEquals(response.status, 403);
  assertStringIncludes(
    await response.text(),
    "Only users who are logged in themselves",
  );

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
