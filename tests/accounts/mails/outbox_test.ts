import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { captureConsole } from "../../_console.ts";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import { testAccounts } from "@gatehouse/web/accounts/testing";
import { createRouter } from "@gatehouse/web/fetch-router";
import { type SecurityEvent, securityEvents } from "@gatehouse/web/middleware";
import { createTestClient } from "@gatehouse/web/testing";
import { type Browser, PASSWORD, startAccounts } from "../_accounts.ts";
import type { Mail } from "@gatehouse/web/accounts";

const email = "ada@example.com";

/** Accounts whose emails fail, with the events that they report. */
function startFailing(sendMail: (mail: Mail) => void | Promise<void>) {
  const events: SecurityEvent[] = [];
  const onEvent = securityEvents((event) => void events.push(event));
  const accounts = testAccounts({ sendMail });
  const router = createRouter({
    middleware: [onEvent, ...accounts.middleware],
  });
  router.map(accounts.routes, accounts.controller);
  const client = createTestClient(router, { remoteAddress: "192.0.2.7" });
  const register = (ctx?: object) =>
    router.fetch(
      new Request("https://test.example/register", {
        method: "POST",
        headers: { Origin: "https://test.example" },
        body: new URLSearchParams({ email, name: "Ada", password: PASSWORD }),
      }),
      { remoteAddr: { hostname: "192.0.2.7" } },
      ctx as never,
    );
  const flush = async () => {
    await accounts.flush();
    await onEvent.flush();
  };
  return { accounts, client, events, flush, register };
}

/** Errors as mail servers send them: with the address, the link and the code. */
const failures: readonly ((mail: Mail) => unknown)[] = [
  ({ to, text }) => new Error(`550 ${to}: ${text}`),
  ({ to, text }) => Object.assign(new Error("550"), { name: `${to} ${text}` }),
  ({ to, text }) => new Error("550", { cause: { to, text } }),
  (mail) => mail,
  ({ to }) => to,
  () => undefined,
];

for (const [index, failure] of failures.entries()) {
  Deno.test(`an email that fails twice is an event without the email (${index})`, async () => {
    const mails: Mail[] = [];
    const { events, flush, register } = startFailing((mail) => {
      mails.push(mail);
      throw failure(mail);
    });
    using output = captureConsole();
    const response = await register();
    await flush();

    assertEquals(response.status, 303);
    assertEquals(mails.length, 2);
    assertEquals(mails[0], mails[1]);
    const [{ event, http } = {}, ...others] = events;
    assertEquals(others, []);
    assertEquals(
      [event?.action, event?.outcome, event?.reason, http?.route],
      ["email-send", "failure", "failed", "/register"],
    );
    const written = JSON.stringify(events) + output.printed.join("\n");
    const [code = ""] = /\b\d{6}\b/.exec(mails[0]!.text) ?? [];
    const [, token = ""] = /token=(\S+)/.exec(mails[0]!.text) ?? [];
    for (const secret of [email, code, token]) {
      assert(secret !== "");
      assertEquals(written.includes(secret), false, written);
    }
  });
}

Deno.test("an email that the second attempt sends causes no event", async () => {
  let attempts = 0;
  const { events, flush, register } = startFailing(() => {
    if (++attempts === 1) throw new Error("421 try again");
  });
  await register();
  await flush();
  assertEquals([attempts, events], [2, []]);
});

Deno.test("a Worker lives until a failed email was reported", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { events, register } = startFailing(async () => {
    await promise;
    throw new Error("550");
  });
  using _output = captureConsole();
  const kept: Promise<unknown>[] = [];
  const ctx = { waitUntil: (one: Promise<unknown>) => void kept.push(one) };
  await register(ctx);
  resolve();
  for (let count = 0; count < kept.length; count++) await kept[count];
  assertEquals(events.map(({ event }) => event.action), ["email-send"]);
});

Deno.test("an email that is dropped because too many wait is an event", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { accounts, client, events, flush } = startFailing(() => promise);
  using output = captureConsole();
  await accounts.users.create({ email, name: "Ada" });
  for (let count = 0; count <= 1_000; count++) {
    // The limits of the mailbox and of the address have then passed.
    accounts.wait(3_600_000);
    const body = new URLSearchParams({ email });
    await client.fetch("/login/reset", { method: "POST", body });
  }
  resolve();
  await flush();
  assertEquals(events.map(({ event }) => event.reason), ["too-many"]);
  assertEquals(output.printed, [
    "Cannot send email: too many emails are waiting",
  ]);
});

Deno.test("each page that promises an email says how to ask again", async () => {
  for (const language of ["en", "de"]) {
    const ask = language === "en"
      ? "Ask for another email"
      : "Neue E-Mail anfordern";
    const { accounts, browser, registered } = startAccounts();
    const visitor = browser({ "Accept-Language": language });
    await visitor.post("/register", { email, name: "Ada", password: PASSWORD });
    await assertAsks(visitor, "/register/code", "/register", ask);
    await visitor.post("/login/email", { email });
    await assertAsks(visitor, "/login/email/code", "/login/email", ask);
    await visitor.post("/login/reset", { email });
    const sent = await visitor.get("/login/reset?notice=sent");
    const page = await sent.text();
    const again = language === "en" ? "send the form again" : "noch einmal ab";
    assertStringIncludes(page, again);
    assertStringIncludes(page, `action="/login/reset"`);

    const ada = await registered({ email: "eve@example.com" });
    await ada.post("/account/email", { email: "new@example.com" });
    const headers = { "Accept-Language": language };
    await assertAsks(
      ada,
      "/account/email/code",
      "/account/email",
      ask,
      headers,
    );
    await accounts.flush();
  }
});

Deno.test("the page of a team says how to send an invitation again", async () => {
  const { accounts, lastMail, registered } = startAccounts({
    definition: defineAccounts({ teamRoles: ["owner", "reader"] }),
  });
  const ada = await registered();
  const { team } = await (await ada.send("/teams", { name: "Engines" })).json();
  const values = { email: "bob@example.com", role: "reader" };
  await ada.post(`/teams/${team}/invite`, values);
  const page = await (await ada.get(`/teams/${team}`)).text();
  assertStringIncludes(page, "invite the address again");
  const first = await lastMail("bob@example.com");
  await ada.post(`/teams/${team}/invite`, values);
  const second = await lastMail("bob@example.com");
  assert(first.text !== second.text);
  assertEquals((await accounts.users.list()).users.length, 1);
});

/** Checks that a page links to the page that sends another email. */
async function assertAsks(
  browser: Browser,
  path: string,
  again: string,
  text: string,
  headers: Record<string, string> = {},
): Promise<void> {
  const page = await (await browser.get(path, headers)).text();
  const [, label = ""] = page.split(`<a href="${again}">`);
  assertEquals(label.split("</a>")[0]?.trim(), text, path);
}
