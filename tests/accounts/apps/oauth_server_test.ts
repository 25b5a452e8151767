/** An authorization server whose users are accounts. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Auth } from "@gatehouse/web/auth-middleware";
import { generateTOTP } from "@gatehouse/web/auth/second-factor";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { testAccounts } from "@gatehouse/web/accounts/testing";
import { createRouter } from "@gatehouse/web/fetch-router";
import { secureHeaders } from "@gatehouse/web/middleware";
import {
  createAuthorizationServer,
  deviceGrant,
  english,
  german,
} from "@gatehouse/web/oauth-server";
import { openapi } from "@gatehouse/web/openapi";
import { createTestClient } from "@gatehouse/web/testing";
import { captureConsole } from "../../_console.ts";
import { Browser, codeOf, mailTo, PASSWORD, tokenOf } from "../_accounts.ts";

const ORIGIN = "https://test.example";
const MCP = `${ORIGIN}/mcp`;
const CALLBACK = "https://claude.example/callback";
const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const email = "ada@example.com";

/** Starts accounts with an authorization server, as in the guide. */
function start() {
  let time = Date.now();
  const now = () => time;
  const database = createMemoryAccountStore({ now });
  const accounts = testAccounts({ database, now });
  const server = createAuthorizationServer({
    issuer: ORIGIN,
    users: accounts,
    store: accounts.store,
    secrets: ["M9uYb1eVxqT7oZ2cKp4wRh6sLd8fGj0n"],
    resources: {
      [MCP]: {
        name: "Notes",
        scopes: {
          "notes:read": "Read your notes",
          "notes:write": "Change your notes",
        },
        fresh: { "notes:write": 600_000 },
      },
    },
    clients: [
      { id: "claude", name: "Claude", redirectUris: [CALLBACK] },
      { id: "tv", name: "Notes on TV", grants: ["device"] },
    ],
    device: deviceGrant(),
    messages: [
      english,
      { ...german, scopeTexts: { "notes:read": "Ihre Notizen lesen" } },
    ],
    loginPath: accounts.routes.login.index.href(),
    confirmPath: accounts.routes.confirm.index.href(),
    now,
  });
  const mcp = server.resource(MCP);
  const router = createRouter({
    middleware: [
      server.endpoints,
      mcp.metadata,
      secureHeaders(),
      ...accounts.withSchemes(mcp.scheme),
    ],
  });
  router.map(accounts.routes, accounts.controller);
  router.map(server.routes, server.controller);
  router.map(server.deviceRoutes, server.deviceController);
  router.post("/mcp", mcp.requireScope("notes:read"), (context) => {
    // The type is that of the accounts.
    const user: { readonly name: string } = context.get(Auth);
    return new Response(user.name);
  });
  router.get("/notes", accounts.requireUser, () => new Response("notes"));
  const browser = () =>
    new Browser(
      createTestClient(router, { origin: ORIGIN, remoteAddress: "192.0.2.1" }),
      {},
    );
  const wait = (milliseconds: number) => void (time += milliseconds);
  return { accounts, browser, database, now, router, server, wait };
}

type App = ReturnType<typeof start>;

/** Registers a user, and returns the browser and the id. */
async function register({ accounts, browser }: App) {
  const ada = browser();
  await ada.post("/register", { email, name: "Ada", password: PASSWORD });
  await accounts.flush();
  const code = codeOf(mailTo(email, accounts));
  await ada.post("/register/code", { code });
  const { id } = (await accounts.users.findByEmail(email))!;
  return { ada, id };
}

/** Returns the path of a request of the client. */
function authorizePath(params: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams({
    response_type: "code",
    client_id: "claude",
    redirect_uri: CALLBACK,
    state: "s1",
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
    scope: "notes:read",
    ...params,
  });
  return `/authorize?${search}`;
}

/** Allows a request on its consent page, and returns the code. */
async function allow(browser: Browser, path: string): Promise<string> {
  const page = await (await browser.get(path)).text();
  const [, request] = /name="request" value="([^"]+)"/.exec(page) ?? [];
  assert(request !== undefined, page);
  const final = await browser.post("/authorize", {
    request,
    decision: "approve",
    scope: "notes:read",
  });
  const target = final.headers.get("Refresh")?.replace("0; url=", "") ?? "";
  const { searchParams } = new URL(target);
  assertEquals(searchParams.get("iss"), ORIGIN);
  return searchParams.get("code")!;
}

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

function sendToken(
  { router }: App,
  form: Readonly<Record<string, string>>,
): Promise<Response> {
  const body = new URLSearchParams({ client_id: "claude", ...form });
  return Promise.resolve(
    router.fetch(new Request(`${ORIGIN}/token`, { method: "POST", body })),
  );
}

/** Connects the client to the account of a browser. */
async function connect(app: App, browser: Browser): Promise<Tokens> {
  const response = await sendToken(app, {
    grant_type: "authorization_code",
    redirect_uri: CALLBACK,
    code_verifier: VERIFIER,
    code: await allow(browser, authorizePath()),
  });
  assertEquals(response.status, 200);
  return await response.json();
}

/** Calls the resource, and returns the status. */
async function call({ router }: App, { access_token }: Tokens, path = "/mcp") {
  const response = await router.fetch(
    new Request(ORIGIN + path, {
      method: path === "/mcp" ? "POST" : "GET",
      headers: { Authorization: `Bearer ${access_token}` },
    }),
  );
  await response.body?.cancel();
  return response.status;
}

async function refresh(app: App, { refresh_token }: Tokens): Promise<number> {
  const form = { grant_type: "refresh_token", refresh_token };
  const response = await sendToken(app, form);
  await response.body?.cancel();
  return response.status;
}

Deno.test("a client that a visitor opens is connected after the registration", async () => {
  const app = start();
  const browser = app.browser();
  const path = authorizePath();
  const anonymous = await browser.get(path);
  assertEquals(anonymous.headers.getSetCookie(), []);
  const login = anonymous.headers.get("Location")!;
  const page = await (await browser.get(login)).text();
  const [, href = ""] = /href="(\/register\?[^"]+)"/.exec(page)!;
  const target = href.replaceAll("&amp;", "&");
  const sent = await browser.post(target, {
    email,
    name: "Ada",
    password: PASSWORD,
  });
  await app.accounts.flush();
  const code = codeOf(mailTo(email, app.accounts));
  const last = await browser.post(sent.headers.get("Location")!, { code });
  const back = last.headers.get("Location")!;
  assert(back.startsWith(path), back);
  const tokens = await sendToken(app, {
    grant_type: "authorization_code",
    redirect_uri: CALLBACK,
    code_verifier: VERIFIER,
    code: await allow(browser, back),
  });
  assertEquals(await call(app, await tokens.json()), 200);
});

Deno.test("the longest request of a client passes the login", async () => {
  const app = start();
  await register(app);
  const room = 2_000 - authorizePath({ state: "" }).length;
  // The server adds the time of the login to the address.
  const added = "&login_after=1800000000".length;
  for (
    const [length, isShort] of [[room - added, true], [room, false]] as const
  ) {
    const browser = app.browser();
    const path = authorizePath({ state: "s".repeat(length) });
    const response = await browser.get(path);
    if (!isShort) {
      assertEquals(response.status, 414);
      continue;
    }
    const login = response.headers.get("Location")!;
    const values = { email, password: PASSWORD };
    const last = await browser.post(login, values);
    const consent = await browser.get(last.headers.get("Location")!);
    assertEquals(consent.status, 200);
    assertStringIncludes(await consent.text(), "Connect Claude to Notes?");
  }
});

Deno.test("a scope that needs a recent login confirms it on the page of accounts", async () => {
  const app = start();
  const { ada } = await register(app);
  app.wait(20 * 60_000);
  const path = authorizePath({ scope: "notes:read notes:write" });
  const stale = await ada.get(path);
  const confirm = stale.headers.get("Location")!;
  assert(confirm.startsWith("/account/confirm?returnTo="), confirm);
  const done = await ada.post(confirm, { password: PASSWORD });
  const page = await ada.get(done.headers.get("Location")!);
  assertStringIncludes(await page.text(), "Change your notes");
});

Deno.test("a user with an app enters its code before the consent", async () => {
  const app = start();
  const { ada } = await register(app);
  const page = await (await ada.get("/account/two-step")).text();
  const [, setup = ""] = /name="setup" value="([^"]+)"/.exec(page)!;
  const [, key = ""] = /class="key">([^<]+)</.exec(page)!;
  const nextCode = () => {
    app.wait(31_000);
    return generateTOTP(key.replaceAll(" ", ""), { time: app.now() });
  };
  await ada.post("/account/two-step", { setup, code: await nextCode() });
  const browser = app.browser();
  const anonymous = await browser.get(authorizePath());
  const login = anonymous.headers.get("Location")!;
  const first = await browser.post(login, { email, password: PASSWORD });
  // A login without the second factor connects no client.
  const early = await browser.get(authorizePath());
  assertEquals(early.status, 303);
  const code = await nextCode();
  const last = await browser.post(first.headers.get("Location")!, { code });
  const consent = await browser.get(last.headers.get("Location")!);
  assertStringIncludes(await consent.text(), "Connect Claude to Notes?");
});

Deno.test("the account page lists the client with its rights in words, and disconnects it", async () => {
  const app = start();
  const { ada } = await register(app);
  const tokens = await connect(app, ada);
  assertEquals(await call(app, tokens), 200);
  const page = await (await ada.get("/account/apps")).text();
  for (const text of ["<bdi>Claude</bdi>", "Notes: Read your notes"]) {
    assertStringIncludes(page, text);
  }
  const inGerman = await ada.get("/account/apps", { "Accept-Language": "de" });
  assertStringIncludes(await inGerman.text(), "Notes: Ihre Notizen lesen");
  assertStringIncludes(page, "<code>claude.example</code>");
  const [, id = ""] = /name="id" value="([^"]+)"/.exec(page)!;
  assertEquals((await ada.post("/account/apps", { id })).status, 303);
  assertEquals([await call(app, tokens), await refresh(app, tokens)], [
    401,
    400,
  ]);
  const after = await (await ada.get("/account/apps")).text();
  assertStringIncludes(after, "No app is connected");
});

Deno.test("a token of a client reaches the resource, and no page of the user", async () => {
  const app = start();
  const { ada } = await register(app);
  const tokens = await connect(app, ada);
  for (const path of ["/account", "/account/session", "/notes"]) {
    assertEquals([path, await call(app, tokens, path)], [path, 403]);
  }
  // The token cannot approve more rights for itself.
  const path = authorizePath({ scope: "notes:read notes:write" });
  assertEquals(await call(app, tokens, path), 403);
});

/** Everything that ends the tokens of clients at the next request. */
const ends: Record<
  string,
  (app: App, ada: Browser, id: string) => Promise<unknown>
> = {
  "the end of all other sessions": (_app, ada) => ada.post("/account/sessions"),
  "a new password": (_app, ada) =>
    ada.post("/account/password", { password: "another horse battery" }),
  "users.endAccess()": ({ accounts }, _ada, id) => accounts.users.endAccess(id),
  "users.disable()": ({ accounts }, _ada, id) =>
    accounts.users.disable(id, { reason: "spam" }),
  async "a block that ended"({ accounts }, _ada, id) {
    await accounts.users.disable(id, { reason: "spam" });
    await accounts.users.enable(id);
  },
  "users.remove()": ({ accounts }, _ada, id) => accounts.users.remove(id),
  "the request for a deletion": (_app, ada) => ada.post("/account/delete"),
};

for (const [name, end] of Object.entries(ends)) {
  Deno.test(`${name} ends the tokens of clients at the next request`, async () => {
    const app = start();
    const { ada, id } = await register(app);
    const tokens = await connect(app, ada);
    const code = await allow(ada, authorizePath());
    await end(app, ada, id);
    await app.accounts.flush();
    assertEquals(await call(app, tokens), 401);
    assertEquals(await refresh(app, tokens), 400);
    assertEquals(await app.server.grants(id), []);
    const late = await sendToken(app, {
      grant_type: "authorization_code",
      redirect_uri: CALLBACK,
      code_verifier: VERIFIER,
      code,
    });
    assertEquals(late.status, 400);
  });
}

Deno.test("the OpenAPI document has the flow of the server, with its scopes in words", () => {
  const { router } = start();
  const info = { title: "Notes", version: "1.0.0" };
  const { document } = openapi(router, { info });
  const name = "https___test.example_mcp";
  assertEquals(document.paths["/mcp"]!.post!.security, [
    { session: ["notes:read"] },
    { [name]: ["notes:read"] },
  ]);
  assertEquals(document.components.securitySchemes[name], {
    type: "oauth2",
    flows: {
      authorizationCode: {
        authorizationUrl: `${ORIGIN}/authorize`,
        tokenUrl: `${ORIGIN}/token`,
        refreshUrl: `${ORIGIN}/token`,
        scopes: {
          "notes:read": "Read your notes",
          "notes:write": "Change your notes",
        },
      },
    },
  });
});

Deno.test("the owner gets an email about a new app, whose link disconnects it", async () => {
  const app = start();
  const { ada, id } = await register(app);
  const tokens = await connect(app, ada);
  await app.accounts.flush();
  const mail = mailTo(email, app.accounts);
  assertStringIncludes(mail.subject, "An app was connected");
  assertStringIncludes(mail.text, "An app of claude.example can now use");
  // A client chooses its name, which could be an advertisement.
  assertEquals(/Claude/.test(mail.text + mail.html), false);
  const { entries: [entry] } = await app.database.audit.list({ of: id });
  assertEquals([entry!.action, entry!.reason], ["key-create", "oauth"]);
  const owner = app.browser();
  const token = tokenOf(mail);
  const restored = await owner.post("/account/not-me", { token });
  assertEquals(restored.status, 303);
  assertEquals(await call(app, tokens), 401);
  assertEquals(await refresh(app, tokens), 400);
  assertEquals((await ada.get("/notes")).status, 302);
  await app.accounts.flush();
});

Deno.test("the account area and the email name a device, which has no host", async () => {
  const app = start();
  const { ada, id } = await register(app);
  const codes = await (await app.router.fetch(`${ORIGIN}/device/code`, {
    method: "POST",
    body: new URLSearchParams({ client_id: "tv" }),
  })).json();
  const page = await ada.post("/device", { user_code: codes.user_code });
  const [, request = ""] = /name="request" value="([^"]+)"/
    .exec(await page.text()) ?? [];
  const decision = { request, decision: "approve", scope: "notes:read" };
  assertEquals((await ada.post("/device", decision)).status, 200);
  await app.accounts.flush();
  assertStringIncludes(mailTo(email, app.accounts).text, "Notes on TV");
  const response = await app.router.fetch(`${ORIGIN}/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      client_id: "tv",
      device_code: codes.device_code,
    }),
  });
  assertEquals(response.status, 200);
  assertEquals((await app.server.grants(id)).length, 1);
  const apps = await (await ada.get("/account/apps")).text();
  assertStringIncludes(apps, "<bdi>Notes on TV</bdi>");
  assertEquals(apps.includes("<code></code>"), false);
});

Deno.test("a flood of new apps sends at most five emails at once, and each is in the audit log", async () => {
  const app = start();
  const { ada, id } = await register(app);
  const before = app.accounts.mails.length;
  for (let n = 0; n < 14; n++) await allow(ada, authorizePath());
  await app.accounts.flush();
  assertEquals(app.accounts.mails.length - before, 5);
  const { entries } = await app.database.audit.list({ of: id });
  assertEquals(entries.length, 14);
});

Deno.test("an email or an audit log that fails costs the user no code", async () => {
  const app = start();
  const { ada } = await register(app);
  const { add } = app.database.audit;
  app.database.audit.add = () => Promise.reject(new Error("down"));
  using errors = captureConsole();
  const tokens = await connect(app, ada);
  assertEquals(await call(app, tokens), 200);
  assertEquals(errors.printed.length, 1);
  app.database.audit.add = add;
});

Deno.test("the logout of a browser ends no token", async () => {
  const app = start();
  const { ada } = await register(app);
  const tokens = await connect(app, ada);
  await ada.post("/login/out");
  assertEquals(await call(app, tokens), 200);
});
