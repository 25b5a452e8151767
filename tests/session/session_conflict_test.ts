import { completeAuth } from "@gatehouse/web/auth";
import type { RequestContext } from "@gatehouse/web/fetch-router";
import {
  createMemorySessionStore,
  type Session,
  SessionConflictError,
  type SessionStore,
  userSessions,
} from "@gatehouse/web/session";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { Browser, Clock, MINUTE, Server } from "./_browser.ts";
import { until } from "../_wait.ts";

const logins: Record<
  string,
  (session: Session, context: RequestContext) => unknown
> = {
  "without commit()": (session) => session.set("userId", 7),
  "with commit()": (session) => {
    session.set("userId", 7);
    return session.commit();
  },
  "with completeAuth()": (_session, context) => completeAuth(context, 7),
};

for (const [how, logIn] of Object.entries(logins)) {
  Deno.test(`session() does not log in if another request took the value, ${how}`, async () => {
    const store = createMemorySessionStore();
    const browser = new Browser(new Server({ store }));
    await browser.visit((session) => session.set("code", 1));
    const other = browser.copy();
    await other.visit(async (session, context) => {
      assertEquals(session.take("code"), 1);
      await browser.visit((session) => session.take("code"));
      await logIn(session, context);
    });
    assertEquals(other.response.status, 409);
    assertEquals(other.response.headers.getSetCookie(), []);
    assertEquals(store.byIndex!("user:7"), []);
  });
}

Deno.test("Session.commit() removes the login after a conflict", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("code", 1));
  const other = browser.copy();
  await other.visit(async (session) => {
    session.take("code");
    await browser.visit((session) => session.take("code"));
    session.set("userId", 7);
    await assertRejects(() => session.commit(), SessionConflictError);
    assertEquals(session.userId, undefined);
  });
  assertEquals(await other.visit((session) => session.userId), undefined);
});

Deno.test("session() begins no session for a request that was sent before userSessions().endAll()", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("userId", 7));
  const late = browser.copy();
  await browser.visit((_session, context) => userSessions(context).endAll());
  await browser.visit((session) => session.set("userId", 7));
  await late.visit((session) => session.set("visits", 1));
  // It would replace the cookie of the new login.
  assertEquals(late.response.headers.getSetCookie(), []);
});

Deno.test("session() responds while a sweep hangs", async () => {
  const clock = new Clock();
  const memory = createMemorySessionStore({ now: clock.now });
  const store: SessionStore = {
    get: (key) => memory.get(key),
    put: (...args) => memory.put(...args),
    delete: (key) => memory.delete(key),
    sweep: () => new Promise(() => {}),
  };
  const browser = new Browser(
    new Server({ store, now: clock.now, storeTimeout: 50 }),
  );
  clock.time += 60 * MINUTE;
  await browser.visit((session) => session.set("a", 1));
});

Deno.test("session() ends a committed login if the last save fails", async () => {
  const store = createMemorySessionStore();
  const browser = new Browser(new Server({ store }));
  await assertRejects(() =>
    browser.visit(async (session) => {
      session.set("userId", 7);
      await session.commit();
      for (const key of ["a", "b", "c"]) session.set(key, "é".repeat(8_000));
    })
  );
  assertEquals(store.byIndex!("user:7"), []);
});

for (const how of ["409", "store"]) {
  Deno.test(`session() cancels the body of a response that it replaces (${how})`, async () => {
    const memory = createMemorySessionStore();
    let isAway = false;
    const store: SessionStore = {
      get: (key) => memory.get(key),
      put: (...args) => {
        if (isAway) throw new Error("The store is unavailable");
        return memory.put(...args);
      },
      delete: (key) => memory.delete(key),
    };
    const browser = new Browser(new Server({ store }));
    await browser.visit((session) => session.set("ticket", 1));
    const other = browser.copy();
    let isCancelled = false;
    await other.visit(async (session) => {
      session.take("ticket");
      if (how === "409") await browser.visit((s) => s.take("ticket"));
      else isAway = true;
      return new Response(
        new ReadableStream({ cancel: () => void (isCancelled = true) }),
      );
    }).catch(() => {});
    await until(() => isCancelled);
  });
}

Deno.test("Session.take() returns a flash value of null", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.flash("a", null));
  assertEquals(await browser.visit((session) => session.take("a")), null);
  assertEquals(await browser.visit((session) => session.has("a")), false);
});

Deno.test("Session.keep() keeps no flash value of the previous user", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => {
    session.set("userId", 7);
    session.flash("notice", "of user 7");
  });
  await browser.visit(async (session) => {
    session.get("notice");
    await session.commit();
    session.set("userId", 8);
    session.keep();
  });
  assertEquals(await browser.visit((s) => s.get("notice")), undefined);
});

Deno.test("Session.get() returns the value of update(), not a flash value with the same key", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.flash("a", 1));
  await browser.visit((session) => {
    session.get("a");
    session.update("a", () => 2);
    assertEquals(session.get("a"), 2);
  });
});

Deno.test("session() responds with 409 if a concurrent login took the value", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("ticket", 1));
  const other = browser.copy();
  await other.visit(async (session) => {
    session.take("ticket");
    await browser.visit((session) => {
      session.take("ticket");
      session.set("userId", 7);
    });
  });
  assertEquals(other.response.status, 409);
});

Deno.test("Session.commit() saves earlier changes after a conflict of another commit()", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("ticket", 1));
  const other = browser.copy();
  let second = "";
  await other.visit(async (session) => {
    session.take("ticket");
    await browser.visit((session) => session.take("ticket"));
    const lost = session.commit();
    session.set("x", 1);
    const outcomes = await Promise.allSettled([lost, session.commit()]);
    assertEquals(outcomes[0].status, "rejected");
    second = outcomes[1].status;
  });
  const x = await browser.visit((session) => session.get("x"));
  assert(x === 1 || second === "rejected", `${second} ${x}`);
});

Deno.test("session() does not log in if another request took the value, even if the login came first", async () => {
  const store = createMemorySessionStore();
  const browser = new Browser(new Server({ store }));
  await browser.visit((session) => session.set("code", 1));
  const other = browser.copy();
  await other.visit(async (session) => {
    session.set("userId", 7);
    session.take("code");
    await browser.visit((session) => session.take("code"));
  });
  assertEquals(other.response.status, 409);
  assertEquals(store.byIndex!("user:7"), []);
});

Deno.test("Session.update() replaces an unread flash value", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.flash("a", 1));
  await browser.visit((session) => session.update("a", () => 2));
  assertEquals(await browser.visit((session) => session.get("a")), 2);
  assertEquals(await browser.visit((session) => session.get("a")), 2);
});

Deno.test("session() responds with 409 if two requests took a value and neither committed", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("ticket", 1));
  const [first, second] = [browser.copy(), browser.copy()];
  await first.visit(async (session) => {
    session.set("a", 1);
    session.take("ticket");
    await second.visit((session) => {
      assertEquals(session.take("ticket"), 1);
    });
    session.set("b", 1);
  });
  assertEquals([first.response.status, second.response.status], [409, 200]);
  assertEquals(first.response.headers.get("Cache-Control"), "no-store");
  // The loser's later changes may depend on the value that it did not get.
  await browser.visit((session) => {
    assertEquals([session.get("a"), session.get("b")], [1, undefined]);
  });
});

Deno.test("session() responds with 409 if a handler does not catch a conflict of commit()", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("ticket", 1));
  const other = browser.copy();
  await other.visit(async (session) => {
    session.take("ticket");
    await browser.visit((session) => session.take("ticket"));
    await session.commit();
  });
  assertEquals(other.response.status, 409);
});

Deno.test("Session.commit() throws if a taken value was stored again", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("ticket", 1));
  const other = browser.copy();
  await other.visit(async (session) => {
    assertEquals(session.take("ticket"), 1);
    await browser.visit((session) => session.take("ticket"));
    await browser.visit((session) => session.set("ticket", 2));
    const error = await assertRejects(
      () => session.commit(),
      SessionConflictError,
    );
    assertEquals(error.reason, "taken");
    await session.commit();
  });
  assertEquals(await browser.visit((session) => session.get("ticket")), 2);
});

Deno.test("session() lets only one of two requests with the same value log in", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("challenge", 1));
  const logins = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const copy = browser.copy();
      await copy.visit((session) => {
        if (session.take("challenge") === 1) session.set("userId", 7);
      });
      return copy.response.status === 200 && copy.header !== browser.header;
    }),
  );
  assertEquals(logins.filter(Boolean).length, 1);
});
