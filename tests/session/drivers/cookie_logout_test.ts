/** Responses to cookie sessions that arrive after a logout. */
import { assert, assertEquals } from "@std/assert";
import { completeAuth } from "@gatehouse/web/auth";
import type { SessionOptions } from "@gatehouse/web/session-middleware";
import { type Action, Browser, Clock, MINUTE, Server } from "../_browser.ts";

const secrets = ["a secret of more than thirty-two characters"];
const ENDED = "__Host-Http-session-ended";

const logouts: Record<string, Action> = {
  "destroy()": (session) => session.destroy(),
  "unset()": (session) => session.unset("userId"),
  "destroy() after a commit": async (session) => {
    session.set("a", 1);
    await session.commit();
    session.destroy();
  },
};

const writes: Record<string, Action> = {
  "a value": (session) => session.set("late", true),
  "a commit": async (session) => {
    session.set("late", true);
    await session.commit();
  },
  "a new id": (session) => session.regenerateId(),
};

for (const [how, logOut] of Object.entries(logouts)) {
  for (const [what, write] of Object.entries(writes)) {
    Deno.test(`session({ secrets }) stays logged out by ${how} if 60 later responses save ${what}`, async () => {
      const { server } = start();
      let undone = 0;
      for (let round = 0; round < 60; round++) {
        const browser = await logIn(server);
        const late = browser.copy();
        await late.visit(async (session, context) => {
          await browser.visit(logOut);
          await write(session, context);
        });
        assertEquals(late.response.headers.getSetCookie().length, 1);
        browser.keep(late.response);
        const seen = await browser.visit((s) => [s.userId, s.has("late")]);
        if (seen[0] !== undefined || seen[1]) undone++;
      }
      assertEquals(undone, 0);
    });
  }
}

Deno.test("session({ secrets }) does not return to the previous user after a login of another one", async () => {
  const { server } = start();
  const browser = await logIn(server);
  const late = browser.copy();
  await late.visit(async (session) => {
    await browser.visit((_session, context) => completeAuth(context, 8));
    session.set("late", true);
  });
  assertEquals(await browser.visit((session) => session.userId), 8);
  browser.keep(late.response);
  assertEquals(await browser.visit((session) => session.userId), undefined);
});

Deno.test("session({ secrets }) accepts a login after a logout, even in the same millisecond or with a slower clock", async () => {
  const { clock, server } = start();
  for (const [user, time] of [[7, 0], [8, -5_000], [9, 1]]) {
    const browser = await logIn(server);
    await browser.visit((session) => session.destroy());
    clock.time += time;
    await browser.visit((session) => session.set("cart", 1));
    assertEquals(await browser.visit((session) => session.get("cart")), 1);
    await browser.visit((session) => session.set("userId", user));
    assertEquals(await browser.visit((session) => session.userId), user);
  }
});

Deno.test("session({ secrets }) stays logged out if another machine with a faster clock began the session", async () => {
  const { clock, server } = start();
  clock.time += 5_000;
  const browser = await logIn(server);
  clock.time -= 5_000;
  const late = browser.copy();
  await late.visit(async (session) => {
    await browser.visit((session) => session.destroy());
    session.set("late", true);
  });
  browser.keep(late.response);
  assertEquals(await browser.visit((session) => session.userId), undefined);
});

Deno.test("session({ secrets }) keeps the time of a logout as long as a session can last", async () => {
  for (const [absolute, maxAge] of [[60 * MINUTE, 3_600], [9e15, 34_560_000]]) {
    const { server } = start({ timeouts: { absolute } });
    const browser = await logIn(server);
    await browser.visit((session) => session.destroy());
    const [, cookie] = browser.response.headers.getSetCookie();
    assert(cookie.startsWith(`${ENDED}=`), cookie);
    assert(cookie.includes(`Max-Age=${maxAge};`), cookie);
    for (const attribute of ["HttpOnly", "Secure", "SameSite=Lax", "Path=/"]) {
      assert(cookie.includes(attribute), cookie);
    }
  }
});

Deno.test("session({ secrets }) keeps no time of a logout if there was no user", async () => {
  const { server } = start();
  const browser = new Browser(server);
  await browser.visit((session) => session.set("cart", 1));
  await browser.visit((session) => session.destroy());
  assertEquals([...browser.cookies.keys()], []);
});

Deno.test("session({ secrets }) ignores a malformed or forged time of a logout", async () => {
  const { server } = start();
  const [browser, other] = [await logIn(server), await logIn(server)];
  await other.visit((session) => session.destroy());
  const sealed = browser.cookies.get("__Host-Http-session")!;
  for (const value of ["", "9e15", "x".repeat(9_000), sealed]) {
    browser.cookies.set(ENDED, value);
    assertEquals(await browser.visit((session) => session.userId), 7, value);
  }
  // The cookie of a session with another name is invalid.
  browser.cookies.delete(ENDED);
  browser.cookies.set("__Host-Http-other-ended", other.cookies.get(ENDED)!);
  assertEquals(await browser.visit((session) => session.userId), 7);
});

Deno.test("session({ secrets }) ends a copied cookie of another browser only with revokedBefore", async () => {
  const revoked = new Map<string | number, number>();
  const { clock, server } = start({
    revokedBefore: (userId) => revoked.get(userId),
  });
  const browser = await logIn(server);
  const thief = browser.copy();
  await browser.visit((session) => session.destroy());
  assertEquals(await thief.visit((session) => session.userId), 7);
  revoked.set(7, clock.time);
  assertEquals(await thief.visit((session) => session.userId), undefined);
});

function start(options: SessionOptions = {}) {
  const clock = new Clock();
  const server = new Server({ secrets, now: clock.now, ...options });
  return { clock, server };
}

async function logIn(server: Server): Promise<Browser> {
  const browser = new Browser(server);
  await browser.visit((session) => session.set("userId", 7));
  return browser;
}
