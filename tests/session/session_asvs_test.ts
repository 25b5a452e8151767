/**
 * Requirements of OWASP ASVS 5.0 for sessions (V7) and their cookies (V3.3) at
 * level 1 and 2 that a library can meet.
 *
 * Other files test 7.3.1, 7.3.2 and 7.6.2 (timeouts_test.ts), 7.4.2,
 * 7.4.3, 7.4.5 and 7.5.2 (user_sessions_test.ts), and 3.3.1 to 3.3.5
 * (session_cookie_test.ts, cookie_driver_test.ts). The application is
 * responsible for the rest of V7: documentation, a visible logout, a second
 * login.
 */
import { base64url } from "jose";
import {
  assert,
  assertEquals,
  assertFalse,
  assertNotEquals,
} from "@std/assert";
import { completeAuth } from "@gatehouse/web/auth";
import {
  createMemorySessionStore,
  type SessionStore,
} from "@gatehouse/web/session";
import { Browser, Clock, MINUTE, Server } from "./_browser.ts";

Deno.test("session() checks every token on the server (ASVS 7.2.1)", async () => {
  const store = createMemorySessionStore();
  const browser = new Browser(new Server({ store }));
  await browser.visit((session) => session.set("userId", 7));
  const id = await browser.visit((session) => session.id);
  // The token is only a reference: it is invalid without the record.
  await store.delete(id);
  assertEquals(await browser.visit((session) => session.userId), undefined);
});

Deno.test("session() creates a token for each session and accepts none from outside (ASVS 7.2.2)", async () => {
  const server = new Server();
  const planted = `__Host-Http-session=${"x".repeat(43)}`;
  const response = await server.request(
    (session) => session.set("userId", 7),
    { Cookie: planted },
  );
  const [cookie] = response.headers.getSetCookie()[0].split(";");
  assertNotEquals(cookie, planted);
  const again = await server.request(
    (session) => session.userId ?? "no user",
    { Cookie: planted },
  );
  assertEquals(await again.json(), "no user");
});

Deno.test("session() creates tokens with 256 random bits (ASVS 7.2.3, 11.5.1)", async () => {
  const server = new Server();
  const tokens = new Set<string>();
  const ones = new Array<number>(256).fill(0);
  for (let count = 0; count < 1_000; count++) {
    const browser = new Browser(server);
    await browser.visit((session) => session.set("a", 1));
    const token = browser.cookies.get("__Host-Http-session")!;
    tokens.add(token);
    const bytes = base64url.decode(token);
    assertEquals(bytes.length, 32);
    for (let bit = 0; bit < 256; bit++) {
      ones[bit] += bytes[bit >> 3] >> (bit & 7) & 1;
    }
  }
  assertEquals(tokens.size, 1_000);
  // Six standard deviations show that no bit is fixed or biased.
  for (const count of ones) assert(Math.abs(count - 500) < 95, String(count));
});

Deno.test("session() stores only the hash of a token (ASVS 7.2.3)", async () => {
  const stored: string[] = [];
  const memory = createMemorySessionStore();
  const store: SessionStore = {
    get: (key) => memory.get(key),
    put: (key, value, options) => {
      stored.push(key, value, ...options.index ?? []);
      return memory.put(key, value, options);
    },
    delete: (key) => memory.delete(key),
  };
  const browser = new Browser(new Server({ store }));
  await browser.visit((session) => session.set("userId", 7));
  const token = browser.cookies.get("__Host-Http-session")!;
  assert(stored.length > 0);
  assertFalse(stored.join(" ").includes(token));
  // A key of the store is not a valid token.
  const thief = new Browser(new Server({ store }), [[
    "__Host-Http-session",
    stored[0],
  ]]);
  assertEquals(await thief.visit((session) => session.userId), undefined);
});

Deno.test("completeAuth() creates a new token for a logged-in user too, and ends the old one (ASVS 7.2.4)", async () => {
  const browser = new Browser(new Server());
  await browser.visit((_session, context) => completeAuth(context, 7));
  await browser.visit((session) => session.set("cart", 1));
  const old = browser.copy();
  await browser.visit((_session, context) => completeAuth(context, 7));
  assertNotEquals(browser.header, old.header);
  assertEquals(await old.visit((session) => session.userId), undefined);
  await browser.visit((session) => {
    assertEquals([session.userId, session.get("cart")], [7, 1]);
  });
});

Deno.test("completeAuth() drops the data of a pending login or another user (ASVS 7.2.4)", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => {
    session.set("__auth.challenge", 1);
    session.set("cart", 1);
  });
  await browser.visit((_session, context) => completeAuth(context, 7));
  await browser.visit((session) => {
    assertEquals(session.has("__auth.challenge"), false);
    assertEquals(session.get("cart"), 1);
  });
  await browser.visit((_session, context) => completeAuth(context, 8));
  await browser.visit((session) => {
    assertEquals([session.userId, session.has("cart")], [8, false]);
  });
});

Deno.test("Session.destroy() ends a session for every copy of its cookie (ASVS 7.4.1)", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.set("userId", 7));
  const copies = [browser.copy(), browser.copy()];
  await browser.visit((session) => session.destroy());
  for (const copy of copies) {
    assertEquals(await copy.visit((session) => session.userId), undefined);
    // A write does not restore it.
    await copy.visit((session) => session.set("a", 1));
    assertEquals(await copy.visit((session) => session.userId), undefined);
  }
});

Deno.test("Session.authenticatedAt is the time of the login, to require a recent one (ASVS 7.5.1)", async () => {
  const clock = new Clock();
  const browser = new Browser(new Server({ now: clock.now }));
  await browser.visit((_session, context) => completeAuth(context, 7));
  clock.time += 20 * MINUTE;
  const age = () =>
    browser.visit((session) => clock.time - session.authenticatedAt!);
  assertEquals(await age(), 20 * MINUTE);
  await browser.visit((_session, context) => completeAuth(context, 7));
  assertEquals(await age(), 0);
});

Deno.test("session() ends a federated login after the session's timeout (ASVS 7.6.1)", async () => {
  const clock = new Clock();
  const timeouts = { absolute: 60 * MINUTE };
  const browser = new Browser(new Server({ now: clock.now, timeouts }));
  await browser.visit((_session, context) => completeAuth(context, "iss|sub"));
  for (let time = 0; time < 60; time += 15) {
    assertEquals(await browser.visit((session) => session.userId), "iss|sub");
    clock.time += 15 * MINUTE;
  }
  assertEquals(await browser.visit((session) => session.userId), undefined);
});
