import { createThrottle } from "@gatehouse/web/auth";
import { RequestContext } from "@gatehouse/web/fetch-router";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { assert, assertEquals } from "@std/assert";
import { ADA, createEmailApp } from "../_email_app.ts";
import {
  addresses,
  type Browser,
  DAY,
  HOUR,
  MINUTE,
  openLatest,
} from "./_lockout.ts";

for (const perHour of [18, 60, 240]) {
  Deno.test(`an owner with a new device gets in by email while others ask for ${perHour} emails an hour`, async () => {
    const app = createEmailApp();
    const attacker = addresses(198);
    const owner = addresses(192);
    const gap = HOUR / perHour;
    const waits: number[] = [];
    let browser: Browser | null = null;
    let asked = 0;
    // An attack at full speed for a day, and the owner once an hour.
    for (let time = 0; time < DAY; time += gap) {
      await app.browser(attacker()).ask();
      if (time % HOUR < gap) {
        browser = app.browser(owner());
        asked = time;
        await browser.ask();
      }
      // An email that came before the owner asked may be open in the mailbox too.
      if (browser !== null && await openLatest(app, browser, 0)) {
        waits.push(time - asked);
        browser = null;
      }
      app.wait(gap);
    }
    assertEquals(waits.length, 24);
    const longest = Math.max(...waits);
    assert(longest <= 20 * MINUTE, `the longest wait took ${longest} ms`);
  });
}

for (const devices of ["the same device", "a new device each time"]) {
  Deno.test(`a user who logs in by link twice a day for 30 days gets every email on ${devices}`, async () => {
    const app = createEmailApp();
    const address = addresses(192);
    let browser = app.browser(address());
    let logins = 0;
    for (let visit = 0; visit < 60; visit++) {
      if (devices !== "the same device") browser = app.browser(address());
      const mails = app.outbox.length;
      await browser.ask();
      if (await openLatest(app, browser, mails)) logins++;
      app.wait(12 * HOUR);
    }
    assertEquals(logins, 60);
    assertEquals(app.outbox.length, 60);
  });
}

Deno.test("a link in an email lets an owner in whose account is locked by guesses", async () => {
  const store = createMemorySessionStore();
  const app = createEmailApp({ store });
  const logins = createThrottle({ store, now: app.now });
  const address = addresses(198);
  for (let guess = 0; guess < 200; guess++) {
    const request = new Request("https://test.example/login");
    const remoteAddress = address();
    const context = new RequestContext(request, { remoteAddress });
    await logins.attempt(context, ADA);
  }
  const browser = app.browser("192.0.2.7");
  app.guard(logins);
  assertEquals(await browser.get("/password"), false);
  await browser.ask();
  assertEquals(await browser.link(app.outbox.at(-1)!.token), "ok");
  // The browser is known now. All others still have to wait.
  assertEquals(await browser.get("/password"), true);
  assertEquals(await app.browser("192.0.2.8").get("/password"), false);
});
