/** The download of an account's data, and what it must not contain. */
import {
  assert,
  assertEquals,
  assertNotEquals,
  assertStringIncludes,
} from "@std/assert";
import { captureConsole } from "../../_console.ts";
import type { AccountsOptions } from "@gatehouse/web/accounts";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { generateTOTP } from "@gatehouse/web/auth/second-factor";
import { string } from "@gatehouse/web/data-schema";
import { createTestAuthenticator } from "@gatehouse/web/testing";
import { PASSWORD, startAccounts } from "../_accounts.ts";

const email = "ada@example.com";
const PATH = "/account/data";

const definition = defineAccounts({
  fields: { company: { schema: string(), label: "Company" } },
  scopes: ["notes:read"],
  teamRoles: ["owner", "reader"],
});

function start(options: Partial<AccountsOptions> = {}) {
  const database = createMemoryAccountStore();
  const app = startAccounts({
    database,
    definition: definition as never,
    ...options,
  });
  return { ...app, database };
}

Deno.test("only a fresh login of the user downloads the data", async () => {
  const { accounts, browser, registered, router } = start();
  const visitor = browser();
  assertEquals((await visitor.post(PATH)).status, 302);
  assertEquals((await visitor.send(PATH, {})).status, 401);
  const ada = await registered();
  const { id } = (await accounts.users.findByEmail(email))!;
  const issued = await accounts.keys.issue(id, {
    name: "Report",
    scopes: ["notes:read"] as never[],
  });
  for (const method of ["GET", "POST"]) {
    const headers = {
      Accept: "application/json",
      Authorization: `Bearer ${issued!.token}`,
    };
    const request = new Request(`https://test.example${PATH}`, {
      method,
      headers,
    });
    assertEquals((await router.fetch(request)).status, 401, method);
  }
  accounts.wait(11 * 60_000);
  for (const response of [await ada.get(PATH), await ada.post(PATH)]) {
    const location = response.headers.get("Location");
    assertEquals(location, "/account/confirm?returnTo=%2Faccount%2Fdata");
    assertEquals((await response.text()).includes(email), false);
  }
  await ada.post("/account/confirm", { password: PASSWORD });
  assertEquals((await ada.post(PATH)).status, 200);
});

Deno.test("the download has the data of the account, and no secret of it", async () => {
  const { accounts, browser, database, registered } = start();
  const ada = await registered();
  const { id } = (await accounts.users.findByEmail(email))!;
  await ada.post("/account", { name: "Ada", "field-company": "Engines" });
  const key = await (await ada.send("/account/keys", {
    name: "Report",
    scopes: ["notes:read"],
  })).json();
  const { team } = await (await ada.send("/teams", { name: "Engines" })).json();
  const bob = await accounts.users.create({
    email: "bob@example.com",
    name: "Bob",
  });
  await accounts.teams.add(team, bob!.id, "reader" as never);
  const authenticator = createTestAuthenticator();
  const asked = await ada.post("/account/passkeys/options");
  const passkey = await authenticator.register(await asked.json());
  await ada.post("/account/passkeys", {
    name: "Phone",
    passkey: JSON.stringify(passkey),
  });
  await database.addWayIn({
    kind: "identity",
    id: JSON.stringify(["https://issuer.example", "subject-of-ada"]),
    accountId: id,
    name: "ada at the provider",
    createdAt: 1,
    usedAt: null,
    counter: 0,
    data: { provider: "example" },
  }, (await database.find(id))!.version);
  const page = await (await ada.get("/account/two-step")).text();
  const [, secret = ""] = /class="key">([^<]+)</.exec(page)!;
  const [, setup = ""] = /name="setup" value="([^"]+)"/.exec(page)!;
  const code = await generateTOTP(secret.replaceAll(" ", ""));
  const codes = await (await ada.send("/account/two-step", { code, setup }))
    .json();
  const other = browser({ "User-Agent": "Mozilla/5.0 Firefox/140.0" });
  await other.post("/login", { email, password: PASSWORD });

  const response = await ada.post(PATH);
  const text = await response.text();
  const data = JSON.parse(text);
  const { account, activity, ...others } = data;
  assertEquals([account.id, account.email, account.name, account.fields], [
    id,
    email,
    "Ada",
    { company: "Engines" },
  ]);
  assertEquals(others.passkeys.map(({ name }: { name: string }) => name), [
    "Phone",
  ]);
  assertEquals(others.logins[0].provider, "example");
  assertEquals(others.keys[0].name, "Report");
  assertEquals(others.keys[0].scopes, ["notes:read"]);
  assertEquals([others.teams[0].name, others.teams[0].role], [
    "Engines",
    "owner",
  ]);
  assertEquals(others.twoStep.isOn, true);
  assertEquals(others.sessions.length >= 1, true);
  const actions = activity.map(({ action }: { action: string }) => action);
  assert(actions.includes("key-create"), text);
  assertEquals("application" in data, false);

  const login = await database.findLogin(email);
  const ways = await database.waysIn(id);
  const secrets = [
    login!.passwordHash,
    key.key,
    key.key.slice(0, 9),
    secret,
    secret.replaceAll(" ", ""),
    ...codes.recoveryCodes,
    ...ada.client.cookies.values(),
    ...ways.map((way) => way.id),
    ...ways.flatMap(({ data }) => Object.values(Object(data)))
      .filter((value) => typeof value === "string" && value.length > 20),
    "bob@example.com",
    bob!.id,
    "passwordHash",
    "version",
  ];
  for (const one of secrets) {
    assertNotEquals(one, "");
    assertEquals(text.includes(String(one)), false, String(one));
  }
});

Deno.test("the download is a file that no cache keeps and no page reads", async () => {
  const { registered } = start();
  const ada = await registered();
  const { headers } = await ada.post(PATH);
  assertStringIncludes(headers.get("Content-Disposition")!, "attachment");
  assertStringIncludes(headers.get("Content-Type")!, "application/json");
  assertStringIncludes(headers.get("Cache-Control")!, "no-store");
  assertEquals(headers.get("X-Content-Type-Options"), "nosniff");
});

Deno.test("the download of a long history stays small, and names no administrator", async () => {
  const { accounts, database, registered } = start();
  const ada = await registered();
  const { id } = (await accounts.users.findByEmail(email))!;
  for (let at = 0; at < 1_500; at++) {
    await database.audit.add({
      id: `e${at}`,
      at,
      actorId: "root-of-the-company",
      userId: id,
      action: "disable",
      reason: "internal remark",
    });
  }
  // The changes of other accounts are the data of their users.
  await database.audit.add({
    id: "last",
    at: 1_500,
    actorId: id,
    userId: "other",
    action: "role",
    reason: "",
  });
  const text = await (await ada.post(PATH)).text();
  const { activity } = JSON.parse(text);
  assertEquals(activity.length, 999);
  assertEquals(activity[0].by, "administrator");
  assertEquals(text.includes("root-of-the-company"), false);
  assertEquals(text.includes("internal remark"), false);
});

Deno.test("exportData adds the application's data, and its error is a 500 without a file", async () => {
  let isDown = false;
  const { registered } = start({
    exportData(account) {
      if (isDown) throw new Error("s3cret");
      return Promise.resolve({ invoices: [account.email] });
    },
  });
  const ada = await registered();
  const data = await (await ada.post(PATH)).json();
  assertEquals(data.application, { invoices: [email] });
  isDown = true;
  using _output = captureConsole();
  const response = await ada.post(PATH);
  assertEquals(response.status, 500);
  assertEquals(response.headers.get("Content-Disposition"), null);
  const text = await response.text();
  assertEquals(text.includes("s3cret") || text.includes(email), false);
});

Deno.test("the page of the download is in both languages, and linked from two pages", async () => {
  const { registered } = start();
  const ada = await registered();
  for (
    const [language, text] of [["en", "Download your data"], [
      "de",
      "Ihre Daten herunterladen",
    ]] as const
  ) {
    const headers = { "Accept-Language": language };
    for (const path of [PATH, "/account", "/account/delete"]) {
      const page = await (await ada.get(path, headers)).text();
      assertStringIncludes(page, text, path);
    }
  }
});

Deno.test("downloads are limited by account, and the limit passes", async () => {
  let count = 0;
  const { accounts, registered } = start({ exportData: () => ++count });
  const ada = await registered();
  const statuses: number[] = [];
  for (let n = 0; n < 20; n++) statuses.push((await ada.post(PATH)).status);
  assertEquals(statuses, [...Array(5).fill(200), ...Array(15).fill(429)]);
  assertEquals(count, 5);
  const refused = await ada.post(PATH);
  const page = await refused.text();
  assertStringIncludes(page, "Download");
  assertStringIncludes(page, 'role="alert"');
  assert(Number(refused.headers.get("Retry-After")) > 0);
  const problem = await ada.send(PATH, {});
  const type = problem.headers.get("Content-Type");
  assertEquals([problem.status, type], [429, "application/problem+json"]);
  assert((await problem.json()).detail.length > 0);
  accounts.wait(60_000);
  const script = await ada.send(PATH, {});
  assertEquals([script.status, (await script.json()).application], [200, 6]);
});
