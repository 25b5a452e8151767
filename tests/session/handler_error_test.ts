import { createRouter } from "@gatehouse/web/fetch-router";
import {
  createMemorySessionStore,
  Session,
  type SessionStore,
} from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import {
  assert,
  assertEquals,
  assertInstanceOf,
  assertRejects,
} from "@std/assert";
import { Browser, Server } from "./_browser.ts";
import { turns } from "../_wait.ts";

Deno.test("session() saves nothing if the handler throws", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("a", 1));
  await assertRejects(
    () =>
      browser.visit((session) => {
        session.set("a", 2);
        throw new Error("handler");
      }),
    Error,
    "handler",
  );
  assertEquals(await browser.visit((session) => session.get("a")), 1);
});

Deno.test("session() keeps a flash message if the handler throws", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.flash("notice", "Saved"));
  await assertRejects(() =>
    browser.visit((session) => {
      assertEquals(session.get("notice"), "Saved");
      throw new Error("handler");
    })
  );
  assertEquals(
    await browser.visit((session) => session.get("notice")),
    "Saved",
  );
});

Deno.test("session() saves only the committed changes of a handler that throws", async () => {
  const browser = new Browser(new Server());
  await assertRejects(() =>
    browser.visit(async (session) => {
      session.set("a", 1);
      await session.commit();
      session.set("a", 2);
      throw new Error("handler");
    })
  );
  assertEquals(await browser.visit((session) => session.get("a")), 1);
});

Deno.test("session() saves if inner middleware handles the error", async () => {
  const router = createRouter({
    middleware: [session(), async (context, next) => {
      const response = await next();
      if (context.error === undefined) return response;
      context.error = undefined;
      return new Response("handled");
    }],
    onError: () => new Response(null, { status: 500 }),
  });
  router.get("/", (context) => {
    context.get(Session).set("a", 1);
    throw new Error("handler");
  });
  const response = await router.fetch("https://example.com/");
  assertEquals(response.headers.getSetCookie().length, 1);
});

Deno.test("session() keeps the old id if a handler throws before it commits a login", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("a", 1));
  await assertRejects(() =>
    browser.visit((session) => {
      session.set("userId", 7);
      throw new Error("handler");
    })
  );
  await browser.visit((session) => {
    assertEquals([session.get("a"), session.userId], [1, undefined]);
  });
});

Deno.test("session() sends the cookie of a committed login if the handler throws", async () => {
  const store = createMemorySessionStore();
  const browser = new Browser(new Server({ store }));
  await browser.visit((session) => session.set("cart", [1]));
  await assertRejects(() =>
    browser.visit(async (session) => {
      session.set("userId", 7);
      await session.commit();
      session.set("a", 1);
      throw new Error("handler");
    })
  );
  assertEquals((await store.byIndex!("user:7")).length, 1);
  const { headers } = browser.response;
  assertEquals(headers.get("Cache-Control"), "private, no-store");
  await browser.visit((session) => {
    assertEquals([session.userId, session.get("cart")], [7, [1]]);
    assertEquals(session.get("a"), undefined);
  });
});

Deno.test("session() sends the cookie of a login if the handler throws during its commit", async () => {
  const store = createMemorySessionStore();
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const slow: SessionStore = {
    get: (key) => store.get(key),
    put: async (...args) => {
      reached.resolve();
      await gate.promise;
      return store.put(...args);
    },
    delete: (key) => store.delete(key),
  };
  const browser = new Browser(new Server({ store: slow }));
  let commits: Promise<void>[] = [];
  const login = async (session: Session) => {
    session.set("userId", 7);
    // The second commit waits for the first, and the error for neither.
    commits = [session.commit(), session.commit()];
    session.set("a", 1);
    await Promise.all([...commits, Promise.reject(new Error("audit"))]);
  };
  const visited = assertRejects(() => browser.visit(login), Error, "audit");
  await reached.promise;
  // The handler throws before a timer fires.
  await turns();
  gate.resolve();
  await visited;
  // The second commit never began.
  const outcomes = await Promise.allSettled(commits);
  assertEquals(outcomes.map(({ status }) => status), ["fulfilled", "rejected"]);
  await browser.visit((session) => {
    assertEquals([session.userId, session.get("a")], [7, undefined]);
  });
});

Deno.test("Session.commit() stores no login after the handler has thrown", async () => {
  const store = createMemorySessionStore();
  const browser = new Browser(new Server({ store }));
  const sessions: Session[] = [];
  const fail = (session: Session) => {
    sessions.push(session);
    session.set("userId", 7);
    throw new Error("audit");
  };
  await assertRejects(() => browser.visit(fail), Error, "audit");
  await browser.visit((session) => session.set("a", 1));
  await assertRejects(() => browser.visit(fail), Error, "audit");
  for (const session of sessions) {
    await assertRejects(
      () => session.commit(),
      TypeError,
      "the response was already made",
    );
  }
  assertEquals(store.byIndex!("user:7"), []);
  assertEquals(await browser.visit((session) => session.get("a")), 1);
});

Deno.test("session() rejects a login during the last save", async () => {
  const memory = createMemorySessionStore();
  const late: Promise<unknown>[] = [];
  let current: Session | undefined;
  const store: SessionStore = {
    get: (key) => memory.get(key),
    put: async (...args) => {
      // Code that the handler did not await runs now.
      await Promise.resolve();
      const login = async () => {
        current!.set("userId", 7);
        await current!.commit();
      };
      late.push(login().catch((error) => error));
      return memory.put(...args);
    },
    delete: (key) => memory.delete(key),
  };
  const browser = new Browser(new Server({ store }));
  await browser.visit((session) => {
    current = session;
    session.set("a", 1);
  });
  assertInstanceOf(await late[0], TypeError);
  assertEquals(late.length, 1);
  assertEquals(memory.byIndex!("user:7"), []);
});

Deno.test("session() removes the cookie of a committed logout if the handler throws", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("userId", 7));
  await assertRejects(() =>
    browser.visit(async (session) => {
      session.destroy();
      await session.commit();
      throw new Error("handler");
    })
  );
  assertEquals(browser.cookies.size, 0);
});

Deno.test("session() sends a committed new id if the handler throws", async () => {
  const store = createMemorySessionStore();
  const browser = new Browser(new Server({ store }));
  await browser.visit((session) => session.set("userId", 7));
  await assertRejects(() =>
    browser.visit(async (session) => {
      session.regenerateId();
      await session.commit();
      throw new Error("handler");
    })
  );
  const [cookie] = browser.response.headers.getSetCookie();
  assert(cookie?.startsWith("__Host-"), cookie);
  assertEquals(await browser.visit((session) => session.userId), 7);
});

Deno.test("session() ends a destroyed session if the handler throws", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("userId", 7));
  await assertRejects(() =>
    browser.visit((session) => {
      session.destroy();
      throw new Error("handler");
    })
  );
  assertEquals(await browser.visit((session) => session.userId), undefined);
});

Deno.test("session() ends a destroyed session with a pending new id if the handler throws", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("userId", 7));
  await assertRejects(() =>
    browser.visit((session) => {
      session.regenerateId();
      session.destroy();
      throw new Error("handler");
    })
  );
  assertEquals(await browser.visit((session) => session.userId), undefined);
});

Deno.test("session() stores no new session if the handler throws", async () => {
  const store = createMemorySessionStore();
  let puts = 0;
  const counting: SessionStore = {
    get: (key) => store.get(key),
    put: (...args) => {
      puts++;
      return store.put(...args);
    },
    delete: (key) => store.delete(key),
  };
  const browser = new Browser(new Server({ store: counting }));
  await assertRejects(() =>
    browser.visit((session) => {
      session.set("a", 1);
      throw new Error("handler");
    })
  );
  assertEquals(puts, 0);
});
