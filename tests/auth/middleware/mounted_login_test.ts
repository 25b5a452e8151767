// Logins in a router that is mounted in another one.
import {
  externalAuthCallbacks,
  type ExternalAuthResult,
  externalAuthResult,
  type OIDCProfile,
  startExternalAuth,
} from "@gatehouse/web/auth";
import {
  Auth,
  redirectToLogin,
  requireAuth,
  requireFreshAuth,
} from "@gatehouse/web/auth-middleware";
import { createRouter } from "@gatehouse/web/fetch-router";
import { assertEquals } from "@std/assert";
import { clientOf, Login, ORIGIN } from "../_login.ts";
import { TestProvider } from "../_test_provider.ts";

for (
  const [redirect, callback] of [
    ["/auth/callback", "/callback"],
    ["/auth", "/"],
    ["/auth/", "/"],
    ["/auth/test/callback?tenant=1", "/test/callback"],
  ] as const
) {
  Deno.test(`an external login finishes at ${redirect} in a mounted router`, async () => {
    const provider = await TestProvider.create();
    const login = new Login(provider);
    const client = clientOf(provider, { redirectUri: ORIGIN + redirect });
    const inner = createRouter();
    inner.get("/login", (context) => startExternalAuth(client, context));
    const results: ExternalAuthResult<OIDCProfile>[] = [];
    inner.get(callback, async (context) => {
      results.push(await externalAuthResult(client, context));
      return new Response();
    });
    login.router.mount("/auth", inner);

    const location = await login.begin("/auth/login");
    assertEquals(location.startsWith(ORIGIN + redirect), true);
    await login.visit(location);

    assertEquals(results.map(({ ok }) => ok), [true]);
  });
}

Deno.test("an external login does not finish in a mounted router at the path of another callback", async () => {
  const provider = await TestProvider.create();
  const login = new Login(provider);
  const client = clientOf(provider);
  const inner = createRouter();
  const codes: string[] = [];
  inner.get("/callback", async (context) => {
    const result = await externalAuthResult(client, context);
    codes.push(result.ok ? "" : result.error.code);
    return new Response();
  });
  login.router.mount("/auth", inner);
  const { search } = new URL(await login.begin());
  await login.visit(`/auth/callback${search}`);
  assertEquals(codes, ["wrong_callback"]);
});

Deno.test("externalAuthCallbacks() protects the callback in a mounted router, also for form_post", async () => {
  const provider = await TestProvider.create();
  const client = clientOf(provider, {
    redirectUri: `${ORIGIN}/auth/callback`,
    responseMode: "form_post",
  });
  const inner = createRouter({ middleware: [externalAuthCallbacks([client])] });
  inner.get("/callback", () => new Response());
  const outer = createRouter();
  outer.mount("/auth", inner);
  const posted = await outer.fetch(`${ORIGIN}/auth/callback`, {
    method: "POST",
    body: new URLSearchParams({ code: "c", state: "s" }),
  });
  assertEquals(posted.status, 303);
  assertEquals(posted.headers.get("Location"), "/auth/callback?state=s");
  const read = await outer.fetch(`${ORIGIN}/auth/callback`);
  assertEquals(read.headers.get("Referrer-Policy"), "no-referrer");
});

const pages = [
  ["/admin/users?x=1", "/admin/users?x=1"],
  ["/admin", "/admin/"],
  ["/admin//evil.example", "/admin//evil.example"],
  ["/admin/deep/users", "/admin/deep/users"],
  ["/two/deep/users", "/two/deep/users"],
  ["/plain", "/plain"],
] as const;

for (const [path, returnTo] of pages) {
  Deno.test(`redirectToLogin() returns to ${returnTo} from ${path}, in a mounted router`, async () => {
    // A function of the application may be in between.
    const toLogin = redirectToLogin("/login");
    const onUnauthenticated = (request: Request) => toLogin(request);
    const admin = createRouter({
      middleware: [requireAuth({ onUnauthenticated })],
    });
    const deep = createRouter();
    deep.mount("/deep", admin);
    const outer = createRouter();
    outer.mount("/admin/deep", admin);
    outer.mount("/admin", admin);
    outer.mount("/two", deep);
    outer.get("/plain", {
      middleware: [requireAuth({ onUnauthenticated })],
    }, () => new Response());
    const response = await outer.fetch(ORIGIN + path);
    assertEquals(
      response.headers.get("Location"),
      `/login?returnTo=${encodeURIComponent(returnTo)}`,
    );
  });
}

Deno.test("redirectToLogin() returns to the path with the mount prefix after a stale login", async () => {
  const inner = createRouter({
    middleware: [requireFreshAuth(1, { onStale: redirectToLogin("/confirm") })],
  });
  const outer = createRouter({
    middleware: [(context) => context.set(Auth, { id: 1 })],
  });
  outer.mount("/account", inner);
  const response = await outer.fetch(`${ORIGIN}/account/password`);
  assertEquals(
    response.headers.get("Location"),
    "/confirm?returnTo=%2Faccount%2Fpassword",
  );
});
