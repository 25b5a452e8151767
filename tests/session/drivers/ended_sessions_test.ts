/** userSessions().end() for sessions that other requests use at the same time. */
import { assertEquals } from "@std/assert";
import {
  createMemorySessionStore,
  type SessionStore,
  userSessions,
} from "@gatehouse/web/session";
import { Browser, Server } from "../_browser.ts";

Deno.test("userSessions().end() ends a session during a write to it", async () => {
  const memory = createMemorySessionStore();
  let duringNextRead: (() => Promise<unknown>) | undefined;
  const store: SessionStore = {
    get: async (key) => {
      const found = memory.get(key);
      // It changes the value between a read and a write.
      const run = duringNextRead;
      duringNextRead = undefined;
      await run?.();
      return found;
    },
    put: (...args) => memory.put(...args),
    delete: (key) => memory.delete(key),
    byIndex: (name) => memory.byIndex!(name),
  };
  // The first read is the user's, the second one belongs to end().
  for (const reads of [1, 2]) {
    const user = new Browser(new Server({ store: memory }));
    await user.visit((session) => session.set("userId", 7));
    const id = await user.visit((session) => session.id);
    const admin = new Browser(new Server({ store }));
    await admin.visit((session) => session.set("userId", 1));
    const late = user.copy();
    const write = () => late.visit((session) => session.set("a", reads));
    await admin.visit(async (_session, context) => {
      duringNextRead = reads === 1 ? write : async () => {
        await Promise.resolve(duringNextRead = write);
      };
      assertEquals(await userSessions(context).end(id, 7), true);
    });
    assertEquals(await user.visit((session) => session.userId), undefined);
    assertEquals(late.response.headers.getSetCookie(), []);
    assertEquals(memory.byIndex!("user:7"), []);
  }
});

Deno.test("userSessions().end() ends a session that other requests change all the time", async () => {
  const memory = createMemorySessionStore();
  const server = new Server({ store: memory });
  const [user, admin] = [new Browser(server), new Browser(server)];
  await user.visit((session) => session.set("userId", 7));
  await admin.visit((session) => session.set("userId", 1));
  const id = await user.visit((session) => session.id);
  const busy: SessionStore = {
    get: (key) => memory.get(key),
    put: (key, ...rest) => key !== id && memory.put(key, ...rest),
    delete: (key) => memory.delete(key),
    byIndex: (name) => memory.byIndex!(name),
  };
  const other = new Browser(new Server({ store: busy }), admin.cookies);
  const ended = await other.visit((_session, context) =>
    userSessions(context).endAll({ userId: 7 })
  );
  assertEquals(ended, 1);
  assertEquals(await user.visit((session) => session.userId), undefined);
  assertEquals(memory.byIndex!("user:7"), []);
});

Deno.test("session() begins no session for the old cookie after a forced end", async () => {
  const memory = createMemorySessionStore();
  const server = new Server({ store: memory });
  const [user, admin] = [new Browser(server), new Browser(server)];
  await user.visit((session) => session.set("userId", 7));
  await admin.visit((session) => session.set("userId", 1));
  const id = await user.visit((session) => session.id);
  // Other requests always change the session before it is replaced.
  const busy: SessionStore = {
    get: (key) => memory.get(key),
    put: (key, value, options) =>
      (key !== id || options.ifVersion === null) &&
      memory.put(key, value, options),
    delete: (key) => memory.delete(key),
    byIndex: (name) => memory.byIndex!(name),
  };
  const other = new Browser(new Server({ store: busy }), admin.cookies);
  await other.visit(async (_session, context) => {
    assertEquals(await userSessions(context).end(id, 7), true);
  });
  // It could replace the cookie of a login that follows.
  await user.visit((session) => session.set("late", true));
  assertEquals(user.response.headers.getSetCookie(), []);
});

Deno.test("userSessions().end() returns true only once for a session", async () => {
  const server = new Server();
  const [user, admin] = [new Browser(server), new Browser(server)];
  await user.visit((session) => session.set("userId", 7));
  await admin.visit((session) => session.set("userId", 1));
  const id = await user.visit((session) => session.id);
  await admin.visit(async (_session, context) => {
    const results = await Promise.all(
      [1, 2, 3].map(() => userSessions(context).end(id, 7)),
    );
    assertEquals(results.filter(Boolean).length, 1);
  });
});
