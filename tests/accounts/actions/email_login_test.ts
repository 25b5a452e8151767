import { assertEquals, assertStringIncludes } from "@std/assert";
import { codeOf, linkOf, startAccounts, tokenOf } from "../_accounts.ts";

const email = "ada@example.com";

Deno.test("a login by email works with the code, and returns to the page", async () => {
  const { browser, lastMail, registered } = startAccounts();
  await registered();
  const ada = browser();
  const asked = await ada.post("/login/email?returnTo=%2Ffresh", { email });
  assertEquals(
    asked.headers.get("Location"),
    "/login/email/code?returnTo=%2Ffresh",
  );
  const mail = await lastMail(email);
  const page = await (await ada.get("/login/email/code")).text();
  assertStringIncludes(page, email);
  assertStringIncludes(page, "at most 11 emails an hour");
  assertEquals(
    (await ada.post("/login/email/code", { code: "1" })).status,
    422,
  );
  const login = await ada.post("/login/email/code", { code: codeOf(mail) });
  assertEquals(login.headers.get("Location"), "/fresh");
  assertEquals(await ada.isLoggedIn(), true);
});

Deno.test("a login by email works with the link in the same browser only", async () => {
  const { browser, lastMail, registered } = startAccounts();
  await registered();
  const ada = browser();
  await ada.post("/login/email", { email });
  const mail = await lastMail(email);
  const other = browser();
  const shown = await (await other.get(linkOf(mail))).text();
  assertStringIncludes(shown, codeOf(mail));
  const token = tokenOf(mail);
  assertEquals((await other.post("/login/email/link", { token })).status, 400);
  assertEquals((await ada.post("/login/email/link", { token })).status, 303);
  assertEquals(await ada.isLoggedIn(), true);
});

Deno.test("a login by email responds the same for an unknown or a blocked address", async () => {
  const { accounts, browser, registered } = startAccounts();
  await registered();
  await registered({ email: "eve@example.com" });
  const { id } = (await accounts.users.findByEmail("eve@example.com"))!;
  await accounts.users.disable(id, { reason: "spam" });
  const sent = accounts.mails.length;
  const responses: string[] = [];
  for (const address of [email, "eve@example.com", "bob@example.com"]) {
    const guess = browser();
    const first = await guess.send("/login/email", { email: address });
    const page = await (await guess.get("/login/email/code")).text();
    const second = await guess.send("/login/email/code", { code: "000000" });
    responses.push([
      await first.text(),
      page.replaceAll(address, ""),
      second.status,
      await second.text(),
    ].join("\n"));
  }
  assertEquals(new Set(responses).size, 1);
  assertEquals(accounts.mails.slice(sent).map(({ to }) => to), [email]);
});

Deno.test("a login by email verifies the address of its account", async () => {
  const { accounts, browser, lastMail } = startAccounts();
  const eve = { email: "eve@example.com", name: "Eve" };
  const { id } = (await accounts.users.create(eve))!;
  const ada = browser();
  await ada.post("/login/email", { email: eve.email });
  const code = codeOf(await lastMail(eve.email));
  await ada.post("/login/email/code", { code });
  assertEquals(await ada.isLoggedIn(), true);
  assertEquals((await accounts.users.find(id))?.emailVerified, true);
});
