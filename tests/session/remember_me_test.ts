/** Logins with their own timeouts. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { completeAuth } from "@gatehouse/web/auth";
import { createMemorySessionStore } from "@gatehouse/web/session";
import type { SessionOptions } from "@gatehouse/web/session-middleware";
import { Browser, Clock, MINUTE, Server } from "./_browser.ts";

const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const SECRETS = ["a secret of more than thirty-two characters"];
const SLIDING = { absolute: 90 * DAY, idle: 30 * DAY };
const FIXED = { absolute: 14 * DAY };

for (const place of ["store", "cookies"] as const) {
  Deno.test(`completeAuth() remembers a user until the absolute timeout (${place})`, async () => {
    const { browser, clock, logIn } = open(place);
    await logIn(SLIDING);
    const end = clock.time + SLIDING.absolute;
    while (clock.time < end) {
      assertEquals(await userOf(browser), 7);
      clock.time += 29 * DAY / 2;
    }
    // A client can keep the cookie for longer than a browser.
    assertEquals(await userOf(browser), undefined);
  });

  Deno.test(`completeAuth() ends a remembered login after its idle timeout (${place})`, async () => {
    for (const [after, user] of [[-1, 7], [0, undefined]] as const) {
      const { browser, clock, logIn } = open(place);
      await logIn(SLIDING);
      clock.time += SLIDING.idle + after;
      assertEquals(await userOf(browser), user);
    }
  });

  Deno.test(`completeAuth() does not extend a fixed lifetime (${place})`, async () => {
    const { browser, clock, logIn } = open(place);
    await logIn(FIXED);
    const end = clock.time + FIXED.absolute;
    while (clock.time < end) {
      assertEquals(await userOf(browser), 7);
      clock.time += DAY;
    }
    assertEquals(await userOf(browser), undefined);
  });

  Deno.test(`completeAuth() makes the browser keep the cookie of a remembered login (${place})`, async () => {
    const { browser, clock, logIn } = open(place);
    await logIn(SLIDING);
    assertEquals(maxAgeOf(browser), SLIDING.absolute / 1000);
    clock.time += 10 * DAY;
    await browser.visit((session) => session.regenerateId());
    assertEquals(maxAgeOf(browser), SLIDING.absolute / 1000 - 10 * DAY / 1000);
    await browser.visit((session) => session.set("cart", []));
    await browser.visit((session) => session.unset("userId"));
    assertEquals(maxAgeOf(browser), undefined);
    await logIn(undefined);
    assertEquals(maxAgeOf(browser), undefined);
  });

  Deno.test(`completeAuth() remembers only the user who asked for it (${place})`, async () => {
    const { browser, clock, logIn } = open(place);
    await logIn(SLIDING);
    await browser.visit((_session, context) => completeAuth(context, 8));
    assertEquals(maxAgeOf(browser), undefined);
    assertEquals(await userOf(browser), 8);
    clock.time += HOUR;
    assertEquals(await userOf(browser), undefined);
  });

  Deno.test(`completeAuth() keeps the timeouts of a login that is confirmed, and does not restart them (${place})`, async () => {
    const { browser, clock, logIn } = open(place);
    await logIn(FIXED);
    clock.time += 13 * DAY;
    await logIn(undefined);
    assertEquals(maxAgeOf(browser), DAY / 1000);
    clock.time += DAY - 1;
    assertEquals(await userOf(browser), 7);
    clock.time += 1;
    assertEquals(await userOf(browser), undefined);
  });

  Deno.test(`session() keeps its own timeouts for other logins (${place})`, async () => {
    const { browser, clock, logIn } = open(place);
    await logIn(undefined);
    clock.time += 31 * MINUTE;
    assertEquals(await userOf(browser), undefined);
  });

  Deno.test(`session() ends a remembered login with revokedBefore (${place})`, async () => {
    const revoked: { at?: number } = {};
    const { browser, clock, logIn } = open(place, {
      revokedBefore: () => revoked.at,
    });
    await logIn(SLIDING);
    clock.time += DAY;
    revoked.at = clock.time;
    assertEquals(await userOf(browser), undefined);
  });
}

Deno.test("session() keeps a logout of a remembered login in cookies until the login would expire", async () => {
  const { browser, logIn } = open("cookies");
  await logIn(FIXED);
  const late = browser.copy();
  await browser.visit((session) => session.destroy());
  // A response that was on its way restores the cookie of the session.
  for (const [name, value] of late.cookies) browser.cookies.set(name, value);
  assertEquals(await userOf(browser), undefined);
  // The cookie that keeps the logout lasts as long as the login would have.
  await late.visit((session) => session.destroy());
  const [ended] = late.response.headers.getSetCookie()
    .filter((header) => header.includes("-ended="));
  assert(ended!.includes(`Max-Age=${FIXED.absolute / 1000}`), ended);
});

for (const value of [0, -1, NaN, Infinity]) {
  for (const name of ["idle", "absolute"] as const) {
    Deno.test(`completeAuth() rejects a timeout ${name} of ${value}`, async () => {
      const { browser } = open("store");
      const timeouts = { absolute: DAY, [name]: value };
      await browser.visit(async (session, context) => {
        await assertRejects(
          () => completeAuth(context, 7, { timeouts }),
          RangeError,
          `timeout ${name} "${value}"`,
        );
        assertEquals(session.userId, undefined);
      });
    });
  }
}

Deno.test("session() ends idle sessions exactly on time with precision 0", async () => {
  for (const used of [0, 1, 7, 20].map((minutes) => minutes * MINUTE)) {
    for (const [after, user] of [[-1, 7], [0, undefined]] as const) {
      const { browser, clock, logIn } = open("store", {
        timeouts: { precision: 0 },
      });
      await logIn(undefined);
      clock.time += used;
      assertEquals(await userOf(browser), 7);
      clock.time += 30 * MINUTE + after;
      assertEquals(await userOf(browser), user);
    }
  }
});

Deno.test("session() ends idle sessions at most a quarter of the timeout too early", async () => {
  for (const [after, user] of [[-1, 7], [0, undefined]] as const) {
    const { browser, clock, logIn } = open("store");
    await logIn(undefined);
    // The last request that does not store its time.
    clock.time += 7.5 * MINUTE - 1;
    assertEquals(await userOf(browser), 7);
    clock.time += 22.5 * MINUTE + 1 + after;
    assertEquals(await userOf(browser), user);
  }
});

for (const precision of [-1, NaN]) {
  Deno.test(`session() rejects a precision of ${precision}`, async () => {
    await assertRejects(
      () => Promise.try(() => new Server({ timeouts: { precision } })),
      RangeError,
      `timeout precision "${precision}"`,
    );
  });
}

function open(place: "store" | "cookies", options: SessionOptions = {}) {
  const clock = new Clock();
  const { now } = clock;
  const kept = place === "store"
    ? { store: createMemorySessionStore({ now }) }
    : { secrets: SECRETS };
  const browser = new Browser(new Server({ ...kept, ...options, now }));
  const logIn = (timeouts: { absolute: number; idle?: number } | undefined) =>
    browser.visit((_session, context) =>
      completeAuth(context, 7, { timeouts })
    );
  return { browser, clock, logIn };
}

function userOf(browser: Browser): Promise<unknown> {
  return browser.visit((session) => session.userId);
}

/** Returns the seconds for which the browser keeps the session's cookie. */
function maxAgeOf(browser: Browser): number | undefined {
  const header = browser.response.headers.getSetCookie()
    .find((header) => header.startsWith("__Host-Http-session="));
  const [, seconds] = /Max-Age=(\d+)/.exec(header!) ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}
