import {
  createEmailThrottle,
  createThrottle,
  type Throttle,
} from "@gatehouse/web/auth";
import { RequestContext } from "@gatehouse/web/fetch-router";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { assert, assertEquals } from "@std/assert";
import { ADA, createEmailApp } from "../_email_app.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

type App = ReturnType<typeof createEmailApp>;
type Browser = ReturnType<App["browser"]>;

/** Returns another address for each call, as a botnet has them. */
function addresses(first: number): () => string {
  let count = 0;
  return () => {
    count++;
    return `${first}.${count >> 16}.${(count >> 8) & 255}.${count & 255}`;
  };
}

/** Opens the latest email, if it is less than ten minutes old. */
async function openLatest(app: App, browser: Browser, mails: number) {
  const mail = app.outbox.at(-1);
  return app.outbox.length > mails && mail !== undefined &&
    await browser.link(mail.token) === "ok";
}

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

Deno.test("a proof of the mailbox clears the count of emails", async () => {
  const app = createEmailApp();
  const address = addresses(198);
  for (let n = 0; n < 5; n++) await app.browser(address()).ask();
  const browser = app.browser("192.0.2.7");
  await browser.ask();
  assertEquals(app.outbox.length, 5);
  assert(await openLatest(app, browser, 0));
  const other = app.browser("192.0.2.8");
  await other.ask();
  assertEquals(app.outbox.length, 6);
});

Deno.test("a mailbox gets at most 11 emails an hour and 103 a day, from any number of addresses", async () => {
  let time = 0;
  const now = () => time;
  const throttle = createEmailThrottle({ now });
  const address = addresses(198);
  const sent: number[] = [];
  for (; time < 2 * DAY; time += 30_000) {
    if (await isAllowed(throttle, address())) sent.push(time);
  }
  const within = (span: number) =>
    Math.max(
      ...sent.map((from) =>
        sent.filter((at) => at >= from && at < from + span).length
      ),
    );
  assertEquals(within(HOUR), 11);
  assertEquals(within(DAY), 103);
});

Deno.test("emails of more than a day ago delay no email", async () => {
  let time = 0;
  const now = () => time;
  const throttle = createEmailThrottle({ now });
  const address = addresses(198);
  const sendFive = async () => {
    for (let n = 0; n < 5; n++) {
      assert(await isAllowed(throttle, address()));
    }
    assertEquals(await isAllowed(throttle, address()), false);
  };
  await sendFive();
  time += 1.1 * DAY;
  await sendFive();
});

async function isAllowed(throttle: Throttle, remoteAddress: string) {
  const request = new Request("https://test.example/");
  const context = new RequestContext(request, { remoteAddress });
  return (await throttle.attempt(context, ADA)).allowed;
}

/** Uses up the emails of an address, and returns a browser that gets none. */
async function withoutEmail(app: App, email?: string) {
  const address = addresses(198);
  for (let n = 0; n < 5; n++) await app.browser(address()).ask();
  const browser = app.browser("192.0.2.7");
  await browser.ask(email);
  return { browser, mail: app.outbox.at(-1)! };
}

Deno.test("a browser whose email was delayed may use the link of another one to the same address", async () => {
  const app = createEmailApp();
  const { browser, mail } = await withoutEmail(app, " ADA@Example.com ");
  assertEquals(app.outbox.length, 5);
  assertEquals(
    (await browser.get(`/link?token=${mail.token}`)).status,
    "ready",
  );
  assertEquals(await browser.link(mail.token), "ok");
  assertEquals(await browser.get("/"), 7);
  assertEquals(await browser.link(mail.token), "expired");
});

Deno.test("a browser whose email was delayed gets no data of those who asked for another one", async () => {
  const app = createEmailApp({ purpose: "register" });
  const address = addresses(198);
  for (let n = 0; n < 5; n++) {
    const request = { email: ADA, data: "a password of the attacker" };
    await app.browser(address()).send("/login", request);
  }
  const browser = app.browser("192.0.2.7");
  await browser.ask();
  const { token } = app.outbox.at(-1)!;
  const result = await (await browser.send("/link", { token })).json();
  assertEquals(result, { ok: true, account: 7, email: ADA });
});

Deno.test("a browser whose email was delayed may not use the code of another one", async () => {
  const app = createEmailApp();
  const { browser, mail } = await withoutEmail(app);
  assertEquals(await browser.code(mail.code), "expired");
});

Deno.test("a browser that asked for another address may not use the link", async () => {
  const app = createEmailApp();
  const { browser } = await withoutEmail(app);
  const other = app.browser("192.0.2.8");
  await other.ask("bob@example.com");
  const { token } = app.outbox.at(-1)!;
  assertEquals(await other.link(token), "other-browser");
  assertEquals(await app.browser("192.0.2.9").link(token), "other-browser");
  assertEquals(await browser.link(token), "ok");
});

Deno.test("a browser whose email was sent may not use the link of another one", async () => {
  const app = createEmailApp();
  const first = app.browser("192.0.2.7");
  const second = app.browser("192.0.2.8");
  await first.ask();
  await second.ask();
  const [, { token }] = app.outbox as [unknown, { token: string }];
  assertEquals(await first.link(token), "other-browser");
});

Deno.test("a browser whose email was delayed may not prove the address for another account", async () => {
  const app = createEmailApp({ purpose: "change-email" });
  const address = addresses(198);
  // Another user, who wants the address for account 8.
  for (let n = 0; n < 5; n++) await app.browser(address()).ask(ADA, 8);
  const browser = app.browser("192.0.2.7");
  await browser.ask(ADA, 7);
  const { token } = app.outbox.at(-1)!;
  assertEquals(await browser.link(token), "other-browser");
});

Deno.test("a browser whose email was delayed may use a link for an hour", async () => {
  const app = createEmailApp();
  const { browser } = await withoutEmail(app);
  app.wait(HOUR);
  await app.browser("192.0.2.8").ask();
  assertEquals(app.outbox.length, 6);
  assertEquals(await browser.link(app.outbox.at(-1)!.token), "other-browser");
});
