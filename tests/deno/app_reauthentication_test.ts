// One click at a provider that remembers its users does not count as a fresh
// login.
import {
  assertEquals,
  assertFalse,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { createTestClient } from "@gatehouse/web/testing";
import { createApp } from "../../examples/app/app.ts";
import { createTables } from "../../examples/app/data/database.ts";
import { overSQLite } from "../../examples/app/data/sqlite.ts";
import type {
  ExternalLogin,
  ExternalPerson,
} from "../../examples/app/external_logins.ts";
import { loginsOf } from "../../examples/app/named_logins.ts";
import type { Mail } from "../../examples/app/outbox.ts";
import { turns } from "../_wait.ts";
import { deliverEvents } from "./_example_app.ts";

const baseURL = "https://board.example";
const MINUTE = 60_000;
const email = "ada@people.example";
const confirm = "/account/confirm?returnTo=%2Faccount%2Fkeys";

for (
  const prefix of ["PORTAL", "CODE_HOST", "OFFICE_SUITE", "SOCIAL", "MICROBLOG"]
) {
  Deno.test(`a login at ${prefix} creates no API key before a confirmation by email`, async () => {
    await using app = await start(prefix, { email, emailVerified: true });
    await app.oneClick();
    assertEquals(await app.post("/account/keys"), [302, confirm]);
    // A person at the unattended browser clicks again.
    await app.oneClick();
    assertEquals(await app.post("/account/keys"), [302, confirm]);

    const page = await app.get(confirm);
    assertFalse(page.includes("/auth/"));
    const [, send] = page.match(/action="([^"]+\/send[^"]*)"/)!;
    await app.post(send);
    const link = app.linkInMail();
    const body = await app.get(link);
    // Opening the link is not enough, because email scanners do so too.
    assertEquals(await app.post("/account/keys"), [302, confirm]);
    const [, token] = body.match(/name="token" value="([^"]+)"/)!;
    const confirmed = await app.post("/account/confirm/email", { token });

    assertEquals(confirmed, [302, "/account/keys"]);
    assertEquals(
      await app.post("/account/keys", { label: "x" }),
      [302, "/account/keys/new"],
    );
    app.wait(6 * MINUTE);
    assertEquals(await app.post("/account/keys"), [302, confirm]);
    // The link works once.
    const again = await app.post("/account/confirm/email", { token });
    assertEquals(again, [400, null]);
  });
}

Deno.test("a login without a way to confirm creates no API key, and the page explains why", async () => {
  await using app = await start("SOCIAL", {
    email: null,
    emailVerified: false,
  });
  await app.oneClick();
  assertEquals(await app.post("/account/keys"), [302, confirm]);
  const page = await app.get(confirm);
  assertStringIncludes(page, "has no verified email address");
  assertEquals((await app.post("/account/confirm/send"))[0], 422);
  assertEquals(app.mails, []);
});

Deno.test("a link that confirms a login does not work for another user", async () => {
  await using app = await start("CODE_HOST", { email, emailVerified: true });
  await app.oneClick();
  await app.post("/account/confirm/send?returnTo=%2Faccount%2Fkeys");
  const token = new URL(app.linkInMail()).searchParams.get("token")!;

  await app.post("/logout");
  app.person("bob", "bob@people.example");
  await app.oneClick();

  const answer = await app.post("/account/confirm/email", { token });
  assertEquals(answer, [400, null]);
  assertEquals(await app.post("/account/keys"), [302, confirm]);
});

Deno.test("a link that confirms a login requires a session and does not create one", async () => {
  await using app = await start("CODE_HOST", { email, emailVerified: true });
  await app.oneClick();
  await app.post("/account/confirm/send");
  const token = new URL(app.linkInMail()).searchParams.get("token")!;
  await app.post("/logout");

  const answer = await app.post("/account/confirm/email", { token });

  assertEquals(answer, [302, "/login"]);
});

Deno.test("the number of emails with links that confirm a login is limited", async () => {
  await using app = await start("CODE_HOST", { email, emailVerified: true });
  await app.oneClick();
  const statuses: number[] = [];
  // The throttle allows more for requests without a client address.
  for (let count = 0; count < 60; count++) {
    statuses.push((await app.post("/account/confirm/send"))[0]);
  }
  assertEquals(statuses.at(-1), 429);
  assertEquals(app.mails.length, statuses.filter((one) => one === 200).length);
});

Deno.test("a link that confirms a login redirects only to this site", async () => {
  await using app = await start("CODE_HOST", { email, emailVerified: true });
  await app.oneClick();
  const evil = encodeURIComponent("https://evil.example");
  await app.post(`/account/confirm/send?returnTo=${evil}`);
  const token = new URL(app.linkInMail()).searchParams.get("token")!;
  const answer = await app.post("/account/confirm/email", { token });
  assertEquals(answer, [302, "/account/password"]);
});

/** Starts the application with a login whose every callback succeeds. */
async function start(prefix: string, person: Partial<ExternalPerson>) {
  const settings: Record<string, string> = {
    [`${prefix}_CLIENT_ID`]: "id",
    [`${prefix}_CLIENT_SECRET`]: "s3cret",
  };
  const [login] = loginsOf((name) => settings[name], { baseURL });
  const database = overSQLite(new DatabaseSync(":memory:"));
  await createTables(database);
  const mails: Mail[] = [];
  let time = Date.now();
  let who = { subject: "ada", person };
  const app = createApp({
    database,
    baseURL,
    logins: [succeeding(login, () => who)],
    log: () => {},
    sendMail: (mail) => void mails.push(mail),
    now: () => time,
  });
  const client = createTestClient(app, { origin: baseURL });
  return {
    mails,
    wait: (passed: number) => void (time += passed),
    person(subject: string, email: string) {
      who = { subject, person: { email, emailVerified: true } };
    },
    /** Returns from the provider, which showed no prompt. */
    async oneClick() {
      const { status } = await client.fetch(`/auth/${login.name}/callback`);
      assertEquals(status, 302);
    },
    get: async (path: string) => await (await client.fetch(path)).text(),
    async post(path: string, fields: Record<string, string> = {}) {
      const body = new URLSearchParams(fields);
      const init = { method: "POST", body, headers: { Origin: baseURL } };
      const { headers, status } = await client.fetch(path, init);
      // Emails follow the response in the next task.
      await turns();
      return [status, headers.get("Location")] as const;
    },
    linkInMail(): string {
      const { to, text } = mails.at(-1)!;
      assertEquals(to, email);
      const [link] = text.match(/http\S+/)!;
      assertMatch(link, /^https:\/\/board\.example\/account\/confirm\/email\?/);
      return link;
    },
    async [Symbol.asyncDispose]() {
      await deliverEvents();
      database[Symbol.dispose]();
    },
  };
}

function succeeding(
  login: ExternalLogin,
  who: () => { subject: string; person: Partial<ExternalPerson> },
): ExternalLogin {
  return {
    ...login,
    finish: () =>
      Promise.resolve({
        ok: true,
        issuer: "https://people.example",
        subject: who().subject,
        person: {
          name: "Ada",
          email: null,
          emailVerified: false,
          picture: null,
          ...who().person,
        },
        returnTo: "/",
        data: {},
      }),
  };
}
