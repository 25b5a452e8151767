import {
  assert,
  assertEquals,
  assertInstanceOf,
  assertThrows,
} from "@std/assert";
import { completeAuth } from "@gatehouse/web/auth";
import type { RequestContext } from "@gatehouse/web/fetch-router";
import {
  createMemorySessionStore,
  type Session,
  SessionLimitError,
  type SessionStore,
  userSessions,
} from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { Browser, Clock, MINUTE, Server } from "../_browser.ts";

const REFUSE = { maxSessions: 2, maxSessionsAction: "refuse" } as const;

Deno.test("session() ends the oldest sessions beyond maxSessions (ASVS 7.1.2)", async () => {
  const { clock, logIn, server } = open(2);
  const [first, second] = [await logIn(7), await logIn(7)];
  const other = await logIn(8);
  // Uses do not make a login newer.
  clock.time += MINUTE;
  await first.visit((session) => session.set("seen", true));
  const third = await logIn(7);
  assertEquals(await usersOf(first, second, third), [undefined, 7, 7]);
  assertEquals(await usersOf(other), [8]);
  const anonymous = new Browser(server);
  await anonymous.visit((session) => session.set("cart", []));
  assertEquals(await usersOf(second, third), [7, 7]);
});

Deno.test("session() does not count a session twice if its user logs in again", async () => {
  const { clock, logIn } = open(2);
  const logInAgain = (_session: unknown, context: RequestContext) =>
    completeAuth(context, 7);
  const [first, second] = [await logIn(7), await logIn(7)];
  for (let count = 0; count < 3; count++) {
    clock.time += 1;
    await second.visit(logInAgain);
    await first.visit((session) => session.regenerateId());
  }
  assertEquals(await usersOf(first, second), [7, 7]);
  // The second login of the first browser is the newest.
  clock.time += 1;
  await first.visit(logInAgain);
  const third = await logIn(7);
  assertEquals(await usersOf(first, second, third), [7, undefined, 7]);
});

Deno.test("session() leaves one of many concurrent logins with maxSessions: 1", async () => {
  const { logIn, store } = open(1);
  const browsers = await Promise.all(
    Array.from({ length: 30 }, () => logIn(7)),
  );
  const users = await usersOf(...browsers);
  assertEquals(users.filter((userId) => userId === 7).length, 1);
  assertEquals((await store.byIndex!("user:7")).length, 1);
});

Deno.test("session() ends all sessions beyond a maxSessions that is new", async () => {
  const { clock, logIn, store } = open(Infinity);
  for (let count = 0; count < 300; count++) await logIn(7);
  clock.time += 1;
  const server = new Server({ store, maxSessions: 5, now: clock.now });
  const browser = new Browser(server);
  await browser.visit((session) => session.set("userId", 7));
  const list = await browser.visit((_session, context) =>
    userSessions(context).list()
  );
  assertEquals(list.length, 5);
  assertEquals(list.filter(({ current }) => current).length, 1);
});

Deno.test("session() fails a login if the store cannot list the sessions", async () => {
  const { clock, logIn, store } = open(Infinity);
  const before = await logIn(7);
  const broken: SessionStore = {
    get: (key) => store.get(key),
    put: (...args) => store.put(...args),
    delete: (key) => store.delete(key),
    byIndex: () => Promise.reject(new Error("The store is unavailable")),
  };
  const options = { store: broken, maxSessions: 1, now: clock.now };
  const response = await new Server(options).request((session) =>
    session.set("userId", 7)
  );
  assertEquals(response.status, 500);
  assertEquals(response.headers.getSetCookie(), []);
  assertEquals(await usersOf(before), [7]);
  assertEquals((await store.byIndex!("user:7")).length, 1);
});

Deno.test("completeAuth() refuses a login beyond maxSessions and keeps the session", async () => {
  const { clock, logIn, store } = open(2);
  await logIn(7);
  await logIn(7);
  const server = new Server({ ...REFUSE, store, now: clock.now });
  const browser = new Browser(server);
  await browser.visit((session) => session.set("cart", ["book"]));
  const before = browser.header;
  const shown = await browser.visit(async (session, context) => {
    try {
      await completeAuth(context, 7);
    } catch (error) {
      assertInstanceOf(error, SessionLimitError);
      session.flash("message", error.message);
      return error.limit;
    }
  });
  assertEquals(shown, "user");
  assertEquals(browser.header, before);
  await browser.visit((session) => {
    assertEquals(session.userId, undefined);
    assertEquals(session.get("cart"), ["book"]);
    assertEquals(
      session.get("message"),
      "Cannot begin session: the user has too many sessions",
    );
  });
  assertEquals((await store.byIndex!("user:7")).length, 2);
});

Deno.test("session() answers 409 to a login beyond maxSessions", async () => {
  const { clock, logIn, store } = open(2);
  const first = await logIn(7);
  await logIn(7);
  const server = new Server({ ...REFUSE, store, now: clock.now });
  const logins = [
    (_session: Session, context: RequestContext) => completeAuth(context, 7),
    (session: Session) => session.set("userId", 7),
  ];
  const visitor = new Browser(server);
  await visitor.visit((session) => session.set("cart", []));
  for (const action of logins) {
    for (const cookie of ["none=", visitor.header]) {
      const response = await server.request(action, { cookie });
      assertEquals(response.status, 409);
      assertEquals(response.headers.getSetCookie(), []);
      assertEquals(response.headers.get("Retry-After"), null);
      assertEquals((await store.byIndex!("user:7")).length, 2);
    }
  }
  await first.visit((session) => session.destroy());
  const { status } = await server.request(logins[0]!);
  assertEquals(status, 200);
});

Deno.test("session() does not log in if a handler ignores the refusal", async () => {
  const { clock, logIn, store } = open(2);
  await logIn(7);
  await logIn(7);
  const server = new Server({ ...REFUSE, store, now: clock.now });
  const browser = new Browser(server);
  await browser.visit(async (session) => {
    session.set("userId", 7);
    await session.commit().catch(() => {});
    assertEquals(session.userId, undefined);
  });
  assertEquals(browser.response.headers.getSetCookie(), []);
  assertEquals((await store.byIndex!("user:7")).length, 2);
});

Deno.test("session() refuses no user who logs in again in the same session", async () => {
  const { clock, logIn, store } = open(Infinity);
  const browsers = [await logIn(7), await logIn(7), await logIn(7)];
  const server = new Server({ ...REFUSE, store, now: clock.now });
  const browser = new Browser(server, browsers[0]!.cookies);
  for (let count = 0; count < 3; count++) {
    await browser.visit((_session, context) => completeAuth(context, 7));
  }
  assertEquals(await browser.visit((session) => session.userId), 7);
  assertEquals((await store.byIndex!("user:7")).length, 3);
  // Another user's session does not count.
  await browser.visit((_session, context) => completeAuth(context, 8));
  assertEquals(await browser.visit((session) => session.userId), 8);
});

Deno.test("session() never exceeds maxSessions with concurrent logins that may be refused", async () => {
  const store = createMemorySessionStore();
  const server = new Server({ ...REFUSE, store });
  const responses = await Promise.all(
    Array.from(
      { length: 30 },
      () => server.request((_session, context) => completeAuth(context, 7)),
    ),
  );
  const accepted = responses.filter(({ status }) => status === 200);
  const cookies = responses.flatMap(({ headers }) => headers.getSetCookie());
  const stored = await store.byIndex!("user:7");
  assert(accepted.length <= 2);
  assertEquals(cookies.length, accepted.length);
  assertEquals(stored.length, accepted.length);
});

Deno.test("session() counts no session of another user that a stale index names", async () => {
  const clock = new Clock();
  const memory = createMemorySessionStore({ now: clock.now });
  // An index that still has the sessions of another user under this name.
  const store: SessionStore = {
    get: (key) => memory.get(key),
    put: (...args) => memory.put(...args),
    delete: (key) => memory.delete(key),
    byIndex: async (name) => [
      ...await memory.byIndex!(name),
      ...name === "user:7" ? await memory.byIndex!("user:8") : [],
    ],
  };
  for (const limit of [REFUSE, { maxSessions: 2 }]) {
    const server = new Server({ store, ...limit, now: clock.now });
    const logIn = async (userId: number) => {
      const browser = new Browser(server);
      clock.time += 1;
      await browser.visit((session) => session.set("userId", userId));
      return browser;
    };
    const others = [await logIn(8), await logIn(8)];
    const own = await logIn(7);
    assertEquals(await usersOf(own, ...others), [7, 8, 8]);
    await own.visit((session) => session.destroy());
    for (const other of others) {
      await other.visit((session) => session.destroy());
    }
  }
});

for (const maxSessions of [0, -1, NaN]) {
  Deno.test(`session() rejects maxSessions of ${maxSessions}`, () => {
    assertThrows(() => session({ maxSessions }), RangeError, "maxSessions");
  });
}

Deno.test("session() rejects maxSessions without an index", () => {
  const { get, put, delete: remove } = createMemorySessionStore();
  const secrets = ["a secret of more than thirty-two characters"];
  for (
    const options of [{ store: { get, put, delete: remove } }, { secrets }]
  ) {
    assertThrows(
      () => session({ ...options, maxSessions: 5 }),
      TypeError,
      "needs a store with byIndex",
    );
  }
});

/** Creates a server with a limit, and a function for logins. */
function open(maxSessions: number) {
  const clock = new Clock();
  const store = createMemorySessionStore({ now: clock.now });
  const server = new Server({ store, maxSessions, now: clock.now });
  const logIn = async (userId: number) => {
    const browser = new Browser(server);
    clock.time += 1;
    await browser.visit((session) => session.set("userId", userId));
    return browser;
  };
  return { clock, logIn, server, store };
}

function usersOf(...browsers: readonly Browser[]) {
  return Promise.all(
    browsers.map((browser) => browser.visit((session) => session.userId)),
  );
}
