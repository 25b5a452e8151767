import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  codeOf,
  linkOf,
  PASSWORD,
  startAccounts,
  tokenOf,
} from "../_accounts.ts";

const email = "ada@example.com";
const NEW = "another horse battery";

Deno.test("a reset changes the password, once, and ends all sessions", async () => {
  const { browser, lastMail, registered } = startAccounts();
  const ada = await registered();
  const owner = browser();
  const asked = await owner.post("/login/reset", { email });
  const sent = "/login/reset?notice=sent";
  assertEquals(asked.headers.get("Location"), sent);
  assertStringIncludes(
    await (await owner.get(sent)).text(),
    "at most 11 emails an hour",
  );
  const mail = await lastMail(email);
  const page = await owner.get(linkOf(mail));
  assertEquals(page.status, 200);
  const token = tokenOf(mail);
  const short = await owner.post("/login/reset/link", { token, password: "x" });
  assertEquals(short.status, 422);
  const values = { token, password: NEW };
  const done = await owner.post("/login/reset/link", values);
  assertEquals(done.headers.get("Location"), "/login?notice=reset");
  assertEquals(await ada.isLoggedIn(), false);
  assertStringIncludes((await lastMail(email)).subject, "was reset");
  assertEquals((await owner.post("/login/reset/link", values)).status, 400);

  const old = await owner.post("/login", { email, password: PASSWORD });
  assertEquals(old.status, 422);
  const login = await owner.post("/login", { email, password: NEW });
  assertEquals(login.status, 303);
});

Deno.test("the response to a reset does not tell accounts from other addresses", async () => {
  const { accounts, browser, registered } = startAccounts();
  await registered();
  const responses: string[] = [];
  for (const address of [email, "eve@example.com"]) {
    const eve = browser();
    for (let n = 0; n < 8; n++) {
      const response = await eve.send("/login/reset", { email: address });
      responses.push(`${response.status} ${await response.text()}`);
    }
  }
  assertEquals(new Set(responses).size, 1);
  const mails = accounts.mails.filter(({ subject }) => /Choose/.test(subject));
  assertEquals(mails.map(({ to }) => to), Array(5).fill(email));
});

Deno.test("a reset lets in an owner whom guesses and a flood of emails have locked out", async () => {
  const { accounts, browser, lastMail, registered } = startAccounts();
  await registered();
  for (let n = 0; n < 100; n++) {
    await browser().post("/login", { email, password: `guess number ${n}` });
  }
  const right = { email, password: PASSWORD };
  assertEquals((await browser().post("/login", right)).status, 429);
  for (let n = 0; n < 8; n++) await browser().post("/login/reset", { email });
  await accounts.flush();
  const countLinks = () =>
    accounts.mails.filter(({ subject }) => /Choose/.test(subject)).length;
  assertEquals(countLinks(), 5);

  const owner = browser();
  const values = { token: tokenOf(await lastMail(email)), password: NEW };
  await owner.post("/login/reset/link", values);
  const login = await owner.post("/login", { email, password: NEW });
  assertEquals(login.status, 303);
  // The owner's other devices are no longer locked out either.
  const other = await browser().post("/login", { email, password: NEW });
  assertEquals(other.status, 303);
  await browser().post("/login/reset", { email });
  await accounts.flush();
  assertEquals(countLinks(), 6);
});

Deno.test("of many resets with one link, one succeeds", async () => {
  const { browser, lastMail, registered } = startAccounts();
  await registered();
  await browser().post("/login/reset", { email });
  const token = tokenOf(await lastMail(email));
  const results = await Promise.all(
    Array.from(
      { length: 10 },
      (_none, n) =>
        browser().send("/login/reset/link", { token, password: `${NEW} ${n}` }),
    ),
  );
  assertEquals(results.filter(({ status }) => status === 200).length, 1);
});

Deno.test("a link ends with the address and the access", async () => {
  const { accounts, browser, lastMail, registered } = startAccounts();
  await registered();
  await browser().post("/login/reset", { email });
  const token = tokenOf(await lastMail(email));
  const user = await accounts.users.findByEmail(email);
  await accounts.users.endAccess(user!.id);
  const values = { token, password: NEW };
  const late = await browser().post("/login/reset/link", values);
  assertEquals(late.status, 400);
  assert((await late.text()).includes("no longer works"));
});

Deno.test("a link to an earlier address does not reset the password", async () => {
  const { browser, lastMail, registered } = startAccounts();
  const ada = await registered();
  await browser().post("/login/reset", { email });
  const token = tokenOf(await lastMail(email));
  await ada.post("/account/email", { email: "new@example.com" });
  const code = codeOf(await lastMail("new@example.com"));
  await ada.post("/account/email/code", { code });
  const values = { token, password: NEW };
  const late = await browser().post("/login/reset/link", values);
  assertEquals(late.status, 400);
});

Deno.test("an account of an administrator gets its password by a reset", async () => {
  const { accounts, browser, lastMail } = startAccounts();
  const eve = { email: "eve@example.com", name: "Eve" };
  assertEquals((await accounts.users.create(eve))?.emailVerified, false);
  assertEquals(await accounts.users.create(eve), null);
  const browserOfEve = browser();
  const empty = { email: eve.email, password: "" };
  assertEquals((await browserOfEve.post("/login", empty)).status, 422);
  await browserOfEve.post("/login/reset", { email: eve.email });
  const token = tokenOf(await lastMail(eve.email));
  await browserOfEve.post("/login/reset/link", { token, password: NEW });
  const values = { email: eve.email, password: NEW };
  assertEquals((await browserOfEve.post("/login", values)).status, 303);
  const user = await accounts.users.findByEmail(eve.email);
  assertEquals(user?.emailVerified, true);
});

Deno.test("the email of a reset names the browser that asked for it", async () => {
  const { browser, lastMail, registered } = startAccounts();
  await registered();
  const rows = [
    ["Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0", "Firefox, Linux"],
    ["<b>", "an unknown browser"],
  ] as const;
  for (const [agent, words] of rows) {
    const owner = browser({ "User-Agent": agent });
    await owner.post("/login/reset", { email: "ada@example.com" });
    const { text } = await lastMail("ada@example.com");
    assertStringIncludes(text, `Requested from ${words}, `);
  }
});
