/** Requests that loaded a session before another one changed its id. */
import { completeAuth } from "@gatehouse/web/auth";
import {
  createMemorySessionStore,
  type SessionStore,
} from "@gatehouse/web/session";
import { assertEquals } from "@std/assert";
import { type Action, Browser, Clock, Server } from "../_browser.ts";

const moves: Record<string, Action> = {
  "regenerateId()": (session) => session.regenerateId(),
  "completeAuth()": (_session, context) => completeAuth(context, 7),
};

for (const [how, move] of Object.entries(moves)) {
  Deno.test(`session() responds with 409 if ${how} changed the id before a write was saved`, async () => {
    const browser = new Browser(new Server());
    await browser.visit((session) => session.set("userId", 7));
    const late = browser.copy();
    await late.visit(async (session) => {
      await browser.visit(move);
      session.set("a", 1);
    });
    assertEquals(late.response.status, 409);
    assertEquals(late.response.headers.getSetCookie(), []);
    await browser.visit((session) => {
      assertEquals([session.userId, session.has("a")], [7, false]);
    });
  });

  Deno.test(`session() responds with 200 if ${how} changed the id of a session that is only read`, async () => {
    const browser = new Browser(new Server());
    await browser.visit((session) => {
      session.set("userId", 7);
      session.flash("notice", "saved");
    });
    const late = browser.copy();
    const read = await late.visit(async (session) => {
      await browser.visit(move);
      return [session.userId, session.get("notice")];
    });
    assertEquals(read, [7, "saved"]);
    assertEquals(late.response.status, 200);
    assertEquals(late.response.headers.getSetCookie(), []);
  });
}

Deno.test("session() responds with 200 to a write after a logout, which stays without effect", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("userId", 7));
  const late = browser.copy();
  await late.visit(async (session) => {
    await browser.visit((session) => session.destroy());
    session.set("a", 1);
  });
  assertEquals(late.response.status, 200);
  assertEquals(await late.visit((session) => session.has("a")), false);
});

for (const processes of [1, 2]) {
  for (const [how, move] of Object.entries(moves)) {
    Deno.test(`session() shows the user to a request that arrived before ${how} changed the id (${processes === 1 ? "one process" : "two processes"})`, async () => {
      const { browser, late, pause, tick } = await start(processes);
      const read = await pause(() => late.visit((session) => session.userId));
      tick();
      await browser.visit(move);
      assertEquals(await read(), 7);
      assertEquals(late.response.headers.getSetCookie(), []);
      // A request that arrives later has no user.
      tick();
      assertEquals(await late.visit((session) => session.userId), undefined);
    });

    Deno.test(`session() responds with 409 to a write that arrived before ${how} changed the id (${processes === 1 ? "one process" : "two processes"})`, async () => {
      const { browser, late, pause, tick } = await start(processes);
      const write = await pause(() =>
        late.visit((session) => session.set("a", 1))
      );
      tick();
      await browser.visit(move);
      await write();
      assertEquals(late.response.status, 409);
      assertEquals(await browser.visit((session) => session.has("a")), false);
    });
  }

  const ends: Record<string, Action> = {
    "a logout": (session) => session.destroy(),
    "a logout by unset()": (session) => session.unset("userId"),
    "a login of another user": (session) => session.set("userId", 8),
    "a new id and then a logout": async (session) => {
      session.regenerateId();
      await session.commit();
      session.destroy();
    },
  };
  for (const [what, end] of Object.entries(ends)) {
    Deno.test(`session() shows no user to a request that arrived before ${what} (${processes === 1 ? "one process" : "two processes"})`, async () => {
      const { browser, late, pause, tick } = await start(processes);
      const read = await pause(() => late.visit((session) => session.userId));
      tick();
      await browser.visit(end);
      assertEquals(await read(), undefined);
    });
  }
}

for (const [how, move] of Object.entries(moves)) {
  Deno.test(`session() accepts no old id after ${how}, even if the store was slow`, async () => {
    const clock = new Clock();
    const memory = createMemorySessionStore({ now: clock.now });
    const put: SessionStore["put"] = (...args) => {
      // A new key takes longer than the tombstone after it.
      if (args[2].ifVersion === null) clock.time += 50;
      return memory.put(...args);
    };
    const store = {
      get: (key: string) => memory.get(key),
      put,
      delete: (key: string) => memory.delete(key),
    };
    const browser = new Browser(new Server({ store, now: clock.now }));
    await browser.visit((session) => session.set("userId", 7));
    const late = browser.copy();
    await browser.visit(move);
    assertEquals(await late.visit((session) => session.userId), undefined);
  });
}

Deno.test("session() shows an early request the values from before the id changed", async () => {
  const { browser, late, pause, tick } = await start(1);
  const read = await pause(() =>
    late.visit((session) => [
      session.has("isAdmin"),
      session.authenticatedAt,
    ])
  );
  const before = await browser.visit((session) => session.authenticatedAt);
  tick();
  await browser.visit(async (session, context) => {
    await completeAuth(context, 7);
    session.set("isAdmin", true);
    session.regenerateId();
  });
  assertEquals(await read(), [false, before]);
});

Deno.test("Session.destroy() of an early request ends the session under its new id", async () => {
  const { browser, late, pause, tick } = await start(1);
  const logOut = await pause(() => late.visit((session) => session.destroy()));
  tick();
  await browser.visit((session) => session.regenerateId());
  await logOut();
  assertEquals(await browser.visit((session) => session.userId), undefined);
});

/** Logs a browser in, and delays the first read of a copy of it. */
async function start(processes: number) {
  const clock = new Clock();
  const memory = createMemorySessionStore({ now: clock.now });
  const server = new Server({ store: memory, now: clock.now });
  let gate: Promise<void> | undefined;
  let onRead = () => {};
  const delayed: SessionStore = {
    get: async (key) => {
      onRead();
      await gate;
      return memory.get(key);
    },
    put: (...args) => memory.put(...args),
    delete: (key) => memory.delete(key),
  };
  const options = { store: delayed, now: clock.now };
  const other = new Server(options);
  const browser = new Browser(processes === 1 ? other : server);
  await browser.visit((session) => session.set("userId", 7));
  const late = new Browser(other, browser.cookies);
  /** Sends a request, and returns a function that lets it read the store. */
  const pause = async <Result>(send: () => Promise<Result>) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    const isReading = Promise.withResolvers<void>();
    onRead = isReading.resolve;
    const result = send();
    await isReading.promise;
    // Other requests do not wait.
    gate = undefined;
    return () => {
      resolve();
      return result;
    };
  };
  return { browser, late, pause, tick: () => void clock.time++ };
}
