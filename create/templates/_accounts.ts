import type { Secret } from "./template.ts";

/** The router of an application with accounts, and its home page. */
export const ROUTER = `  const router = createRouter({
    trustedProxies,
    middleware: [logger(), secureHeaders(), ...accounts.middleware],
  });
  router.map(accounts.routes, accounts.controller);
  router.map(accounts.adminRoutes, accounts.adminController);

  router.get("/", accounts.requireUser, (context) => {
    return homePage(accounts, {
      title: accountOptions.name,
      user: context.get(Auth),
      isActing: context.get(Actor) !== null,
    });
  });
`;

/** The home page, by path. */
export const PAGES = {
  "pages.ts": `import type { Accounts } from "@gatehouse/web/accounts";
import type { Account } from "@gatehouse/web/accounts/definition";
import { html, htmlResponse } from "@gatehouse/web/content";

/** The content of the home page. */
export interface HomePage {
  readonly title: string;
  readonly user: Account;
  /** \`true\` if an administrator acts as the user. */
  readonly isActing: boolean;
}

/** Creates the home page, with the stylesheet of the account pages. */
export function homePage(
  { routes, adminRoutes }: Pick<Accounts, "routes" | "adminRoutes">,
  { title, user, isActing }: HomePage,
): Response {
  const markup = html\`
    <html lang="en">
      <head>
        <meta name="viewport" content="width=device-width">
        <title>\${title}</title>
        <link rel="stylesheet" href="\${routes.style.href()}">
      </head>
      <body>
        <header class="bar">
          <a class="brand" href="/">\${title}</a>
          <form method="post" action="\${routes.logout.href()}">
            <button class="quiet">Log out</button>
          </form>
        </header>
        <main>
          <h1>Hello \${user.name}</h1>
          <p><a href="\${routes.profile.index.href()}">Account</a></p>
          \${user.role === "admin" && html\`
            <p><a href="\${adminRoutes.users.href()}">Administration</a></p>
          \`}
          \${isActing && html\`
            <form method="post" action="\${adminRoutes.stopActing.href()}">
              <button>Stop acting as \${user.name}</button>
            </form>
          \`}
        </main>
      </body>
    </html>
  \`;
  // After a logout, the Back button shows no pages.
  return htmlResponse(markup, { headers: { "Cache-Control": "no-store" } });
}
`,
};

/** The function that sends emails, by path. */
export const MAIL = {
  "mail.ts": `import type { Mail } from "@gatehouse/web/accounts";

/**
 * Sends an email. Replace \`undefined\` with a function that calls the API of your
 * provider, and rejects if that fails. Until then, emails are printed, and the
 * application starts only with an \`ORIGIN\` on localhost.
 */
export const sendMail: ((mail: Mail) => Promise<void>) | undefined = undefined;
`,
};

/** The secrets of accounts. */
export const SECRETS: Secret = {
  name: "SECRETS",
  comment: `The secrets that encrypt codes and second factors. Keep a copy.
# openssl rand -base64 32 creates another one. Put it first, before a space.`,
  create() {
    const bytes = crypto.getRandomValues(new Uint8Array(32));
    return btoa(String.fromCharCode(...bytes));
  },
};

/** The functions of the tests, and the test of the registration. */
export const ACCOUNT_TESTS = `
type Opened = ReturnType<typeof openClient>;
type Client = Opened["client"];

/** Sends a form, and returns the status and the redirect. */
async function send(
  { fetch }: Client,
  path: string,
  fields: Record<string, string> = {},
  headers: Record<string, string> = {},
) {
  const body = new URLSearchParams(fields);
  const response = await fetch(path, { method: "POST", body, headers });
  return [response.status, response.headers.get("Location")];
}

async function pageOf({ fetch }: Client, path: string): Promise<string> {
  return await (await fetch(path)).text();
}

/** Creates an account, and returns its id. */
async function createUser({ users }: Opened["accounts"], name: string) {
  const user = await users.create({ email: \`\${name}@example.com\`, name });
  assert.ok(user !== null);
  return user.id;
}

test("a user registers with an emailed code, logs out and logs in", async () => {
  const { accounts, client } = openClient();
  const ada = { email: "ada@example.com", password: "correct horse battery" };
  await send(client, "/register", { ...ada, name: "Ada" });
  const [code = ""] = /^\\d{6}$/m.exec(accounts.mails[0].text) ?? [];
  assert.deepEqual(await send(client, "/register/code", { code }), [303, "/"]);
  assert.match(await pageOf(client, "/"), /Hello Ada/);

  await send(client, "/login/out");
  const { headers } = await client.fetch("/");
  assert.equal(headers.get("Location"), "/login?returnTo=%2F");
  const wrong = { ...ada, password: "wrong horse battery" };
  assert.deepEqual(await send(client, "/login", wrong), [422, null]);
  assert.deepEqual(await send(client, "/login", ada), [303, "/"]);
});
`;
