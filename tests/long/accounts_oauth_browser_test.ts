/**
 * Logins of accounts that lead to a client at once. Chromium applies the policy of a
 * form to each redirect after it (CSP Level 3, `form-action`).
 */
import { assertEquals } from "@std/assert";
import type { Page } from "npm:playwright-core@1.56.1";
import { createAccounts, type Mail } from "@gatehouse/web/accounts";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { createRouter } from "@gatehouse/web/fetch-router";
import { secureHeaders } from "@gatehouse/web/middleware";
import { createAuthorizationServer } from "@gatehouse/web/oauth-server";
import { launch, testInChromium } from "../deno/_chromium.ts";
import { freePort } from "../deno/_programs.ts";
import { serveLocally } from "../deno/_serve.ts";
import { CHALLENGE, SECRET } from "../oauth_server/_server.ts";

const EMAIL = "ada@mail.example.com";
const PASSWORD = "correct horse battery";

/** Serves accounts with an authorization server, and the callback of its clients. */
function serve() {
  const port = freePort();
  const origin = `http://localhost:${port}`;
  const callbackPort = freePort();
  const callback = `http://127.0.0.1:${callbackPort}/callback`;
  const mails: Mail[] = [];
  const accounts = createAccounts({
    name: "Notes",
    origin,
    database: createMemoryAccountStore(),
    sendMail: (mail) => void mails.push(mail),
    passwords: { memory: 64, passes: 1 },
  });
  const server = createAuthorizationServer({
    issuer: origin,
    users: accounts,
    store: accounts.store,
    secrets: [SECRET],
    resources: {
      [`${origin}/mcp`]: {
        name: "Notes",
        scopes: { "notes:read": "Read your notes" },
      },
    },
    clients: [
      { id: "cli", name: "Notes CLI", redirectUris: [callback] },
      {
        id: "own",
        name: "Own client",
        redirectUris: [callback],
        authentication: { secretHashes: ["A".repeat(43)] },
        trusted: true,
      },
    ],
    loginPath: accounts.routes.login.index.href(),
    confirmPath: accounts.routes.confirm.index.href(),
  });
  const router = createRouter({
    middleware: [server.endpoints, secureHeaders(), ...accounts.middleware],
  });
  router.map(accounts.routes, accounts.controller);
  router.map(server.routes, server.controller);
  const url = (params: Readonly<Record<string, string>>) => {
    const all = {
      response_type: "code",
      redirect_uri: callback,
      state: "s1",
      code_challenge: CHALLENGE,
      code_challenge_method: "S256",
      ...params,
    };
    return `${origin}/authorize?${new URLSearchParams(all)}`;
  };
  const lastCode = async () => {
    await accounts.flush();
    return /^\d{6}$/m.exec(mails.at(-1)?.text ?? "")?.[0] ?? "";
  };
  const app = serveLocally(router.fetch, { port });
  const client = serveLocally(
    ({ url }) => new Response(`Connected ${new URL(url).search}`),
    { port: callbackPort },
  );
  return { app, callback, client, lastCode, origin, url };
}

testInChromium(
  "Chromium: each login of accounts reaches the client, whatever the policy of its form",
  async () => {
    const { app, callback, client, lastCode, origin, url } = serve();
    await using _app = app;
    await using _client = client;
    await using browser = await launch();
    const page = await browser.newPage();
    page.setDefaultTimeout(10_000);
    const arrived = async (pattern: RegExp) => {
      await page.waitForURL(`${callback}?**`);
      assertEquals(pattern.test(page.url()), true, page.url());
    };

    // A registration, whose last form leads to the client without a consent.
    await page.goto(url({ client_id: "own" }));
    await page.getByRole("link", { name: "Register" }).click();
    await page.getByLabel("Name").fill("Ada");
    await page.getByLabel("Email").fill(EMAIL);
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Register" }).click();
    await page.getByLabel("Code").fill(await lastCode());
    await page.getByRole("button", { name: "Continue" }).click();
    await arrived(/\?code=oac_/);

    // A login, which leads to an error of the client.
    await logOut(page, origin);
    await page.goto(url({ client_id: "cli", scope: "unknown" }));
    await logIn(page);
    await arrived(/error=invalid_scope/);

    // A confirmation of the login.
    await page.goto(url({ client_id: "own", prompt: "login" }));
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Confirm" }).click();
    await arrived(/\?code=oac_/);

    // A consent.
    await logOut(page, origin);
    await page.goto(url({ client_id: "cli" }));
    await logIn(page);
    await page.getByRole("button", { name: "Allow" }).click();
    await arrived(/\?code=oac_/);

    // A client that the user opens while logged in gets a plain redirect.
    await page.goto(url({ client_id: "own" }));
    await arrived(/\?code=oac_/);
  },
);

async function logOut(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/account`);
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByText("You are logged out").waitFor();
}

async function logIn(page: Page): Promise<void> {
  await page.getByLabel("Email").fill(EMAIL);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Log in", exact: true }).click();
}
