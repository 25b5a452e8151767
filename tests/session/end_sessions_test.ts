import { assertEquals, assertRejects } from "@std/assert";
import { completeAuth } from "@gatehouse/web/auth";
import {
  createMemorySessionStore,
  endAllSessions,
  endUserSessions,
  type SessionStore,
  userSessions,
} from "@gatehouse/web/session";
import { Browser, Clock, interruptibleStore, Server } from "./_browser.ts";
import { until } from "../_wait.ts";

Deno.test("endAllSessions() throws if the store has no keys()", async () => {
  const { store } = interruptibleStore();
  await assertRejects(
    () => endAllSessions(store),
    TypeError,
    "the store has no keys",
  );
});

Deno.test("endAllSessions() keeps logins after the call, and values other than sessions", async () => {
  const store = createMemorySessionStore();
  const server = new Server({ store });
  const browser = await logIn(server, 7);
  await store.put("token", "value", {
    ttl: 60_000,
    ifVersion: null,
    index: ["token:7"],
  });
  const late = new Browser(server);
  const interrupted: SessionStore = {
    get: (key) => store.get(key),
    put: (...args) => store.put(...args),
    delete: (key) => store.delete(key),
    keys: async () => {
      // The next login has a later time.
      const now = Date.now();
      await until(() => Date.now() !== now);
      await late.visit((session) => session.set("userId", 8));
      return store.keys!();
    },
  };
  assertEquals(await endAllSessions(interrupted), 1);
  assertEquals(await browser.visit((session) => session.userId), undefined);
  assertEquals(await late.visit((session) => session.userId), 8);
  assertEquals((await store.get("token"))?.value, "value");
});

for (
  const [name, endBefore] of [
    [
      "endUserSessions()",
      (store, before) => endUserSessions(store, 7, { before }),
    ],
    ["endAllSessions()", (store, before) => endAllSessions(store, { before })],
  ] as [string, (store: SessionStore, before: number) => Promise<number>][]
) {
  Deno.test(`${name} with before keeps only later logins`, async () => {
    const clock = new Clock();
    const store = createMemorySessionStore({ now: clock.now });
    const server = new Server({ store, now: clock.now });
    const before = clock.time + 1;
    const browsers: Browser[] = [];
    for (let count = 0; count < 3; count++) {
      browsers.push(await logIn(server, 7));
      clock.time++;
    }
    assertEquals(await endBefore(store, before), 2);
    const users = [];
    for (const browser of browsers) {
      users.push(await browser.visit((session) => session.userId));
    }
    assertEquals(users, [undefined, undefined, 7]);
  });
}

Deno.test("endAllSessions() ends a session that moves behind the page that it reads", async () => {
  const store = createMemorySessionStore();
  const browser = await logIn(new Server({ store }), 7);
  let moves = 0;
  const moving: SessionStore = {
    get: (key) => store.get(key),
    put: (...args) => store.put(...args),
    delete: (key) => store.delete(key),
    keys: async () => {
      const page = await store.keys!();
      if (moves++ === 0) {
        await browser.visit((session) => session.regenerateId());
      }
      return page;
    },
  };
  assertEquals(await endAllSessions(moving), 1);
  assertEquals(await browser.visit((session) => session.userId), undefined);
});

Deno.test("endAllSessions() reads the store again until it ends no more sessions", async () => {
  const store = createMemorySessionStore();
  const server = new Server({ store });
  const [browser, hidden] = [await logIn(server, 7), await logIn(server, 8)];
  const missing = await hidden.visit((session) => session.id);
  let reads = 0;
  const partial: SessionStore = {
    get: (key) => store.get(key),
    put: (...args) => store.put(...args),
    delete: (key) => store.delete(key),
    keys: async () => {
      const { keys, next } = await store.keys!();
      if (reads++ > 0) return { keys, next };
      return { keys: keys.filter((key) => key !== missing), next };
    },
  };
  assertEquals(await endAllSessions(partial), 2);
  assertEquals(reads, 3);
  assertEquals(await browser.visit((session) => session.userId), undefined);
  assertEquals(await hidden.visit((session) => session.userId), undefined);
});

Deno.test("userSessions().endAll() keeps a session whose id changes between its calls", async () => {
  const { duringNextList, store } = interruptibleStore();
  const server = new Server({ store });
  const [owner, other] = [await logIn(server, 7), await logIn(server, 7)];
  const tab = owner.copy();
  const ended = await tab.visit((session, context) => {
    const { id } = session;
    duringNextList(() => owner.visit((session) => session.regenerateId()));
    return userSessions(context).endAll({ except: id });
  });
  assertEquals(ended, 1);
  assertEquals(await owner.visit((session) => session.userId), 7);
  assertEquals(await other.visit((session) => session.userId), undefined);
});

Deno.test("endUserSessions() ends an old id's session if another session is kept", async () => {
  const store = createMemorySessionStore();
  const server = new Server({ store });
  const [kept, other] = [await logIn(server, 7), await logIn(server, 7)];
  const except = await kept.visit((session) => session.id);
  for (let count = 0; count < 3; count++) {
    await other.visit((session) => session.regenerateId());
    await kept.visit((_session, context) => completeAuth(context, 7));
  }
  assertEquals(await endUserSessions(store, 7, { except }), 1);
  assertEquals(await kept.visit((session) => session.userId), 7);
  assertEquals(await other.visit((session) => session.userId), undefined);
});

Deno.test("endUserSessions() keeps a session that another user logs in to after it was listed", async () => {
  const { duringNextList, store } = interruptibleStore();
  const browser = await logIn(new Server({ store }), 7);
  duringNextList(() => browser.visit((session) => session.set("userId", 8)));
  assertEquals(await endUserSessions(store, 7), 0);
  assertEquals(await browser.visit((session) => session.userId), 8);
});

async function logIn(server: Server, userId: number): Promise<Browser> {
  const browser = new Browser(server);
  await browser.visit((session) => session.set("userId", userId));
  return browser;
}
