import {
  completeAuth,
  externalAuthResult,
  finishExternalAuth,
  startExternalAuth,
} from "@gatehouse/web/auth";
import {
  Auth,
  auth,
  createSessionAuthScheme,
} from "@gatehouse/web/auth-middleware";
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  createCookieSessionStore,
  createMemorySessionStore,
  type Session,
  type SessionStore,
  SessionStoreError,
  userSessions,
} from "@gatehouse/web/session";
import {
  csrfProtection,
  csrfToken,
  session,
} from "@gatehouse/web/session-middleware";
import { createTestSession } from "@gatehouse/web/testing";
import {
  assertEquals,
  assertNotEquals,
  assertRejects,
  assertThrows,
} from "@std/assert";
import { Browser, Server } from "./_browser.ts";
import { createProvider } from "./_provider.ts";

Deno.test("session({ lazy }) does not read the store for a request that does not use the session", async () => {
  const { reads, store } = countingStore();
  const browser = await loggedIn(new Server({ store, lazy: true }));
  const before = reads();

  await browser.visit(() => "an answer");
  assertEquals(reads(), before);
  assertEquals(browser.response.headers.get("Cache-Control"), null);

  assertEquals(await userOf(browser), 7);
  assertEquals(reads(), before + 1);
  assertEquals(browser.response.headers.get("Cache-Control"), "private");
});

Deno.test("session({ lazy }) does not decrypt the cookie of an unused session", async () => {
  let opened = 0;
  const store = createCookieSessionStore({
    secrets: ["a secret of more than thirty-two characters"],
    revokedBefore() {
      opened++;
      return null;
    },
  });
  const browser = await loggedIn(new Server({ store, lazy: true }));
  // The login calls revokedBefore once, because a revocation may precede it.
  opened = 0;
  await browser.visit(() => "an answer");
  assertEquals(opened, 0);
  assertEquals(await userOf(browser), 7);
  assertEquals(opened, 1);
});

Deno.test("Session.load() reads the store once for five concurrent calls", async () => {
  const { reads, store } = countingStore();
  const protection = csrfProtection();
  const scheme = createSessionAuthScheme({
    name: "own",
    verify: (id) => ({ id }),
  });
  const authentication = auth({ schemes: [scheme] });
  const browser = await loggedIn(new Server({ store, lazy: true }));
  const before = reads();
  await browser.visit(async (session, context) => {
    await protection(context, async () => {
      await Promise.all([
        session.load(),
        session.load(),
        authentication(context, () => Promise.reject(new Error("Not called"))),
        csrfToken(context),
        userSessions(context).end(""),
      ]);
      return new Response();
    });
    assertEquals([session.userId, context.get(Auth)], [7, { id: 7 }]);
  });
  assertEquals(reads(), before + 1);
});

const tooEarly: readonly (readonly [string, (session: Session) => unknown])[] =
  [
    ["id", (session) => session.id],
    ["userId", (session) => session.userId],
    ["createdAt", (session) => session.createdAt],
    ["authenticatedAt", (session) => session.authenticatedAt],
    ["get()", (session) => session.get("a")],
    ["has()", (session) => session.has("a")],
    ["set()", (session) => session.set("a", 1)],
    ["update()", (session) => session.update("a", () => 1)],
    ["unset()", (session) => session.unset("a")],
    ["flash()", (session) => session.flash("a", 1)],
    ["keep()", (session) => session.keep()],
    ["take()", (session) => session.take("a")],
    ["regenerateId()", (session) => session.regenerateId()],
    ["destroy()", (session) => session.destroy()],
  ];

for (const [name, use] of tooEarly) {
  Deno.test(`Session.${name} throws before load(), with and without a cookie`, async () => {
    const server = new Server({ lazy: true });
    for (const browser of [new Browser(server), await loggedIn(server)]) {
      await browser.visit(async (session) => {
        assertThrows(() => use(session), TypeError, "await session.load()");
        await session.load();
        use(session);
      });
    }
  });
}

Deno.test("Session.commit() before load() saves nothing", async () => {
  const { reads, store } = countingStore();
  const browser = await loggedIn(new Server({ store, lazy: true }));
  const before = reads();
  await browser.visit((session) => session.commit());
  assertEquals(reads(), before);
  assertEquals(await userOf(browser), 7);
});

Deno.test("Session.load() returns the session, and can be called repeatedly", async () => {
  for (const lazy of [true, false]) {
    const { reads, store } = countingStore();
    const browser = await loggedIn(new Server({ store, lazy }));
    const before = reads();
    await browser.visit(async (session) => {
      assertEquals((await session.load()).userId, 7);
      session.set("a", 1);
      assertEquals((await session.load()).get("a"), 1);
    });
    assertEquals(reads(), before + 1);
    assertEquals(
      await browser.visit(async (s) => (await s.load()).get("a")),
      1,
    );
  }
  const detached = createTestSession();
  assertEquals(await detached.load(), detached);
});

Deno.test("Session.load() rejects for all callers while the store is unavailable, and reads again later", async () => {
  const memory = createMemorySessionStore();
  let isAway = false;
  const store: SessionStore = {
    get(key) {
      if (isAway) return Promise.reject(new Error("The store is unavailable"));
      return memory.get(key);
    },
    put: (...args) => memory.put(...args),
    delete: (key) => memory.delete(key),
  };
  const browser = await loggedIn(new Server({ store, lazy: true }));
  isAway = true;
  assertEquals(await browser.visit(() => "an answer"), "an answer");
  await browser.visit(async (session) => {
    const outcomes = await Promise.allSettled([session.load(), session.load()]);
    for (const outcome of outcomes) {
      assertEquals(outcome.status, "rejected");
      const { reason } = outcome as PromiseRejectedResult;
      assertEquals(reason instanceof SessionStoreError, true);
    }
    assertThrows(() => session.userId, TypeError);
    isAway = false;
    assertEquals((await session.load()).userId, 7);
  });
});

Deno.test("Session.load() rejects after the response", async () => {
  const browser = await loggedIn(new Server({ lazy: true }));
  let late: Session | undefined;
  await browser.visit((session) => {
    late = session;
  });
  await assertRejects(
    () => late!.load(),
    TypeError,
    "Cannot load session: the response was already made",
  );
});

Deno.test("completeAuth() loads the session by itself", async () => {
  const browser = new Browser(new Server({ lazy: true }));
  await browser.visit(async (session) => (await session.load()).set("cart", 1));
  const planted = browser.copy();
  await browser.visit((_session, context) => completeAuth(context, 7));
  await browser.visit(async (session) => {
    const { userId } = await session.load();
    assertEquals([userId, session.get("cart")], [7, 1]);
  });
  assertEquals(await userOf(planted), undefined);
});

Deno.test("startExternalAuth() and finishExternalAuth() load the session by themselves", async () => {
  const provider = createProvider();
  const router = createRouter({ middleware: [session({ lazy: true })] });
  router.get("/start", (context) => startExternalAuth(provider, context));
  router.get("/callback", async (context) => {
    assertEquals(await finishExternalAuth(provider, context), null);
    const result = await externalAuthResult(provider, context);
    return new Response(result.ok ? "none" : result.error.code);
  });
  const start = await router.fetch("https://example.com/start");
  const cookie = start.headers.getSetCookie()[0].split(";")[0];
  const location = new URL(start.headers.get("Location")!);
  const callback = new URL("https://example.com/callback?code=c");
  callback.searchParams.set("state", location.searchParams.get("state")!);
  const answers = [];
  for (let count = 0; count < 2; count++) {
    const response = await router.fetch(callback, { headers: { cookie } });
    answers.push(await response.text());
  }
  // The first callback found its login; the provider rejected the code.
  assertNotEquals(answers[0], "state_unknown");
  assertEquals(answers[1], "state_unknown");
});

Deno.test("csrfProtection() loads the session by itself", async () => {
  const router = createRouter({
    middleware: [session({ lazy: true }), csrfProtection()],
  });
  router.get("/", async (context) => {
    await completeAuth(context, 7);
    return new Response(await csrfToken(context));
  });
  router.post("/", () => new Response("Done"));
  const page = await router.fetch("https://example.com/");
  const cookie = page.headers.getSetCookie()
    .map((header) => header.split(";")[0]).join("; ");
  const response = await router.fetch("https://example.com/", {
    method: "POST",
    headers: { cookie, "X-CSRF-Token": await page.text() },
  });
  assertEquals(await response.text(), "Done");
});

Deno.test("userSessions() loads the session by itself", async () => {
  const server = new Server({ lazy: true });
  const [other, browser] = [await loggedIn(server), await loggedIn(server)];
  const list = await browser.visit((_session, context) =>
    userSessions(context).list()
  );
  assertEquals(list.map(({ current }) => current).toSorted(), [false, true]);
  const ended = await browser.visit((_session, context) =>
    userSessions(context).endAll()
  );
  assertEquals(ended, 2);
  assertEquals(await userOf(other), undefined);
});

function countingStore(): { reads: () => number; store: SessionStore } {
  const memory = createMemorySessionStore();
  let count = 0;
  return {
    reads: () => count,
    store: {
      get(key) {
        count++;
        return memory.get(key);
      },
      put: (...args) => memory.put(...args),
      delete: (key) => memory.delete(key),
    },
  };
}

async function loggedIn(server: Server): Promise<Browser> {
  const browser = new Browser(server);
  await browser.visit((_session, context) => completeAuth(context, 7));
  return browser;
}

function userOf(browser: Browser) {
  return browser.visit(async (session) => (await session.load()).userId);
}
