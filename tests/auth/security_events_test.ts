import { assertEquals } from "@std/assert";
import {
  completeAuth,
  createCredentialsAuthProvider,
  createThrottle,
  verifyCredentials,
} from "@gatehouse/web/auth";
import {
  auth,
  createBearerTokenAuthScheme,
  createSessionAuthScheme,
  requireAuth,
  requireFreshAuth,
  requireRole,
} from "@gatehouse/web/auth-middleware";
import { createRouter, type Router } from "@gatehouse/web/fetch-router";
import {
  crossOriginProtection,
  formData,
  type SecurityEvent,
  securityEvents,
} from "@gatehouse/web/middleware";
import {
  createMemorySessionStore,
  Session,
  userSessions,
} from "@gatehouse/web/session";
import { csrfProtection, session } from "@gatehouse/web/session-middleware";
import { createTestClient } from "@gatehouse/web/testing";

const found: SecurityEvent[] = [];
const events = securityEvents((event) => void found.push(event));

/** Returns the events since the last call, each as one line. */
async function lines(): Promise<string[]> {
  await events.flush();
  return found.splice(0).map(({ event, user }) =>
    [event.action, event.outcome, event.reason, user?.id, user?.target?.id]
      .map((value) => value ?? "-").join(" ")
  );
}

function createPassword() {
  return createCredentialsAuthProvider({
    name: "password",
    parse: (context) => context.get(FormData).get("password"),
    account: () => "ada",
    throttle: createThrottle({ perAccount: { attempts: 2 } }),
    verify: (password) => password === "s3cret" ? { id: 1 } : null,
  });
}

function createApp(lazy: boolean): Router {
  const password = createPassword();
  const scheme = createSessionAuthScheme({
    name: "session",
    verify: (id) => ({ id, role: "user" }),
  });
  const token = createBearerTokenAuthScheme({
    name: "token",
    verify: () => null,
  });
  const options = { store: createMemorySessionStore() };
  const router = createRouter({
    middleware: [
      events,
      formData(),
      crossOriginProtection(),
      lazy ? session({ ...options, lazy }) : session(options),
      auth({ schemes: [scheme, token] }),
    ],
  });
  router.post("/login", async (context) => {
    const user = await verifyCredentials(password, context);
    if (user === null) return new Response("Wrong", { status: 422 });
    await completeAuth(context, user.id);
    return new Response("Welcome");
  });
  router.post("/set/:id", async (context) => {
    const current = await context.get(Session).load();
    current.set("userId", Number(context.params.id));
    return new Response("Welcome");
  });
  router.post("/unset", async (context) => {
    (await context.get(Session).load()).unset("userId");
    return new Response("Bye");
  });
  router.post("/logout", async (context) => {
    (await context.get(Session).load()).destroy();
    return new Response("Bye");
  });
  router.post("/write", async (context) => {
    (await context.get(Session).load()).set("color", "red");
    return new Response("Saved");
  });
  router.post("/logout-everywhere", async (context) => {
    return Response.json(await userSessions(context).endAll());
  });
  router.post("/end/:user", async (context) => {
    const userId = Number(context.params.user);
    return Response.json(await userSessions(context).endAll({ userId }));
  });
  router.get("/account", requireAuth(), () => new Response("Account"));
  router.get("/admin", requireRole("admin"), () => new Response("Admin"));
  const fresh = requireFreshAuth(1, { now: () => Date.now() + 50_000 });
  router.get("/fresh", fresh, () => new Response("Fresh"));
  return router as Router;
}

for (const lazy of [false, true]) {
  const kind = lazy ? "lazy sessions" : "sessions";

  Deno.test(`security events tell logins and logouts of ${kind} (ASVS 16.3.1)`, async () => {
    const client = createTestClient(createApp(lazy));
    const login = { password: "s3cret" };
    const post = async (path: string, form?: Record<string, string>) => {
      const body = new URLSearchParams(form);
      await (await client.fetch(path, { method: "POST", body })).text();
      return await lines();
    };
    assertEquals(await post("/write"), []);
    assertEquals(await post("/logout"), []);
    assertEquals(await post("/login", login), ["login success - 1 -"]);
    assertEquals(await post("/write"), []);
    assertEquals(await post("/set/1"), []);
    assertEquals(await post("/login", login), ["login success - 1 -"]);
    assertEquals(await post("/set/2"), ["login success - 2 -"]);
    assertEquals(await post("/unset"), ["logout success - 2 -"]);
    assertEquals(await post("/set/3"), ["login success - 3 -"]);
    assertEquals(await post("/end/4"), ["logout-everywhere success - 3 4"]);
    assertEquals(await post("/logout"), ["logout success - 3 -"]);
    assertEquals(await post("/set/3"), ["login success - 3 -"]);
    assertEquals(await post("/logout-everywhere"), [
      "logout-everywhere success - 3 -",
    ]);
  });

  Deno.test(`security events tell refused requests with ${kind} (ASVS 16.3.2)`, async () => {
    const client = createTestClient(createApp(lazy));
    const get = async (path: string, init?: RequestInit) => {
      await (await client.fetch(path, init)).text();
      return await lines();
    };
    const denied = "access-denied failure";
    assertEquals(await get("/account"), [`${denied} unauthenticated - -`]);
    assertEquals(await get("/admin"), [`${denied} unauthenticated - -`]);
    assertEquals(await get("/fresh"), [`${denied} unauthenticated - -`]);
    const headers = { Authorization: "Bearer abc" };
    assertEquals(await get("/account", { headers }), [
      `${denied} invalid-credentials - -`,
    ]);
    assertEquals(
      await get("/login", {
        method: "POST",
        headers: { "Sec-Fetch-Site": "cross-site" },
      }),
      [`${denied} cross-origin - -`],
    );
    await get("/set/7", { method: "POST" });
    assertEquals(await get("/account"), []);
    assertEquals(await get("/admin"), [`${denied} forbidden 7 -`]);
    assertEquals(await get("/fresh"), [`${denied} stale-login 7 -`]);
  });
}

Deno.test("security events tell failed logins and lockouts, without the password (ASVS 16.2.5, 16.3.1, 16.3.3)", async () => {
  const client = createTestClient(createApp(false));
  const guess = async (password: string) => {
    const body = new URLSearchParams({ password });
    await client.fetch("/login", { method: "POST", body });
    await events.flush();
    const text = JSON.stringify(found);
    assertEquals(text.includes("hunter2"), false);
    assertEquals(text.includes("ada"), false);
    return await lines();
  };
  for (let count = 0; count < 2; count++) {
    assertEquals(await guess("hunter2"), ["login failure wrong - -"]);
  }
  assertEquals(await guess("hunter2"), ["lockout failure login - -"]);
});

Deno.test("security events tell a request without a CSRF token (ASVS 16.3.3)", async () => {
  const router = createRouter({
    middleware: [events, session(), csrfProtection()],
  });
  router.post("/", () => new Response("Saved"));
  await router.fetch("https://example.com/", { method: "POST" });
  assertEquals(await lines(), ["access-denied failure csrf - -"]);
});
