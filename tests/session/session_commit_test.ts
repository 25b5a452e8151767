import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { RequestContext } from "@gatehouse/web/fetch-router";
import {
  createMemorySessionStore,
  endUserSessions,
  Session,
  SessionConflictError,
  type SessionStore,
} from "@gatehouse/web/session";
import { completeAuth } from "@gatehouse/web/auth";
import { type Action, Browser, Clock, Server } from "./_browser.ts";

Deno.test("Session.destroy() ends the session on the server and the cookie (spec 2.3, ASVS 7.4.1)", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("userId", 7));
  const copied = browser.copy();
  await browser.visit((session) => {
    session.destroy();
    assertEquals(session.userId, undefined);
    assertThrows(() => session.set("a", 1), TypeError, "it was destroyed");
  });
  assertEquals(browser.cookies.size, 0);
  assertEquals(await copied.visit((session) => session.userId), undefined);
});

Deno.test("session() keeps the changes of two concurrent requests", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("n", 0));
  const change = (key: string) => (session: Session) => session.set(key, 1);
  await Promise.all([
    browser.copy().visit(change("a")),
    browser.copy().visit(change("b")),
  ]);
  const both = await browser.visit((session) => [
    session.get("a"),
    session.get("b"),
  ]);
  assertEquals(both, [1, 1]);
});

Deno.test("session() does not restore a destroyed session", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("userId", 7));
  const late = browser.copy();
  const { promise, resolve } = Promise.withResolvers<void>();
  const pending = late.visit(async (session) => {
    session.set("a", 1);
    await promise;
  });
  await browser.visit((session) => session.destroy());
  resolve();
  await pending;
  assertEquals(late.response.headers.getSetCookie(), []);
  assertEquals(await late.visit((session) => session.userId), undefined);
});

Deno.test("Session.commit() saves before the response exists", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("a", 1));
  const other = browser.copy();
  await browser.visit(async (session) => {
    session.set("a", 2);
    await session.commit();
    assertEquals(await other.visit((other) => other.get("a")), 2);
    session.set("b", 3);
  });
  await browser.visit((session) => {
    assertEquals([session.get("a"), session.get("b")], [2, 3]);
  });
});

Deno.test("Session.commit() saves all changes if called twice at once", async () => {
  const browser = new Browser(new Server());
  await browser.visit(async (session) => {
    session.set("a", 1);
    const first = session.commit();
    session.set("b", 2);
    await Promise.all([first, session.commit()]);
    session.set("c", 3);
  });
  assertEquals(
    await browser.visit((s) => ["a", "b", "c"].map((key) => s.get(key))),
    [1, 2, 3],
  );
});

Deno.test("Session.commit() stores one session if called twice at once", async () => {
  const memory = createMemorySessionStore();
  const keys = new Set<string>();
  const store: SessionStore = {
    get: (key) => memory.get(key),
    put: async (key, value, options) => {
      keys.add(key);
      await Promise.resolve();
      return memory.put(key, value, options);
    },
    delete: (key) => memory.delete(key),
  };
  await new Browser(new Server({ store })).visit(async (session) => {
    session.set("a", 1);
    await Promise.all([session.commit(), session.commit()]);
    session.set("b", 1);
    await Promise.all([session.commit(), session.commit()]);
  });
  assertEquals(keys.size, 1);
});

Deno.test("Session.update() loses no update of many concurrent requests", async () => {
  const browser = new Browser(new Server());
  const count = (session: Session) =>
    session.update("count", (count) => Number(count ?? 0) + 1);
  await browser.visit(count);
  await Promise.all(
    Array.from({ length: 9 }, () => browser.copy().visit(count)),
  );
  assertEquals(await browser.visit((s) => s.get("count")), 10);
});

Deno.test("Session.update() that throws changes nothing", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => {
    session.set("a", 1);
    assertThrows(() =>
      session.update("a", () => {
        throw new RangeError("No");
      }), RangeError);
    session.set("b", 2);
  });
  assertEquals(await browser.visit((s) => [s.get("a"), s.get("b")]), [1, 2]);
});

Deno.test("Session writes throw after destroy() and after the response", async () => {
  const browser = new Browser(new Server());
  let late: Session | undefined;
  await browser.visit((session) => {
    session.set("a", 1);
    late = session;
  });
  const writes: ((session: Session) => void)[] = [
    (session) => session.set("b", 1),
    (session) => session.unset("a"),
    (session) => session.flash("b", 1),
    (session) => session.keep(),
    (session) => session.take("a"),
    (session) => session.update("a", () => 1),
    (session) => session.regenerateId(),
  ];
  for (const write of [...writes, (session: Session) => session.destroy()]) {
    assertThrows(() => write(late!), TypeError, "response was already made");
  }
  assertEquals(late!.get("a"), 1);

  await browser.visit((session) => {
    session.destroy();
    session.destroy();
    for (const write of writes) {
      assertThrows(() => write(session), TypeError, "it was destroyed");
    }
    assertEquals(session.get("a"), undefined);
    assertEquals([session.has("a"), session.userId], [false, undefined]);
  });
});

Deno.test("Session is read-only if it is first used after the response", async () => {
  const server = new Server();
  let late: RequestContext | undefined;
  await server.request((_session, context) => {
    late = context;
  });
  assertThrows(() => late!.get(Session).set("a", 1), TypeError, "already made");
});

Deno.test("Session.destroy() discards earlier changes", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("a", 1));
  const copied = browser.copy();
  await browser.visit((session) => {
    session.set("b", 2);
    session.regenerateId();
    session.destroy();
  });
  assertEquals(browser.cookies.size, 0);
  assertEquals(await copied.visit((session) => session.has("a")), false);
});

const moves: Record<string, Action[]> = {
  "regenerateId()": [(session) => session.regenerateId()],
  "completeAuth()": [(_session, context) => completeAuth(context, 7)],
  "three requests": Array(3).fill((session: Session) => session.regenerateId()),
};

for (const [how, actions] of Object.entries(moves)) {
  for (const when of ["before", "while"]) {
    Deno.test(`Session.destroy() ends a session whose id ${how} changed ${when} its response (ASVS 7.4.1)`, async () => {
      const store = createMemorySessionStore();
      const browser = new Browser(new Server({ store }));
      await browser.visit((session) => session.set("userId", 7));
      const mover = browser.copy();
      const move = async () => {
        for (const action of actions) await mover.visit(action);
      };
      if (when === "before") await move();
      await browser.visit(async (session) => {
        if (when === "while") await move();
        session.destroy();
      });
      assertEquals(browser.cookies.size, 0);
      assertEquals(await mover.visit((session) => session.userId), undefined);
      assertEquals(store.byIndex!("user:7"), []);
    });
  }
}

Deno.test("Session.destroy() ends a session with a new id after a commit() that found no session", async () => {
  const store = createMemorySessionStore();
  const browser = new Browser(new Server({ store }));
  await browser.visit((session) => session.set("userId", 7));
  const mover = browser.copy();
  await browser.visit(async (session) => {
    await mover.visit((session) => session.regenerateId());
    session.set("a", 1);
    await assertRejects(() => session.commit(), SessionConflictError);
    session.destroy();
  });
  assertEquals(browser.cookies.size, 0);
  assertEquals(await mover.visit((session) => session.userId), undefined);
  assertEquals(store.byIndex!("user:7"), []);
});

Deno.test("Session.destroy() ends a session with a new id if there are other cookies too", async () => {
  const server = new Server();
  for (const isFirst of [true, false]) {
    const browser = new Browser(server);
    await browser.visit((session) => session.set("userId", 7));
    const cookies = [browser.header, `__Host-Http-session=${"x".repeat(43)}`];
    await browser.visit((session) => session.regenerateId());
    const Cookie = (isFirst ? cookies : cookies.reverse()).join("; ");
    await server.request((session) => session.destroy(), { Cookie });
    assertEquals(await browser.visit((session) => session.userId), undefined);
  }
});

Deno.test("Session.destroy() does not end a login that replaced its session", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("userId", 7));
  const [late, other] = [browser.copy(), browser.copy()];
  await other.visit((session) => session.regenerateId());
  await other.visit((session) => session.destroy());
  await browser.visit((session) => session.set("userId", 8));
  await late.visit((session) => session.destroy());
  assertEquals(late.response.headers.getSetCookie(), []);
  assertEquals(await browser.visit((session) => session.userId), 8);
});

Deno.test("Session.destroy() during a commit removes all values and ends the session", async () => {
  const store = createMemorySessionStore();
  const browser = new Browser(new Server({ store }));
  await browser.visit(async (session) => {
    session.set("userId", 7);
    const committed = session.commit();
    session.destroy();
    await committed;
    assertEquals([session.userId, session.has("userId")], [undefined, false]);
  });
  assertEquals(store.byIndex!("user:7"), []);
  assertEquals(browser.cookies.size, 0);
});

Deno.test("Session.destroy() of a session that was never stored sets no cookie", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => {
    session.set("a", 1);
    session.destroy();
  });
  assertEquals(browser.response.headers.getSetCookie(), []);
});

Deno.test("Session.commit() rejects if another request ended the session", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("userId", 7));
  const late = browser.copy();
  await late.visit(async (session) => {
    await browser.visit((session) => session.destroy());
    session.set("a", 1);
    const error = await assertRejects(
      () => session.commit(),
      SessionConflictError,
    );
    assertEquals(error.reason, "ended");
    // Later changes are not saved and cause no error.
    session.set("b", 1);
  });
  assertEquals(late.response.status, 200);
  assertEquals(late.response.headers.getSetCookie(), []);
});

Deno.test("Session logs in if another request ended the previous session", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("cart", 1));
  const late = browser.copy();
  await late.visit(async (session) => {
    await browser.visit((session) => session.destroy());
    session.set("userId", 7);
    await session.commit();
    session.set("a", 1);
  });
  await late.visit((session) => {
    assertEquals(session.userId, 7);
    assertEquals(session.get("a"), 1);
    assertEquals(session.has("cart"), false);
  });
});

Deno.test("Session.destroy() followed by commit() removes the cookie too", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("userId", 7));
  await browser.visit(async (session) => {
    session.destroy();
    await session.commit();
    await session.commit();
  });
  assertEquals(browser.cookies.size, 0);
});

Deno.test("completeAuth() throws after Session.destroy() instead of a partial login", async () => {
  const browser = new Browser(new Server());
  await browser.visit(async (session, context) => {
    session.set("a", 1);
    session.destroy();
    await assertRejects(
      () => completeAuth(context, 7),
      TypeError,
      "it was destroyed",
    );
  });
  assertEquals(browser.cookies.size, 0);
});

Deno.test("session() begins no session for a request that was sent before a login ended its session", async () => {
  const clock = new Clock();
  const browser = new Browser(new Server({ now: clock.now }));
  await browser.visit((session) => session.set("cart", 1));
  const early = browser.copy();
  await browser.visit((session) => session.set("userId", 7));
  // It arrives after the login, but its response could overtake the login's.
  const late = early.copy();
  await late.visit((session) => {
    assertEquals(session.has("cart"), false);
    session.set("visits", 1);
  });
  assertEquals(late.response.headers.getSetCookie(), []);
  assertEquals(late.response.status, 200);
  // A login with the old cookie works.
  const again = early.copy();
  await again.visit((session) => session.set("userId", 7));
  assertEquals(await again.visit((session) => session.userId), 7);
});

Deno.test("session() begins a new session 15 seconds after another device has ended one", async () => {
  const clock = new Clock();
  const { now } = clock;
  const store = createMemorySessionStore({ now });
  const browser = new Browser(new Server({ now, store }));
  await browser.visit((session) => session.set("userId", 7));
  const late = browser.copy();
  await endUserSessions(store, 7);
  await late.visit((session) => session.set("b", 1));
  assertEquals(late.response.headers.getSetCookie(), []);
  clock.time += 14_999;
  await late.visit((session) => session.set("b", 1));
  assertEquals(late.response.headers.getSetCookie(), []);
  clock.time += 1;
  await late.visit((session) => session.set("b", 1));
  assertEquals(await late.visit((session) => session.get("b")), 1);
});

for (const kind of ["a login", "a logout and a login"]) {
  Deno.test(`session() does not replace the cookie of ${kind} if a request with the old cookie arrives minutes later`, async () => {
    const clock = new Clock();
    const { now } = clock;
    const store = createMemorySessionStore({ now });
    const browser = new Browser(new Server({ now, store }));
    await browser.visit((session) => session.set("cart", 1));
    const late = browser.copy();
    if (kind.includes("logout")) {
      await browser.visit((session) => session.destroy());
    }
    await browser.visit((session) => session.set("userId", 7));
    for (const minutes of [1, 4, 4]) {
      clock.time += minutes * 60_000;
      // As after a proxy that has received a large upload first.
      await late.visit((session) => session.set("upload", "done"));
      browser.keep(late.response);
      assertEquals(late.response.headers.getSetCookie(), []);
      assertEquals(await browser.visit((session) => session.userId), 7);
    }
  });
}

Deno.test("Session.unset() of userId begins no session if this one has ended", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("userId", 7));
  const late = browser.copy();
  await late.visit(async (session) => {
    await browser.visit((session) => session.set("userId", 8));
    session.unset("userId");
    session.set("a", 1);
  });
  assertEquals(late.response.headers.getSetCookie(), []);
  assertEquals(await browser.visit((session) => session.userId), 8);
});

Deno.test("Session.regenerateId() after a logout leaves no usable old id", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("userId", 7));
  const copied = browser.copy();
  await browser.visit((session) => {
    session.unset("userId");
    session.regenerateId();
  });
  assertEquals(await copied.visit((session) => session.userId), undefined);
});
