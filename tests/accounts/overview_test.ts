/** The groups of the account area, and the pages that lead to others. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { generateTOTP } from "@gatehouse/web/auth/second-factor";
import { createMemoryApps } from "./_apps.ts";
import {
  type Browser,
  exampleProviders,
  PASSWORD,
  startAccounts,
} from "./_accounts.ts";

const email = "ada@example.com";

const all = defineAccounts({
  scopes: ["notes:read"],
  teamRoles: ["owner", "reader"],
});

async function start(options: Parameters<typeof startAccounts>[0] = {}) {
  const database = createMemoryAccountStore();
  const app = startAccounts({ database, ...options });
  const ada = await app.registered();
  const { id } = (await app.accounts.users.findByEmail(email))!;
  return { ...app, ada, database, id };
}

type App = Awaited<ReturnType<typeof start>>;

/** Starts accounts with every feature. */
async function startAll() {
  const app = await start({
    definition: all as never,
    providers: exampleProviders(),
  });
  const apps = createMemoryApps();
  app.accounts.connect(apps);
  return { ...app, apps };
}

async function read(browser: Browser, path: string): Promise<string> {
  const response = await browser.get(path);
  assertEquals(response.status, 200, path);
  return await response.text();
}

/** Returns the links of the navigation, and the one that is marked. */
function navigationOf(page: string) {
  const [, nav = ""] = /<nav[^>]*>([^]*?)<\/nav>/.exec(page)!;
  const links = [...nav.matchAll(/<a href="([^"]+)"([^>]*)>([^<]+)</g)];
  return {
    links: links.map(([, href, , text]) => [href, text]),
    marked: links.filter(([, , attributes]) => attributes !== "")
      .map(([, , attributes, text]) => [
        text,
        /aria-current="(\w+)"/.exec(attributes!)?.[1],
      ]),
    back: /class="back"><a href="([^"]+)"/.exec(page)?.[1],
  };
}

Deno.test("the account area has five groups", async () => {
  const { ada } = await startAll();
  assertEquals(navigationOf(await read(ada, "/account")).links, [
    ["/account", "Profile"],
    ["/account/security", "Security"],
    ["/account/sessions", "Sessions"],
    ["/account/connected", "Connected"],
    ["/account/keys", "API keys"],
  ]);
});

Deno.test("a group of one page is this page, and a group without pages is missing", async () => {
  const { ada } = await start({ providers: exampleProviders() });
  const { links } = navigationOf(await read(ada, "/account"));
  assertEquals(links.slice(3), [["/account/logins", "Linked logins"]]);
  const plain = await start();
  const page = await read(plain.ada, "/account");
  assertEquals(navigationOf(page).links.length, 3);
  assertEquals((await plain.ada.get("/account/connected")).status, 404);
});

Deno.test("each page marks its group, and leads back to it", async () => {
  const { accounts, ada, id } = await startAll();
  const team = (await accounts.teams.create("Engines", id))!.teamId;
  const rows = [
    ["/account", "Profile", "page", undefined],
    ["/account/email", "Profile", "true", "/account"],
    ["/account/data", "Profile", "true", "/account"],
    ["/account/delete", "Profile", "true", "/account"],
    ["/account/security", "Security", "page", undefined],
    ["/account/password", "Security", "true", "/account/security"],
    ["/account/passkeys", "Security", "true", "/account/security"],
    ["/account/two-step", "Security", "true", "/account/security"],
    ["/account/sessions", "Sessions", "page", undefined],
    ["/account/connected", "Connected", "page", undefined],
    ["/account/logins", "Connected", "true", "/account/connected"],
    ["/account/apps", "Connected", "true", "/account/connected"],
    ["/teams", "Connected", "true", "/account/connected"],
    [`/teams/${team}`, "Connected", "true", "/account/connected"],
    ["/account/keys", "API keys", "page", undefined],
  ] as const;
  for (const [path, group, mark, back] of rows) {
    const navigation = navigationOf(await read(ada, path));
    assertEquals(navigation.marked, [[group, mark]], path);
    assertEquals(navigation.back, back, path);
  }
});

Deno.test("every page of the account is reached by links", async () => {
  const { ada } = await startAll();
  const seen = new Set<string>();
  const waiting = ["/account"];
  for (const path of waiting) {
    if (seen.has(path)) continue;
    seen.add(path);
    const [, main = ""] = /<main[^>]*>([^]*)<\/main>/.exec(
      await read(ada, path),
    )!;
    for (const [, href = ""] of main.matchAll(/ href="(\/[^"?]*)"/g)) {
      waiting.push(href);
    }
  }
  assertEquals([...seen].sort(), [
    "/account",
    "/account/apps",
    "/account/connected",
    "/account/data",
    "/account/delete",
    "/account/email",
    "/account/keys",
    "/account/logins",
    "/account/passkeys",
    "/account/password",
    "/account/security",
    "/account/sessions",
    "/account/two-step",
    "/teams",
  ]);
});

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
}> = {
  "only a password": {
    prepare: () => Promise.resolve(),
    text: "Only a password protects your account.",
    next: "/account/passkeys",
    json: { hasPassword: true, passkeys: 0, twoStep: false, recoveryCodes: 0 },
  },
  "a password and a passkey": {
    prepare: addPasskey,
    text: "your password still opens your account",
    next: "/account/two-step",
    json: { hasPassword: true, passkeys: 1, twoStep: false, recoveryCodes: 0 },
  },
  "only a passkey": {
    async prepare(app) {
      await addPasskey(app);
      return await removePassword(app);
    },
    text: "your passkey can&#39;t be guessed",
    json: { hasPassword: false, passkeys: 1, twoStep: false, recoveryCodes: 0 },
  },
  "neither a password nor a passkey": {
    prepare: removePassword,
    text: "A passkey is safer.",
    next: "/account/passkeys",
    json: { hasPassword: false, passkeys: 0, twoStep: false, recoveryCodes: 0 },
  },
  "an app": {
    prepare: (app) => addApp(app, 10),
    text: "a login needs a code of your app",
    json: { hasPassword: true, passkeys: 0, twoStep: true, recoveryCodes: 10 },
  },
  "an app and few recovery codes": {
    prepare: (app) => addApp(app, 2),
    text: "You have 2 recovery codes left.",
    next: "/account/two-step",
    json: { hasPassword: true, passkeys: 0, twoStep: true, recoveryCodes: 2 },
  },
};

for (const [name, { json, next, prepare, text }] of Object.entries(states)) {
  Deno.test(`the page of the security names the next step of an account with ${name}`, async () => {
    const app = await start();
    const ada = await prepare(app) ?? app.ada;
    const page = await read(ada, "/account/security");
    assertStringIncludes(page, text);
    const button = /class="button" href="([^"]+)"/.exec(page)?.[1];
    assertEquals(button, next);
    const script = await ada.get("/account/security", {
      Accept: "application/json",
    });
    assertEquals(await script.json(), json);
    await app.accounts.flush();
  });
}

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
