/** Users with many sessions, in stores with and without batch methods. */
import { assertEquals, assertRejects } from "@std/assert";
import {
  createMemorySessionStore,
  endUserSessions,
  type SessionStore,
  userSessions,
} from "@gatehouse/web/session";
import { Browser, Server } from "./_browser.ts";

for (const methods of ["batch methods", "single calls"] as const) {
  Deno.test(`userSessions().page() returns each of 450 sessions once (${methods})`, async () => {
    const { server, store } = open(methods);
    const browser = await logInMany(server, 450);
    await new Browser(server).visit((session) => session.set("userId", 8));
    const ids = new Set<string>();
    const sizes: number[] = [];
    let after: string | undefined;
    do {
      const page = await browser.visit((_session, context) =>
        userSessions(context).page({ after, limit: 200 })
      );
      const times = page.sessions.map(({ seenAt }) => seenAt);
      assertEquals(times, times.toSorted((a, b) => b - a));
      for (const { id } of page.sessions) ids.add(id);
      sizes.push(page.sessions.length);
      after = page.next;
    } while (after !== undefined);
    assertEquals(sizes, [200, 200, 50]);
    assertEquals(ids, new Set(await store.byIndex!("user:7")));
    const list = await browser.visit((_session, context) =>
      userSessions(context).list()
    );
    assertEquals(list.length, 100);
  });

  Deno.test(`userSessions().endAll() ends 1,200 sessions (${methods})`, async () => {
    const { server, store } = open(methods);
    const browser = await logInMany(server, 1_200);
    const ended = await browser.visit((session, context) =>
      userSessions(context).endAll({ except: session.id })
    );
    assertEquals(ended, 1_199);
    assertEquals(await browser.visit((session) => session.userId), 7);
    assertEquals(await endUserSessions(store, 7), 1);
    assertEquals(await endUserSessions(store, 7), 0);
  });
}

Deno.test("userSessions().endAll() ends sessions that change or move between its two calls", async () => {
  const { before, server } = open("batch methods");
  const browsers = await logInSome(server, 5);
  const [owner, writer, mover, other] = browsers;
  before.replace = async () => {
    await writer!.visit((session) => session.set("item", 1));
    await mover!.visit((session) => session.regenerateId());
  };
  const ended = await owner!.visit((session, context) =>
    userSessions(context).endAll({ except: session.id })
  );
  assertEquals(ended, 4);
  const users = [];
  for (const browser of [owner, writer, mover, other]) {
    users.push(await browser!.visit((session) => session.userId));
  }
  assertEquals(users, [7, undefined, undefined, undefined]);
});

Deno.test("userSessions().endAll() does not end a session that another user takes over between its two calls", async () => {
  const { before, server } = open("batch methods");
  const [owner, browser] = await logInSome(server, 2);
  before.replace = () => browser!.visit((session) => session.set("userId", 8));
  await owner!.visit((session, context) =>
    userSessions(context).endAll({ except: session.id })
  );
  assertEquals(await browser!.visit((session) => session.userId), 8);
});

Deno.test("userSessions().endAll() ends sessions in a store that rejects new values", async () => {
  const { before, server, store } = open("batch methods");
  const [owner, thief] = await logInSome(server, 2);
  before.replace = () => Promise.reject(new Error("Out of memory"));
  before.put = () => Promise.reject(new Error("Out of memory"));
  const ended = await owner!.visit((session, context) =>
    userSessions(context).endAll({ except: session.id })
  );
  before.replace = before.put = undefined;
  assertEquals(ended, 1);
  assertEquals(await thief!.visit((session) => session.userId), undefined);
  assertEquals((await store.byIndex!("user:7")).length, 1);
});

Deno.test("userSessions().page() ignores a position that is not an id", async () => {
  const { server } = open("batch methods");
  const browser = await logInMany(server, 3);
  for (const after of ["", "\0", "user:8", "%", "é".repeat(10_000)]) {
    const { next, sessions: page } = await browser.visit((_session, context) =>
      userSessions(context).page({ after })
    );
    assertEquals(page.length <= 3, true);
    assertEquals(next, undefined);
  }
});

for (const limit of [0, -1, 1.5, 201, NaN, Infinity]) {
  Deno.test(`userSessions().page() rejects a limit of ${limit}`, async () => {
    const browser = await logInMany(open("single calls").server, 1);
    await browser.visit(async (_session, context) => {
      await assertRejects(
        () => userSessions(context).page({ limit }),
        RangeError,
        `limit "${limit}"`,
      );
    });
  });
}

interface Before {
  replace: (() => Promise<unknown>) | undefined;
  put: (() => Promise<unknown>) | undefined;
}

/** Creates a server, and functions that run once before a call of the store. */
function open(methods: "batch methods" | "single calls") {
  const memory = createMemorySessionStore();
  const before: Before = { replace: undefined, put: undefined };
  const single: SessionStore = {
    get: (key) => memory.get(key),
    async put(...args) {
      await before.put?.();
      return memory.put(...args);
    },
    delete: (key) => memory.delete(key),
    byIndex: (name) => memory.byIndex!(name),
  };
  const store: SessionStore = methods === "single calls" ? single : {
    ...single,
    getMany: (keys) =>
      Promise.all(keys.map(async (key) => await memory.get(key))),
    async replaceMany(entries, value, ttl) {
      const run = before.replace;
      before.replace = undefined;
      await run?.();
      return entries.filter(({ key, version: ifVersion }) =>
        memory.put(key, value, { ttl, ifVersion })
      ).map(({ key }) => key);
    },
  };
  return { before, server: new Server({ store }), store };
}

/** Logs a user in many times, and returns the last browser. */
async function logInMany(server: Server, count: number): Promise<Browser> {
  const browsers = await logInSome(server, count);
  return browsers.at(-1)!;
}

async function logInSome(server: Server, count: number): Promise<Browser[]> {
  return await Promise.all(
    Array.from({ length: count }, async () => {
      const browser = new Browser(server);
      await browser.visit((session) => session.set("userId", 7));
      return browser;
    }),
  );
}
