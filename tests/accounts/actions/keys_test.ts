import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { linkOf, mailTo, tokenOf } from "../_accounts.ts";
import { email, KEY, start } from "../keys/_keys.ts";

Deno.test("a user creates a key on the page, sees it once, and revokes it", async () => {
  const { accounts, ada, call, user } = await start({});
  const empty = await (await ada.get("/account/keys")).text();
  assertStringIncludes(empty, "You have no API keys.");
  const created = await ada.post("/account/keys", {
    name: "Reports",
    "scope-notes:read": "on",
    days: "30",
  });
  assertEquals(created.status, 200);
  assertEquals(created.headers.get("Cache-Control"), "no-store");
  const [token] = /acme_\w{49}/.exec(await created.text()) ?? [];
  assert(token !== undefined);
  const response = await call(token);
  assertEquals(await response.json(), { id: user.id, scopes: ["notes:read"] });

  const list = await (await ada.get("/account/keys")).text();
  assertStringIncludes(list, token.slice(0, 9));
  assertEquals(list.includes(token), false);
  const [key] = await accounts.keys.list(user.id);
  assertEquals(key?.name, "Reports");
  const page = await ada.get(`/account/keys/remove?id=${key!.id}`);
  assertStringIncludes(await page.text(), "Revoke Reports?");
  const revoked = await ada.post("/account/keys/remove", { id: key!.id });
  assertEquals(revoked.headers.get("Location"), "/account/keys");
  assertEquals((await call(token)).status, 401);
  assertEquals(await accounts.keys.list(user.id), []);
});

Deno.test("a key is revoked without a confirmation of an old login", async () => {
  const { accounts, ada, call, user } = await start({});
  const scopes = ["notes:read"] as const;
  const issued = await accounts.keys.issue(user.id, { name: "Stolen", scopes });
  accounts.wait(11 * 60_000);
  assertEquals((await ada.get("/account/keys")).status, 302);
  const { id } = issued!.key;
  assertEquals((await ada.post("/account/keys/remove", { id })).status, 303);
  assertEquals((await call(issued!.token)).status, 401);
});

Deno.test("a script creates, lists and revokes keys with JSON", async () => {
  const { ada, call } = await start({});
  const response = await ada.send("/account/keys", {
    ...KEY,
    scopes: ["notes:write"],
    days: "never",
  });
  const { key, id, expiresAt, next } = await response.json();
  assertEquals([next, expiresAt], ["done", null]);
  assertEquals((await call(key, "/notes", "POST")).status, 200);
  const listed = await ada.get("/account/keys", { Accept: "application/json" });
  const { keys } = await listed.json();
  assertEquals(keys.map((one: { id: string }) => one.id), [id]);
  assertEquals(JSON.stringify(keys).includes(key), false);
  await ada.send("/account/keys/remove", { id });
  assertEquals((await call(key, "/notes", "POST")).status, 401);
  assertEquals((await ada.send("/account/keys/remove", { id })).status, 404);
});

const invalid: [name: string, values: Record<string, unknown>][] = [
  ["name", { name: "" }],
  ["name", { name: { length: 1 } }],
  ["scopes", { scopes: [] }],
  ["scopes", { scopes: ["notes:read", "notes:burn"] }],
  ["scopes", { scopes: "notes:read" }],
  ["scopes", { scopes: { 0: "notes:read" } }],
  ["days", { days: 0 }],
  ["days", { days: -1 }],
  ["days", { days: 1e9 }],
  ["days", { days: "1e3" }],
  ["days", { days: [] }],
];

for (const [name, values] of invalid) {
  Deno.test(`a new key with ${JSON.stringify(values)} is refused`, async () => {
    const { accounts, ada, user } = await start({});
    const response = await ada.send("/account/keys", { ...KEY, ...values });
    assertEquals(response.status, 422);
    assertEquals(Object.keys((await response.json()).errors), [name]);
    assertEquals(await accounts.keys.list(user.id), []);
  });
}

Deno.test("the owner gets an email about a new key, and its link revokes the key", async () => {
  const { accounts, ada, call } = await start({});
  const response = await ada.send("/account/keys", {
    ...KEY,
    name: "https://evil.example",
  });
  const { key } = await response.json();
  const mail = mailTo(email, accounts);
  assertStringIncludes(mail.text, "An API key was created");
  assertEquals(mail.text.includes("evil"), false);
  assertStringIncludes(linkOf(mail), "/account/not-me");
  accounts.wait(1_000);
  const later = await (await ada.send("/account/keys", KEY)).json();
  await ada.post("/account/not-me", { token: tokenOf(mail) });
  assertEquals((await call(key)).status, 401);
  assertEquals((await call(later.key)).status, 401);
});

Deno.test("no user revokes or sees the key of another one", async () => {
  const { accounts, ada, call } = await start({});
  const eve = (await accounts.users.create({
    email: "eve@example.com",
    name: "Eve",
  }))!;
  const { key, token } = (await accounts.keys.issue(eve.id, KEY))!;
  assertEquals(
    (await ada.post("/account/keys/remove", { id: key.id })).status,
    404,
  );
  const page = await ada.get(`/account/keys/remove?id=${key.id}`);
  assertEquals(page.status, 404);
  assertEquals((await page.text()).includes("Reports"), false);
  assertEquals((await call(token)).status, 200);
});
