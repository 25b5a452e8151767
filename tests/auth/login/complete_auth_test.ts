import { completeAuth } from "@gatehouse/web/auth";
import {
  auth,
  createSessionAuthScheme,
  requireAuth,
  requireFreshAuth,
} from "@gatehouse/web/auth-middleware";
import { createRouter, RequestContext } from "@gatehouse/web/fetch-router";
import { createCookieSessionStore, Session } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { createTestClient } from "@gatehouse/web/testing";
import {
  assert,
  assertEquals,
  assertNotEquals,
  assertRejects,
} from "@std/assert";

const scheme = createSessionAuthScheme({
  name: "session",
  verify: (id) => ({ id }),
});

/** Creates an application with a login for any user id, and a cart. */
function createApp(now: () => number = Date.now) {
  const router = createRouter({
    middleware: [session({ now }), auth({ schemes: [scheme] })],
  });
  router.post("/login/:id", async (context) => {
    const session = await completeAuth(context, Number(context.params.id));
    const { userId, authenticatedAt } = session;
    return Response.json({ userId, authenticatedAt });
  });
  router.post("/logout", (context) => {
    context.get(Session).destroy();
    return new Response();
  });
  router.post("/cart", (context) => {
    context.get(Session).set("cart", ["book"]);
    context.get(Session).set("__auth.challenge", "pending");
    return new Response();
  });
  router.get("/", (context) => {
    const session = context.get(Session);
    return Response.json({
      userId: session.userId ?? null,
      cart: session.get("cart") ?? null,
      challenge: session.get("__auth.challenge") ?? null,
    });
  });
  router.get("/fresh", {
    middleware: [requireAuth(), requireFreshAuth(60_000, { now })],
  }, () => new Response("fresh"));

  let cookie = "";
  return {
    get cookie(): string {
      return cookie;
    },
    async fetch(method: string, path: string, as = cookie): Promise<Response> {
      const response = await router.fetch(`https://example.com${path}`, {
        method,
        headers: as === "" ? {} : { cookie: as },
      });
      cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? cookie;
      return response;
    },
  };
}

Deno.test("completeAuth() sets userId and authenticatedAt and returns the session (spec 4.3, 5.1.3)", async () => {
  const app = createApp(() => 1_000_000);
  const response = await app.fetch("POST", "/login/1");
  assertEquals(await response.json(), {
    userId: 1,
    authenticatedAt: 1_000_000,
  });
});

Deno.test("completeAuth() ends the old session id against fixation (ASVS 7.2.4)", async () => {
  const app = createApp();
  await app.fetch("POST", "/cart");
  const planted = app.cookie;
  assert(planted !== "");
  await app.fetch("POST", "/login/1");
  assertNotEquals(app.cookie, planted);

  const attacker = await app.fetch("GET", "/", planted);
  assertEquals((await attacker.json()).userId, null);
});

Deno.test("completeAuth() changes the id at every login, also of the same user (ASVS 7.2.4)", async () => {
  const app = createApp();
  await app.fetch("POST", "/login/1");
  const first = app.cookie;
  await app.fetch("POST", "/login/1");
  assertNotEquals(app.cookie, first);
});

Deno.test("completeAuth() keeps an anonymous visitor's values, but no pending challenge", async () => {
  const app = createApp();
  await app.fetch("POST", "/cart");
  await app.fetch("POST", "/login/1");
  assertEquals(await (await app.fetch("GET", "/")).json(), {
    userId: 1,
    cart: ["book"],
    challenge: null,
  });
});

Deno.test("completeAuth() drops another user's values", async () => {
  const app = createApp();
  await app.fetch("POST", "/login/1");
  await app.fetch("POST", "/cart");
  await app.fetch("POST", "/login/2");
  assertEquals(await (await app.fetch("GET", "/")).json(), {
    userId: 2,
    cart: null,
    challenge: null,
  });
});

Deno.test("completeAuth() renews authenticatedAt (ASVS 7.5.1)", async () => {
  let now = 1_000_000;
  const app = createApp(() => now);
  await app.fetch("POST", "/login/1");
  assertEquals((await app.fetch("GET", "/fresh")).status, 200);
  now += 61_000;
  assertEquals((await app.fetch("GET", "/fresh")).status, 401);
  await app.fetch("POST", "/login/1");
  assertEquals((await app.fetch("GET", "/fresh")).status, 200);
});

Deno.test("session.destroy() after completeAuth() ends the login (spec 2.3, 4.4; ASVS 7.4.1)", async () => {
  const app = createApp();
  await app.fetch("POST", "/login/1");
  const { cookie } = app;
  assertEquals((await app.fetch("GET", "/fresh", cookie)).status, 200);
  await app.fetch("POST", "/logout", cookie);
  assertEquals((await app.fetch("GET", "/fresh", cookie)).status, 401);
});

Deno.test("completeAuth() accepts the time of an authentication elsewhere, which may be too old", async () => {
  const app = createAgedApp(() => 1_000_000);
  const login = await app.fetch("/login?at=900000");
  assertEquals(await login.json(), {
    authenticatedAt: 900_000,
    createdAt: 1_000_000,
  });
  assertEquals((await app.fetch("/fresh")).status, 401);
  await app.fetch("/login?at=950000");
  assertEquals((await app.fetch("/fresh")).status, 200);
});

Deno.test("completeAuth() with an old authenticatedAt starts the session's timeouts at the login", async () => {
  let now = 100 * 86_400_000;
  const app = createAgedApp(() => now);
  await app.fetch("/login?at=1");
  now += 60_000;
  assertEquals(await (await app.fetch("/user")).json(), 1);
});

Deno.test("completeAuth() treats a time slightly in the future as now", async () => {
  const app = createAgedApp(() => 1_000_000);
  const login = await app.fetch("/login?at=1060000");
  assertEquals((await login.json()).authenticatedAt, 1_000_000);
});

for (const at of ["NaN", "Infinity", "-1", "1060001", "1e20"]) {
  Deno.test(`completeAuth() throws for the authenticatedAt ${at} without a login`, async () => {
    const app = createAgedApp(() => 1_000_000);
    const login = await app.fetch(`/login?at=${at}`);
    assertEquals(await login.text(), "RangeError");
    assertEquals(await (await app.fetch("/user")).json(), null);
  });
}

Deno.test("completeAuth() with an old authenticatedAt is only ended by a later revocation", async () => {
  let now = 1_000_000;
  let revokedAt = 950_000;
  const storage = createCookieSessionStore({
    secrets: ["a secret of more than thirty-two characters"],
    revokedBefore: () => revokedAt,
  });
  const app = createAgedApp(() => now, storage);
  await app.fetch("/login?at=900000");
  assertEquals(await (await app.fetch("/user")).json(), 1);
  now += 1000;
  revokedAt = now;
  assertEquals(await (await app.fetch("/user")).json(), null);
});

/** Creates an application whose logins have a time of authentication. */
function createAgedApp(
  now: () => number,
  storage?: ReturnType<typeof createCookieSessionStore>,
) {
  const router = createRouter({
    middleware: [
      session(storage === undefined ? { now } : { now, store: storage }),
      auth({ schemes: [scheme] }),
    ],
  });
  router.get("/login", async (context) => {
    const authenticatedAt = Number(context.url.searchParams.get("at"));
    try {
      const session = await completeAuth(context, 1, { authenticatedAt });
      return Response.json({
        authenticatedAt: session.authenticatedAt,
        createdAt: session.createdAt,
      });
    } catch (error) {
      return new Response((error as Error).name);
    }
  });
  router.get(
    "/user",
    (context) => Response.json(context.get(Session).userId ?? null),
  );
  router.get("/fresh", {
    middleware: [requireAuth(), requireFreshAuth(60_000, { now })],
  }, () => new Response("fresh"));
  const browser = createTestClient(router, { origin: "https://example.com" });
  return { fetch: (path: string) => browser.fetch(path) };
}

const ids: unknown[] = [undefined, null, "", NaN, 1.5, Infinity, {}, true, 1n];
for (const id of ids) {
  Deno.test(`completeAuth() rejects the user id ${String(id)} of a ${typeof id}`, async () => {
    const router = createRouter({ middleware: [session()] });
    router.get("/", async (context) => {
      await assertRejects(
        () => completeAuth(context, id as number),
        TypeError,
        "the user id must be",
      );
      return Response.json(context.get(Session).userId ?? null);
    });
    const response = await router.fetch("https://example.com/");
    assertEquals(await response.json(), null);
  });
}

Deno.test("completeAuth() names the missing session middleware", async () => {
  const context = new RequestContext(new Request("https://example.com/"));
  await assertRejects(
    () => completeAuth(context, 1),
    TypeError,
    "Cannot complete the login: there is no session, put the session middleware in front",
  );
});
