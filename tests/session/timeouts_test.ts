import {
  createMemorySessionStore,
  type SessionStore,
} from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import {
  assertEquals,
  assertGreater,
  assertNotEquals,
  assertThrows,
} from "@std/assert";
import { type Action, Browser, Clock, MINUTE, Server } from "./_browser.ts";

const HOUR = 60 * MINUTE;

Deno.test("session() ends a login after 30 minutes without a request (ASVS 7.3.1)", async () => {
  const { browser, clock } = start();
  await browser.visit((session) => session.set("userId", 7));
  clock.time += 30 * MINUTE - 1;
  assertEquals(await browser.visit((session) => session.userId), 7);
  clock.time += 30 * MINUTE;
  assertEquals(await browser.visit((session) => session.userId), undefined);
});

Deno.test("session() lets the store remove a session when it expires", async () => {
  const clock = new Clock();
  const memory = createMemorySessionStore({ now: clock.now });
  const ttls: number[] = [];
  const store: SessionStore = {
    get: (key) => memory.get(key),
    put: (key, value, options) => {
      ttls.push(options.ttl);
      return memory.put(key, value, options);
    },
    delete: (key) => memory.delete(key),
  };
  const browser = new Browser(new Server({ store, now: clock.now }));
  await browser.visit((session) => session.set("cart", 1));
  await browser.visit(async (session) => {
    session.set("userId", 7);
    await session.commit();
  });
  // The new session and the tombstone of the old one.
  assertEquals(ttls.splice(0), [10 * MINUTE, 30 * MINUTE, 10 * MINUTE]);
  for (let time = 0; time < 11 * HOUR + 40 * MINUTE; time += 20 * MINUTE) {
    clock.time += 20 * MINUTE;
    await browser.visit((session) => session.userId);
  }
  assertEquals(ttls.at(-2), 30 * MINUTE);
  assertEquals(ttls.at(-1), 20 * MINUTE);
});

Deno.test("session() ends an anonymous session after 10 minutes", async () => {
  const { browser, clock } = start();
  await browser.visit((session) => session.set("cart", 1));
  clock.time += 10 * MINUTE - 1;
  assertEquals(await browser.visit((session) => session.get("cart")), 1);
  clock.time += 10 * MINUTE;
  assertEquals(await browser.visit((session) => session.has("cart")), false);
});

Deno.test("session() ends a login after 12 hours, however often it is used (ASVS 7.3.2)", async () => {
  const { browser, clock } = start();
  await browser.visit((session) => session.set("userId", 7));
  for (let time = 0; time < 12 * HOUR - MINUTE; time += 20 * MINUTE) {
    assertEquals(await browser.visit((session) => session.userId), 7);
    clock.time += 20 * MINUTE;
  }
  assertEquals(await browser.visit((session) => session.userId), undefined);
});

Deno.test("session() restarts the 12 hours with a login", async () => {
  const { browser, clock } = start();
  await browser.visit((session) => session.set("cart", 1));
  const begun = clock.time;
  while (clock.time < begun + 11 * HOUR) {
    clock.time += 9 * MINUTE;
    await browser.visit((session) => session.get("cart"));
  }
  await browser.visit((session) => session.set("userId", 7));
  const login = clock.time;
  while (clock.time < login + 11 * HOUR) {
    clock.time += 25 * MINUTE;
    await browser.visit((session) => {
      assertEquals(session.userId, 7);
      assertEquals(session.createdAt, login);
      assertEquals(session.authenticatedAt, login);
    });
  }
});

Deno.test("session() has the times of its beginning and of the login", async () => {
  const { browser, clock } = start();
  const begun = clock.time;
  await browser.visit((session) => session.set("cart", 1));
  clock.time += MINUTE;
  await browser.visit((session) => {
    assertEquals(session.createdAt, begun);
    assertEquals(session.authenticatedAt, undefined);
    session.set("userId", 7);
    assertEquals(session.authenticatedAt, clock.time);
  });
});

Deno.test("session() writes the time of use after a quarter of the timeout", async () => {
  const { browser, clock, writes } = start();
  await browser.visit((session) => session.set("userId", 7));
  const before = writes();
  clock.time += 7.5 * MINUTE - 1;
  await browser.visit((session) => session.userId);
  assertEquals(writes(), before);
  clock.time += 1;
  await browser.visit(() => {});
  assertEquals(writes(), before);
  await browser.visit((session) => session.userId);
  assertEquals(writes(), before + 1);
  assertEquals(browser.response.headers.getSetCookie(), []);
});

Deno.test("session() writes nothing without a change", async () => {
  const { browser, writes } = start();
  await browser.visit((session) => session.set("userId", 7));
  const before = writes();
  await browser.visit((session) => {
    session.get("a");
    session.has("b");
    session.userId;
    session.set("userId", 7);
    session.keep();
  });
  assertEquals(writes(), before);
});

Deno.test("session() stores nothing for a visitor if a handler only reads (ASVS 7.6.2)", async () => {
  const { browser, writes } = start();
  await browser.visit((session) => {
    session.get("a");
    session.userId;
    session.keep();
    session.set("a", 1);
    session.unset("a");
  });
  assertEquals(writes(), 0);
  assertEquals(browser.response.headers.getSetCookie(), []);
});

Deno.test("session() does not read the store for a request without its cookie", async () => {
  let reads = 0;
  const memory = createMemorySessionStore();
  const store: SessionStore = {
    get: (key) => {
      reads++;
      return memory.get(key);
    },
    put: (...args) => memory.put(...args),
    delete: (key) => memory.delete(key),
  };
  const server = new Server({ store });
  await server.request((session) => session.userId, { Cookie: "a=1" });
  await server.request((session) => session.userId, {
    Cookie: "__Host-Http-session=short",
  });
  assertEquals(reads, 0);
});

for (const cookie of ["", "theme=dark; consent=1"]) {
  Deno.test(`session() does not look up the address of a visitor with the cookies "${cookie}" who only reads`, async () => {
    let lookups = 0;
    const remoteAddr = {
      get hostname() {
        lookups++;
        return "127.0.0.1";
      },
    };
    const visit = async (action: Action) => {
      const headers: HeadersInit = cookie === "" ? {} : { cookie };
      const origin = "http://localhost";
      await new Server().request(action, headers, origin, { remoteAddr });
      return lookups;
    };
    assertEquals(await visit((session) => session.userId), 0);
    // A new session needs it, for the name of its cookie and for its label.
    assertGreater(await visit((session) => session.set("a", 1)), 0);
  });
}

for (const name of ["idle", "absolute"]) {
  Deno.test(`session() never restores a session that a shorter timeout ${name} has ended`, async () => {
    const clock = new Clock();
    const store = createMemorySessionStore({ now: clock.now });
    const options = { store, now: clock.now };
    const browser = new Browser(new Server(options));
    await browser.visit((session) => session.set("userId", 7));
    clock.time += 6 * MINUTE;
    const timeouts = { [name]: 5 * MINUTE };
    const strict = new Browser(new Server({ ...options, timeouts }));
    strict.cookies.set(...[...browser.cookies][0]);
    assertEquals(await strict.visit((session) => session.userId), undefined);
  });
}

Deno.test("session() does not extend a session with a longer timeout", async () => {
  const clock = new Clock();
  const store = createMemorySessionStore({ now: clock.now });
  const begun = { absolute: 60 * MINUTE };
  const browser = new Browser(
    new Server({ store, now: clock.now, timeouts: begun }),
  );
  await browser.visit((session) => session.set("userId", 7));
  const generous = new Browser(
    new Server({
      store,
      now: clock.now,
      timeouts: { absolute: 600 * MINUTE },
    }),
    browser.cookies,
  );
  for (let minutes = 0; minutes < 60; minutes += 20) {
    assertEquals(await generous.visit((session) => session.userId), 7);
    clock.time += 20 * MINUTE;
  }
  assertEquals(await generous.visit((session) => session.userId), undefined);
});

Deno.test("session() stores a new session in place of an expired one", async () => {
  const { browser, clock } = start();
  await browser.visit((session) => session.set("userId", 7));
  const { header } = browser;
  clock.time += 31 * MINUTE;
  await browser.visit((session) => session.set("cart", 1));
  assertNotEquals(browser.header, header);
  await browser.visit((session) => {
    assertEquals([session.userId, session.get("cart")], [undefined, 1]);
  });
});

for (const name of ["idle", "absolute", "anonymous"]) {
  for (const value of [0, -1, NaN, Infinity]) {
    Deno.test(`session() rejects the timeout ${name} of ${value}`, () => {
      const timeouts = { [name]: value };
      assertThrows(() => session({ timeouts }), RangeError, name);
    });
  }
}

function start(): { browser: Browser; clock: Clock; writes: () => number } {
  const clock = new Clock();
  const memory = createMemorySessionStore({ now: clock.now });
  let writes = 0;
  const store: SessionStore = {
    get: (key) => memory.get(key),
    put: (...args) => {
      writes++;
      return memory.put(...args);
    },
    delete: (key) => memory.delete(key),
  };
  const server = new Server({ store, now: clock.now });
  return { browser: new Browser(server), clock, writes: () => writes };
}

for (const storeTimeout of [0, -1, NaN, Infinity, 2 ** 31]) {
  Deno.test(`session() rejects the storeTimeout of ${storeTimeout}`, () => {
    assertThrows(() => session({ storeTimeout }), RangeError, "storeTimeout");
  });
}
