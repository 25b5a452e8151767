/** Changes during a save, or between two saves. */
import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { completeAuth } from "@gatehouse/web/auth";
import {
  createMemorySessionStore,
  type Session,
  type SessionStore,
  SessionStoreError,
  type StoredValue,
  userSessions,
} from "@gatehouse/web/session";
import { Browser, Server } from "./_browser.ts";
import { turns } from "../_wait.ts";

Deno.test("session() waits for a commit that the handler did not await, then saves", async () => {
  const { puts, store } = slowStore();
  const browser = new Browser(new Server({ store }));
  await browser.visit((session) => {
    session.set("a", 1);
    void session.commit();
    session.set("b", 2);
  });
  // One session was stored, and then changed.
  assertEquals(new Set(puts).size, 1);
  await browser.visit((session) => {
    assertEquals([session.get("a"), session.get("b")], [1, 2]);
  });
});

Deno.test("Session.set() of userId during a commit changes the id", async () => {
  const { store } = slowStore();
  const browser = new Browser(new Server({ store }));
  await browser.visit((session) => session.set("cart", 1));
  const planted = browser.copy();
  await browser.visit(async (session) => {
    session.regenerateId();
    const committed = session.commit();
    session.set("userId", 7);
    await committed;
  });
  assertEquals(await browser.visit((session) => session.userId), 7);
  assertNotEquals(browser.header, planted.header);
  assertEquals(await planted.visit((session) => session.userId), undefined);

  // The same if the commit itself does not change the id.
  const other = new Browser(new Server({ store }));
  await other.visit((session) => session.set("cart", 1));
  const known = other.copy();
  await other.visit(async (session) => {
    session.set("cart", 2);
    const committed = session.commit();
    session.set("userId", 8);
    await committed;
  });
  assertEquals(await other.visit((session) => session.userId), 8);
  assertEquals(await known.visit((session) => session.userId), undefined);
});

Deno.test("Session.get() returns a value that was set during a commit", async () => {
  const { store } = slowStore();
  const browser = new Browser(new Server({ store }));
  await browser.visit(async (session) => {
    session.set("a", 1);
    const committed = session.commit();
    session.set("a", 2);
    session.flash("b", 3);
    await committed;
    assertEquals([session.get("a"), session.get("b")], [2, 3]);
  });
  assertEquals(await browser.visit((session) => session.get("a")), 2);
});

Deno.test("Session.take() returns a flash value that was read after a commit", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.flash("notice", "once"));
  await browser.visit(async (session) => {
    session.set("a", 1);
    await session.commit();
    session.get("notice");
    assertEquals(session.take("notice"), "once");
  });
  assertEquals(await browser.visit((s) => s.has("notice")), false);
});

Deno.test("Session.commit() succeeds after a failed commit()", async () => {
  const memory = createMemorySessionStore();
  let failures = 1;
  const store: SessionStore = {
    get: (key) => memory.get(key),
    put: async (...args) => {
      await Promise.resolve();
      if (failures-- > 0) throw new Error("The store is unavailable");
      return memory.put(...args);
    },
    delete: (key) => memory.delete(key),
  };
  const browser = new Browser(new Server({ store }));
  await browser.visit(async (session) => {
    session.set("a", 1);
    const commits = [session.commit(), session.commit()];
    await assertRejects(() => commits[0], SessionStoreError);
    await commits[1];
  });
  assertEquals(await browser.visit((session) => session.get("a")), 1);
});

Deno.test("Session.destroy() leaves no flash value that was read before it", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.flash("notice", "secret"));
  await browser.visit((session) => {
    assertEquals(session.get("notice"), "secret");
    session.destroy();
    assertEquals(session.get("notice"), undefined);
    assertEquals(session.has("notice"), false);
  });
});

const changes: Record<string, (session: Session) => unknown> = {
  "is changed": (session) => session.set("a", 1),
  "is destroyed": (session) => session.destroy(),
};

for (const [change, action] of Object.entries(changes)) {
  Deno.test(`session() sets no cookie with an id that ended before the session ${change}`, async () => {
    const browser = new Browser(new Server());
    await browser.visit((session) => session.set("userId", 7));
    const admin = new Browser(browser.server);
    const late = browser.copy();
    await late.visit(async (session) => {
      session.regenerateId();
      await session.commit();
      await admin.visit((_session, context) =>
        userSessions(context).endAll({ userId: 7 })
      );
      action(session);
    });
    // It would replace the cookie of a concurrent login.
    assertEquals(late.response.headers.getSetCookie(), []);
  });
}

Deno.test("session() begins no session if the session of any of its cookies has just ended", async () => {
  const server = new Server();
  const browser = new Browser(server);
  await browser.visit((session) => session.set("userId", 7));
  const ended = browser.header;
  await browser.visit((session) => session.destroy());
  const unknown = `__Host-Http-session=${"x".repeat(43)}`;
  for (const Cookie of [`${ended}; ${unknown}`, `${unknown}; ${ended}`]) {
    const response = await server.request((session) => session.set("a", 1), {
      Cookie,
    });
    assertEquals(response.headers.getSetCookie(), []);
  }
});

Deno.test("completeAuth() stores the login and ends the old id before it resolves", async () => {
  const store = createMemorySessionStore();
  const browser = new Browser(new Server({ store }));
  await browser.visit((session) => session.set("cart", 1));
  const old = browser.copy();
  await browser.visit(async (session, context) => {
    await completeAuth(context, 7);
    assertEquals(store.byIndex!("user:7"), [session.id]);
    assertEquals(await old.visit((session) => session.has("cart")), false);
  });
});

Deno.test("session() logs out even if every write loses to another request", async () => {
  const memory = createMemorySessionStore();
  const browser = new Browser(new Server({ store: memory }));
  await browser.visit((session) => session.set("userId", 7));
  const busy: SessionStore = {
    get: (key) => memory.get(key),
    put: () => false,
    delete: (key) => memory.delete(key),
  };
  const stolen = browser.copy();
  const other = new Browser(new Server({ store: busy }), browser.cookies);
  await other.visit((session) => session.destroy());
  assertEquals(other.cookies.size, 0);
  assertEquals(await stolen.visit((session) => session.userId), undefined);
});

Deno.test("session() accepts a store that returns thenables", async () => {
  const memory = createMemorySessionStore();
  let isDown = false;
  const thenable = <Value>(value: () => Value): Promise<Value> => {
    const then: Promise<Value>["then"] = (...args) =>
      nextTask().then(() => {
        if (isDown) throw new Error("The store is unavailable");
        return value();
      }).then(...args);
    // Query builders return objects with `then` only.
    return { then } as Promise<Value>;
  };
  const store: SessionStore = {
    get: (key) => thenable(() => memory.get(key) as StoredValue | null),
    put: (...args) => thenable(() => memory.put(...args) as boolean),
    delete: (key) => memory.delete(key),
  };
  const browser = new Browser(new Server({ store }));
  await browser.visit((session) => session.set("userId", 7));
  assertEquals(await browser.visit((session) => session.userId), 7);
  isDown = true;
  await assertRejects(
    () => browser.visit((session) => session.userId),
    Error,
    "SessionStoreError",
  );
});

/** Creates a slow store that records the keys of `put()`. */
function slowStore(): { puts: string[]; store: SessionStore } {
  const memory = createMemorySessionStore();
  const puts: string[] = [];
  const store: SessionStore = {
    get: async (key) => {
      await nextTask();
      return memory.get(key);
    },
    put: async (key, value, options) => {
      puts.push(key);
      await nextTask();
      return memory.put(key, value, options);
    },
    delete: (key) => memory.delete(key),
  };
  return { puts, store };
}

function nextTask(): Promise<void> {
  return turns();
}
