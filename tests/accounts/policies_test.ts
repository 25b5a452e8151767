/** The promises of the accounts, each as the attack that it stops. */
import {
  assert,
  assertEquals,
  assertNotEquals,
  assertStringIncludes,
} from "@std/assert";
import type { Mail } from "@gatehouse/web/accounts";
import {
  type AccountRoutes,
  defineAccounts,
} from "@gatehouse/web/accounts/definition";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { createOIDCAuthProvider } from "@gatehouse/web/auth";
import { createTestProvider } from "@gatehouse/web/testing";
import { generateTOTP } from "@gatehouse/web/auth/second-factor";
import { captureConsole } from "../_console.ts";
import { createMemoryApps } from "./_apps.ts";
import {
  type Browser,
  codeOf,
  PASSWORD,
  startAccounts,
  tokenOf,
} from "./_accounts.ts";

const email = "ada@example.com";
const NEW = "another horse battery";

type App = ReturnType<typeof startAccounts>;

Deno.test("policy 1: a reset removes the ways in that an attacker has planted", async () => {
  const database = createMemoryAccountStore();
  const { browser, lastMail, registered } = startAccounts({ database });
  const attacker = await registered();
  const account = (await database.findByEmail(email))!;
  for (const kind of ["identity", "passkey", "key", "a kind of tomorrow"]) {
    await database.addWayIn({
      kind,
      id: kind,
      accountId: account.id,
      name: kind,
      createdAt: 0,
      usedAt: null,
      counter: 0,
      data: null,
    }, account.version);
  }
  const owner = browser();
  await owner.post("/login/reset", { email });
  const token = tokenOf(await lastMail(email));
  await owner.post("/login/reset/link", { token, password: NEW });
  assertEquals(await database.waysIn(account.id), []);
  assertEquals(await attacker.isLoggedIn(), false);
  const notice = await lastMail(email);
  assertStringIncludes(notice.text, "were removed: 4");
});

const definition = defineAccounts({
  scopes: ["notes:read"],
  teamRoles: ["owner", "reader"],
});

const provider = createOIDCAuthProvider({
  ...createTestProvider().client,
  name: "example",
  redirectUri: "https://test.example/login/with/example/callback",
});
const providers = { example: { label: "Example", provider } };

/** A proof or a session that a browser has, and its use. */
interface Proof {
  readonly prepare: (app: App, ada: Browser) => Promise<Record<string, string>>;
  /** The path that takes the proof. */
  readonly path: string;
}

/** Creates the proof of a page of a team. */
function ofTeam(path: string, values: Record<string, string>): Proof {
  return {
    path: `/teams/x/${path}`,
    prepare: () => Promise.resolve(values),
  };
}

/** The proof of every route, or the reason why it needs no proof. */
const proofs: Record<
  keyof AccountRoutes,
  Proof | "without an account" | "a way in, which a reset removes"
> = {
  providerLogin: "without an account",
  providerCallback: "a way in, which a reset removes",
  providerEmail: "without an account",
  providerConfirm: {
    path: "/account/confirm/provider",
    prepare: () => Promise.resolve({ provider: "example" }),
  },
  logins: {
    path: "/account/logins",
    prepare: () => Promise.resolve({ provider: "example" }),
  },
  loginRemoval: {
    path: "/account/logins/remove",
    async prepare({ accounts }) {
      const { id } = (await accounts.users.findByEmail(email))!;
      return { id };
    },
  },
  passkeyLogin: "a way in, which a reset removes",
  passkeyLoginOptions: "without an account",
  passkeyScript: "without an account",
  secondFactor: {
    path: "/login/code",
    prepare: () => Promise.resolve({ code: "000000" }),
  },
  secondFactorSetup: {
    path: "/login/two-step",
    prepare: () => Promise.resolve({ setup: "x", code: "000000" }),
  },
  secondFactorPasskey: {
    path: "/login/two-step/passkey",
    prepare: () => Promise.resolve({ passkey: "{}" }),
  },
  secondFactorPasskeyOptions: {
    path: "/login/two-step/passkey/options",
    prepare: () => Promise.resolve({}),
  },
  emailLogin: "without an account",
  emailLoginCode: {
    path: "/login/email/code",
    async prepare({ lastMail }, ada) {
      await ada.post("/login/email", { email });
      return { code: codeOf(await lastMail(email)) };
    },
  },
  emailLoginLink: {
    path: "/login/email/link",
    async prepare({ lastMail }, ada) {
      await ada.post("/login/email", { email });
      return { token: tokenOf(await lastMail(email)) };
    },
  },
  codeConfirm: {
    path: "/account/confirm/code",
    prepare: () => Promise.resolve({ code: "000000" }),
  },
  twoStep: {
    path: "/account/two-step",
    async prepare(_app, ada) {
      const page = await (await ada.get("/account/two-step")).text();
      const [, setup = ""] = /name="setup" value="([^"]+)"/.exec(page)!;
      const [, key = ""] = /class="key">([^<]+)</.exec(page)!;
      const secret = key.replaceAll(" ", "");
      return { setup, code: await generateTOTP(secret) };
    },
  },
  twoStepRemoval: {
    path: "/account/two-step/remove",
    prepare: () => Promise.resolve({}),
  },
  browserRemoval: {
    path: "/account/two-step/forget",
    prepare: () => Promise.resolve({ id: "x" }),
  },
  recoveryCodes: {
    path: "/account/two-step/codes",
    prepare: () => Promise.resolve({}),
  },
  sessions: {
    path: "/account/sessions",
    prepare: () => Promise.resolve({}),
  },
  passkeyConfirm: {
    path: "/account/confirm/passkey",
    prepare: () => Promise.resolve({}),
  },
  passkeyConfirmOptions: {
    path: "/account/confirm/passkey/options",
    prepare: () => Promise.resolve({}),
  },
  passkeys: {
    path: "/account/passkeys",
    prepare: () => Promise.resolve({ name: "Phone" }),
  },
  passkeyOptions: {
    path: "/account/passkeys/options",
    prepare: () => Promise.resolve({}),
  },
  passkeyName: {
    path: "/account/passkeys/name",
    prepare: () => Promise.resolve({ id: "x", name: "Phone" }),
  },
  passkeyRemoval: {
    path: "/account/passkeys/remove",
    prepare: () => Promise.resolve({}),
  },
  login: "without an account",
  register: "without an account",
  registerCode: "without an account",
  registerLink: "without an account",
  reset: "without an account",
  style: "without an account",
  logout: "without an account",
  session: "without an account",
  security: "without an account",
  connected: "without an account",
  resetLink: {
    path: "/login/reset/link",
    async prepare({ lastMail }, ada) {
      await ada.post("/login/reset", { email });
      return { token: tokenOf(await lastMail(email)), password: NEW };
    },
  },
  confirm: {
    path: "/account/confirm",
    prepare: () => Promise.resolve({ password: PASSWORD }),
  },
  profile: {
    path: "/account",
    prepare: () => Promise.resolve({ name: "Mallory" }),
  },
  data: {
    path: "/account/data",
    prepare: () => Promise.resolve({}),
  },
  password: {
    path: "/account/password",
    prepare: () => Promise.resolve({ password: NEW }),
  },
  email: {
    path: "/account/email",
    prepare: () => Promise.resolve({ email: "eve@example.com" }),
  },
  emailCode: {
    path: "/account/email/code",
    async prepare({ lastMail }, ada) {
      await ada.post("/account/email", { email: "eve@example.com" });
      return { code: codeOf(await lastMail("eve@example.com")) };
    },
  },
  emailLink: {
    path: "/account/email/link",
    async prepare({ lastMail }, ada) {
      await ada.post("/account/email", { email: "eve@example.com" });
      return { token: tokenOf(await lastMail("eve@example.com")) };
    },
  },
  // The owner's way back must not end with the access, or a thief could end it.
  notMe: "without an account",
  apps: {
    path: "/account/apps",
    async prepare({ accounts }) {
      const apps = createMemoryApps();
      accounts.connect(apps);
      const { id } = (await accounts.users.findByEmail(email))!;
      return { id: apps.add(id).id };
    },
  },
  keys: {
    path: "/account/keys",
    prepare: () => Promise.resolve({ "name": "x", "scope-notes:read": "on" }),
  },
  teams: { path: "/teams", prepare: () => Promise.resolve({ name: "x" }) },
  team: "without an account",
  invite: ofTeam("invite", { email: "eve@example.com", role: "reader" }),
  withdrawal: ofTeam("invite/withdraw", { invitation: "x" }),
  invitation: {
    path: "/teams/invitations/x",
    prepare: () => Promise.resolve({}),
  },
  member: ofTeam("members/x", { role: "reader" }),
  memberRemoval: ofTeam("members/x/remove", {}),
  keyRemoval: {
    path: "/account/keys/remove",
    prepare: () => Promise.resolve({ id: "unknown" }),
  },
  remove: {
    path: "/account/delete",
    prepare: () => Promise.resolve({}),
  },
};

Deno.test("policy 2: the proofs of every route are in the table", () => {
  const { accounts } = startAccounts();
  assertEquals(
    Object.keys(proofs).sort(),
    Object.keys(accounts.routes).sort(),
  );
});

for (const [name, proof] of Object.entries(proofs)) {
  if (typeof proof === "string") continue;
  Deno.test(`policy 2: an end of access ends the proof of  ${name}`, async () => {
    const database = createMemoryAccountStore();
    const app = startAccounts({ database, definition, providers });
    const ada = await app.registered();
    const values = await proof.prepare(app, ada);
    const before = (await database.findByEmail(email))!;
    await app.accounts.users.endAccess(before.id);
    const response = await ada.post(proof.path, values);
    // A redirect may only lead to the login.
    const location = response.headers.get("Location") ?? "/login";
    assertStringIncludes(location, "/login");
    const after = await database.find(before.id);
    assertEquals(after, { ...before, version: before.version + 1 });
    assertEquals(await ada.isLoggedIn(), false);
  });

  Deno.test(`policy 2: ${name} loses the race against an end of access`, async () => {
    const database = createMemoryAccountStore();
    const app = startAccounts({ database, definition, providers });
    const ada = await app.registered();
    const values = await proof.prepare(app, ada);
    const { id } = (await database.findByEmail(email))!;
    await Promise.all([
      app.accounts.users.endAccess(id),
      ...Array.from({ length: 5 }, () => ada.post(proof.path, values)),
    ]);
    await app.accounts.users.endAccess(id);
    assertEquals(await ada.isLoggedIn(), false);
  });
}

Deno.test("policy 2: a change on another machine ends a session at the next request", async () => {
  const database = createMemoryAccountStore();
  const { registered } = startAccounts({ database });
  const ada = await registered();
  const { id, version } = (await database.findByEmail(email))!;
  await database.change(id, version, {});
  assertEquals(await ada.isLoggedIn(), false);
});

Deno.test("policy 2: a proof that began before an end of access is useless after a new login", async () => {
  const { accounts, lastMail, registered } = startAccounts();
  const ada = await registered();
  await ada.post("/account/email", { email: "eve@example.com" });
  const mail = await lastMail("eve@example.com");
  const { id } = (await accounts.users.findByEmail(email))!;
  await accounts.users.endAccess(id);
  await ada.post("/login", { email, password: PASSWORD });
  assertEquals(await ada.isLoggedIn(), true);
  const code = codeOf(mail);
  const response = await ada.post("/account/email/code", { code });
  assertEquals(response.status, 400);
  assertEquals((await accounts.users.find(id))?.email, email);
});

Deno.test("policy 4: no sensitive page accepts a login of an hour ago", async () => {
  const { accounts, registered } = startAccounts({ definition, providers });
  const ada = await registered();
  accounts.wait(20 * 60_000);
  for (
    const path of [
      "password",
      "email",
      "email/code",
      "keys",
      "logins",
      "passkeys",
      "passkeys/name",
      "delete",
    ]
  ) {
    for (
      const response of [
        await ada.get(`/account/${path}`),
        await ada.post(`/account/${path}`, { email: "eve@example.com" }),
      ]
    ) {
      assertEquals(response.status, 302);
      const location = response.headers.get("Location")!;
      assertStringIncludes(location, "/account/confirm");
    }
    const script = await ada.send(`/account/${path}`, {});
    assertEquals(script.status, 401);
  }
});

Deno.test("policy 5: a registration does not tell whether the address exists", async () => {
  const { browser, lastMail, registered } = startAccounts();
  await registered();
  const responses: string[] = [];
  for (const address of [email, "eve@example.com"]) {
    const eve = browser();
    const values = { email: address, name: "Eve", password: PASSWORD };
    const first = await eve.send("/register", values);
    const page = await (await eve.get("/register/code")).text();
    const guess = await eve.send("/register/code", { code: "000000" });
    responses.push([
      first.status,
      await first.text(),
      page.replaceAll(address, ""),
      guess.status,
      await guess.text(),
    ].join("\n"));
  }
  assertEquals(responses[0], responses[1]);
  // The owner of the account gets no code to be tricked out of.
  assertEquals(/\d{6}/.test((await lastMail(email)).text), false);
});

Deno.test("policy 6: a mailbox is not flooded, and the owner's proof clears the count", async () => {
  const { accounts, browser, lastMail } = startAccounts();
  const values = { email, name: "Eve", password: PASSWORD };
  for (let n = 0; n < 15; n++) await browser().post("/register", values);
  assertEquals(accounts.mails.length, 5);
  // A flood of one kind does not lock the way out by another.
  await browser().post("/login/reset", { email });
  accounts.wait(3_600_000);
  const ada = browser();
  await ada.post("/register", values);
  const code = codeOf(await lastMail(email));
  await ada.post("/register/code", { code });
  assertEquals(await ada.isLoggedIn(), true);
});

Deno.test("policy 6: an email begins after the response, and a failure loses no account", async () => {
  const events: string[] = [];
  let isDown = true;
  const { accounts, browser } = startAccounts({
    sendMail() {
      events.push("mail");
      if (isDown) throw new Error("smtp://user:s3cret@mail.example");
    },
  });
  using output = captureConsole();
  const ada = browser();
  const values = { email, name: "Ada", password: PASSWORD };
  const response = await ada.post("/register", values);
  events.push("response");
  await accounts.flush();
  assertEquals(response.status, 303);
  assertEquals(events, ["response", "mail", "mail"]);
  assertEquals(output.printed, ["Cannot send email: Error"]);
  isDown = false;
  const again = await ada.post("/register", values);
  assertEquals(again.status, 303);
  await accounts.flush();
});

Deno.test("policy 7: a flood of registrations shuts out only its own address", async () => {
  const { accounts, browser, registered } = startAccounts();
  const eve = browser();
  const statuses = new Set<number>();
  for (let n = 0; n < 30; n++) {
    const address = `eve${n}@example.com`;
    const values = { email: address, name: "Eve", password: PASSWORD };
    statuses.add((await eve.post("/register", values)).status);
  }
  assertEquals([...statuses], [303, 429]);
  assertEquals(await (await registered()).isLoggedIn(), true);
  assertEquals((await accounts.users.list()).users.length, 1);
});

Deno.test("policy 8: a blocked user is out within one request", async () => {
  const { accounts, registered } = startAccounts();
  const ada = await registered();
  const { id } = (await accounts.users.findByEmail(email))!;
  await accounts.users.disable(id, { reason: "spam" });
  assertEquals(await ada.isLoggedIn(), false);
  const session = await ada.get("/account/session");
  assertEquals(await session.json(), { account: null });
});

Deno.test("policy 8: a block works even if the sessions did not end", async () => {
  const database = createMemoryAccountStore();
  const { registered } = startAccounts({ database });
  const ada = await registered();
  const { id, version } = (await database.findByEmail(email))!;
  // Another machine has done this, and its request has not ended any session yet.
  const disabled = { reason: "spam", until: null };
  await database.change(id, version, { disabled });
  assertEquals(await ada.isLoggedIn(), false);
});

Deno.test("policy 9: emails contain nothing that a user typed, and lead to our origin", async () => {
  const { accounts, browser } = startAccounts();
  const name = `<a href="https://evil.example">Click</a>`;
  const eve = browser({
    "User-Agent": "https://evil.example <b>",
    "Host": "evil.example",
    "X-Forwarded-Host": "evil.example",
  });
  await eve.post("/register?returnTo=%2Fevil", {
    email,
    name,
    password: PASSWORD,
  });
  await eve.post("/login/reset", { email });
  const mails: readonly Mail[] = accounts.mails;
  assert(mails.length > 0);
  for (const { subject, text, html } of mails) {
    for (const part of [subject, text, html]) {
      assertEquals(part.includes("evil"), false, part);
    }
    for (const [url] of `${text} ${html}`.matchAll(/https?:\/\/[^\s"<]+/g)) {
      assert(url.startsWith("https://test.example/"), url);
    }
    assertEquals(/\d{6}/.test(subject), false);
  }
});

Deno.test("policy 10: no form of another site, and no cached or framed page", async () => {
  const { accounts, registered } = startAccounts({ definition });
  const ada = await registered();
  const paths: string[] = [];
  JSON.stringify(accounts.routes, (_key, value) => {
    if (value?.method !== undefined) {
      paths.push(
        `${value.method} ${
          value.href({
            team: "x",
            member: "x",
            invitation: "x",
            provider: "x",
          })
        }`,
      );
    }
    return value;
  });
  for (const route of new Set(paths)) {
    const [method = "", path = ""] = route.split(" ");
    if (method === "POST") {
      const foreign: [string, string][] = [
        ["Origin", "https://evil.example"],
        ["Sec-Fetch-Site", "cross-site"],
        ["Sec-Fetch-Site", "same-site"],
      ];
      for (const header of foreign) {
        const headers = [header];
        const response = await ada.client.fetch(path, { method, headers });
        assertEquals(response.status, 403, route);
      }
      continue;
    }
    const { headers } = await ada.get(path);
    assertStringIncludes(
      headers.get("Content-Security-Policy")!,
      "frame-ancestors 'none'",
    );
    if (/\.(?:css|js)$/.test(path)) continue;
    assertStringIncludes(headers.get("Cache-Control")!, "no-store", route);
  }
});

Deno.test("policy 12: a removed user's cookie and link are useless, also for a new account", async () => {
  const { accounts, browser, lastMail, registered } = startAccounts();
  const ada = await registered();
  const { id } = (await accounts.users.findByEmail(email))!;
  await browser().post("/login/reset", { email });
  const token = tokenOf(await lastMail(email));
  await accounts.users.remove(id);
  const second = await registered({ name: "Second" });
  assertNotEquals((await accounts.users.findByEmail(email))?.id, id);
  assertEquals(await ada.isLoggedIn(), false);
  const values = { token, password: NEW };
  const response = await browser().post("/login/reset/link", values);
  assertEquals(response.status, 400);
  assertEquals(await second.isLoggedIn(), true);
});
