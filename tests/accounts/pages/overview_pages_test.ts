import { assertEquals, assertStringIncludes } from "@std/assert";
import { generateTOTP } from "@gatehouse/web/auth/second-factor";
import { type Browser, PASSWORD, startAccounts } from "../_accounts.ts";
import { email, read, start, startAll } from "../_overview.ts";

type App = Awaited<ReturnType<typeof start>>;

async function addPasskey({ database, id }: App): Promise<void> {
  const { version } = (await database.find(id))!;
  const way = { kind: "passkey", id: "p1", accountId: id, name: "Phone" };
  const use = { createdAt: 0, usedAt: null, counter: 0, data: {} };
  await database.addWayIn({ ...way, ...use }, version);
}

/** Removes the password, as for an account of a provider. */
async function removePassword({ accounts, browser, database, id }: App) {
  const { version } = (await database.find(id))!;
  await database.change(id, version, { passwordHash: "" });
  const ada = browser();
  await accounts.logInTest(ada.client, id);
  return ada;
}

/** Sets up an app, and uses all but some of its recovery codes. */
async function addApp({ ada, browser }: App, left: number): Promise<void> {
  const page = await read(ada, "/account/two-step");
  const [, setup = ""] = /name="setup" value="([^"]+)"/.exec(page)!;
  const [, key = ""] = /class="key">([^<]+)</.exec(page)!;
  const code = await generateTOTP(key.replaceAll(" ", ""));
  const shown = await ada.post("/account/two-step", { setup, code });
  const codes = [...(await shown.text()).matchAll(/<li>([\w-]+)<\/li>/g)];
  for (const [, one] of codes.slice(left)) {
    const other = browser();
    await other.post("/login", { email, password: PASSWORD });
    await other.post("/login/code", { code: one! });
  }
}

/** The states of an account, and what its page says. */
const states: Record<string, {
  readonly prepare: (app: App) => Promise<Browser | void>;
  readonly text: string;
  readonly next?: string;
  readonly json: object;
  /** The states of the password, the passkeys and the app. */
  readonly rows: readonly string[];
}> = {
  "only a password": {
    prepare: () => Promise.resolve(),
    text: "Only a password protects your account.",
    next: "/account/passkeys",
    json: { hasPassword: true, passkeys: 0, twoStep: false, recoveryCodes: 0 },
    rows: ["set", "0", "off"],
  },
  "a password and a passkey": {
    prepare: addPasskey,
    text: "your password still opens your account",
    next: "/account/two-step",
    json: { hasPassword: true, passkeys: 1, twoStep: false, recoveryCodes: 0 },
    rows: ["set", "1", "off"],
  },
  "only a passkey": {
    async prepare(app) {
      await addPasskey(app);
      return await removePassword(app);
    },
    text: "your passkey can&#39;t be guessed",
    json: { hasPassword: false, passkeys: 1, twoStep: false, recoveryCodes: 0 },
    rows: ["not set", "1", "off"],
  },
  "neither a password nor a passkey": {
    prepare: removePassword,
    text: "A passkey is safer.",
    next: "/account/passkeys",
    json: { hasPassword: false, passkeys: 0, twoStep: false, recoveryCodes: 0 },
    rows: ["not set", "0", "off"],
  },
  "an app": {
    prepare: (app) => addApp(app, 10),
    text: "a login needs a code of your app",
    json: { hasPassword: true, passkeys: 0, twoStep: true, recoveryCodes: 10 },
    rows: ["set", "0", "on"],
  },
  "an app and three recovery codes": {
    prepare: (app) => addApp(app, 3),
    text: "a login needs a code of your app",
    json: { hasPassword: true, passkeys: 0, twoStep: true, recoveryCodes: 3 },
    rows: ["set", "0", "on"],
  },
  "an app and few recovery codes": {
    prepare: (app) => addApp(app, 2),
    text: "You have 2 recovery codes left.",
    next: "/account/two-step",
    json: { hasPassword: true, passkeys: 0, twoStep: true, recoveryCodes: 2 },
    rows: ["set", "0", "on"],
  },
};

for (
  const [name, { json, next, prepare, rows, text }] of Object.entries(states)
) {
  Deno.test(`the page of the security names the next step of an account with ${name}`, async () => {
    const app = await start();
    const ada = await prepare(app) ?? app.ada;
    const page = await read(ada, "/account/security");
    assertStringIncludes(page, text);
    const button = /class="button" href="([^"]+)"/.exec(page)?.[1];
    assertEquals(button, next);
    const found = page.matchAll(/<span class="hint">([^<]*)</g);
    assertEquals(Array.from(found, ([, state]) => state), [...rows]);
    const script = await ada.get("/account/security", {
      Accept: "application/json",
    });
    assertEquals(await script.json(), { ...json, factorRequired: false });
    await app.accounts.flush();
  });
}

Deno.test("a passkey is safe enough if the account needs a second factor at each login", async () => {
  const app = await start({ secondFactorRequired: () => true });
  await addPasskey(app);
  const { browser } = app;
  const ada = browser();
  await app.accounts.logInTest(ada.client, app.id);
  const page = await read(ada, "/account/security");
  assertStringIncludes(page, "your passkey can&#39;t be guessed");
  const script = await ada.get("/account/security", {
    Accept: "application/json",
  });
  assertEquals((await script.json()).factorRequired, true);
});

Deno.test("the page of the security works long after the login, and in German", async () => {
  const { accounts, browser, registered } = startAccounts();
  await registered();
  const ada = browser({ "Accept-Language": "de" });
  await ada.post("/login", { email, password: PASSWORD });
  accounts.wait(20 * 60_000);
  const page = await read(ada, "/account/security");
  assertStringIncludes(page, "Nur ein Passwort schützt Ihr Konto.");
  assertStringIncludes(page, "nicht festgelegt".slice(6));
});

Deno.test("the page of the connections has the number of each", async () => {
  const { accounts, ada, apps, database, id } = await startAll();
  await accounts.teams.create("Engines", id);
  apps.add(id);
  apps.add(id);
  const { version } = (await database.find(id))!;
  const way = { kind: "identity", id: "i1", accountId: id, name: "Ada" };
  const use = { createdAt: 0, usedAt: null, counter: 0, data: {} };
  await database.addWayIn({ ...way, ...use }, version);
  const script = await ada.get("/account/connected", {
    Accept: "application/json",
  });
  assertEquals(await script.json(), { logins: 1, apps: 2, teams: 1 });
  const page = await read(ada, "/account/connected");
  const numbers = [
    ...page.matchAll(/<strong>([^<]+)<\/strong>\s*<span class="hint">(\d+)</g),
  ]
    .map(([, text, count]) => [text, count]);
  assertEquals(numbers, [
    ["Linked logins", "1"],
    ["Connected apps", "2"],
    ["Teams", "1"],
  ]);
});
