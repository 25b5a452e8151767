import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { createTestAuthenticator } from "@gatehouse/web/testing";
import { captureConsole } from "../../_console.ts";
import {
  type Browser,
  PASSWORD,
  startAccounts,
  tokenOf,
} from "../_accounts.ts";

const email = "ada@example.com";
const authenticatorOptions = { origin: "https://test.example" };

type Authenticator = ReturnType<typeof createTestAuthenticator>;

async function optionsOf(browser: Browser, path: string) {
  const response = await browser.post(path);
  assertEquals(response.status, 200, path);
  return await response.json();
}

/** Adds a passkey on the account page. */
async function addPasskey(
  browser: Browser,
  authenticator: Authenticator,
): Promise<Response> {
  const options = await optionsOf(browser, "/account/passkeys/options");
  const passkey = JSON.stringify(await authenticator.register(options));
  return await browser.post("/account/passkeys", { name: "Phone", passkey });
}

/** Logs in with a passkey. */
async function logIn(
  browser: Browser,
  authenticator: Authenticator,
  search = "",
): Promise<Response> {
  const options = await optionsOf(browser, "/login/passkey/options");
  const passkey = JSON.stringify(await authenticator.authenticate(options));
  return await browser.post(`/login/passkey${search}`, { passkey });
}

Deno.test("a passkey is added after a fresh login, and logs in", async () => {
  const { browser, lastMail, registered } = startAccounts();
  const ada = await registered();
  const other = browser();
  await other.post("/login", { email, password: PASSWORD });
  const authenticator = createTestAuthenticator(authenticatorOptions);
  const page = await ada.get("/account/passkeys");
  const policy = page.headers.get("Content-Security-Policy")!;
  assertStringIncludes(policy, "script-src 'self'");
  assertStringIncludes(await page.text(), "data-passkey-create");
  assertEquals((await ada.get("/account/passkeys.js")).status, 200);
  const added = await addPasskey(ada, authenticator);
  assertEquals(added.headers.get("Location"), "/account/passkeys");
  assertStringIncludes(
    await (await ada.get("/account/passkeys")).text(),
    "Phone",
  );
  assertEquals(await ada.isLoggedIn(), true);
  assertEquals(await other.isLoggedIn(), false);
  assertStringIncludes((await lastMail(email)).subject, "new way in");

  const phone = browser();
  const login = await logIn(phone, authenticator, "?returnTo=%2Ffresh");
  assertEquals([login.status, login.headers.get("Location")], [303, "/fresh"]);
  assertEquals(await phone.isLoggedIn(), true);
});

Deno.test("a passkey that the database cannot remove is not reported as removed", async () => {
  const database = createMemoryAccountStore();
  const { accounts, registered } = startAccounts({ database });
  const ada = await registered();
  await addPasskey(ada, createTestAuthenticator(authenticatorOptions));
  const { id } = (await accounts.users.findByEmail(email))!;
  const [way] = await database.waysIn(id, "passkey");
  database.removeWayIn = () => Promise.reject(new Error("connection reset"));
  using _output = captureConsole();
  const path = "/account/passkeys/remove";
  assertEquals((await ada.send(path, { id: way!.id })).status, 503);
  assertEquals((await database.waysIn(id, "passkey")).length, 1);
});

Deno.test("a login with a passkey works as JSON", async () => {
  const { browser, registered } = startAccounts();
  const ada = await registered();
  const authenticator = createTestAuthenticator(authenticatorOptions);
  await addPasskey(ada, authenticator);
  const phone = browser();
  const options = await optionsOf(phone, "/login/passkey/options");
  const passkey = await authenticator.authenticate(options);
  const login = await phone.send("/login/passkey", { passkey });
  assertEquals(await login.json(), { next: "done", location: "/" });
  const replay = await browser().send("/login/passkey", { passkey });
  assertEquals(replay.status, 422);
});

Deno.test("a passkey confirms a login for a sensitive page", async () => {
  const { accounts, registered } = startAccounts();
  const ada = await registered();
  const authenticator = createTestAuthenticator(authenticatorOptions);
  await addPasskey(ada, authenticator);
  accounts.wait(11 * 60_000);
  const page = await ada.get("/account/confirm?returnTo=%2Ffresh");
  assertStringIncludes(await page.text(), "Confirm with a passkey");
  const options = await optionsOf(ada, "/account/confirm/passkey/options");
  const passkey = JSON.stringify(await authenticator.authenticate(options));
  const path = "/account/confirm/passkey?returnTo=%2Ffresh";
  const confirmed = await ada.post(path, { passkey });
  assertEquals(confirmed.headers.get("Location"), "/fresh");
  assertEquals((await ada.get("/fresh")).status, 200);
});

Deno.test("a removed passkey does not log in", async () => {
  const { browser, registered } = startAccounts();
  const ada = await registered();
  const authenticator = createTestAuthenticator(authenticatorOptions);
  await addPasskey(ada, authenticator);
  const list = await (await ada.get("/account/passkeys")).text();
  const [, id] = /name="id" value="([^"]+)"/.exec(list)!;
  const eve = await registered({ email: "eve@example.com" });
  const stolen = await eve.post("/account/passkeys/remove", { id: id! });
  assertEquals(stolen.status, 422);
  const removed = await ada.post("/account/passkeys/remove", { id: id! });
  assertEquals(removed.status, 303);
  const failed = await logIn(browser(), authenticator);
  assertEquals(failed.status, 422);
  // The script tells the device to forget it.
  const [, signal = ""] = /data-passkey-signal="([^"]+)"/
    .exec(await failed.text()) ?? [];
  assertEquals(JSON.parse(signal.replaceAll("&quot;", '"')), {
    rpId: "test.example",
    credentialId: id,
  });
});

/** Adds a passkey, and returns its id. */
async function addedId(browser: Browser): Promise<string> {
  await addPasskey(browser, createTestAuthenticator(authenticatorOptions));
  const list = await browser.get("/account/passkeys", {
    Accept: "application/json",
  });
  const { passkeys } = await list.json();
  const { id, name, usedAt } = passkeys.at(-1);
  assertEquals([name, usedAt], ["Phone", null]);
  return id;
}

Deno.test("a passkey gets a new name, and the other sessions continue", async () => {
  const { browser, registered } = startAccounts();
  const ada = await registered();
  const id = await addedId(ada);
  const other = browser();
  await other.post("/login", { email, password: PASSWORD });
  const list = await (await ada.get("/account/passkeys")).text();
  assertStringIncludes(list, 'aria-label="Rename Phone"');
  const path = `/account/passkeys/name?id=${id}`;
  assertStringIncludes(await (await ada.get(path)).text(), 'value="Phone"');
  const name = `<b>"Ada's" key</b>\r\n`;
  const renamed = await ada.post("/account/passkeys/name", { id, name });
  assertEquals(renamed.headers.get("Location"), "/account/passkeys");
  const page = await (await ada.get("/account/passkeys")).text();
  assertStringIncludes(page, "The passkey has a new name.");
  assertStringIncludes(
    page,
    "<strong>&lt;b&gt;&quot;Ada&#39;s&quot; key&lt;/b&gt;</strong>",
  );
  assertEquals(await other.isLoggedIn(), true);

  const done = await ada.send("/account/passkeys/name", { id, name: "Laptop" });
  assertEquals(await done.json(), {
    next: "done",
    location: "/account/passkeys",
  });
  const german = { "Accept-Language": "de" };
  const words = await (await ada.get("/account/passkeys", german)).text();
  assertStringIncludes(words, 'aria-label="Laptop umbenennen"');
});

for (
  const [text, values, status] of [
    ["no name", { name: " " }, 422],
    ["a name of 101 characters", { name: "x".repeat(101) }, 422],
    ["no id", { id: "", name: "Mine" }, 404],
    ["an unknown id", { id: "x", name: "Mine" }, 404],
  ] as const
) {
  Deno.test(`a passkey does not get a new name with ${text}`, async () => {
    const { registered } = startAccounts();
    const ada = await registered();
    const id = await addedId(ada);
    const path = "/account/passkeys/name";
    const failed = await ada.post(path, { id, ...values });
    assertEquals(failed.status, status);
    await failed.body?.cancel();
    const script = await ada.send(path, { id, ...values });
    assertEquals(script.status, status);
    const list = await (await ada.get("/account/passkeys")).text();
    assertStringIncludes(list, "<strong>Phone</strong>");
  });
}

Deno.test("only its owner renames a passkey, from a page of this site, after a fresh login", async () => {
  const { accounts, router, registered } = startAccounts();
  const ada = await registered();
  const id = await addedId(ada);
  const eve = await registered({ email: "eve@example.com" });
  const path = "/account/passkeys/name";
  const page = await eve.get(`${path}?id=${id}`);
  assertEquals(page.status, 404);
  assertEquals((await page.text()).includes("Phone"), false);
  const stolen = await eve.post(path, { id, name: "Mine" });
  assertEquals(stolen.status, 404);
  assertEquals((await stolen.text()).includes("Phone"), false);
  const forged = await router.fetch(`https://test.example${path}`, {
    method: "POST",
    headers: { "Sec-Fetch-Site": "cross-site" },
    body: new URLSearchParams({ id, name: "Mine" }),
  });
  assertEquals(forged.status, 403);
  const list = await (await ada.get("/account/passkeys")).text();
  assertStringIncludes(list, "<strong>Phone</strong>");
  accounts.wait(11 * 60_000);
  const late = await ada.post(path, { id, name: "Late" });
  assertStringIncludes(late.headers.get("Location")!, "/account/confirm");
});

Deno.test("the notice of a new passkey removes it, and ends the access of a thief", async () => {
  const { browser, lastMail, registered } = startAccounts();
  const thief = await registered();
  const authenticator = createTestAuthenticator(authenticatorOptions);
  await addPasskey(thief, authenticator);
  const notice = await lastMail(email);
  const owner = browser();
  const page = await owner.get(`/account/not-me?token=${tokenOf(notice)}`);
  assertStringIncludes(await page.text(), "Remove it");
  await owner.post("/account/not-me", { token: tokenOf(notice) });
  assertEquals(await thief.isLoggedIn(), false);
  assertEquals((await logIn(thief, authenticator)).status, 422);
  const values = { email, password: PASSWORD };
  assertEquals((await thief.post("/login", values)).status, 422);
});

Deno.test("the notice of a passkey removes what a thief added after it, but not what was there", async () => {
  const { accounts, browser, lastMail, registered } = startAccounts();
  const add = async (browser: Browser) => {
    accounts.wait(1_000);
    const authenticator = createTestAuthenticator(authenticatorOptions);
    await addPasskey(browser, authenticator);
    return authenticator;
  };
  const ada = await registered();
  const own = await add(ada);
  const first = await add(ada);
  const notice = await lastMail(email);
  const second = await add(ada);
  const pages = await (await ada.get("/account/passkeys")).text();
  const ids = [...pages.matchAll(/name="id" value="([^"]+)"/g)];
  // The thief hides the passkey of the notice.
  await ada.post("/account/passkeys/remove", { id: ids[1]![1]! });
  assertEquals((await logIn(browser(), first)).status, 422);
  assertEquals((await logIn(browser(), second)).status, 303);

  await browser().post("/account/not-me", { token: tokenOf(notice) });
  assertEquals((await logIn(browser(), second)).status, 422);
  assertEquals((await logIn(browser(), own)).status, 303);
});

Deno.test("a reset removes passkeys", async () => {
  const { browser, lastMail, registered } = startAccounts();
  const ada = await registered();
  const authenticator = createTestAuthenticator(authenticatorOptions);
  await addPasskey(ada, authenticator);
  await ada.post("/login/reset", { email });
  const token = tokenOf(await lastMail(email));
  const password = "another horse battery";
  await browser().post("/login/reset/link", { token, password });
  assertStringIncludes((await lastMail(email)).text, "were removed: 1");
  assertEquals((await logIn(browser(), authenticator)).status, 422);
});

Deno.test("no passkey survives an end of access that it races with", async () => {
  const database = createMemoryAccountStore();
  const { registered } = startAccounts({ database });
  const ada = await registered();
  const { id, version } = (await database.findByEmail(email))!;
  const authenticator = createTestAuthenticator(authenticatorOptions);
  const options = await optionsOf(ada, "/account/passkeys/options");
  const passkey = JSON.stringify(await authenticator.register(options));
  const [, added] = await Promise.all([
    database.change(id, version, { removeWaysIn: true }),
    ada.post("/account/passkeys", { name: "Phone", passkey }),
  ]);
  assert(added.status < 500);
  assertEquals(await database.waysIn(id), []);
});
