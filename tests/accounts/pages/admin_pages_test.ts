import { assertEquals, assertStringIncludes } from "@std/assert";
import type { AccountsOptions } from "@gatehouse/web/accounts";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import {
  type AccountStore,
  createMemoryAccountStore,
  type NewAccount,
} from "@gatehouse/web/accounts/store";
import { testAccounts } from "@gatehouse/web/accounts/testing";
import { createRouter } from "@gatehouse/web/fetch-router";
import { createTestClient } from "@gatehouse/web/testing";
import { Browser } from "../_accounts.ts";
import { assertChanges, assertOutline, assertPages } from "./_outline.ts";

const NOW = Date.UTC(2026, 10, 28, 12);
const DAY = 86_400_000;

/** Starts accounts with the administrator "root" and users with known ids. */
async function start(options: Partial<AccountsOptions> = {}) {
  const now = () => NOW;
  const store = createMemoryAccountStore({ now });
  const accounts = testAccounts({ database: store, now, ...options });
  const router = createRouter({ middleware: accounts.middleware });
  router.map(accounts.routes, accounts.controller);
  router.map(accounts.adminRoutes, accounts.adminController);
  let created = 0;
  const add = (id: string, values: Partial<NewAccount> = {}) =>
    store.create({
      id,
      email: `${id}@example.com`,
      emailVerified: true,
      name: id,
      role: "user",
      language: null,
      fields: {},
      createdAt: NOW - 100 * DAY + ++created * DAY,
      passwordHash: "",
      ...values,
    });
  await add("root", { role: "admin" });
  const root = new Browser(createTestClient(router), {});
  await accounts.logInTest(root.client, "root");
  return { accounts, add, root, store };
}

Deno.test("the list of accounts has the facts of each, and the values of the search", async () => {
  const { add, root } = await start();
  await add("ada", { name: "Ada & Co", emailVerified: false });
  await add("bob", { disabled: { reason: "Spam", until: null } });
  await add("eve", { disabled: { reason: "Fraud", until: NOW + 2 * DAY } });
  await assertPages(root, {
    "/admin": `
      200 Accounts – Test
      # Accounts
      GET /admin
      Search | Part of the name or the email address | search: text "" aria-describedby=search-hint
      Role | role: select [All=] user admin
      [Search]
      ## Accounts
      root | root@example.com | admin · since 2026-08-21 | View (View root) → /admin/users/root
      Ada & Co | ada@example.com | user · since 2026-08-22 · address not verified | View (View Ada & Co) → /admin/users/ada
      bob | bob@example.com | user · since 2026-08-23 · Blocked indefinitely: Spam | View (View bob) → /admin/users/bob
      eve | eve@example.com | user · since 2026-08-24 · Blocked until 2026-11-30: Fraud | View (View eve) → /admin/users/eve
    `,
    "/admin?search=ada&role=user": `
      200 Accounts – Test
      # Accounts
      GET /admin
      Search | Part of the name or the email address | search: text "ada" aria-describedby=search-hint
      Role | role: select All= [user] admin
      [Search]
      ## Accounts
      Ada & Co | ada@example.com | user · since 2026-08-22 · address not verified | View (View Ada & Co) → /admin/users/ada
    `,
    "/admin?search=zoe": `
      200 Accounts – Test
      # Accounts
      GET /admin
      Search | Part of the name or the email address | search: text "zoe" aria-describedby=search-hint
      Role | role: select [All=] user admin
      [Search]
      ## Accounts
      No account matches.
    `,
  });
});

Deno.test("the list of accounts leads to its next page with the same search", async () => {
  const { add, root } = await start();
  for (let i = 0; i < 51; i++) await add(`user${i}`);
  const [link] = await linksOf(root, "/admin?search=user&role=user");
  assertEquals(link?.keys, ["search", "role", "after"]);
  const last = await (await root.get(link!.href)).text();
  assertEquals(last.match(/@example\.com/g)?.length, 1);
  assertEquals(await linksOf(root, link!.href), []);
});

/** The page of an account that is neither blocked nor leaving. */
const PLAIN = `
  200 ada – Test
  # ada
  ada@example.com
  Account number: ada
  since 2026-08-22
  ## Role
  POST /admin/users/ada
  do: hidden "role"
  Role | role: select [user] admin
  [Change the role]
  ## Block the account
  All sessions end at once, and the user cannot log in.
  POST /admin/users/ada
  do: hidden "disable"
  Reason | reason: text "" required
  Blocked until | Optional. If you choose no day, the block does not expire. | until: date "" aria-describedby=until-hint
  [Block the account]
  ## End all access
  All sessions, links, codes and API keys end at once.
  POST /admin/users/ada
  do: hidden "end-access"
  [End all access]
  ## Remove the second factors
  Removes the passkeys, the authenticator app and the…
  POST /admin/users/ada
  do: hidden "remove-factors"
  [Remove the second factors]
  ## Act as this user
  You see the application as this user for at most an hour.…
  POST /admin/users/ada
  do: hidden "act"
  Reason | actReason: text "" required
  [Act as this user]
  ## Remove the account
  This cannot be undone. Type the email address to confirm.
  POST /admin/users/ada
  do: hidden "remove"
  Email | email: email "" autocapitalize=none required
  [Remove the account]
  ## Audit log
  No entry matches.
  Audit log → /admin/audit?of=ada
`;

Deno.test("the page of an account has its facts, and a form for each change", async () => {
  const blocked = { reason: "Spam", until: NOW + 2 * DAY };
  const forever = { ...blocked, until: null };
  const leaving = { deleteAt: NOW + 7 * DAY, role: "admin" };
  const states: [
    change: (store: AccountStore) => Promise<unknown>,
    lines: string,
  ][] = [
    [
      (store) => store.change("ada", 1, { emailVerified: false }),
      `
        - ada@example.com
        + ada@example.com · address not verified
      `,
    ],
    [
      (store) => store.change("ada", 1, { disabled: blocked }),
      `
        + Blocked until 2026-11-30: Spam
        + do: hidden "enable"
        + [End the block]
        + POST /admin/users/ada
      `,
    ],
    [
      (store) => store.change("ada", 1, { disabled: forever }),
      `
        + Blocked indefinitely: Spam
        + do: hidden "enable"
        + [End the block]
        + POST /admin/users/ada
      `,
    ],
    [
      (store) => store.update("ada", leaving),
      `
        - Role | role: select [user] admin
        + The user asked to delete this account. It will be deleted…
        + Role | role: select user [admin]
      `,
    ],
  ];
  for (const [change, lines] of states) {
    const { add, root, store } = await start();
    await add("ada");
    await assertOutline(await root.get("/admin/users/ada"), PLAIN);
    const before = await root.get("/admin/users/ada");
    await change(store);
    await assertChanges(before, await root.get("/admin/users/ada"), lines);
  }
});

Deno.test("the page of an unknown account says so", async () => {
  const { root } = await start();
  await assertOutline(
    await root.get("/admin/users/unknown"),
    `
      404 This account does not exist. – Test
      # This account does not exist.
    `,
  );
});

Deno.test("a failed change of an account keeps what was typed", async () => {
  const { add, root } = await start();
  await add("ada");
  const failures: [values: Record<string, string>, lines: string][] = [
    [
      { do: "disable", reason: "", until: "2026-12-24" },
      `
        - 200 ada – Test
        - Reason | reason: text "" required
        - Blocked until | Optional. If you choose no day, the block does not expire. | until: date "" aria-describedby=until-hint
        + 422 Error: ada – Test
        + alert:
        + Please correct this:
        + A reason is required → #reason
        + Reason | A reason is required | reason: text "" required aria-describedby=reason-error aria-invalid=true
        + Blocked until | Optional. If you choose no day, the block does not expire. | until: date "2026-12-24" aria-describedby=until-hint
      `,
    ],
    [
      { do: "disable", reason: "Spam", until: "2020-01-01" },
      `
        - 200 ada – Test
        - Reason | reason: text "" required
        - Blocked until | Optional. If you choose no day, the block does not expire. | until: date "" aria-describedby=until-hint
        + 422 Error: ada – Test
        + alert:
        + Please correct this:
        + Please choose a day in the future → #until
        + Reason | reason: text "Spam" required
        + Blocked until | Optional. If you choose no day, the block does not expire. | Please choose a day in the future | until: date "2020-01-01" aria-describedby=until-hint until-error aria-invalid=true
      `,
    ],
    [
      { do: "role", role: "boss" },
      `
        - 200 ada – Test
        - Role | role: select [user] admin
        + 422 Error: ada – Test
        + alert:
        + Please correct this:
        + This value is invalid → #role
        + Role | This value is invalid | role: select aria-describedby=role-error aria-invalid=true user admin
      `,
    ],
    [
      { do: "remove", email: "eve@example.com" },
      `
        - 200 ada – Test
        - Email | email: email "" autocapitalize=none required
        + 422 Error: ada – Test
        + alert:
        + Please correct this:
        + This is not the address of the account → #email
        + Email | This is not the address of the account | email: email "eve@example.com" autocapitalize=none required aria-describedby=email-error aria-invalid=true
      `,
    ],
    [
      { do: "act", actReason: "" },
      `
        - 200 ada – Test
        - Reason | actReason: text "" required
        + 422 Error: ada – Test
        + alert:
        + Please correct this:
        + A reason is required → #actReason
        + Reason | A reason is required | actReason: text "" required aria-describedby=actReason-error aria-invalid=true
      `,
    ],
  ];
  for (const [values, lines] of failures) {
    const before = await root.get("/admin/users/ada");
    const failed = await root.post("/admin/users/ada", values);
    await assertChanges(before, failed, lines);
  }
});

Deno.test("the audit log has who changed whom, when and why", async () => {
  const { add, root, store } = await start();
  await add("ada");
  const before = await root.get("/admin/users/ada");
  const entries: [actor: string, action: string, reason: string][] = [
    ["root", "disable", "Spam"],
    ["ada", "password-change", ""],
    ["gone", "enable", ""],
  ];
  for (const [index, [actorId, action, reason]] of entries.entries()) {
    const at = NOW - DAY + index * 1_000;
    const entry = { id: `${index}`, at, actorId, action, reason };
    await store.audit.add({ ...entry, userId: "ada" });
  }
  await assertOutline(
    await root.get("/admin/audit"),
    `
      200 Audit log – Test
      # Audit log
      GET /admin/audit
      Account number | of: text ""
      Action | action: select [All=] role disable enable end-access remove-factors remove invite invite-end act-start act-end act-refuse refused password-change factor-add factor-remove key-create key-revoke data-export
      [Filter]
      ## Audit log
      enable | gone → /admin/users/gone | → ada@example.com → /admin/users/ada | 2026-11-27 12:00:02 UTC
      password-change | ada@example.com → /admin/users/ada | 2026-11-27 12:00:01 UTC
      disable Spam | root@example.com → /admin/users/root | → ada@example.com → /admin/users/ada | 2026-11-27 12:00:00 UTC
      Download as CSV → /admin/audit.csv
    `,
  );
  await assertChanges(
    before,
    await root.get("/admin/users/ada"),
    `
      - No entry matches.
      + enable | gone → /admin/users/gone | → ada@example.com → /admin/users/ada | 2026-11-27 12:00:02 UTC
      + password-change | ada@example.com → /admin/users/ada | 2026-11-27 12:00:01 UTC
      + disable Spam | root → /admin/users/root | → ada@example.com → /admin/users/ada | 2026-11-27 12:00:00 UTC
    `,
  );
  const filters: [search: string, lines: string][] = [
    [
      "of=root&action=disable",
      `
        - Account number | of: text ""
        - Action | action: select [All=] role disable enable end-access remove-factors remove invite invite-end act-start act-end act-refuse refused password-change factor-add factor-remove key-create key-revoke data-export
        - enable | gone → /admin/users/gone | → ada@example.com → /admin/users/ada | 2026-11-27 12:00:02 UTC
        - password-change | ada@example.com → /admin/users/ada | 2026-11-27 12:00:01 UTC
        - Download as CSV → /admin/audit.csv
        + Account number | of: text "root"
        + Action | action: select All= role [disable] enable end-access remove-factors remove invite invite-end act-start act-end act-refuse refused password-change factor-add factor-remove key-create key-revoke data-export
        + Download as CSV → /admin/audit.csv?of=root&action=disable
      `,
    ],
    [
      "of=unknown",
      `
        - Account number | of: text ""
        - enable | gone → /admin/users/gone | → ada@example.com → /admin/users/ada | 2026-11-27 12:00:02 UTC
        - password-change | ada@example.com → /admin/users/ada | 2026-11-27 12:00:01 UTC
        - disable Spam | root@example.com → /admin/users/root | → ada@example.com → /admin/users/ada | 2026-11-27 12:00:00 UTC
        - Download as CSV → /admin/audit.csv
        + Account number | of: text "unknown"
        + No entry matches.
        + Download as CSV → /admin/audit.csv?of=unknown
      `,
    ],
  ];
  for (const [search, lines] of filters) {
    const all = await root.get("/admin/audit");
    await assertChanges(all, await root.get(`/admin/audit?${search}`), lines);
  }
});

Deno.test("the audit log leads to its next page with the same filter", async () => {
  const { root, store } = await start();
  for (let i = 0; i < 51; i++) {
    const entry = {
      id: `${i}`,
      at: NOW - i * 1_000,
      action: "role",
      reason: "",
    };
    await store.audit.add({ ...entry, actorId: "root", userId: "root" });
  }
  const links = await linksOf(root, "/admin/audit?of=root&action=role");
  assertEquals(links.map(({ keys }) => keys), [
    ["of", "action", "after"],
    ["of", "action"],
  ]);
  const last = await (await root.get(links[0]!.href)).text();
  assertEquals(last.match(/<time>/g)?.length, 1);
  assertEquals((await linksOf(root, links[0]!.href)).length, 1);
});

/** Returns the links of a page that have search params. */
async function linksOf(root: Browser, path: string) {
  const page = await (await root.get(path)).text();
  return Array.from(page.matchAll(/href="([^"]+\?[^"]+)"/g), ([, source]) => {
    const href = source!.replaceAll("&amp;", "&");
    const { searchParams } = new URL(href, "https://test.example");
    return { href, keys: [...searchParams.keys()] };
  });
}

Deno.test("the navigation of administrators marks the page, and has the invitations unless the registration is closed", async () => {
  const rows = [
    ["open", "/admin", ["*Accounts", "Invitations", "Audit log"]],
    ["open", "/admin/users/root", ["Accounts", "Invitations", "Audit log"]],
    ["invited", "/admin/invitations", [
      "Accounts",
      "*Invitations",
      "Audit log",
    ]],
    ["closed", "/admin/audit", ["Accounts", "*Audit log"]],
  ] as const;
  for (const [registration, path, expected] of rows) {
    const { root } = await start({ registration });
    const page = await (await root.get(path)).text();
    const [, nav = ""] = /<nav aria-label="Administration">([^]*)<\/nav>/.exec(
      page,
    )!;
    const links = nav.matchAll(/<a href="[^"]+"([^>]*)>([^<]+)/g);
    assertEquals(
      Array.from(links, ([, mark, text]) => (mark === "" ? "" : "*") + text),
      [...expected],
      path,
    );
  }
});

Deno.test("the invitations to register have a role, or that of new accounts", async () => {
  const { accounts, root } = await start();
  const list = () => root.get("/admin/invitations");
  await assertOutline(
    await list(),
    `
      200 Invitations – Test
      # Invitations
      We send an email with a link. It registers only this…
      POST /admin/invitations
      do: hidden "invite"
      Email | email: email "" autocapitalize=none required
      Role | role: select user admin
      [Send the invitation]
      ## Open invitations
      No invitation is open.
    `,
  );
  const empty = await list();
  await accounts.users.invite({ email: "ada@example.com" });
  await accounts.users.invite({ email: "bob@example.com", role: "admin" });
  await assertChanges(
    empty,
    await list(),
    `
      - No invitation is open.
      + ada@example.com | expires 2026-12-05 | POST /admin/invitations | do: hidden "withdraw" | email: hidden "ada@example.com" | [Withdraw] (Withdraw the invitation for ada@example.com)
      + bob@example.com | admin · expires 2026-12-05 | POST /admin/invitations | do: hidden "withdraw" | email: hidden "bob@example.com" | [Withdraw] (Withdraw the invitation for bob@example.com)
    `,
  );
  const values = { do: "invite", email: "eve", role: "admin" };
  const failed = await root.post("/admin/invitations", values);
  await assertChanges(
    await list(),
    failed,
    `
      - 200 Invitations – Test
      - Email | email: email "" autocapitalize=none required
      - Role | role: select user admin
      + 422 Error: Invitations – Test
      + alert:
      + Please correct this:
      + Invalid email address → #email
      + Email | Invalid email address | email: email "eve" autocapitalize=none required aria-describedby=email-error aria-invalid=true
      + Role | role: select user [admin]
    `,
  );
});

Deno.test("the pages of administrators offer the roles of the application", async () => {
  const roles = ["reader", "editor", "admin"] as const;
  const definition = defineAccounts({ roles });
  const { root } = await start({ definition: definition as never });
  for (const path of ["/admin", "/admin/users/root", "/admin/invitations"]) {
    const page = await (await root.get(path)).text();
    const options = page.matchAll(/<option value="(\w+)"/g);
    assertEquals(Array.from(options, ([, role]) => role), [...roles], path);
  }
});

Deno.test("a block that was imported without a reason has no colon", async () => {
  const { add, root } = await start();
  const until = NOW + 2 * DAY;
  await add("ada", { disabled: { reason: "", until } });
  await add("bob", { disabled: { reason: "", until: null } });
  await add("eve", { disabled: { reason: "Spam", until } });
  const german = new Browser(root.client, { "Accept-Language": "de" });
  const rows = [
    [root, "ada", "Blocked until 2026-11-30"],
    [root, "bob", "Blocked indefinitely"],
    [root, "eve", "Blocked until 2026-11-30: Spam"],
    [german, "ada", "Gesperrt bis 2026-11-30"],
    [german, "bob", "Gesperrt auf unbestimmte Zeit"],
    [german, "eve", "Gesperrt bis 2026-11-30: Spam"],
  ] as const;
  for (const [browser, id, text] of rows) {
    const page = await (await browser.get(`/admin/users/${id}`)).text();
    assertStringIncludes(page, `<p>${text}</p>`);
  }
});
