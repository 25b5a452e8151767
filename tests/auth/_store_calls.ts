/** Counts the calls to a store that a login makes, and those in a row. */
import {
  completeAuth,
  createCredentialsAuthProvider,
  createThrottle,
  type Throttle,
  verifyCredentials,
} from "@gatehouse/web/auth";
import {
  createSecondFactors,
  generateTOTP,
} from "@gatehouse/web/auth/second-factor";
import { createRouter } from "@gatehouse/web/fetch-router";
import { Session, type SessionStore } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { createTestClient } from "@gatehouse/web/testing";
import { assertEquals } from "@std/assert";
import { turns } from "../_wait.ts";
import { runAs } from "./_second_factor_app.ts";

/** A store that counts. */
interface CountedStore {
  readonly store: SessionStore;
  /** Returns the calls since the last time, and those in a row, as "24 / 16". */
  take(): string;
}

/** The hashes without a new call after which the waiting calls are made. */
const QUIET = 60;

/**
 * Makes calls in rows: those that began at the same time, and did not wait for
 * each other, are one row.
 */
function countCalls(store: SessionStore): CountedStore {
  let calls = 0;
  let rows = 0;
  let waiting: (() => Promise<() => void>)[] = [];
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    do {
      await untilQuiet(() => waiting.length);
      const row = waiting;
      waiting = [];
      rows++;
      const ends = await Promise.all(row.map((call) => call()));
      for (const end of ends) end();
    } while (waiting.length > 0);
    isRunning = false;
  }

  function call<Value>(make: () => Value | Promise<Value>): Promise<Value> {
    calls++;
    const { promise, resolve, reject } = Promise.withResolvers<Value>();
    waiting.push(async () => {
      try {
        const value = await make();
        return () => resolve(value);
      } catch (error) {
        return () => reject(error);
      }
    });
    if (!isRunning) void run();
    return promise;
  }

  return {
    store: {
      get: (key) => call(() => store.get(key)),
      put: (...args) => call(() => store.put(...args)),
      delete: (key) => call(() => store.delete(key)),
      byIndex: (name) => call(() => store.byIndex!(name)),
    },
    take() {
      const figures = `${calls} / ${rows}`;
      calls = rows = 0;
      return figures;
    },
  };
}

/** Waits until a number does not change while hashes are computed. */
async function untilQuiet(count: () => number): Promise<void> {
  const data = new Uint8Array(1);
  for (let quiet = 0, last = count(); quiet < QUIET; quiet++) {
    if (quiet % 20 === 0) await turns();
    await crypto.subtle.digest("SHA-256", data);
    if (count() !== last) quiet = 0;
    last = count();
  }
}

/** The calls of each step of a login, as `docs/capacity.md` lists them. */
export const LOGIN_CALLS: Readonly<Record<string, string>> = {
  "wrong password": "6 / 2",
  "right password, completeAuth()": "13 / 5",
  "wrong password, known browser": "3 / 3",
  "right password, completeAuth(), known browser": "7 / 7",
  "completeAuth()": "3 / 3",
  "completeFirstFactor()": "5 / 5",
  "verifyCode(), wrong": "5 / 3",
  "verifyCode(), right": "9 / 6",
  "verifyCode(), right, own throttle": "17 / 6",
};

/** Measures the calls of {@linkcode LOGIN_CALLS} on a store. */
export async function measureLogins(
  inner: SessionStore,
): Promise<Record<string, string>> {
  const { store, take } = countCalls(inner);
  let time = Date.now();
  const now = () => time;
  const calls: Record<string, string> = {};
  const password = createApp(store, now, "ada");
  const visitor = password.browser();
  take();
  await visitor("/login?password=wrong", 401);
  calls["wrong password"] = take();
  await visitor("/login?password=right", 200);
  calls["right password, completeAuth()"] = take();
  await visitor("/login?password=wrong", 401);
  calls["wrong password, known browser"] = take();
  await visitor("/login?password=right", 200);
  calls["right password, completeAuth(), known browser"] = take();
  await visitor("/complete", 200);
  calls["completeAuth()"] = take();

  const own = createThrottle({ store, now, name: "own" });
  for (const [name, throttle] of [["", undefined], [", own throttle", own]]) {
    const app = createApp(store, now, "eve", throttle as Throttle | undefined);
    const secret = await app.enable();
    const browser = app.browser();
    await browser("/visit", 200);
    take();
    await browser("/first", 401);
    calls["completeFirstFactor()"] = take();
    await browser("/code?code=000000", 401);
    calls[`verifyCode(), wrong${name}`] = take();
    time += 60_000;
    const code = await generateTOTP(secret, { time });
    await browser(`/code?code=${code}`, 200);
    calls[`verifyCode(), right${name}`] = take();
  }
  return Object.fromEntries(
    Object.keys(LOGIN_CALLS).map((name) => [name, calls[name]!]),
  );
}

function createApp(
  store: SessionStore,
  now: () => number,
  name: string,
  throttle?: Throttle,
) {
  const factors = createSecondFactors({
    issuer: "Example",
    store,
    secrets: ["a secret of the factors whose calls are counted"],
    now,
    ...throttle !== undefined && { throttle },
  });
  const provider = createCredentialsAuthProvider({
    name: "password",
    parse: ({ url }) => url.searchParams.get("password"),
    verify: (password) => password === "right" ? { id: name } : null,
    account: () => name,
    throttle: createThrottle({ store, now }),
  });
  const router = createRouter({ middleware: [session({ store, now })] });
  const answer = (isIn: boolean) =>
    new Response(null, { status: isIn ? 200 : 401 });
  router.post("/visit", (context) => {
    context.get(Session).set("visits", 1);
    return answer(true);
  });
  router.post("/login", async (context) => {
    const user = await verifyCredentials(provider, context);
    if (user !== null) await completeAuth(context, user.id);
    return answer(user !== null);
  });
  router.post("/complete", async (context) => {
    await completeAuth(context, name);
    return answer(true);
  });
  router.post(
    "/first",
    async (context) =>
      answer(await factors.completeFirstFactor(context, name) !== null),
  );
  router.post("/code", async (context) => {
    const code = context.url.searchParams.get("code");
    return answer((await factors.verifyCode(context, code)).ok);
  });
  return {
    async enable(): Promise<string> {
      const { secret, setup } = await factors.createTOTP(name, name);
      const code = await generateTOTP(secret, { time: now() - 30_000 });
      await runAs(
        name,
        (context) => factors.enableTOTP(context, { setup, code }),
        { now },
      );
      return secret;
    },
    browser() {
      const remoteAddress = "203.0.113.7";
      const { fetch } = createTestClient(router, { remoteAddress });
      return async (path: string, status: number) => {
        const response = await fetch(path, { method: "POST" });
        assertEquals(response.status, status, path);
      };
    },
  };
}
