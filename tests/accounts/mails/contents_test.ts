/** The words and links of each email. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { AccountsOptions, Mail } from "@gatehouse/web/accounts";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { generateTOTP } from "@gatehouse/web/auth/second-factor";
import { createTestAuthenticator } from "@gatehouse/web/testing";
import {
  type Browser,
  codeOf,
  PASSWORD,
  startAccounts,
  tokenOf,
} from "../_accounts.ts";

const NOW = Date.UTC(2026, 10, 28, 12, 34, 56);
const email = "ada@example.com";
const other = "new@example.com";

const AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0";

/** Starts accounts with a user, in a browser on Linux. */
async function start(
  options: Partial<AccountsOptions> = {},
  headers: Record<string, string> = {},
) {
  const time = NOW;
  const definition = defineAccounts({
    scopes: ["notes:read"],
    teamRoles: ["owner", "reader"],
  });
  const database = createMemoryAccountStore({ now: () => time });
  const app = startAccounts({
    definition: definition as never,
    database,
    now: () => time,
    deletionDelay: 5 * 86_400_000,
    ...options,
  });
  const visitor = app.browser({ "User-Agent": AGENT, ...headers });
  const values = { email, name: "Ada", emailVerified: true };
  const { id } = (await app.accounts.users.create(values))!;
  const ada = app.browser({ "User-Agent": AGENT, ...headers });
  await app.accounts.logInTest(ada.client, id);
  return { ...app, ada, database, id, now: () => time, visitor };
}

type App = Awaited<ReturnType<typeof start>>;

/** Sets up an authenticator app, and returns its recovery codes. */
async function addApp({ ada, now }: App): Promise<string[]> {
  const page = await (await ada.get("/account/two-step")).text();
  const [, setup = ""] = /name="setup" value="([^"]+)"/.exec(page)!;
  const [, key = ""] = /class="key">([^<]+)</.exec(page)!;
  const code = await generateTOTP(key.replaceAll(" ", ""), { time: now() });
  const shown = await ada.post("/account/two-step", { setup, code });
  const codes = (await shown.text()).matchAll(/<li>([\w-]+)<\/li>/g);
  return Array.from(codes, ([, one]) => one!);
}

async function addPasskey({ ada }: App): Promise<void> {
  const origin = "https://test.example";
  const authenticator = createTestAuthenticator({ origin });
  const options = await (await ada.post("/account/passkeys/options")).json();
  const passkey = JSON.stringify(await authenticator.register(options));
  await ada.post("/account/passkeys", { name: "Phone", passkey });
}

async function reset({ lastMail, visitor }: App): Promise<void> {
  await visitor.post("/login/reset", { email });
  const token = tokenOf(await lastMail(email));
  const password = "another horse battery";
  await visitor.post("/login/reset/link", { token, password });
}

async function changeEmail({ ada, lastMail }: App): Promise<void> {
  await ada.post("/account/email", { email: other });
  const code = codeOf(await lastMail(other));
  await ada.post("/account/email/code", { code });
}

async function inviteToTeam({ accounts, ada, id }: App): Promise<void> {
  const { teamId } = (await accounts.teams.create("Engines", id))!;
  const values = { email: other, role: "reader" };
  await ada.post(`/teams/${teamId}/invite`, values);
}

/** An email and the flow that causes it. */
interface Flow {
  readonly run: (app: App) => Promise<unknown>;
  readonly to?: string;
  readonly options?: Partial<AccountsOptions>;
  readonly expected: string;
}

const register = (browser: Browser, address: string) =>
  browser.post("/register", { email: address, name: "X", password: PASSWORD });

const flows: Record<string, Flow> = {
  "a registration": {
    run: ({ visitor }) => register(visitor, other),
    to: other,
    expected: `
      Confirm your address for Invoices
      Welcome to Invoices. Open this link in the browser where you registered.
      Confirm the address
      https://test.example/register/link?token=TOKEN
      Or type this code there:
      CODE
      Both work once, for ten minutes.
      Requested from Firefox, Linux, 2026-11-28 12:34 UTC.
      If this was not you, ignore this email.
    `,
  },
  "a registration with the address of an account": {
    run: ({ visitor }) => register(visitor, email),
    expected: `
      You have an account at Invoices
      You or someone else tried to register at Invoices with this address, which already has an account. You can log in or choose a new password.
      Log in
      https://test.example/login
      Requested from Firefox, Linux, 2026-11-28 12:34 UTC.
      If this was not you, ignore this email.
    `,
  },
  "a reset": {
    run: ({ visitor }) => visitor.post("/login/reset", { email }),
    expected: `
      Choose a new password for Invoices
      You or someone else asked for a new password for Invoices. This link works once, for ten minutes.
      Choose a password
      https://test.example/login/reset/link?token=TOKEN
      Requested from Firefox, Linux, 2026-11-28 12:34 UTC.
      If this was not you, ignore this email.
    `,
  },
  "a reset of an account with only a password": {
    run: reset,
    expected: `
      Your password for Invoices was reset
      The password of your account at Invoices was reset. All sessions have ended.
      Choose a new password
      https://test.example/login/reset
      Requested from Firefox, Linux, 2026-11-28 12:34 UTC.
      If this was not you, someone else may be reading your email. Secure your mailbox, then choose a new password.
    `,
  },
  "a reset that removes a passkey": {
    async run(app) {
      await addPasskey(app);
      await reset(app);
    },
    expected: `
      Your password for Invoices was reset
      The password of your account at Invoices was reset. All sessions have ended. Passkeys, linked logins and API keys were removed: 1.
      Choose a new password
      https://test.example/login/reset
      Requested from Firefox, Linux, 2026-11-28 12:34 UTC.
      If this was not you, someone else may be reading your email. Secure your mailbox, then choose a new password.
    `,
  },
  "a new password": {
    run: ({ ada }) =>
      ada.post("/account/password", { password: "another horse battery" }),
    expected: `
      Your password for Invoices was changed
      The password of your account at Invoices was changed. Your other sessions have ended. If this was not you, choose a new password now.
      Choose a new password
      https://test.example/login/reset
      Requested from Firefox, Linux, 2026-11-28 12:34 UTC.
    `,
  },
  "a new address, to this address": {
    run: ({ ada }) => ada.post("/account/email", { email: other }),
    to: other,
    expected: `
      Confirm your new address for Invoices
      To use this address for your account at Invoices, open this link in the browser where you asked for the change.
      Use this address
      https://test.example/account/email/link?token=TOKEN
      Or type this code there:
      CODE
      Both work once, for ten minutes.
      Requested from Firefox, Linux, 2026-11-28 12:34 UTC.
      If this was not you, ignore this email.
    `,
  },
  "a new address, to the earlier one": {
    run: changeEmail,
    expected: `
      Your address for Invoices was changed
      Your account at Invoices now has the address new@example.com. If this was not you, this link restores your address and ends all access. It works for seven days.
      This was not me
      https://test.example/account/not-me?token=TOKEN
      Requested from Firefox, Linux, 2026-11-28 12:34 UTC.
    `,
  },
  "a new key": {
    run: ({ ada }) =>
      ada.post("/account/keys", { name: "K", "scope-notes:read": "on" }),
    expected: `
      There is a new way into your account at Invoices
      An API key was created for your account at Invoices. If this was not you, this link revokes it, removes all that was added later, and ends all sessions. It works for seven days.
      This was not me
      https://test.example/account/not-me?token=TOKEN
      Requested from Firefox, Linux, 2026-11-28 12:34 UTC.
    `,
  },
  "a new passkey": {
    run: addPasskey,
    expected: `
    There is a new way into your account at Invoices
    A passkey was added to your account at Invoices. If this was not you, this link removes it and all that was added later, and ends all sessions. It works for seven days.
    This was not me
    https://test.example/account/not-me?token=TOKEN
    Requested from Firefox, Linux, 2026-11-28 12:34 UTC.
  `,
  },
  "a login by email": {
    run: ({ visitor }) => visitor.post("/login/email", { email }),
    expected: `
      Log in to Invoices
      To log in to Invoices, open this link in the browser where you asked for it.
      Log in
      https://test.example/login/email/link?token=TOKEN
      Or type this code there:
      CODE
      Both work once, for ten minutes.
      Requested from Firefox, Linux, 2026-11-28 12:34 UTC.
      If this was not you, ignore this email.
    `,
  },
  "a new app": {
    run: addApp,
    expected: `
    Your security settings at Invoices were changed
    Your account at Invoices has a new authenticator app. If this was not you, this link removes it and all that was added later, and ends all sessions. It works for seven days.
    This was not me
    https://test.example/account/not-me?token=TOKEN
    Requested from Firefox, Linux, 2026-11-28 12:34 UTC.
  `,
  },
  "the end of an app": {
    async run(app) {
      await addApp(app);
      await app.ada.post("/account/two-step/remove");
    },
    expected: `
      Your security settings at Invoices were changed
      Two-step login for your account at Invoices was turned off. If this was not you, choose a new password now.
      Choose a new password
      https://test.example/login/reset
      Requested from Firefox, Linux, 2026-11-28 12:34 UTC.
    `,
  },
  "new recovery codes": {
    async run(app) {
      await addApp(app);
      await app.ada.post("/account/two-step/codes");
    },
    expected: `
      Your security settings at Invoices were changed
      Your account at Invoices has new recovery codes. If this was not you, choose a new password now.
      Choose a new password
      https://test.example/login/reset
      Requested from Firefox, Linux, 2026-11-28 12:34 UTC.
    `,
  },
  "a login with a recovery code": {
    async run(app) {
      await app.ada.post("/account/password", { password: PASSWORD });
      const [code = ""] = await addApp(app);
      await app.visitor.post("/login", { email, password: PASSWORD });
      await app.visitor.post("/login/code", { code });
    },
    expected: `
      Your security settings at Invoices were changed
      A recovery code for your account at Invoices was used. If this was not you, choose a new password now.
      Choose a new password
      https://test.example/login/reset
      Requested from Firefox, Linux, 2026-11-28 12:34 UTC.
    `,
  },
  "a deletion": {
    run: ({ ada }) => ada.post("/account/delete"),
    expected: `
      Your account at Invoices will be deleted
      Your account at Invoices will be deleted in 5 days. To keep it, log in before then.
      Log in
      https://test.example/login
      Requested from Firefox, Linux, 2026-11-28 12:34 UTC.
    `,
  },
  "an invitation to register": {
    run: ({ accounts }) => accounts.users.invite({ email: other }),
    to: other,
    expected: `
      You are invited to Invoices
      You can now register at Invoices. This link works once, for seven days.
      Accept the invitation
      https://test.example/register?token=TOKEN
      If this was not you, ignore this email.
    `,
  },
  "an invitation to a team": {
    run: inviteToTeam,
    to: other,
    expected: `
      You are invited to a team at Invoices
      A member of a team at Invoices has invited you to join. Log in or register with this address to see the invitation. It works for 14 days.
      See the invitation
      https://test.example/teams/invitations/ID
      Requested from Firefox, Linux, 2026-11-28 12:34 UTC.
      If this was not you, ignore this email.
    `,
  },
  "an invitation to a team without an open registration": {
    run: inviteToTeam,
    to: other,
    options: { registration: "invited" },
    expected: `
      You are invited to a team at Invoices
      A member of a team at Invoices has invited you to join. Log in with this address to see the invitation. It works for 14 days.
      See the invitation
      https://test.example/teams/invitations/ID
      Requested from Firefox, Linux, 2026-11-28 12:34 UTC.
      If this was not you, ignore this email.
    `,
  },
};

for (
  const [name, { expected, options, run, to = email }] of Object.entries(flows)
) {
  Deno.test(`the email of ${name} says what has happened, and has one link`, async () => {
    const app = await start(options);
    await run(app);
    assertMail(await app.lastMail(to), expected);
  });
}

Deno.test("an owner gets emails in the language of the account, and others in that of the browser", async () => {
  const { browser, database, id, lastMail, visitor } = await start();
  const subjects = [
    ["de", "Neues Passwort für Invoices wählen"],
    ["en", "Choose a new password for Invoices"],
    ["fr", "Choose a new password for Invoices"],
    [null, "Choose a new password for Invoices"],
  ] as const;
  for (const [language, subject] of subjects) {
    await database.update(id, { language });
    await visitor.post("/login/reset", { email });
    assertEquals((await lastMail(email)).subject, subject);
  }
  await register(browser({ "Accept-Language": "de" }), other);
  const { html, text } = await lastMail(other);
  assertStringIncludes(text, "einem unbekannten Browser");
  assertStringIncludes(html, '<html lang="de">');
});

Deno.test("an email in German names what a reset has removed, and how to join a team", async () => {
  const rows: [
    run: Flow["run"],
    to: string,
    options: Flow["options"],
    pattern: RegExp,
  ][] = [
    [reset, email, {}, /Alle Sitzungen sind beendet\.\n/],
    [
      flows["a reset that removes a passkey"]!.run,
      email,
      {},
      /beendet\. .+: 1\.\n/,
    ],
    [inviteToTeam, other, {}, /an oder registrieren/],
    [inviteToTeam, other, { registration: "invited" }, /Adresse an, um/],
  ];
  for (const [run, to, options, pattern] of rows) {
    const app = await start(options, { "Accept-Language": "de" });
    await app.database.update(app.id, { language: "de" });
    await run(app);
    assertMatch((await app.lastMail(to)).text, pattern);
  }
});

const agents: [agent: string, name: string][] = [
  ["(Windows NT 10.0) Chrome/140.0 Safari/537.36 Edg/140.0", "Edge, Windows"],
  ["(Windows NT 10.0) Chrome/140.0 Safari/537.36 OPR/120.0", "Opera, Windows"],
  ["(iPhone; CPU OS 18_0 like Mac OS X) FxiOS/140.0", "Firefox, iPhone"],
  ["(iPad; CPU OS 18_0 like Mac OS X) CriOS/140.0 Safari", "Chrome, iPad"],
  ["(Linux; Android 16) Chrome/140.0 Safari/537.36", "Chrome, Android"],
  ["(Macintosh; Intel Mac OS X 10_15) Safari/605.1", "Safari, macOS"],
  ["(X11; CrOS x86_64) Chrome/140.0 Safari/537.36", "Chrome, ChromeOS"],
  ["(X11; Linux x86_64)", "Linux"],
  ["Firefox/140.0", "Firefox"],
  ["curl/8.0", "an unknown browser"],
  // Only the first 500 characters count.
  [`${"x".repeat(491)} Firefox/`, "Firefox"],
  [`${"x".repeat(492)} Firefox/`, "an unknown browser"],
];

Deno.test("an email names the browser that has caused it, in known words", async () => {
  for (const [agent, name] of agents) {
    const { lastMail, visitor } = await start({}, { "User-Agent": agent });
    await visitor.post("/login/reset", { email });
    const { text } = await lastMail(email);
    const [, found] = /Requested from (.+), 2026/.exec(text)!;
    assertEquals(found, name, agent);
  }
});

/** Compares the parts of an email, and those of its HTML. */
function assertMail(mail: Mail, expected: string): void {
  const parts = mail.text.trimEnd().split(/\n\n|:\n(?=https:)/);
  const texts = mail.html.replace(/<head>[^]*<\/head>/, "")
    .replace(/<!doctype html>/, "").replaceAll(/<[^>]+>/g, "\n")
    .split("\n").map((line) => line.trim()).filter(Boolean);
  const [, url = ""] = /<a href="([^"]+)"/.exec(mail.html)!;
  const [text = "", button = "", ...others] = texts;
  assertEquals([text, button, decode(url), ...others].map(decode), parts);
  const shown = [mail.subject, ...parts].map((part) =>
    part.replace(/=[\w.-]{20,}$/, "=TOKEN").replace(/^\d{6}$/, "CODE")
      .replace(/(?<=invitations\/)[\w-]+$/, "ID")
  );
  const wanted = expected.trim().split("\n").map((line) => line.trim());
  assertEquals(shown.join("\n"), wanted.join("\n"));
}

function decode(text: string): string {
  return text.replaceAll("&#39;", "'").replaceAll("&amp;", "&");
}
