import {
  createOneTimeToken,
  createThrottle,
  takeOneTimeToken,
} from "@gatehouse/web/auth";
import { RequestContext } from "@gatehouse/web/fetch-router";
import {
  createMemorySessionStore,
  endUserSessions,
  type SessionStore,
  SessionStoreError,
  userSessions,
} from "@gatehouse/web/session";
import {
  assertEquals,
  assertInstanceOf,
  assertLess,
  assertRejects,
} from "@std/assert";
import { afterTimers, turns, until } from "../../_wait.ts";
import { Browser, Server } from "../_browser.ts";

/** Milliseconds. The breaker ignores failures that are faster than 100 ms. */
const TIMEOUT = 200;
/** A little more than the pause between two attempts to reach a store. */
const PAUSE = 1_010;

Deno.test("session() fails without a call while its store is down, and keeps users logged in", async () => {
  const { outage, server } = open();
  const browser = await logIn(server);
  outage.isDown = true;
  await fails(browser);
  outage.calls = 0;
  for (let count = 0; count < 20; count++) await fails(browser);
  // Each call would wait for its timeout. One a second tries the store.
  assertLess(outage.calls, 10);
  outage.isDown = false;
  await until(async () => await browser.visit(({ userId }) => userId) === 7);
  assertEquals(await userOf(browser), 7);
});

Deno.test("session() lets one request at a time try a store that is down", async () => {
  const { outage, server } = open();
  const browser = await logIn(server);
  outage.isDown = true;
  await fails(browser);
  outage.calls = 0;
  await until(async () => {
    await Promise.all(Array.from({ length: 20 }, () => fails(browser.copy())));
    return outage.calls > 0;
  });
  assertEquals(outage.calls, 1);
  // The attempt failed, so the next pause has begun.
  await fails(browser);
  assertEquals(outage.calls, 1);
});

Deno.test("session() keeps using its store if the calls of one client fail slowly", async () => {
  const { outage, server } = open();
  const [attacker, victim] = [await logIn(server), await logIn(server)];
  outage.onlyKey = await attacker.visit((session) => session.id);
  outage.isDown = true;
  const attacks = Array.from({ length: 20 }, () => fails(attacker.copy()));
  const users: unknown[] = [];
  let isOver = false;
  const over = Promise.all(attacks).then(() => isOver = true);
  while (!isOver) {
    users.push(await userOf(victim));
    await turns(5);
  }
  await over;
  users.push(await userOf(victim));
  assertEquals(new Set(users), new Set([7]));
});

Deno.test("session() keeps using its store if the only call fails slowly, because of its session", async () => {
  const { outage, server } = open();
  const [attacker, victim] = [await logIn(server), await logIn(server)];
  outage.onlyKey = await attacker.visit((session) => session.id);
  outage.isDown = true;
  await fails(attacker);
  assertEquals(await userOf(victim), 7);
});

Deno.test("session() keeps using its store if a call fails at once", async () => {
  const { outage, server } = open();
  const [attacker, victim] = [await logIn(server), await logIn(server)];
  outage.onlyKey = await attacker.visit((session) => session.id);
  outage.how = "rejects";
  outage.isDown = true;
  for (let count = 0; count < 20; count++) await fails(attacker);
  assertEquals(await userOf(victim), 7);
});

for (const how of ["hangs", "rejects"] as const) {
  Deno.test(`session() uses its store again after an outage although the calls of one client fail (${how})`, async () => {
    const { outage, server } = open();
    const [attacker, victim] = [await logIn(server), await logIn(server)];
    const key = await attacker.visit((session) => session.id);
    outage.isDown = true;
    await fails(victim);
    // The store is up again, but not for the session of the attacker, who is the
    // first to use it.
    outage.onlyKey = key;
    outage.how = how;
    await afterTimers(PAUSE);
    const attack = fails(attacker);
    await turns(5);
    assertEquals(await userOf(victim), 7);
    await attack;
    assertEquals(await userOf(victim), 7);
  });
}

Deno.test("session() names the reason of the outage in each error", async () => {
  const { errors, outage, server } = open();
  const browser = await logIn(server);
  outage.isDown = true;
  await fails(browser);
  await fails(browser);
  assertEquals(errors.length, 2);
  for (const error of errors) {
    assertInstanceOf(error, SessionStoreError);
    assertEquals(error.cause, {
      name: "Error",
      message: `No answer within ${TIMEOUT} ms`,
    });
  }
});

Deno.test("session() responds at once to pages without a session while its store is down", async () => {
  const { outage, server } = open({ lazy: true });
  const browser = new Browser(server);
  await browser.visit(async (session) => {
    (await session.load()).set("userId", 7);
  });
  outage.isDown = true;
  outage.calls = 0;
  for (let count = 0; count < 10; count++) {
    await browser.visit(() => "page");
    assertEquals(browser.response.status, 200);
  }
  assertEquals(outage.calls, 0);
});

Deno.test("Everything that uses a store learns from one call that it is down", async () => {
  const { outage, server, store } = open();
  const browser = await logIn(server);
  const token = await createOneTimeToken(store, { purpose: "p", account: 7 });
  outage.isDown = true;
  await fails(browser);
  outage.calls = 0;
  const context = new RequestContext(new Request("https://example.com/"));
  const throttle = createThrottle({ store, storeTimeout: TIMEOUT });
  const uses = [
    () => throttle.attempt(context, "ada"),
    () => takeOneTimeToken(store, { purpose: "p", token }),
    () => endUserSessions(store, 7),
  ];
  for (const use of uses) await assertRejects(use, SessionStoreError);
  // Each of them would wait for a call.
  assertLess(outage.calls, uses.length);
  const other = open();
  assertEquals(await userOf(await logIn(other.server)), 7);
});

Deno.test("userSessions() fails without a call while its store is down", async () => {
  const { outage, server } = open();
  const browser = await logIn(server);
  await browser.visit(async (_session, context) => {
    const list = () => userSessions(context).list();
    outage.isDown = true;
    await assertRejects(list, SessionStoreError);
    outage.calls = 0;
    for (let count = 0; count < 10; count++) {
      await assertRejects(list, SessionStoreError);
    }
    assertLess(outage.calls, 5);
    outage.isDown = false;
    await afterTimers(PAUSE);
  });
});

interface Outage {
  isDown: boolean;
  how: "hangs" | "rejects";
  /** The only key whose calls fail, or `undefined` for all. */
  onlyKey: string | undefined;
  calls: number;
}

/** Creates a server whose store can be down. */
function open(options: { lazy?: true } = {}) {
  const memory = createMemorySessionStore();
  const outage: Outage = {
    isDown: false,
    how: "hangs",
    onlyKey: undefined,
    calls: 0,
  };
  const ask = <Value>(key: string, call: () => Value): Value => {
    outage.calls++;
    if (!outage.isDown || (outage.onlyKey ?? key) !== key) return call();
    return (outage.how === "hangs"
      ? new Promise(() => {})
      : Promise.reject(new Error("Not possible"))) as Value;
  };
  const store: SessionStore = {
    get: (key) => ask(key, () => memory.get(key)),
    put: (...args) => ask(args[0], () => memory.put(...args)),
    delete: (key) => ask(key, () => memory.delete(key)),
    byIndex: (name) => ask(name, () => memory.byIndex!(name)),
  };
  const errors: unknown[] = [];
  const settings = { ...options, store, storeTimeout: TIMEOUT };
  const server = new Server(settings, (error) => {
    errors.push(error);
    return new Response(null, { status: 503 });
  });
  return { errors, outage, server, store };
}

async function logIn(server: Server): Promise<Browser> {
  const browser = new Browser(server);
  await browser.visit((session) => session.set("userId", 7));
  return browser;
}

async function userOf(browser: Browser): Promise<unknown> {
  const userId = await browser.visit((session) => session.userId);
  assertEquals(browser.response.status, 200);
  return userId;
}

/** Sends a request that must fail without a cookie. */
async function fails(browser: Browser): Promise<void> {
  await browser.visit((session) => session.userId);
  assertEquals(browser.response.status, 503);
  assertEquals(browser.response.headers.getSetCookie(), []);
}
