/** A feature that is off answers with 404, and no page leads to it. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import type { AccountFeature } from "@gatehouse/web/accounts";
import { testAccounts } from "@gatehouse/web/accounts/testing";
import { createTestAuthenticator } from "@gatehouse/web/testing";
import { type AnyRoute, PASSWORD, routesOf } from "./_accounts.ts";
import { read, start } from "./_overview.ts";
import { EVE, idOf, start as startWithProvider } from "./_providers.ts";

/** The names of the routes of each feature. */
const FEATURES: Readonly<Record<AccountFeature, RegExp>> = {
  data: /^data$/,
  deletion: /^remove$/,
  "email-login": /^emailLogin/,
  passkeys: /^passkey/,
};

const ALL = Object.keys(FEATURES) as AccountFeature[];

/** Pages that lead to others, for visitors and for users. */
const PAGES = {
  visitor: ["/login", "/login/reset", "/register"],
  user: ["/account", "/account/security", "/account/confirm"],
};

type App = Awaited<ReturnType<typeof start>>;

/** Returns the routes of a feature. */
function routesOfFeature(
  { accounts }: App,
  feature: AccountFeature,
): AnyRoute[] {
  const own = Object.entries(accounts.routes)
    .filter(([name]) => FEATURES[feature].test(name));
  assert(own.length > 0, feature);
  return [...routesOf(Object.fromEntries(own))];
}

/** Returns the statuses of requests to all routes, from a user with a fresh login. */
function statuses(
  { ada }: App,
  routes: readonly AnyRoute[],
): Promise<number[]> {
  return Promise.all(routes.map(async (route) => {
    const path = route.href({});
    const response = route.method === "GET"
      ? await ada.get(path)
      : await ada.send(path, {});
    await response.body?.cancel();
    return response.status;
  }));
}

/** Returns the text of all pages that lead to others. */
async function readPages({ ada, browser }: App): Promise<string> {
  const visitor = browser();
  const texts = await Promise.all([
    ...PAGES.visitor.map((path) => read(visitor, path)),
    ...PAGES.user.map((path) => read(ada, path)),
  ]);
  return texts.join("\n");
}

for (const off of ALL) {
  Deno.test(`accounts without the feature "${off}" answer its routes with 404, and lead to the others only`, async () => {
    const features = ALL.filter((feature) => feature !== off);
    const app = await start({ features });
    const pages = await readPages(app);
    assertEquals(pages.includes('href=""'), false);
    for (const feature of ALL) {
      const routes = routesOfFeature(app, feature);
      const isOff = feature === off;
      // The page of a passkey that does not exist is a 404, too.
      const found = await statuses(app, routes);
      assertEquals(found.every((status) => status === 404), isOff, feature);
      const entries = routes.filter((route) =>
        pages.includes(`"${route.href({})}`)
      );
      assertEquals(entries.length === 0, isOff, feature);
    }
  });
}

Deno.test("accounts without features have passwords, and the login page has no script", async () => {
  const app = await start({ features: [] });
  const visitor = app.browser();
  const page = await visitor.get("/login");
  const policy = page.headers.get("Content-Security-Policy")!;
  assertEquals(policy.includes("script-src"), false);
  const text = await page.text();
  assertEquals(text.includes("<script"), false);
  assertEquals(text.includes("webauthn"), false);
  const values = { email: "ada@example.com", password: PASSWORD };
  assertEquals((await visitor.post("/login", values)).status, 303);
  assertEquals(await visitor.isLoggedIn(), true);
});

Deno.test("without passkeys, the page of the security advises an app, and only users with a password", async () => {
  const app = startWithProvider({ features: [] });
  const ada = await app.registered();
  const withPassword = await read(ada, "/account/security");
  assert(withPassword.includes("Only a password protects your account."));
  assert(withPassword.includes('class="button" href="/account/two-step"'));
  const eve = app.browser();
  await app.logIn(eve, { ...EVE, email_verified: true });
  const without = await read(eve, "/account/security");
  assert(without.includes("You log in without a password."));
  assertEquals(without.includes('class="button"'), false);
});

Deno.test("a passkey from before the feature was off counts as no way in", async () => {
  const before = startWithProvider();
  const ada = before.browser();
  await before.logIn(ada);
  const authenticator = createTestAuthenticator({
    origin: "https://test.example",
  });
  const options = await (await ada.post("/account/passkeys/options")).json();
  const passkey = JSON.stringify(await authenticator.register(options));
  await ada.post("/account/passkeys", { name: "Laptop", passkey });

  const { database } = before;
  const after = startWithProvider({ database, features: [] });
  const same = after.browser();
  await after.logIn(same);
  const ways = await database.waysIn((await idOf(after))!);
  assertEquals(ways.map(({ kind }) => kind).sort(), ["identity", "passkey"]);
  const safety = await same.get("/account/security", {
    Accept: "application/json",
  });
  assertEquals((await safety.json()).passkeys, 0);
  const confirm = await read(same, "/account/confirm");
  assertEquals(confirm.includes("data-passkey-get"), false);
  const { id } = ways.find(({ kind }) => kind === "identity")!;
  const last = await same.post("/account/logins/remove", { id });
  assertEquals(last.status, 409);
  // With the feature, it is a way in.
  const other = before.browser();
  await before.logIn(other);
  const removed = await other.post("/account/logins/remove", { id });
  assertEquals(removed.status, 303);
  assertEquals((await database.waysIn((await idOf(before))!)).length, 1);
});

Deno.test("createAccounts() refuses a required second factor without passkeys", () => {
  const secondFactorRequired = () => true;
  assertThrows(
    () => testAccounts({ secondFactorRequired, features: ["data"] }),
    TypeError,
    'Cannot create accounts: secondFactorRequired needs the feature "passkeys"',
  );
  testAccounts({ secondFactorRequired, features: ["passkeys"] });
  testAccounts({ secondFactorRequired });
});
