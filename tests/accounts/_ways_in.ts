/** The ways to log in, for tests of logins that must wait for something. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { AccountsOptions } from "@gatehouse/web/accounts";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { generateTOTP } from "@gatehouse/web/auth/second-factor";
import {
  createTestAuthenticator,
  createTestProvider,
} from "@gatehouse/web/testing";
import {
  type Browser,
  codeOf,
  exampleProviders,
  PASSWORD,
  startAccounts,
  tokenOf,
} from "./_accounts.ts";

export const email = "ada@example.com";
const PROVIDER = "/login/with/example";
const ADA = { sub: "a1", name: "Ada", email, email_verified: true };

/** Accounts whose logins wait while the rule requires it. */
export type HeldApp = ReturnType<typeof startHeld>;

/** Starts accounts whose logins wait while `rule.required`. */
export function startHeld(
  rule: { required: boolean },
  options: Partial<AccountsOptions>,
) {
  let time = Date.now();
  const now = () => time;
  const provider = createTestProvider({ now });
  const database = createMemoryAccountStore({ now });
  const app = startAccounts({
    database,
    now,
    providers: exampleProviders(provider),
    ...options,
  });
  /** Registers a user whose login does not wait. */
  const registered: typeof app.registered = async (user) => {
    rule.required = false;
    const browser = await app.registered(user);
    rule.required = true;
    return browser;
  };
  const wait = (passed: number) => time += passed;
  return { ...app, database, now, provider, registered, rule, wait };
}

/** Sends the password. */
export async function sendPassword(
  browser: Browser,
  search = "",
): Promise<Response> {
  return await browser.post(`/login${search}`, { email, password: PASSWORD });
}

/** Sets up an authenticator app, and returns its secret and a recovery code. */
export async function addApp(app: HeldApp, ada: Browser) {
  app.rule.required = false;
  const page = await (await ada.get("/account/two-step")).text();
  const [, setup = ""] = /name="setup" value="([^"]+)"/.exec(page)!;
  const [, key = ""] = /class="key">([^<]+)</.exec(page)!;
  const secret = key.replaceAll(" ", "");
  const nextCode = () => {
    app.wait(31_000);
    return generateTOTP(secret, { time: app.now() });
  };
  const code = await nextCode();
  const shown = await ada.post("/account/two-step", { setup, code });
  const [, recovery = ""] = /<li>([\w-]+)<\/li>/.exec(await shown.text())!;
  app.rule.required = true;
  return { nextCode, recovery };
}

/** Adds a passkey, and returns its authenticator. */
export async function addPasskey({ rule }: HeldApp, ada: Browser) {
  rule.required = false;
  const authenticator = createTestAuthenticator({
    origin: "https://test.example",
  });
  const options = await (await ada.post("/account/passkeys/options")).json();
  const passkey = JSON.stringify(await authenticator.register(options));
  const added = await ada.post("/account/passkeys", { name: "A", passkey });
  assertEquals(added.status, 303);
  rule.required = true;
  return authenticator;
}

/** Each way in: it ends with the response that would log the user in. */
export const ways: Record<
  string,
  (app: HeldApp, browser: Browser) => Promise<Response>
> = {
  async "a password"({ registered }, browser) {
    await registered();
    return await sendPassword(browser);
  },
  async "a remembered password"({ registered }, browser) {
    await registered();
    const values = { email, password: PASSWORD, remember: "on" };
    return await browser.post("/login", values);
  },
  async "a passkey"(app, browser) {
    const authenticator = await addPasskey(app, await app.registered());
    const response = await browser.post("/login/passkey/options");
    const answer = await authenticator.authenticate(await response.json());
    const passkey = JSON.stringify(answer);
    return await browser.post("/login/passkey", { passkey });
  },
  async "the code of an email"({ lastMail, registered }, browser) {
    await registered();
    await browser.post("/login/email", { email });
    const code = codeOf(await lastMail(email));
    return await browser.post("/login/email/code", { code });
  },
  async "the link of an email"({ lastMail, registered }, browser) {
    await registered();
    await browser.post("/login/email", { email });
    const token = tokenOf(await lastMail(email));
    return await browser.post("/login/email/link", { token });
  },
  async "a linked login"(app, browser) {
    app.rule.required = false;
    await app.provider.logIn(app.browser().client, PROVIDER, { user: ADA });
    app.rule.required = true;
    const { client } = browser;
    return await app.provider.logIn(client, PROVIDER, { user: ADA });
  },
  async "a registration at a provider"({ provider }, browser) {
    return await provider.logIn(browser.client, PROVIDER, { user: ADA });
  },
  async "a registration at a provider without an address"(app, browser) {
    const user = { sub: "a1", name: "Ada" };
    await app.provider.logIn(browser.client, PROVIDER, { user });
    await browser.post("/login/address", { email });
    const code = codeOf(await app.lastMail(email));
    return await browser.post("/register/code", { code });
  },
  async "a registration by code"({ lastMail }, browser) {
    const values = { email, name: "Ada", password: PASSWORD };
    await browser.post("/register", values);
    const code = codeOf(await lastMail(email));
    return await browser.post("/register/code", { code });
  },
  async "a registration by link"({ lastMail }, browser) {
    const values = { email, name: "Ada", password: PASSWORD };
    await browser.post("/register", values);
    const token = tokenOf(await lastMail(email));
    return await browser.post("/register/link", { token });
  },
  async "an invitation"({ accounts, lastMail }, browser) {
    await accounts.users.invite({ email });
    const token = tokenOf(await lastMail(email));
    const values = { token, name: "Ada", password: PASSWORD };
    return await browser.post("/register", values);
  },
  async "the code of an app"(app, browser) {
    const { nextCode } = await addApp(app, await app.registered());
    await sendPassword(browser);
    return await browser.post("/login/code", { code: await nextCode() });
  },
  async "a recovery code"(app, browser) {
    const { recovery } = await addApp(app, await app.registered());
    await sendPassword(browser);
    const login = await browser.post("/login/code", { code: recovery });
    // The owner gets an email before the step is done.
    assertStringIncludes((await app.lastMail(email)).text, "recovery code");
    return login;
  },
  async "a remembered browser"(app, browser) {
    const { nextCode } = await addApp(app, await app.registered());
    await sendPassword(browser);
    const code = await nextCode();
    await browser.post("/login/code", { code, remember: "on" });
    return await sendPassword(browser);
  },
  async "a password after a reset"(app, browser) {
    await app.registered();
    await browser.post("/login/reset", { email });
    const token = tokenOf(await app.lastMail(email));
    const password = "another horse battery";
    await browser.post("/login/reset/link", { token, password });
    return await browser.post("/login", { email, password });
  },
};

/** Checks that no guard and no page of the account accepts a browser. */
export async function assertOutside(browser: Browser): Promise<void> {
  const session = await browser.get("/account/session");
  assertEquals(await session.json(), { account: null });
  for (const path of ["/", "/fresh", "/admin", "/account", "/account/data"]) {
    const response = await browser.get(path);
    await response.body?.cancel();
    assert([302, 303, 401].includes(response.status), path);
  }
}
