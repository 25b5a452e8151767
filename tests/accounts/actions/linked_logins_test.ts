import {
  assert,
  assertEquals,
  assertNotEquals,
  assertStringIncludes,
} from "@std/assert";
import { linkOf, PASSWORD, tokenOf } from "../_accounts.ts";
import { ADA, email, EVE, idOf, start } from "../_providers.ts";

Deno.test("a login is linked from the account page, with a notice that removes it", async () => {
  const app = start();
  const ada = await app.registered();
  const other = app.browser();
  await other.post("/login", { email, password: PASSWORD });
  const linked = await app.link(ada, EVE);
  assertEquals(linked.headers.get("Location"), "/account/logins");
  assertEquals(await ada.isLoggedIn(), true);
  assertEquals(await other.isLoggedIn(), false);
  const list = await (await ada.get("/account/logins")).text();
  assertStringIncludes(list, "Example: eve@example.com");
  const eve = app.browser();
  await app.logIn(eve, EVE);
  assertEquals(await eve.isLoggedIn(), true);
  const notice = await app.lastMail(email);
  assertStringIncludes(notice.text, "was linked to your account");
  const owner = app.browser();
  assertEquals((await owner.get(linkOf(notice))).status, 200);
  await owner.post("/account/not-me", { token: tokenOf(notice) });
  assertEquals(await eve.isLoggedIn(), false);
  assertEquals(await ada.isLoggedIn(), false);
  const id = await idOf(app);
  assertEquals(await app.database.waysIn(id!), []);
});

Deno.test("a login is linked only after a fresh login, by our own page", async () => {
  const app = start();
  const ada = await app.registered();
  const body = new URLSearchParams({ provider: "example" });
  const headers = { "Sec-Fetch-Site": "cross-site" };
  const options = { method: "POST", body, headers };
  const foreign = await ada.client.fetch("/account/logins", options);
  assertEquals(foreign.status, 403);
  app.wait(11 * 60_000);
  const stale = await ada.post("/account/logins", { provider: "example" });
  assertStringIncludes(stale.headers.get("Location")!, "/account/confirm");
  const remove = await ada.post("/account/logins/remove", { id: "x" });
  assertStringIncludes(remove.headers.get("Location")!, "/account/confirm");
});

Deno.test("a link that began before an end of access, a new password or another login adds nothing", async () => {
  for (const attack of ["end", "password", "other"]) {
    const app = start();
    const ada = await app.registered();
    await app.registered({ email: "bob@example.com" });
    const begun = await ada.send("/account/logins", { provider: "example" });
    const { location, next } = await begun.json();
    assertEquals(next, "provider");
    const callback = app.google.authorize(location, { user: EVE as never });
    const id = (await idOf(app))!;
    if (attack === "end") await app.accounts.users.endAccess(id);
    const address = attack === "end" ? email : "bob@example.com";
    await (attack === "password"
      ? ada.post("/account/password", { password: "another horse battery" })
      : ada.post("/login", { email: address, password: PASSWORD }));
    assert((await ada.client.fetch(callback)).status >= 400, attack);
    assertEquals(await app.database.waysIn(id), [], attack);
    const bob = await idOf(app, "bob@example.com");
    assertEquals(await app.database.waysIn(bob!), [], attack);
  }
});

Deno.test("the last way in is not unlinked, not even by two requests at once", async () => {
  const app = start();
  const ada = app.browser();
  await app.logIn(ada, ADA);
  const id = (await idOf(app))!;
  await app.accounts.logInTest(ada.client, id);
  const [way] = await app.database.waysIn(id);
  const last = await ada.post("/account/logins/remove", { id: way!.id });
  assertEquals(last.status, 409);
  assertEquals((await app.link(ada, EVE)).status, 303);
  const ways = await app.database.waysIn(id);
  assertEquals(ways.length, 2);
  const removed = await Promise.all(
    ways.map((one) => ada.post("/account/logins/remove", { id: one.id })),
  );
  assertNotEquals(removed.map(({ status }) => status), [303, 303]);
  assertEquals((await app.database.waysIn(id)).length, 1);
});

Deno.test("an API key cannot log in, so it does not let the user unlink the last login", async () => {
  const app = start();
  const ada = app.browser();
  await app.logIn(ada, ADA);
  const accountId = (await idOf(app))!;
  const [way] = await app.database.waysIn(accountId);
  const { version } = (await app.database.find(accountId))!;
  const key = { ...way!, kind: "key", id: "k1" };
  assertEquals(await app.database.addWayIn(key, version), true);
  const last = await ada.post("/account/logins/remove", { id: way!.id });
  assertEquals(last.status, 409);
  assertEquals((await app.database.waysIn(accountId)).length, 2);
});

Deno.test("a user unlinks only their own logins, and an unlinked login logs no one in", async () => {
  const app = start({ registration: "open" });
  const ada = await app.registered();
  await app.link(ada, EVE);
  const [way] = await app.database.waysIn((await idOf(app))!);
  const bob = await app.registered({ email: "bob@example.com" });
  const values = { id: way!.id };
  const stolen = await bob.post("/account/logins/remove", values);
  assertEquals(stolen.status, 422);
  const removed = await ada.post("/account/logins/remove", values);
  assertEquals(removed.headers.get("Location"), "/account/logins");
  const eve = app.browser();
  await app.logIn(eve, EVE);
  assertEquals(await eve.isLoggedIn(), false);
});

Deno.test("a provider that asks again confirms a login, but only with a linked identity", async () => {
  const app = start({ provider: { canReauthenticate: true } });
  const ada = app.browser();
  await app.logIn(ada, ADA);
  app.wait(11 * 60_000);
  const page = await ada.get("/account/confirm?returnTo=%2Ffresh");
  assertStringIncludes(await page.text(), "Confirm with Example");
  const path = "/account/confirm/provider?returnTo=%2Ffresh";
  for (const user of [EVE, ADA]) {
    const begun = await ada.send(path, { provider: "example" });
    const { location } = await begun.json();
    assertStringIncludes(location, "max_age=0");
    const callback = app.google.authorize(location, { user: user as never });
    const done = await ada.client.fetch(callback);
    const isOwn = user === ADA;
    assertEquals(done.status, isOwn ? 303 : 422);
    assertEquals((await ada.get("/fresh")).status, isOwn ? 200 : 302);
  }
});

Deno.test("a reset removes linked logins", async () => {
  const app = start();
  const thief = await app.registered();
  await app.link(thief, EVE);
  const owner = app.browser();
  await owner.post("/login/reset", { email });
  const token = tokenOf(await app.lastMail(email));
  const password = "another horse battery";
  await owner.post("/login/reset/link", { token, password });
  await app.logIn(thief, EVE);
  assertEquals(await thief.isLoggedIn(), false);
});
