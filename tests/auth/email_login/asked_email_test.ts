import { assertEquals } from "@std/assert";
import { ADA, createEmailApp } from "../_email_app.ts";
import { addresses, type App, HOUR } from "./_lockout.ts";

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
