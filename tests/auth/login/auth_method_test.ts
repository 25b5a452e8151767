import { type AuthMethod, completeAuth } from "@gatehouse/web/auth";
import {
  auth,
  createSessionAuthScheme,
  redirectToLogin,
  requireFreshAuth,
  requireSecondFactor,
} from "@gatehouse/web/auth-middleware";
import { createRouter, type Middleware } from "@gatehouse/web/fetch-router";
import { Session } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { createTestClient } from "@gatehouse/web/testing";
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { fetchGuarded, tokens } from "../_fetch_guarded.ts";

const secrets = ["a secret of the cookie sessions in this test"];

/** Serves logins with any user and methods, and guarded pages, with a clock. */
function createApp(options: { readonly secrets?: readonly string[] } = {}) {
  let time = 1_000_000_000;
  const now = () => time;
  const scheme = createSessionAuthScheme({
    name: "session",
    verify: (id) => ({ id, role: id === 1 ? "admin" : "user" }),
  });
  const router = createRouter({
    middleware: [session({ now, ...options }), auth({ schemes: [scheme] })],
  });
  router.post("/login/:id/:methods", async (context) => {
    const { id, methods } = context.params;
    const session = await completeAuth(context, Number(id), {
      methods: methods.split("+"),
    });
    return Response.json(session.authMethods);
  });
  router.post("/logout", (context) => {
    context.get(Session).unset("userId");
    return Response.json(context.get(Session).authMethods ?? null);
  });
  router.get("/methods", (context) => {
    return Response.json(context.get(Session).authMethods ?? null);
  });
  const guarded = (path: string, guard: Middleware) =>
    router.get(path, { middleware: [guard] }, () => new Response("in"));
  guarded("/otp", requireFreshAuth(60_000, { methods: ["otp"], now }));
  guarded("/any", requireFreshAuth(60_000, { methods: ["hwk", "pwd"], now }));
  guarded("/two", requireSecondFactor());
  guarded(
    "/admin",
    requireSecondFactor({
      required: ({ role }) => role === "admin",
      onMissing: redirectToLogin("/security"),
    }),
  );
  const { fetch } = createTestClient(router);
  return {
    post: (path: string) => fetch(path, { method: "POST" }),
    get: (path: string) => fetch(path),
    status: async (path: string) => (await fetch(path)).status,
    wait: (passed: number) => void (time += passed),
    now,
  };
}

for (const options of [{}, { secrets }]) {
  const kind = options.secrets ? "a cookie" : "a store";

  Deno.test(`completeAuth() records the methods and their times in ${kind} (RFC 8176)`, async () => {
    const app = createApp(options);
    const login = await app.post("/login/1/pwd+user");
    const times = { pwd: app.now(), user: app.now() };
    assertEquals(await login.json(), times);
    assertEquals(await (await app.get("/methods")).json(), times);
  });
}

Deno.test("completeAuth() adds methods to those of the same user's login, each with its time", async () => {
  const app = createApp();
  await app.post("/login/1/pwd+otp+mfa");
  const first = app.now();
  app.wait(90_000);
  await app.post("/login/1/pwd");
  assertEquals(await (await app.get("/methods")).json(), {
    pwd: app.now(),
    otp: first,
    mfa: first,
  });
  // The code is too old, although the password is fresh.
  assertEquals(await app.status("/otp"), 401);
  assertEquals(await app.status("/any"), 200);
  assertEquals(await app.status("/two"), 200);
});

Deno.test("completeAuth() drops the methods of another user, and a logout drops all", async () => {
  const app = createApp();
  await app.post("/login/1/pwd+otp+mfa");
  const other = await app.post("/login/2/pwd");
  assertEquals(await other.json(), { pwd: app.now() });
  assertEquals(await app.status("/two"), 401);
  assertEquals(await (await app.post("/logout")).json(), null);
  assertEquals(await (await app.post("/login/2/email")).json(), {
    email: app.now(),
  });
});

Deno.test("requireFreshAuth({ methods }) requires one of the methods within maxAge (ASVS 7.5.3)", async () => {
  const app = createApp();
  await app.post("/login/1/pwd");
  assertEquals(await app.status("/otp"), 401);
  assertEquals(await app.status("/any"), 200);
  await app.post("/login/1/otp");
  assertEquals(await app.status("/otp"), 200);
  app.wait(60_000);
  assertEquals(await app.status("/otp"), 200);
  app.wait(1);
  assertEquals(await app.status("/otp"), 401);
  assertEquals(await app.status("/any"), 401);
});

Deno.test("requireFreshAuth({ methods }) is not fooled by names of Object.prototype", async () => {
  const app = createApp();
  await app.post("/login/1/__proto__+constructor");
  assertEquals(await app.status("/otp"), 401);
  assertEquals(await app.status("/two"), 401);
  const guard = requireFreshAuth(60_000, { methods: ["constructor"] });
  const headers = { Authorization: "Bearer t0ken" };
  assertEquals((await fetchGuarded(guard, headers, [tokens])).status, 401);
});

Deno.test("requireFreshAuth() throws for an empty array of methods", () => {
  assertThrows(
    () => requireFreshAuth(1, { methods: [] }),
    TypeError,
    "methods is empty",
  );
});

Deno.test("requireSecondFactor() requires mfa for the users that need it", async () => {
  const app = createApp();
  assertEquals(await app.status("/two"), 401);
  assertEquals(await app.status("/admin"), 401);
  await app.post("/login/2/pwd");
  assertEquals(await app.status("/two"), 401);
  assertEquals(await app.status("/admin"), 200);
  await app.post("/login/1/pwd");
  const denied = await app.get("/admin");
  assertEquals(denied.headers.get("Location"), "/security?returnTo=%2Fadmin");
  await app.post("/login/1/otp+mfa");
  assertEquals(await app.status("/admin"), 200);
});

Deno.test("requireSecondFactor() rejects a user with a token, with the challenge of RFC 9470", async () => {
  const headers = { Authorization: "Bearer t0ken" };
  const response = await fetchGuarded(requireSecondFactor(), headers, [tokens]);
  assertEquals(
    response.headers.get("WWW-Authenticate"),
    'Bearer realm="tokens", error="insufficient_user_authentication", error_description="The request needs a newer or stronger login"',
  );
  const open = requireSecondFactor({ required: () => false });
  assertEquals((await fetchGuarded(open, headers, [tokens])).status, 200);
});

const invalid: [string, unknown][] = [
  ["an empty name", [""]],
  ["a space", ["one time"]],
  ["a line break", ["pwd\n"]],
  ["a long name", ["x".repeat(65)]],
  ["a number", [7]],
  ["too many", Array(17).fill("pwd")],
];

for (const [what, methods] of invalid) {
  Deno.test(`completeAuth() throws for methods with ${what}`, async () => {
    const router = createRouter({ middleware: [session()] });
    router.get("/", async (context) => {
      await assertRejects(
        () => completeAuth(context, 1, { methods: methods as AuthMethod[] }),
        TypeError,
        "Cannot use the authentication methods",
      );
      return new Response("threw");
    });
    const response = await router.fetch("https://example.com/");
    assertEquals(await response.text(), "threw");
  });
}
