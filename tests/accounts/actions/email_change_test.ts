import { assertEquals, assertStringIncludes } from "@std/assert";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { codeOf, linkOf, startAccounts, tokenOf } from "../_accounts.ts";

const email = "ada@example.com";

const NEW = "another horse battery";

Deno.test("a new address is verified, and a link to the earlier one restores it", async () => {
  const { accounts, browser, lastMail, registered } = startAccounts();
  const thief = await registered();
  const id = (await accounts.users.findByEmail(email))!.id;
  const first = await thief.post("/account/email", {
    email: "eve@example.com",
  });
  assertEquals(first.headers.get("Location"), "/account/email/code");
  assertEquals((await accounts.users.find(id))?.email, email);
  const code = codeOf(await lastMail("eve@example.com"));
  const changed = await thief.post("/account/email/code", { code });
  assertEquals(changed.headers.get("Location"), "/account/email");
  assertEquals((await accounts.users.find(id))?.email, "eve@example.com");
  assertEquals(await thief.isLoggedIn(), true);

  const notice = await lastMail(email);
  assertStringIncludes(notice.text, "eve@example.com");
  const owner = browser();
  const page = await owner.get(linkOf(notice));
  assertStringIncludes(await page.text(), "Restore my account");
  const token = tokenOf(notice);
  const restored = await owner.post("/account/not-me", { token });
  assertEquals(
    restored.headers.get("Location"),
    "/login/reset?notice=restored",
  );
  assertEquals((await accounts.users.find(id))?.email, email);
  assertEquals(await thief.isLoggedIn(), false);
  assertEquals((await owner.post("/account/not-me", { token })).status, 400);
});

/** Starts accounts with a thief in a session of the owner. */
async function startTheft() {
  const database = createMemoryAccountStore();
  const app = startAccounts({ database });
  const thief = await app.registered();
  const { id } = (await app.accounts.users.findByEmail(email))!;
  /** Changes the address, and returns the link in the email to the earlier one. */
  const changeAddress = async (address: string) => {
    const before = await app.accounts.users.find(id);
    await thief.post("/account/email", { email: address });
    const code = codeOf(await app.lastMail(address));
    await thief.post("/account/email/code", { code });
    assertEquals((await app.accounts.users.find(id))?.email, address);
    return { token: tokenOf(await app.lastMail(before!.email)) };
  };
  /** Uses a link, and returns the address after it. */
  const restore = async (link: { readonly token: string }) => {
    await app.browser().post("/account/not-me", link);
    return (await app.accounts.users.find(id))?.email;
  };
  return { ...app, changeAddress, database, id, restore, thief };
}

Deno.test("a thief who changes the address twice does not undo the restoration of the owner", async () => {
  const { changeAddress, restore, thief } = await startTheft();
  const link = await changeAddress("eve@example.com");
  const undo = await changeAddress("mallory@example.com");
  assertEquals(await restore(link), email);
  const page = await thief.get(`/account/not-me?token=${undo.token}`);
  assertEquals(page.status, 400);
  assertEquals((await thief.post("/account/not-me", undo)).status, 400);
  assertEquals(await restore(undo), email);
});

Deno.test("a thief who uses the link to their own address first does not end that of the owner", async () => {
  const { changeAddress, restore } = await startTheft();
  const link = await changeAddress("eve@example.com");
  const undo = await changeAddress("mallory@example.com");
  assertEquals(await restore(undo), "eve@example.com");
  assertEquals(await restore(link), email);
});

Deno.test("an owner whose address was restored can restore it after the next theft", async () => {
  const { accounts, changeAddress, id, restore, thief } = await startTheft();
  assertEquals(await restore(await changeAddress("eve@example.com")), email);
  await accounts.logInTest(thief.client, id);
  assertEquals(await restore(await changeAddress("eve@example.com")), email);
});

Deno.test("a restored address removes the password and the ways in of the thief", async () => {
  const { accounts, browser, changeAddress, database, id, restore, thief } =
    await startTheft();
  await thief.post("/account/password", { password: NEW });
  const { version } = (await database.find(id))!;
  const way = { kind: "key", id: "x", accountId: id, name: "Key" };
  const use = { createdAt: 0, usedAt: null, counter: 0, data: null };
  assertEquals(await database.addWayIn({ ...way, ...use }, version), true);
  assertEquals(await restore(await changeAddress("eve@example.com")), email);
  assertEquals(await database.waysIn(id), []);
  const login = await browser().post("/login", { email, password: NEW });
  assertEquals(login.status, 422);
  assertEquals((await accounts.users.find(id))?.email, email);
});

Deno.test("the address of another account cannot be taken, and its owner gets an email", async () => {
  const { accounts, lastMail, registered } = startAccounts();
  await registered({ email: "eve@example.com" });
  const ada = await registered();
  const response = await ada.send("/account/email", {
    email: "eve@example.com",
  });
  assertEquals((await response.json()).next, "code");
  const mail = await lastMail("eve@example.com");
  assertStringIncludes(mail.subject, "You have an account");
  assertEquals(/\d{6}/.test(mail.text), false);
  assertEquals((await accounts.users.findByEmail(email))?.email, email);
});

Deno.test("a change ends if another account takes the address before the code is used", async () => {
  const { accounts, lastMail, registered } = startAccounts();
  const ada = await registered();
  const address = "new@example.com";
  await ada.post("/account/email", { email: address });
  const code = codeOf(await lastMail(address));
  await accounts.users.create({ email: address, name: "Eve" });
  const count = accounts.mails.length;
  const late = await ada.send("/account/email/code", { code });
  assertStringIncludes((await late.json()).detail, "another account");
  await accounts.flush();
  assertEquals(accounts.mails.length, count);
  assertEquals((await accounts.users.findByEmail(address))?.name, "Eve");
});
