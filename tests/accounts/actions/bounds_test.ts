/** Each input at its limits. */
import { assert, assertEquals } from "@std/assert";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import { number, string } from "@gatehouse/web/data-schema";
import { codeOf, PASSWORD, startAccounts } from "../_accounts.ts";
import { email } from "./_actions.ts";

const definition = defineAccounts({
  fields: {
    note: { schema: string(), label: "Note" },
    age: {
      schema: {
        "~standard": {
          ...number()["~standard"],
          validate: async (value: unknown) =>
            await number()["~standard"].validate(Number(value)),
        },
      },
      label: "Age",
    },
    plan: { schema: string(), label: "Plan", by: "application" },
  },
  scopes: ["notes:read"],
});

/** Returns a string with a length. */
const long = (length: number) =>
  "correct horse battery ".repeat(length).slice(0, length);

/** Returns an address with a length. */
const address = (length: number) => {
  const start = `${"x".repeat(64)}@${"a".repeat(63)}.${"b".repeat(63)}.`;
  return `${start.padEnd(length - 8, "c")}.example`;
};

const key = { name: "CI", scopes: ["notes:read"] };
const registration = { email: "bob@example.com", name: "Bob" };

/** Values that are accepted, and values that name an input with an error. */
const rows: [path: string, values: object, wrong?: string][] = [
  ["/account", { name: "a".repeat(100) }],
  ["/account", { name: "a".repeat(101) }, "name"],
  ["/account", { name: ` ${"a".repeat(100)}\r\n ` }],
  ["/account", { name: "a", fields: { note: "x".repeat(8_000) } }],
  ["/account", { name: "a", fields: { note: "x".repeat(8_192) } }, "name"],
  ["/account", { name: "a", fields: { age: 36 } }],
  ["/account", { name: "a", fields: { age: "x" } }, "field-age"],
  ["/account", { name: "a", fields: { note: 5 } }, "field-note"],
  ["/account/email", { email: address(254) }],
  ["/account/email", { email: address(255) }, "email"],
  ["/account/password", { password: long(7) }, "password"],
  ["/account/password", { password: "k9-ßé7x!" }],
  ["/account/password", { password: long(1_000) }],
  ["/account/password", { password: long(1_001) }, "password"],
  ["/account/password", { password: "123456789" }, "password"],
  ["/account/password", { password: "12345678901" }, "password"],
  ["/account/password", { password: "8302847155" }],
  ["/account/password", { password: "abcabcabcabc" }, "password"],
  ["/account/password", { password: "abcdabcdabcd" }],
  ["/account/password", { password: "2026Invoices!" }, "password"],
  ["/account/password", { password: "ada-2026-07-31" }, "password"],
  ["/account/password", { password: "welcomePassword1" }, "password"],
  ["/account/keys", { ...key, days: 1 }],
  ["/account/keys", { ...key, days: 0 }, "days"],
  ["/account/keys", { ...key, days: 1.5 }, "days"],
  ["/account/keys", { ...key, days: true }, "days"],
  ["/account/keys", { ...key, days: 3_650 }],
  ["/account/keys", { ...key, days: "3650" }],
  ["/account/keys", { ...key, days: 3_651 }, "days"],
  ["/account/keys", { ...key, days: " 30" }, "days"],
  ["/account/keys", { ...key, team: "x" }, "team"],
  ["/account/keys", { ...key, team: 5 }, "team"],
  ["/account/keys", { ...key, team: "" }],
  ["/register", { ...registration, password: long(8) }],
  ["/register", { ...registration, password: long(7) }, "password"],
];

for (const [path, values, wrong] of rows) {
  const text = JSON.stringify(values).replaceAll(/(.)\1{20,}/g, "$1…");
  const verb = wrong === undefined ? "accepts" : "refuses";
  Deno.test(`${path} ${verb} ${text.slice(0, 70)} of ${JSON.stringify(values).length} characters`, async () => {
    const { accounts, browser, registered } = startAccounts({
      definition: definition as never,
    });
    const ada = await registered();
    const { id } = (await accounts.users.findByEmail(email))!;
    const before = await accounts.users.find(id);
    const by = path === "/register" ? browser() : ada;
    const response = await by.send(path, values);
    const body = await response.json();
    const names = Object.keys(body.errors ?? {});
    assertEquals(names, wrong === undefined ? [] : [wrong], body.detail);
    assertEquals(response.status, wrong === undefined ? 200 : 422);
    if (wrong === undefined) return;
    assertEquals(await accounts.users.find(id), before);
    assertEquals(await accounts.keys.list(id), []);
    const login = await browser().send("/login", { email, password: PASSWORD });
    assertEquals(login.status, 200);
  });
}

Deno.test("a key lasts 90 days, the days of the form, or for ever", async () => {
  const time = Date.UTC(2026, 10, 27);
  const { accounts, registered } = startAccounts({
    definition: definition as never,
    now: () => time,
  });
  const ada = await registered();
  const { id } = (await accounts.users.findByEmail(email))!;
  for (
    const [days, passed] of [
      [undefined, 90],
      [30, 30],
      ["365", 365],
      ["never", undefined],
    ]
  ) {
    const response = await ada.send("/account/keys", { ...key, days });
    const expected = passed === undefined
      ? null
      : time + Number(passed) * 86_400_000;
    const { expiresAt, id: created } = await response.json();
    assertEquals(expiresAt, expected);
    const stored = (await accounts.keys.list(id))
      .find((one) => one.id === created);
    assertEquals(stored?.expiresAt, expected);
  }
});

Deno.test("a user writes no field of the application, at the registration or later", async () => {
  const { accounts, browser, lastMail } = startAccounts({
    definition: definition as never,
  });
  const ada = browser();
  const fields = { note: "x", plan: "paid" };
  const values = { email, name: "Ada", password: PASSWORD, fields };
  await ada.send("/register", values);
  const code = codeOf(await lastMail(email));
  assertEquals((await ada.send("/register/code", { code })).status, 200);
  const read = async () => (await accounts.users.findByEmail(email))!.fields;
  assertEquals(await read(), { note: "x" } as never);
  await ada.send("/account", { name: "Ada", fields: { plan: "paid", age: 1 } });
  assertEquals(await read(), { note: "x", age: 1 } as never);
  // An input that is missing does not change its field.
  await ada.send("/account", { name: "Ada" });
  assertEquals(await read(), { note: "x", age: 1 } as never);
});

Deno.test("a name has no line breaks and control characters", async () => {
  const { accounts, registered } = startAccounts();
  const ada = await registered();
  const name = "  Ada\r\nBcc: eve@example.com\u0000\u2028L. ";
  assertEquals((await ada.send("/account", { name })).status, 200);
  const user = await accounts.users.findByEmail(email);
  assertEquals(user?.name, "Ada Bcc: eve@example.com L.");
  assert(user?.name === user?.name.trim());
});

Deno.test("the 51st key of an account is refused", async () => {
  const { accounts, registered } = startAccounts({
    definition: definition as never,
  });
  const ada = await registered();
  const { id } = (await accounts.users.findByEmail(email))!;
  const scopes = ["notes:read"] as never[];
  for (let n = 0; n < 49; n++) {
    await accounts.keys.issue(id, { name: "CI", scopes });
  }
  assertEquals((await ada.send("/account/keys", key)).status, 200);
  const more = await ada.send("/account/keys", key);
  assertEquals(more.status, 422);
  assertEquals((await more.json()).detail.includes("50"), true);
  assertEquals((await accounts.keys.list(id)).length, 50);
});

Deno.test("a path to return to has at most 2,000 characters, even if its URL is short", async () => {
  const { browser, registered } = startAccounts();
  await registered();
  const values = { email, password: PASSWORD };
  for (const length of [2_000, 2_001]) {
    const returnTo = "/../".padEnd(length, "/../");
    const path = `/login?${new URLSearchParams({ returnTo })}`;
    const { status } = await browser().send(path, values);
    assertEquals(status, length === 2_000 ? 200 : 414);
  }
});
