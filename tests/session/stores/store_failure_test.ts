import { completeAuth } from "@gatehouse/web/auth";
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  createMemorySessionStore,
  Session,
  type SessionStore,
  SessionStoreError,
  userSessions,
} from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { createSQLSessionStore } from "@gatehouse/web/session/sql";
import {
  assert,
  assertEquals,
  assertFalse,
  assertInstanceOf,
} from "@std/assert";
import { until } from "../../_wait.ts";
import { Browser, Clock, MINUTE, Server } from "../_browser.ts";

for (const method of ["get", "put"] as const) {
  for (const how of ["throws", "rejects"] as const) {
    Deno.test(`session() fails if the store's ${method} ${how}`, async () => {
      const { browser, fault, errors } = createFaultyServer();
      await browser.visit((session) => session.set("userId", 7));
      const secret = browser.header.split("=")[1];
      fault.method = method;
      fault.how = how;
      const status = await send(browser, (session) => session.set("a", 1));
      assertEquals(status, 503);
      assertEquals(browser.response.headers.getSetCookie(), []);
      const error = errors.pop();
      assertInstanceOf(error, SessionStoreError);
      assertEquals((error.cause as Error).message, "The store is unavailable");
      assertFalse(String(error.stack).includes(secret));

      fault.method = undefined;
      // On a busy machine, the failure may have taken as long as an outage.
      await until(async () =>
        await browser.visit(({ userId }) => userId) === 7
      );
    });
  }
}

Deno.test("session() fails if the store does not respond", async () => {
  const { browser, fault } = createFaultyServer();
  await browser.visit((session) => session.set("userId", 7));
  fault.method = "get";
  fault.how = "hangs";
  assertEquals(await send(browser, (session) => session.userId), 503);
  fault.method = undefined;
  // After the pause of an outage: see store_outage_test.ts.
  await until(async () =>
    await browser.visit((session) => session.userId) === 7
  );
});

Deno.test("session() responds with 503 to a logout if the store fails", async () => {
  const { browser, fault } = createFaultyServer();
  await browser.visit((session) => session.set("userId", 7));
  fault.method = "write";
  fault.how = "rejects";
  assertEquals(await send(browser, (session) => session.destroy()), 503);
  assertEquals(browser.response.headers.getSetCookie(), []);
  fault.method = undefined;
  assertEquals(await browser.visit((session) => session.userId), 7);
});

Deno.test("session() logs out if the store accepts no new values", async () => {
  const { browser, fault } = createFaultyServer();
  await browser.visit((session) => session.set("userId", 7));
  const stolen = browser.copy();
  fault.method = "put";
  fault.how = "rejects";
  assertEquals(await send(browser, (session) => session.destroy()), 200);
  assertEquals(browser.cookies.size, 0);
  assertEquals(await stolen.visit((session) => session.userId), undefined);
});

Deno.test("session() gives up if every write loses to another request", async () => {
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
    { Cookie: `__Host-Http-session=${"x".repeat(43)}` },
  );
  assertEquals(response.status, 500);
  assert((await response.text()).includes("SessionStoreError"));
});

Deno.test("session() fails at once if its store is full", async () => {
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
      ["9e15", null, undefined].map((time) => recordWith({ [name]: time }))
    ),
    recordWith({}).split("\n")[0],
    '{"ended":true}',
    `{"ended":true,"next":"${"x".repeat(43)}"}`,
    '{"ended":true,"next":1}',
  ]
) {
  Deno.test(`session() ignores ${value || "an empty string"} in the store`, async () => {
    const store: SessionStore = {
      get: () => ({ value, version: "1" }),
      put: () => true,
      delete: () => {},
    };
    const server = new Server({ store });
    const response = await server.request(
      (session) => session.userId ?? "anonymous",
      { Cookie: `__Host-Http-session=${"x".repeat(43)}` },
    );
    assertEquals(await response.json(), "anonymous");
  });
}

Deno.test("session() accepts a stored value with all times as a session", async () => {
  const store: SessionStore = {
    get: () => ({ value: recordWith({}), version: "1" }),
    put: () => true,
    delete: () => {},
  };
  const response = await new Server({ store }).request(
    (session) => session.userId,
    { Cookie: `__Host-Http-session=${"x".repeat(43)}` },
  );
  assertEquals(await response.json(), 7);
});

for (const content of ["", "{", "null", "[]", "{}", '{"values":[]}']) {
  Deno.test(`session() fails if the stored content of a session is ${content || "empty"}`, async () => {
    const store: SessionStore = {
      get: () => ({ value: stored(content), version: "1" }),
      put: () => true,
      delete: () => {},
    };
    const server = new Server({ store });
    const cookie = { Cookie: `__Host-Http-session=${"x".repeat(43)}` };
    const response = await server.request(
      (session) => session.get("a"),
      cookie,
    );
    assertEquals(response.status, 500);
    assert((await response.text()).includes("SessionStoreError"));
  });
}

Deno.test("Session.userId needs only the first line of the stored value", async () => {
  const store: SessionStore = {
    get: () => ({ value: stored("{"), version: "1" }),
    put: () => true,
    delete: () => {},
  };
  const response = await new Server({ store }).request(
    (session) => [session.userId, session.get("userId"), session.has("userId")],
    { Cookie: `__Host-Http-session=${"x".repeat(43)}` },
  );
  assertEquals(await response.json(), [7, 7, true]);
});

/** Creates a stored session of user 7 that never expires, with a fault. */
function recordWith(fault: Record<string, unknown>): string {
  const head = { userId: 7, createdAt: 9e15, seenAt: 9e15, expiresAt: 9e15 };
  return `${JSON.stringify({ ...head, ...fault })}\n{"values":{}}`;
}

/** Creates a stored session of user 7, used just now. */
function stored(content: string): string {
  const now = Date.now();
  const head = { userId: 7, createdAt: now, seenAt: now };
  return `${JSON.stringify({ ...head, expiresAt: now + MINUTE })}\n${content}`;
}

Deno.test("session() sweeps its store every ten minutes", async () => {
  const clock = new Clock();
  const times: number[] = [];
  const memory = createMemorySessionStore({ now: clock.now });
  const store: SessionStore = {
    get: (key) => memory.get(key),
    put: (...args) => memory.put(...args),
    delete: (key) => memory.delete(key),
    sweep: (now) => {
      times.push(now);
      throw new Error("The sweep failed");
    },
  };
  const server = new Server({ store, now: clock.now });
  const started = clock.time;
  for (let count = 0; count < 30; count++) {
    await new Browser(server).visit((session) => session.set("a", 1));
    clock.time += MINUTE;
  }
  // The sweep uses the clock that was passed in.
  const [begun] = times;
  assertEquals(times.slice(0, 2), [begun, begun + 10 * MINUTE]);
  assert(begun >= started && begun <= started + 10 * MINUTE);
});

Deno.test("session() also sweeps its store in processes that live for five minutes", async () => {
  const clock = new Clock();
  const memory = createMemorySessionStore({ now: clock.now });
  let sweeps = 0;
  const store: SessionStore = {
    get: (key) => memory.get(key),
    put: (...args) => memory.put(...args),
    delete: (key) => memory.delete(key),
    sweep: () => void sweeps++,
  };
  for (let process = 0; process < 200; process++) {
    const server = new Server({ store, now: clock.now });
    clock.time += 5 * MINUTE;
    await new Browser(server).visit((_session, context) =>
      completeAuth(context, process)
    );
  }
  // About one half: fewer than 60 have a probability of one in a hundred million.
  assert(sweeps > 60 && sweeps < 140);
});

Deno.test("session() sweeps again soon if a sweep did not remove everything", async () => {
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

Deno.test("userSessions() fails with the store", async () => {
  const { browser, fault } = createFaultyServer();
  await browser.visit((session) => session.set("userId", 7));
  assertEquals(
    await send(browser, async (_session, context) => {
      fault.method = "byIndex";
      fault.how = "rejects";
      await userSessions(context).list();
    }),
    503,
  );
});

Deno.test("session() reports the handler's error, not that of the save after it", async () => {
  const { browser, fault, errors } = createFaultyServer();
  await browser.visit((session) => session.set("a", 1));
  await send(browser, (session) => {
    session.set("a", 2);
    fault.method = "put";
    throw new Error("handler");
  });
  assertEquals((errors.pop() as Error).message, "handler");
});

interface Fault {
  method?: "get" | "put" | "delete" | "byIndex" | "write";
  how: "throws" | "rejects" | "hangs";
}

/** Creates a browser whose server has a store that fails on demand. */
function createFaultyServer(): {
  browser: Browser;
  fault: Fault;
  errors: unknown[];
} {
  const memory = createMemorySessionStore();
  const fault: Fault = { how: "throws" };
  const errors: unknown[] = [];
  const fail = () => {
    const error = new Error("The store is unavailable");
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

/** Sends a request that may fail and returns its status. */
async function send(
  browser: Browser,
  action: Parameters<Browser["visit"]>[0],
): Promise<number> {
  await browser.visit(action).catch(() => {});
  return browser.response.status;
}

Deno.test("session() answers 503 while its store is stopped, if the router has no onError", async () => {
  const database = new Error("database is not open");
  const store = createSQLSessionStore(() => {
    throw database;
  });
  const router = createRouter({ middleware: [session({ store })] });
  router.get("/", (context) => {
    context.get(Session).set("seen", true);
    return new Response();
  });
  const response = await router.fetch("https://example.com/");
  assertEquals(response.status, 503);
  assertEquals(response.headers.get("Retry-After"), "5");
});
