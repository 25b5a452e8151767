import { createCookieSessionStore } from "@gatehouse/web/session";
import {
  session,
  type SessionOptions,
} from "@gatehouse/web/session-middleware";
import {
  assertEquals,
  assertFalse,
  assertRejects,
  assertThrows,
} from "@std/assert";
import { Browser, Clock, Server } from "./_browser.ts";

const SECRET = "a secret of more than thirty-two characters";

const OTHER = "another secret, also of more than 32 characters";

Deno.test("createCookieSessionStore() decrypts with any secret and encrypts with the first", async () => {
  const old = new Browser(server({ secrets: [SECRET] }));
  await old.visit((session) => session.set("userId", 7));

  const rotated = server({ secrets: [OTHER, SECRET] });
  const browser = new Browser(rotated, old.cookies);
  assertEquals(await browser.visit((session) => session.userId), 7);
  assertEquals(browser.header, old.header);
  await browser.visit((session) => session.set("a", 1));

  const dropped = new Browser(server({ secrets: [OTHER] }), browser.cookies);
  assertEquals(await dropped.visit((session) => session.userId), 7);
  const late = new Browser(server({ secrets: [OTHER] }), old.cookies);
  assertEquals(await late.visit((session) => session.userId), undefined);
});

for (const secrets of [[], [""], ["short"], [SECRET, "x".repeat(31)]]) {
  Deno.test(`createCookieSessionStore() rejects ${JSON.stringify(secrets)}`, () => {
    assertThrows(() => createCookieSessionStore({ secrets }), RangeError);
    const error = assertThrows(() => session({ secrets }), RangeError);
    assertFalse(error.message.includes("x".repeat(31)));
  });
}

const noSecrets: [string, unknown][] = [
  ["a text", SECRET],
  ["an empty text", ""],
  ["null", null],
  ["a number", 7],
  ["an array of undefined", [undefined]],
  ["an array of bytes", [new Uint8Array(32)]],
  ["an array in an array", [[SECRET]]],
];

for (const [what, secrets] of noSecrets) {
  Deno.test(`createCookieSessionStore() throws a TypeError if the secrets are ${what}`, () => {
    const options = { secrets: secrets as string[] };
    const message = "secrets is not an array of strings";
    for (const make of [createCookieSessionStore, session]) {
      const error = assertThrows(() => make(options), TypeError, message);
      assertFalse(error.message.includes(SECRET));
    }
  });
}

Deno.test("createCookieSessionStore() calls revokedBefore, so that a logout everywhere works (ASVS 7.4.1)", async () => {
  const clock = new Clock();
  const revoked = new Map<string | number, number>();
  const store = createCookieSessionStore({
    secrets: [SECRET],
    revokedBefore: (userId) => Promise.resolve(revoked.get(userId)),
  });
  const server = new Server({ store, now: clock.now });
  const [browser, stranger] = [new Browser(server), new Browser(server)];
  await browser.visit((session) => session.set("userId", 7));
  await stranger.visit((session) => session.set("userId", 8));
  clock.time += 1;
  revoked.set(7, clock.time);
  assertEquals(await browser.visit((session) => session.userId), undefined);
  assertEquals(await stranger.visit((session) => session.userId), 8);
  await browser.visit((session) => session.set("userId", 7));
  assertEquals(await browser.visit((session) => session.userId), 7);
});

Deno.test("createCookieSessionStore() revokes a login of the same millisecond, but not the next login", async () => {
  const clock = new Clock();
  const revoked = new Map<string | number, number>();
  const store = createCookieSessionStore({
    secrets: [SECRET],
    revokedBefore: (userId) => revoked.get(userId),
  });
  const server = new Server({ store, now: clock.now });
  const [thief, owner] = [new Browser(server), new Browser(server)];
  await thief.visit((session) => session.set("userId", 7));
  // As after a password reset by email: log out all sessions, log in the owner.
  await owner.visit((session) => {
    revoked.set(7, clock.time);
    session.set("userId", 7);
  });
  assertEquals(await thief.visit((session) => session.userId), undefined);
  assertEquals(await owner.visit((session) => session.userId), 7);
  clock.time += 1;
  assertEquals(await owner.visit((session) => session.userId), 7);
  revoked.set(7, clock.time);
  assertEquals(await owner.visit((session) => session.userId), undefined);
});

Deno.test("createCookieSessionStore() rejects a login if revokedBefore is in the future", async () => {
  const clock = new Clock();
  const store = createCookieSessionStore({
    secrets: [SECRET],
    revokedBefore: () => clock.time + 1,
  });
  const browser = new Browser(new Server({ store, now: clock.now }));
  await browser.visit((session) => session.set("userId", 7));
  assertEquals(await browser.visit((session) => session.userId), undefined);
});

Deno.test("createCookieSessionStore() fails if revokedBefore throws", async () => {
  let away = false;
  const store = createCookieSessionStore({
    secrets: [SECRET],
    revokedBefore: () => {
      if (away) throw new Error("The database is unavailable");
      return null;
    },
  });
  const browser = new Browser(new Server({ store }));
  await browser.visit((session) => session.set("userId", 7));
  away = true;
  await assertRejects(
    () => browser.visit((session) => session.userId),
    Error,
    "SessionStoreError",
  );
  away = false;
  assertEquals(await browser.visit((session) => session.userId), 7);
});

function server(options: SessionOptions = {}): Server {
  return new Server({ secrets: [SECRET], ...options });
}
