// Notices about new ways into an account, and their link "this was not me".
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { generateTOTP } from "@gatehouse/web/auth/second-factor";
import { createTestAuthenticator } from "@gatehouse/web/testing";
import {
  createSecret,
  type ExampleApp,
  PASSWORD,
  startExampleApp,
  type Visitor,
} from "./_example_app.ts";

const email = "ada@example.com";

/** A way in that a thief with a session and the password adds. */
interface Added {
  readonly notice: string;
  readonly add: (thief: Visitor, app: ExampleApp) => Promise<unknown>;
  /** Returns `true` if the way in exists. */
  readonly exists: (app: ExampleApp) => Promise<boolean>;
}

const count = async ({ database }: ExampleApp, table: string) =>
  (await database(`SELECT * FROM ${table}`, [])).length > 0;

const ways: Record<string, Added> = {
  "authenticator app": {
    notice: "Your account has a new authenticator app.",
    async add(thief, app) {
      const path = "/account/security/app";
      const { body } = await thief.get(path);
      const [, setup] = /name="setup" value="([^"]+)"/.exec(body)!;
      const [, spaced] = /id="totp-secret">([^<]+)</.exec(body)!;
      const secret = spaced!.replaceAll(" ", "");
      const code = await generateTOTP(secret, { time: app.now() });
      await thief.post(path, { setup: setup!, code });
    },
    async exists(app) {
      const rows = await app.database("SELECT * FROM second_factors", []);
      return rows.some(({ value }) => String(value).includes('"totp"'));
    },
  },
  "passkey": {
    notice: "Your account has a new passkey.",
    async add(thief, { baseURL }) {
      const path = "/account/passkeys";
      const { body } = await thief.post(`${path}/options`);
      const authenticator = createTestAuthenticator({ origin: baseURL });
      const response = await authenticator.register(JSON.parse(body));
      const passkey = JSON.stringify(response);
      await thief.post(path, { label: "Phone", passkey });
    },
    exists: (app) => count(app, "passkeys"),
  },
  "passkey that the browser adds by itself": {
    notice: "Your account has a new passkey.",
    async add(thief, { baseURL }) {
      const path = "/account/passkeys/upgrade";
      const { body } = await thief.post(`${path}/options`);
      const authenticator = createTestAuthenticator({ origin: baseURL });
      const response = await authenticator.register(JSON.parse(body));
      await thief.post(path, { passkey: JSON.stringify(response) });
    },
    exists: (app) => count(app, "passkeys"),
  },
  "API key": {
    notice: "Your account has a new API key.",
    add: (thief) => createSecret(thief, "/account/keys"),
    exists: (app) => count(app, "api_keys"),
  },
  "access token": {
    notice: "Your account has a new access token.",
    add: (thief) => createSecret(thief, "/account/tokens"),
    exists: (app) => count(app, "access_tokens"),
  },
  "linked login": {
    notice: "Demo provider: ID demo-grace",
    async add(thief) {
      const start = await thief.post("/account/logins/demo");
      await thief.logInExternally("demo-grace", start);
    },
    exists: (app) => count(app, "identities"),
  },
  "new address": {
    notice: "now has the address thief@example.com",
    async add(thief, app) {
      const path = "/account/email/change";
      await thief.post(path, { email: "thief@example.com" });
      const [code] = app.mails.at(-1)!.text.match(/\b\d{6}\b/)!;
      await thief.post(path, { code: code! });
    },
    exists: async ({ users }) =>
      await users.findByEmail("thief@example.com") !== null,
  },
};

for (const [name, { notice, add, exists }] of Object.entries(ways)) {
  Deno.test(`the owner gets an email about a thief's ${name}, and removes it by the link of the notice`, async () => {
    await using app = await startExampleApp();
    const thief = await register(app);
    await add(thief, app);
    assert(await exists(app));
    const { to, text } = app.mails.at(-1)!;
    assertEquals(to, email);
    assertStringIncludes(text, notice);
    const [, token] = text.match(/not-me\?token=([\w-]+)/)!;

    const owner = app.visitor();
    const page = await owner.get(`/not-me?token=${token}`);
    assertEquals(page.status, 200);
    assert(await exists(app));
    // A thief who ends all access does not make the link worthless.
    await app.users.endAccess((await app.users.find(1))!);
    const done = await owner.post("/not-me", { token: token! });
    assertEquals(done.status, 200);

    assertEquals(await exists(app), false);
    assertEquals((await thief.get("/account")).status, 302);
    const login = await thief.post("/login", { email, password: PASSWORD });
    assertEquals(login.status, 422);
    const again = await owner.post("/not-me", { token: token! });
    assertEquals(again.status, 400);
    await resetPassword(app, owner);
  });
}

Deno.test("a link against one passkey leaves the others", async () => {
  await using app = await startExampleApp();
  const thief = await register(app);
  const { passkey } = ways;
  await passkey!.add(thief, app);
  const [, token] = app.mails.at(-1)!.text.match(/not-me\?token=([\w-]+)/)!;
  await passkey!.add(thief, app);
  await app.visitor().post("/not-me", { token: token! });
  assertEquals((await app.database("SELECT * FROM passkeys", [])).length, 1);
});

Deno.test("a link against one app leaves another app that was set up since", async () => {
  await using app = await startExampleApp();
  const visitor = await register(app);
  const { add, exists } = ways["authenticator app"]!;
  await add(visitor, app);
  const token = notMeToken(app, email);
  app.wait(60_000);
  await add(visitor, app);
  const { status } = await app.visitor().post("/not-me", { token });
  assertEquals(status, 200);
  assert(await exists(app));
});

Deno.test("a thief cannot undo a restored address by the notice to an address in between", async () => {
  await using app = await startExampleApp();
  const thief = await register(app);
  const owner = app.visitor();
  await changeAddress(app, thief, "thief@example.com");
  const ownToken = notMeToken(app, email);
  await ways["authenticator app"]!.add(thief, app);
  const appToken = notMeToken(app, "thief@example.com");
  await ways["passkey"]!.add(thief, app);
  await changeAddress(app, thief, "thief@example.org");
  const token = notMeToken(app, "thief@example.com");

  const done = await owner.post("/not-me", { token: ownToken });
  assertStringIncludes(done.body, "We have sent you a link");
  assertEquals((await app.users.find(1))!.email, email);
  // The notices of these went to the thief.
  assertEquals(await ways["authenticator app"]!.exists(app), false);
  assertEquals(await ways["passkey"]!.exists(app), false);
  await resetPassword(app, owner);
  for (const late of [token, appToken]) {
    assertEquals((await thief.get(`/not-me?token=${late}`)).status, 400);
    assertEquals((await thief.post("/not-me", { token: late })).status, 400);
  }
  assertEquals((await app.users.find(1))!.email, email);
  assertEquals((await owner.get("/account")).status, 200);

  // A later notice to the owner works.
  await ways["API key"]!.add(owner, app);
  const later = { token: notMeToken(app, email) };
  assertEquals((await app.visitor().post("/not-me", later)).status, 200);
});

Deno.test("the owner's link works after the one of an address that a thief had in between", async () => {
  await using app = await startExampleApp();
  const thief = await register(app);
  await changeAddress(app, thief, "thief@example.com");
  const ownToken = notMeToken(app, email);
  await changeAddress(app, thief, "thief@example.org");
  const token = notMeToken(app, "thief@example.com");
  assertEquals((await thief.post("/not-me", { token })).status, 200);
  assertEquals((await app.users.find(1))!.email, "thief@example.com");
  await app.visitor().post("/not-me", { token: ownToken });
  assertEquals((await app.users.find(1))!.email, email);
});

for (const isProved of [false, true]) {
  Deno.test(`an address that ${isProved ? "another account has proved" : "a thief has registered again"} does not leave the account to the thief`, async () => {
    await using app = await startExampleApp();
    const thief = await register(app);
    await changeAddress(app, thief, "thief@example.com");
    const token = notMeToken(app, email);
    const passwords = { password: PASSWORD, confirmPassword: PASSWORD };
    const form = { name: "Eve", email, ...passwords };
    await app.visitor().post("/register", form);
    const other = (await app.users.findByEmail(email))!;
    if (isProved) await app.users.verifyEmail(other, email);

    const owner = app.visitor();
    const done = await owner.post("/not-me", { token });
    assertEquals(done.status, 200);
    assertEquals(await app.users.findByEmail("thief@example.com"), null);
    const { email: now } = (await app.users.find(1))!;
    assertEquals(now, isProved ? null : email);
    assertEquals(done.body.includes("ask an admin"), isProved);
    if (!isProved) await resetPassword(app, owner);
  });
}

/** Changes the address of a visitor, who can read the mail of the new one. */
async function changeAddress(
  app: ExampleApp,
  visitor: Visitor,
  to: string,
): Promise<void> {
  const path = "/account/email/change";
  await visitor.post(path, { email: to });
  const [code] = app.mails.at(-1)!.text.match(/\b\d{6}\b/)!;
  await visitor.post(path, { code: code! });
}

/** Returns the token of the last notice, which went to an address. */
function notMeToken(app: ExampleApp, address: string): string {
  const { to, text } = app.mails.at(-1)!;
  assertEquals(to, address);
  return text.match(/not-me\?token=([\w-]+)/)![1]!;
}

for (const token of ["", "x", "a".repeat(22), "a".repeat(5_000)]) {
  Deno.test(`a forged link "this was not me" of ${token.length} characters does nothing`, async () => {
    await using app = await startExampleApp();
    const visitor = app.visitor();
    const page = await visitor.get(`/not-me?token=${token}`);
    assertEquals(page.status, 400);
    assertEquals((await visitor.post("/not-me", { token })).status, 400);
  });
}

Deno.test("an email tells the owner about a changed password (ASVS 6.3.7)", async () => {
  await using app = await startExampleApp();
  const visitor = await register(app);
  await visitor.post("/account/password", {
    _method: "PUT",
    currentPassword: PASSWORD,
    password: "another long one",
    confirmPassword: "another long one",
  });
  const { subject, text } = app.mails.at(-1)!;
  assertEquals(subject, "Your password was changed");
  assertStringIncludes(text, "/forgot-password");
});

Deno.test("an email tells the owner about the first password of an account", async () => {
  await using app = await startExampleApp();
  const visitor = app.visitor();
  await visitor.logInExternally("demo-ada");
  const password = { password: PASSWORD, confirmPassword: PASSWORD };
  const form = { _method: "PUT", ...password };
  assertEquals((await visitor.post("/account/password", form)).status, 302);
  const { subject, text } = app.mails.at(-1)!;
  assertEquals(subject, "Your account has a password now");
  assertStringIncludes(text, "/forgot-password");
});

async function register(app: ExampleApp): Promise<Visitor> {
  const visitor = app.visitor();
  const passwords = { password: PASSWORD, confirmPassword: PASSWORD };
  await visitor.post("/register", { name: "Ada", email, ...passwords });
  await app.users.verifyEmail((await app.users.find(1))!, email);
  return visitor;
}

/** Chooses a new password by the link that follows, and logs in. */
async function resetPassword(app: ExampleApp, owner: Visitor): Promise<void> {
  const { to, text } = app.mails.at(-1)!;
  assertEquals(to, email);
  const [, token] = text.match(/reset-password\?token=([\w-]+)/)!;
  const password = "another long one";
  const form = { token: token!, password, confirmPassword: password };
  const { location } = await owner.post("/reset-password", form);
  assertEquals(location, "/reset-password/done");
  assertEquals((await owner.post("/login", { email, password })).location, "/");
}
