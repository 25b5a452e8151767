import {
  assert,
  assertEquals,
  assertFalse,
  assertInstanceOf,
  assertNotEquals,
  assertRejects,
} from "@std/assert";
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  createMemorySessionStore,
  Session,
  SessionConflictError,
  sessions,
  type SessionStore,
  SessionStoreError,
} from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { Browser, Clock, MINUTE, Server } from "./_browser.ts";

Deno.test("session() saves nothing when the handler threw", async () => {
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

Deno.test("session() shows a flash message again if the handler threw", async () => {
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

Deno.test("session() saves what a handler committed before it threw, and nothing after that", async () => {
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

Deno.test("session() saves if a middleware inside has handled the error", async () => {
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

Deno.test("session() keeps the id of a login that threw, as it was not committed", async () => {
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

Deno.test("session() sends the cookie of a login that was committed before the handler threw", async () => {
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

Deno.test("session() sends the cookie of a login that was on its way to the store when the handler threw", async () => {
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
    // The second has to wait for the first, and the error for neither.
    commits = [session.commit(), session.commit()];
    session.set("a", 1);
    await Promise.all([...commits, Promise.reject(new Error("audit"))]);
  };
  const visited = assertRejects(() => browser.visit(login), Error, "audit");
  await reached.promise;
  // The handler has thrown by the time that a timer fires.
  await new Promise((resolve) => setTimeout(resolve));
  gate.resolve();
  await visited;
  // The second commit had not begun.
  const outcomes = await Promise.allSettled(commits);
  assertEquals(outcomes.map(({ status }) => status), ["fulfilled", "rejected"]);
  await browser.visit((session) => {
    assertEquals([session.userId, session.get("a")], [7, undefined]);
  });
});

Deno.test("Session.commit() stores no login any more after the handler threw", async () => {
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

Deno.test("session() takes no login that comes while the answer is being saved", async () => {
  const memory = createMemorySessionStore();
  const late: Promise<unknown>[] = [];
  let current: Session | undefined;
  const store: SessionStore = {
    get: (key) => memory.get(key),
    put: async (...args) => {
      // What a handler did not wait for happens at this moment.
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

Deno.test("session() removes the cookie of a logout that was committed before the handler threw", async () => {
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

Deno.test("session() sends the new id that was committed before the throw", async () => {
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

Deno.test("session() ends a session also when the handler threw", async () => {
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

Deno.test("session() ends a session whose id was to change when the handler threw", async () => {
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

Deno.test("session() stores nothing new for a handler that threw", async () => {
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

for (const method of ["get", "put"] as const) {
  for (const how of ["throws", "rejects"] as const) {
    Deno.test(`session() fails with the store where ${method} ${how}`, async () => {
      const { browser, fault, errors } = faulty();
      await browser.visit((session) => session.set("userId", 7));
      const secret = browser.header.split("=")[1];
      fault.method = method;
      fault.how = how;
      const status = await send(browser, (session) => session.set("a", 1));
      assertEquals(status, 503);
      assertEquals(browser.response.headers.getSetCookie(), []);
      const error = errors.pop();
      assertInstanceOf(error, SessionStoreError);
      assertEquals((error.cause as Error).message, "The store is away");
      assertFalse(String(error.stack).includes(secret));

      fault.method = undefined;
      assertEquals(await browser.visit((session) => session.userId), 7);
    });
  }
}

Deno.test("session() counts a store that does not answer as failed", async () => {
  const { browser, fault } = faulty();
  await browser.visit((session) => session.set("userId", 7));
  fault.method = "get";
  fault.how = "hangs";
  assertEquals(await send(browser, (session) => session.userId), 503);
  fault.method = undefined;
  assertEquals(await browser.visit((session) => session.userId), 7);
});

Deno.test("session() answers 503 to a logout that the store did not take", async () => {
  const { browser, fault } = faulty();
  await browser.visit((session) => session.set("userId", 7));
  fault.method = "write";
  fault.how = "rejects";
  assertEquals(await send(browser, (session) => session.destroy()), 503);
  assertEquals(browser.response.headers.getSetCookie(), []);
  fault.method = undefined;
  assertEquals(await browser.visit((session) => session.userId), 7);
});

Deno.test("session() logs out although the store takes no new values", async () => {
  const { browser, fault } = faulty();
  await browser.visit((session) => session.set("userId", 7));
  const stolen = browser.copy();
  fault.method = "put";
  fault.how = "rejects";
  assertEquals(await send(browser, (session) => session.destroy()), 200);
  assertEquals(browser.cookies.size, 0);
  assertEquals(await stolen.visit((session) => session.userId), undefined);
});

Deno.test("session() shows the handler's error, not that of saving after it", async () => {
  const { browser, fault, errors } = faulty();
  await browser.visit((session) => session.set("a", 1));
  await send(browser, (session) => {
    session.set("a", 2);
    fault.method = "put";
    throw new Error("handler");
  });
  assertEquals((errors.pop() as Error).message, "handler");
});

Deno.test("session() gives up where others are always faster", async () => {
  const store: SessionStore = {
    get: () => ({
      value: stored('{"values":{"a":1}}'),
      version: "1",
    }),
    put: () => false,
    delete: () => {},
  };
  const server = new Server({ store });
  const response = await server.request(
    (session) => session.set("a", 2),
    { Cookie: `__Host-session=${"x".repeat(43)}` },
  );
  assertEquals(response.status, 500);
  assert((await response.text()).includes("SessionStoreError"));
});

Deno.test("session() fails at once where its store has no room", async () => {
  const memory = createMemorySessionStore({ maxRecords: 2 });
  for (const key of ["a", "b"]) {
    const index = [`user:${key}`];
    memory.put(key, "login", { ttl: MINUTE, ifVersion: null, index });
  }
  let puts = 0;
  const store: SessionStore = {
    get: (key) => memory.get(key),
    put: (...args) => (puts++, memory.put(...args)),
    delete: (key) => memory.delete(key),
  };
  const server = new Server({ store });
  const response = await server.request((session) => session.set("a", 1));
  assertEquals(response.status, 500);
  assert((await response.text()).includes("SessionStoreError"));
  assertEquals(puts, 1);
});

for (
  const value of [
    "",
    "null",
    "[]",
    "{}",
    "1",
    '"text"',
    "{",
    '\n{"values":{}}',
    'null\n{"values":{}}',
    ...["createdAt", "seenAt", "expiresAt"].flatMap((name) =>
      ["9e15", null, undefined].map((time) => headOf({ [name]: time }))
    ),
    headOf({}).split("\n")[0],
    '{"ended":true}',
    `{"ended":true,"next":"${"x".repeat(43)}"}`,
    '{"ended":true,"next":1}',
  ]
) {
  Deno.test(`session() takes ${value || "an empty text"} in the store for no session`, async () => {
    const store: SessionStore = {
      get: () => ({ value, version: "1" }),
      put: () => true,
      delete: () => {},
    };
    const server = new Server({ store });
    const response = await server.request(
      (session) => session.userId ?? "nobody",
      { Cookie: `__Host-session=${"x".repeat(43)}` },
    );
    assertEquals(await response.json(), "nobody");
  });
}

Deno.test("session() takes what has all its times for a session", async () => {
  const store: SessionStore = {
    get: () => ({ value: headOf({}), version: "1" }),
    put: () => true,
    delete: () => {},
  };
  const response = await new Server({ store }).request(
    (session) => session.userId,
    { Cookie: `__Host-session=${"x".repeat(43)}` },
  );
  assertEquals(await response.json(), 7);
});

for (const content of ["", "{", "null", "[]", "{}", '{"values":[]}']) {
  Deno.test(`session() fails where ${content || "nothing"} in the store is to be a session's content`, async () => {
    const store: SessionStore = {
      get: () => ({ value: stored(content), version: "1" }),
      put: () => true,
      delete: () => {},
    };
    const server = new Server({ store });
    const cookie = { Cookie: `__Host-session=${"x".repeat(43)}` };
    const response = await server.request(
      (session) => session.get("a"),
      cookie,
    );
    assertEquals(response.status, 500);
    assert((await response.text()).includes("SessionStoreError"));
  });
}

Deno.test("Session.userId needs no more than the first line of what is stored", async () => {
  const store: SessionStore = {
    get: () => ({ value: stored("{"), version: "1" }),
    put: () => true,
    delete: () => {},
  };
  const response = await new Server({ store }).request(
    (session) => [session.userId, session.get("userId"), session.has("userId")],
    { Cookie: `__Host-session=${"x".repeat(43)}` },
  );
  assertEquals(await response.json(), [7, 7, true]);
});

/** A stored session of user 7 that ends in a distant future, but for a fault. */
function headOf(fault: Record<string, unknown>): string {
  const head = { userId: 7, createdAt: 9e15, seenAt: 9e15, expiresAt: 9e15 };
  return `${JSON.stringify({ ...head, ...fault })}\n{"values":{}}`;
}

/** A stored session of user 7, used just now. */
function stored(content: string): string {
  const now = Date.now();
  const head = { userId: 7, createdAt: now, seenAt: now };
  return `${JSON.stringify({ ...head, expiresAt: now + MINUTE })}\n${content}`;
}

Deno.test("session() answers 409 where a value was taken twice and nobody looked", async () => {
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
  // What the loser did after it may rest upon what he did not get.
  await browser.visit((session) => {
    assertEquals([session.get("a"), session.get("b")], [1, undefined]);
  });
});

Deno.test("session() answers 409 where commit() lost and nobody caught it", async () => {
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

Deno.test("Session.commit() throws for a value that was taken and stored again", async () => {
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

Deno.test("session() lets the taker of a value log in once only", async () => {
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

Deno.test("session() sweeps its store now and then", async () => {
  const clock = new Clock();
  const times: number[] = [];
  const memory = createMemorySessionStore({ now: clock.now });
  const store: SessionStore = {
    get: (key) => memory.get(key),
    put: (...args) => memory.put(...args),
    delete: (key) => memory.delete(key),
    sweep: (now) => {
      times.push(now);
      throw new Error("A sweep that fails is nobody's concern");
    },
  };
  const server = new Server({ store, now: clock.now });
  for (let count = 0; count < 25; count++) {
    await new Browser(server).visit((session) => session.set("a", 1));
    clock.time += MINUTE;
  }
  // By the clock that was passed in.
  const [begun] = times;
  assertEquals(times, [begun, begun + 10 * MINUTE]);
  assertEquals(begun, Date.UTC(2026, 0, 1) + 10 * MINUTE);
});

Deno.test("session() sweeps again soon where a sweep has left something", async () => {
  const clock = new Clock();
  const memory = createMemorySessionStore({ now: clock.now });
  const left = [true, true, false];
  let sweeps = 0;
  const store: SessionStore = {
    get: (key) => memory.get(key),
    put: (...args) => memory.put(...args),
    delete: (key) => memory.delete(key),
    sweep: () => Promise.resolve(left[sweeps++]),
  };
  const server = new Server({ store, now: clock.now });
  clock.time += 10 * MINUTE;
  for (let count = 0; count < 10; count++) {
    await new Browser(server).visit((session) => session.set("a", 1));
  }
  assertEquals(sweeps, 3);
});

Deno.test("sessions() fails with the store", async () => {
  const { browser, fault } = faulty();
  await browser.visit((session) => session.set("userId", 7));
  assertEquals(
    await send(browser, async (_session, context) => {
      fault.method = "byIndex";
      fault.how = "rejects";
      await sessions(context).list();
    }),
    503,
  );
});

Deno.test("session() puts two routers with a store each side by side", async () => {
  const router = createRouter();
  const read = { handler: () => Response.json(null) };
  router.get("/a", { ...read, middleware: [session()] });
  router.get("/b", {
    middleware: [session({ cookie: { name: "b" } })],
    handler: (context) => {
      context.get(Session).set("b", 1);
      return new Response();
    },
  });
  const response = await router.fetch("https://example.com/b");
  assert(response.headers.getSetCookie()[0].startsWith("__Host-b="));
  assertNotEquals((await router.fetch("https://example.com/a")).status, 500);
});

interface Fault {
  method?: "get" | "put" | "delete" | "byIndex" | "write";
  how: "throws" | "rejects" | "hangs";
}

/** A browser whose server has a store that fails on demand. */
function faulty(): { browser: Browser; fault: Fault; errors: unknown[] } {
  const memory = createMemorySessionStore();
  const fault: Fault = { how: "throws" };
  const errors: unknown[] = [];
  const fail = () => {
    const error = new Error("The store is away");
    if (fault.how === "throws") throw error;
    return fault.how === "hangs"
      ? new Promise<never>(() => {})
      : Promise.reject(error);
  };
  const fails = (method: "put" | "delete") =>
    fault.method === method || fault.method === "write";
  const store: SessionStore = {
    get: (key) => fault.method === "get" ? fail() : memory.get(key),
    put: (...args) => fails("put") ? fail() : memory.put(...args),
    delete: (key) => fails("delete") ? fail() : memory.delete(key),
    byIndex: (name) =>
      fault.method === "byIndex" ? fail() : memory.byIndex!(name),
  };
  const server = new Server({ store, storeTimeout: 100 }, (error) => {
    errors.push(error);
    const status = error instanceof SessionStoreError ? 503 : 500;
    return new Response(String(error), { status });
  });
  return { browser: new Browser(server), fault, errors };
}

/** Sends a request that may fail and tells its status. */
async function send(
  browser: Browser,
  act: Parameters<Browser["visit"]>[0],
): Promise<number> {
  await browser.visit(act).catch(() => {});
  return browser.response.status;
}
