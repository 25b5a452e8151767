import { completeAuth } from "@gatehouse/web/auth";
import { RequestContext } from "@gatehouse/web/fetch-router";
import {
  createMemorySessionStore,
  Session,
  type SessionStore,
  userSessions,
} from "@gatehouse/web/session";
import { createTestSession } from "@gatehouse/web/testing";
import {
  assert,
  assertEquals,
  assertFalse,
  assertRejects,
  assertThrows,
} from "@std/assert";
import {
  Browser,
  Clock,
  interruptibleStore,
  MINUTE,
  Server,
} from "./_browser.ts";

Deno.test("userSessions().list() returns the sessions of the user (ASVS 7.5.2)", async () => {
  const clock = new Clock();
  const server = new Server({ now: clock.now });
  const begun = clock.time;
  await logIn(server, 7);
  clock.time += MINUTE;
  await logIn(server, 8);
  const browser = await logIn(server, 7);
  await browser.visit(async (session, context) => {
    const list = await userSessions(context).list();
    assertEquals(list.map(({ current }) => current), [true, false]);
    assertEquals(list[0].id, session.id);
    const { createdAt, authenticatedAt, seenAt, expiresAt } = list[1];
    assertEquals([createdAt, authenticatedAt, seenAt], [begun, begun, begun]);
    assertEquals(expiresAt, begun + 30 * MINUTE);
  });
});

Deno.test("userSessions().list() returns the browser and the address of the login", async () => {
  const server = new Server();
  const response = await server.request(
    async (session, context) => {
      session.set("userId", 7);
      await session.commit();
      return (await userSessions(context).list())[0].label;
    },
    { "User-Agent": "A".repeat(1_000) },
    "https://example.com",
    { remoteAddr: { hostname: "192.0.2.1" } },
  );
  assertEquals(await response.json(), {
    userAgent: "A".repeat(256),
    address: "192.0.2.1",
  });
});

Deno.test("userSessions().list() returns the browser that logged in, not the one that began the session", async () => {
  const server = new Server();
  const begun = await server.request((session) => session.set("cart", 1), {
    "User-Agent": "begun",
  });
  const [Cookie] = begun.headers.getSetCookie()[0].split(";");
  const response = await server.request(async (session, context) => {
    session.set("userId", 7);
    await session.commit();
    return (await userSessions(context).list())[0].label;
  }, { Cookie, "User-Agent": "login" });
  assertEquals(await response.json(), { userAgent: "login" });
});

Deno.test("userSessions() accepts a numeric user id as a string, as in paths", async () => {
  const server = new Server();
  const user = await logIn(server, 7);
  const id = await user.visit((session) => session.id);
  const admin = await logIn(server, "root");
  await admin.visit(async (_session, context) => {
    assertEquals((await userSessions(context).list("7")).length, 1);
    assertEquals(await userSessions(context).end(id, "7"), true);
  });
  assertEquals(await user.visit((session) => session.userId), undefined);
});

Deno.test("userSessions().endAll() continues if another request ends a session", async () => {
  const { store, duringNextList } = interruptibleStore();
  const server = new Server({ store });
  const [first, second] = [await logIn(server, 7), await logIn(server, 7)];
  const admin = await logIn(server, 1);
  duringNextList(() => first.visit((session) => session.destroy()));
  const ended = await admin.visit((_session, context) =>
    userSessions(context).endAll({ userId: 7 })
  );
  assertEquals(ended, 1);
  assertEquals(await second.visit((session) => session.userId), undefined);
});

Deno.test("userSessions().list() omits anonymous, ended and expired sessions", async () => {
  const clock = new Clock();
  const server = new Server({ now: clock.now });
  const anonymous = new Browser(server);
  await anonymous.visit((session) => session.set("a", 1));
  assertEquals(
    await anonymous.visit((_session, context) => userSessions(context).list()),
    [],
  );
  const [ended, left, switched] = [
    await logIn(server, 7),
    await logIn(server, 7),
    await logIn(server, 7),
  ];
  await ended.visit((session) => session.destroy());
  await left.visit((session) => session.unset("userId"));
  await switched.visit((session) => session.set("userId", 8));
  await logIn(server, 7);
  clock.time += 31 * MINUTE;
  const browser = await logIn(server, 7);
  const list = (userId?: number) =>
    browser.visit((_session, context) => userSessions(context).list(userId));
  assertEquals((await list()).length, 1);
  assertEquals((await list(8)).length, 0);
});

Deno.test("userSessions().end() ends one session of the user (ASVS 7.4.3)", async () => {
  const server = new Server();
  const other = await logIn(server, 7);
  const id = await other.visit((session) => session.id);
  const browser = await logIn(server, 7);
  await browser.visit(async (_session, context) => {
    assertEquals(await userSessions(context).end(id), true);
    assertEquals(await userSessions(context).end(id), false);
    assertEquals((await userSessions(context).list()).length, 1);
  });
  assertEquals(await other.visit((session) => session.userId), undefined);
  assertEquals(await browser.visit((session) => session.userId), 7);
});

Deno.test("userSessions().end() does not end the session of another user", async () => {
  const server = new Server();
  const victim = await logIn(server, 7);
  const id = await victim.visit((session) => session.id);
  const [attacker, nobody] = [await logIn(server, 8), new Browser(server)];
  for (const browser of [attacker, nobody]) {
    await browser.visit(async (_session, context) => {
      for (const tried of [id, "", "x", "__proto__"]) {
        assertFalse(await userSessions(context).end(tried));
      }
    });
  }
  assertEquals(await victim.visit((session) => session.userId), 7);
});

Deno.test("userSessions().end() lets an administrator end a user's session (ASVS 7.4.5)", async () => {
  const server = new Server();
  const user = await logIn(server, "ada");
  const id = await user.visit((session) => session.id);
  const admin = await logIn(server, "root");
  await admin.visit(async (_session, context) => {
    assertEquals((await userSessions(context).list("ada")).length, 1);
    assert(await userSessions(context).end(id, "ada"));
  });
  assertEquals(await user.visit((session) => session.userId), undefined);
});

Deno.test("userSessions().endAll() ends all other sessions when the password changes (ASVS 7.4.3)", async () => {
  const server = new Server();
  const others = [await logIn(server, 7), await logIn(server, 7)];
  const stranger = await logIn(server, 8);
  const browser = await logIn(server, 7);
  const ended = await browser.visit((session, context) =>
    userSessions(context).endAll({ except: session.id })
  );
  assertEquals(ended, 2);
  for (const other of others) {
    assertEquals(await other.visit((session) => session.userId), undefined);
  }
  assertEquals(await browser.visit((session) => session.userId), 7);
  assertEquals(await stranger.visit((session) => session.userId), 8);
});

Deno.test("userSessions().endAll() ends every session of a user (ASVS 7.4.2)", async () => {
  const server = new Server();
  const own = [await logIn(server, 7), await logIn(server, 7)];
  const admin = await logIn(server, 1);
  const ended = await admin.visit((_session, context) =>
    userSessions(context).endAll({ userId: 7 })
  );
  assertEquals(ended, 2);
  for (const browser of own) {
    assertEquals(await browser.visit((session) => session.userId), undefined);
  }
});

Deno.test("userSessions().endAll() also ends the session of the request", async () => {
  const browser = await logIn(new Server(), 7);
  await browser.visit(async (session, context) => {
    await userSessions(context).endAll();
    session.set("a", 1);
  });
  assertEquals(browser.response.headers.getSetCookie(), []);
  assertEquals(await browser.visit((session) => session.userId), undefined);
});

Deno.test("userSessions().endAll() ends a session whose id changes at the same time", async () => {
  const server = new Server();
  const thief = await logIn(server, 7);
  const browser = await logIn(server, 7);
  await thief.visit(async (session) => {
    session.regenerateId();
    await browser.visit((session, context) =>
      userSessions(context).endAll({ except: session.id })
    );
  });
  assertEquals(await thief.visit((session) => session.userId), undefined);
  const list = await browser.visit((_session, context) =>
    userSessions(context).list()
  );
  assertEquals(list.length, 1);
});

Deno.test("userSessions().endAll() ends a session whose id changes between list and end", async () => {
  const { store, duringNextList } = interruptibleStore();
  const server = new Server({ store });
  const thief = await logIn(server, 7);
  const browser = await logIn(server, 7);
  duringNextList(() => thief.visit((session) => session.regenerateId()));
  await browser.visit((session, context) =>
    userSessions(context).endAll({ except: session.id })
  );
  assertEquals(await thief.visit((session) => session.userId), undefined);
  assertEquals(await browser.visit((session) => session.userId), 7);
});

Deno.test("userSessions().endAll() ends a session that changes between read and end", async () => {
  const memory = createMemorySessionStore();
  let duringNextRead: (() => Promise<unknown>) | undefined;
  const store: SessionStore = {
    get: (key) => memory.get(key),
    async put(...args) {
      const run = duringNextRead;
      duringNextRead = undefined;
      await run?.();
      return memory.put(...args);
    },
    delete: (key) => memory.delete(key),
    byIndex: (name) => memory.byIndex!(name),
  };
  const server = new Server({ store });
  const thief = await logIn(server, 7);
  const browser = await logIn(server, 7);
  await browser.visit(async (session, context) => {
    duringNextRead = () => thief.visit((session) => session.set("a", 1));
    await userSessions(context).endAll({ except: session.id });
  });
  assertEquals(duringNextRead, undefined);
  assertEquals(await thief.visit((session) => session.userId), undefined);
});

Deno.test("userSessions().endAll() fails if the index returns new sessions forever", async () => {
  const memory = createMemorySessionStore();
  let listed = 0;
  const store: SessionStore = {
    get: (key) => memory.get(key),
    put: (...args) => memory.put(...args),
    delete: (key) => memory.delete(key),
    byIndex: () => [`${++listed}`.padEnd(43, "x")],
  };
  const browser = await logIn(new Server({ store }), 7);
  await assertRejects(
    () => browser.visit((_session, context) => userSessions(context).endAll()),
    Error,
    "Cannot end session: the store failed",
  );
  assertEquals(listed, 1_000);
});

Deno.test("userSessions().end() reads only valid session ids from the store", async () => {
  const memory = createMemorySessionStore();
  const asked: string[] = [];
  const store: SessionStore = {
    get: (key) => {
      asked.push(key);
      return memory.get(key);
    },
    put: (...args) => memory.put(...args),
    delete: (key) => memory.delete(key),
  };
  const browser = await logIn(new Server({ store }), 7);
  asked.length = 0;
  const hostile = [
    "",
    "index:user:7",
    "../index:user:7",
    "__proto__",
    "x".repeat(42),
    "x".repeat(44),
    `${"x".repeat(43)}\n`,
    "é".repeat(43),
    "\ud800",
    "x".repeat(1_000_000),
  ];
  await browser.visit(async (_session, context) => {
    for (const id of hostile) {
      assertEquals(await userSessions(context).end(id, 7), false);
    }
  });
  assertEquals(asked.length, 1);
});

Deno.test("userSessions() throws if the store has no byIndex", async () => {
  const memory = createMemorySessionStore();
  const store: SessionStore = {
    get: (key) => memory.get(key),
    put: (...args) => memory.put(...args),
    delete: (key) => memory.delete(key),
  };
  const browser = await logIn(new Server({ store }), 7);
  await browser.visit(async (_session, context) => {
    await assertRejects(
      () => userSessions(context).list(),
      TypeError,
      "the store has no byIndex",
    );
  });
});

Deno.test("userSessions() throws for sessions in cookies", async () => {
  const secrets = ["a secret of more than thirty-two characters"];
  const browser = await logIn(new Server({ secrets }), 7);
  await browser.visit(async (_session, context) => {
    await assertRejects(
      () => userSessions(context).endAll(),
      TypeError,
      "revokedBefore",
    );
  });
});

const tellings: Record<string, Parameters<Browser["visit"]>[0]> = {
  "Session.id": (session) => Response.json(session.id),
  "userSessions().list()": async (_session, context) =>
    Response.json(await userSessions(context).list(7)),
  "userSessions().end()": async (_session, context) =>
    Response.json(await userSessions(context).end("nobody's", 7)),
  "userSessions().endAll()": async (_session, context) =>
    Response.json(await userSessions(context).endAll({ userId: 8 })),
};

for (const [name, tell] of Object.entries(tellings)) {
  for (const lazy of [false, true]) {
    Deno.test(`${name} makes the response private${lazy ? ", lazy too" : ""} (ASVS 14.3.2)`, async () => {
      const server = new Server({ lazy });
      const browser = new Browser(server);
      await browser.visit(async (session) => {
        (await session.load()).set("userId", 7);
      });
      await browser.visit(async (session, context) => {
        if (name === "Session.id") await session.load();
        return await tell(session, context);
      });
      const { headers, status } = browser.response;
      assertEquals([status, headers.get("Cache-Control")], [200, "private"]);
    });
  }
}

Deno.test("userSessions() throws without the session middleware", () => {
  const context = new RequestContext(new Request("https://example.com/"));
  assertThrows(() => userSessions(context), Error, '"Session"');
  context.set(Session, createTestSession());
  userSessions(context);
});

async function logIn(
  server: Server,
  userId: string | number,
): Promise<Browser> {
  const browser = new Browser(server);
  await browser.visit((session) => session.set("userId", userId));
  return browser;
}

Deno.test("userSessions().endAll({ version }) ends older logins, and the kept session continues with the version", async () => {
  const server = new Server();
  const logInWith = async (version: number) => {
    const browser = new Browser(server);
    await browser.visit((_, context) => completeAuth(context, 7, { version }));
    return browser;
  };
  const stateOf = (browser: Browser) =>
    browser.visit(({ userId, version }) => [userId, version]);
  const owner = await logInWith(1);
  const thief = await logInWith(1);
  const later = await logInWith(3);
  await owner.visit(async (session, context) => {
    await assertRejects(
      () => userSessions(context).endAll({ version: 1.5 }),
      RangeError,
      'Cannot use the version "1.5"',
    );
    const options = { except: session.id, version: 2 };
    assertEquals(await userSessions(context).endAll(options), 1);
    assertEquals(session.version, 2);
  });
  assertEquals(await stateOf(owner), [7, 2]);
  assertEquals(await stateOf(thief), [undefined, undefined]);
  assertEquals(await stateOf(later), [7, 3]);
  // A login that has verified the old password.
  assertEquals((await logInWith(1)).response.status, 409);
});
