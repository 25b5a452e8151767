import { ACCOUNT_TESTS, MAIL, PAGES, ROUTER, SECRETS } from "./_accounts.ts";
import type { Template } from "./template.ts";

/** Accounts with their pages and emails, and pages for administrators. */
export const LOGIN: Template = {
  summary: "Registration, login and account pages",
  sources: {
    "app.ts":
      `import { Auth, createRouter, logger, secureHeaders } from "@gatehouse/web";
import type { Accounts, AccountsOptions } from "@gatehouse/web/accounts";
import { Actor } from "@gatehouse/web/auth-middleware";
import { homePage } from "./pages.ts";

/** The options of the accounts that tests need, too. */
export const accountOptions: Pick<AccountsOptions, "name" | "admins"> = {
  name: "My app",
  // New accounts with these addresses are administrators.
  admins: [],
};

/** Options for {@linkcode createApp}. */
export interface AppOptions {
  /** The accounts of users. */
  readonly accounts: Accounts;
  /** The number of proxies in front of the server. */
  readonly trustedProxies?: number;
}

/** Creates the application. */
export function createApp({ accounts, trustedProxies = 0 }: AppOptions) {
${ROUTER}  return router;
}
`,
    ...PAGES,
    ...MAIL,
  },
  hasAccounts: true,
  tables: "",
  options: {},
  secrets: [SECRETS],
  testImports: "",
  testSecrets: "",
  tests: `${ACCOUNT_TESTS}
test("an administrator acts as a user, whose account stays closed", async () => {
  const { accounts, client } = openClient();
  const ada = await createUser(accounts, "Ada");
  const bob = await createUser(accounts, "Bob");
  await accounts.logInTest(client, ada);
  assert.equal((await client.fetch("/admin")).status, 403);

  await accounts.users.setRole(ada, "admin");
  assert.match(await pageOf(client, "/admin"), /bob@example.com/);
  const act = { do: "act", reason: "Ticket 12" };
  await send(client, \`/admin/users/\${bob}\`, act);
  assert.match(await pageOf(client, "/"), /Stop acting as Bob/);
  assert.equal((await client.fetch("/account")).status, 403);
  await send(client, "/admin/stop-acting");
  assert.match(await pageOf(client, "/"), /Hello Ada/);
});

test("a form of another site is rejected", async () => {
  const headers = { Origin: "https://evil.example" };
  const [status] = await send(openClient().client, "/login", {}, headers);
  assert.equal(status, 403);
});

test("pages are not cached, and load no foreign scripts", async () => {
  const { accounts, client } = openClient();
  await accounts.logInTest(client, await createUser(accounts, "Ada"));
  for (const path of ["/", "/account"]) {
    const { headers } = await client.fetch(path);
    assert.equal(headers.get("Cache-Control"), "no-store");
    assert.match(headers.get("Content-Security-Policy") ?? "", /default-src/);
  }
});
`,
  note:
    "Emails are printed. Before you deploy it, set `sendMail` in `mail.ts`.",
};
