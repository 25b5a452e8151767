/** A user who is logged in, with requests for each kind of way in. */
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { generateTOTP } from "@gatehouse/web/auth/second-factor";
import {
  createTestAuthenticator,
  createTestProvider,
} from "@gatehouse/web/testing";
import { createMemoryApps } from "../_apps.ts";
import { type Browser, exampleProviders, startAccounts } from "../_accounts.ts";
import { EventRecorder } from "../_events.ts";

export const email = "ada@example.com";

/** Starts accounts with a user who is logged in, and other ways in. */
export async function start() {
  let time = Date.UTC(2026, 10, 27);
  const now = () => time;
  const provider = createTestProvider({ now });
  const database = createMemoryAccountStore({ now });
  const events = new EventRecorder();
  const app = startAccounts({
    now,
    database,
    definition: defineAccounts({ scopes: ["notes:read"] }) as never,
    providers: exampleProviders(provider),
  }, events);
  const apps = createMemoryApps();
  app.accounts.connect(apps);
  const ada = await app.registered();
  const { id } = (await database.findByEmail(email))!;
  const wait = (passed: number) => void (time += passed);

  /** Sets up an authenticator app, and returns its next code. */
  async function addApp() {
    const page = await (await ada.get("/account/two-step")).text();
    const [, setup = ""] = /name="setup" value="([^"]+)"/.exec(page)!;
    const [, key = ""] = /class="key">([^<]+)</.exec(page)!;
    const nextCode = () => {
      wait(31_000);
      return generateTOTP(key.replaceAll(" ", ""), { time });
    };
    const values = { setup, code: await nextCode() };
    return { nextCode, values };
  }
  /** Enables an authenticator app, and returns the function of its codes. */
  async function enableApp() {
    const { nextCode, values } = await addApp();
    await ada.post("/account/two-step", values);
    return nextCode;
  }
  const authenticator = createTestAuthenticator({
    origin: "https://test.example",
  });
  /** Creates the form of a new passkey. */
  async function createPasskey() {
    const asked = await ada.post("/account/passkeys/options");
    const created = await authenticator.register(await asked.json());
    return { name: "Phone", passkey: created };
  }
  /** Adds a passkey, and returns the id of the way in. */
  async function addPasskey() {
    await ada.send("/account/passkeys", await createPasskey());
    const [way] = await database.waysIn(id);
    return { id: way!.id };
  }
  /** Creates the proof of the passkey. */
  async function provePasskey(browser: Browser, path: string) {
    const asked = await browser.post(`${path}/options`);
    return { passkey: await authenticator.authenticate(await asked.json()) };
  }
  const identity = { user: { sub: "a1" } };
  /** Links a login at the provider. */
  async function link() {
    const begun = await ada.send("/account/logins", { provider: "example" });
    const { location } = await begun.json();
    await ada.client.fetch(provider.authorize(location, identity));
  }
  return {
    ...app,
    ada,
    addApp,
    addPasskey,
    apps,
    createPasskey,
    database,
    enableApp,
    events,
    id,
    link,
    provePasskey,
    wait,
  };
}

export type App = Awaited<ReturnType<typeof start>>;
