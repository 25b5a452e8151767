/** Each route of the accounts while the database is down, fully or from one call. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { captureConsole } from "../_console.ts";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import {
  type AccountStore,
  createMemoryAccountStore,
} from "@gatehouse/web/accounts/store";
import { testAccounts } from "@gatehouse/web/accounts/testing";
import { createRouter } from "@gatehouse/web/fetch-router";
import { createTestClient, type TestClient } from "@gatehouse/web/testing";
import {
  type AnyRoute,
  exampleProviders,
  PASSWORD,
  routesOf,
} from "./_accounts.ts";

const email = "ada@example.com";

/** The calls of a database, which fail from one of them on. */
class Outage {
  /** The number of calls that succeed; infinite while the database is up. */
  left = Infinity;
  failed = 0;

  /** Returns an object whose methods fail during the outage. */
  wrap<Target extends object>(
    target: Target,
    createError: () => Error,
  ): Target {
    return new Proxy(target, {
      get: (_target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value === "function") {
          return (...args: unknown[]) => {
            if (this.left > 0) {
              this.left--;
              return value.apply(target, args);
            }
            this.failed++;
            return Promise.reject(createError());
          };
        }
        return typeof value === "object" && value !== null
          ? this.wrap(value, createError)
          : value;
      },
    });
  }
}

async function start() {
  const memory = createMemoryAccountStore();
  const outage = new Outage();
  const refused = new Error("connect ECONNREFUSED postgres://app:s3cret@db");
  const wrapped = outage.wrap<AccountStore>(
    memory,
    // A store of the application rejects with the error of its driver.
    () => refused,
  );
  const values = outage.wrap(memory.values, () => refused);
  const database = new Proxy(wrapped, {
    get: (target, name) =>
      name === "values" ? values : Reflect.get(target, name, target),
  });
  const accounts = testAccounts({
    database,
    definition: defineAccounts({
      scopes: ["notes:read"],
      teamRoles: ["owner", "reader"],
    }),
    admins: [email],
    providers: exampleProviders(),
  });
  const router = createRouter({ middleware: accounts.middleware });
  router.map(accounts.routes, accounts.controller);
  router.map(accounts.adminRoutes, accounts.adminController);
  const role = "admin";
  const ada = await accounts.users.create({ email, name: "Ada", role });
  const bob = await accounts.users.create({ email: "b@x.org", name: "Bob" });
  const team = await accounts.teams.create("Engines", ada!.id);
  const browser = async (isUser: boolean) => {
    const client = createTestClient(router, { remoteAddress: "192.0.2.7" });
    if (isUser) await accounts.logInTest(client, ada!.id);
    return client;
  };
  return {
    accounts,
    ada: ada!.id,
    bob: bob!.id,
    browser,
    memory,
    outage,
    team: team!.teamId,
  };
}

type App = Awaited<ReturnType<typeof start>>;

/** The params of the routes in the titles of failures. */
const EXAMPLE = {
  team: "t",
  user: "u",
  member: "m",
  invitation: "i",
  provider: "p",
};

/** Values that get past the checks of most forms. */
const VALUES = {
  name: "Ada",
  email: "new@example.com",
  password: PASSWORD,
  current: PASSWORD,
  code: "123456",
  token: "t".repeat(22),
  passkey: "{}",
  id: "x",
  role: "reader",
  days: "30",
  "scope-notes:read": "on",
  provider: "example",
  answer: "accept",
  do: "end-access",
};

/** Sends a request to a route, as a form or for a script. */
function ask(
  client: TestClient,
  { bob, team }: App,
  route: AnyRoute,
  isScript: boolean,
): Promise<Response> {
  const params = { team, user: bob, member: "x", invitation: "x" };
  const path = route.href({ ...params, provider: "example" });
  const headers = isScript ? { Accept: "application/json" } : undefined;
  const { method } = route;
  const body = method === "POST" ? new URLSearchParams(VALUES) : null;
  return client.fetch(path, { method, body, ...headers && { headers } });
}

/** Checks a response during an outage. */
function assertUnavailable(response: Response, title: string): void {
  const { headers, status } = response;
  assertEquals(status, 503, title);
  assert(Number(headers.get("Retry-After")) > 0, title);
  assertStringIncludes(headers.get("Cache-Control") ?? "", "no-store", title);
  assertEquals(headers.getSetCookie(), [], title);
}

/** Returns the status of a page for users, and who is logged in. */
async function sessionOf(client: TestClient): Promise<string | undefined> {
  const response = await client.fetch("/account/session");
  return (await response.json()).account?.email;
}

for (const isUser of [false, true]) {
  const name = isUser ? "a user" : "a visitor";

  Deno.test(`during an outage, each route of accounts responds to ${name} with 503, or does not need the database (ASVS 16.5.2)`, async () => {
    using _output = captureConsole();
    const app = await start();
    const { accounts, browser, outage } = app;
    const client = await browser(isUser);
    const routes = [accounts.routes, accounts.adminRoutes];
    for (const route of routes.flatMap((map) => [...routesOf(map)])) {
      for (const isScript of [false, true]) {
        const title = `${route.method} ${route.href(EXAMPLE)}`;
        outage.left = 0;
        outage.failed = 0;
        const cookies = new Map(client.cookies);
        const response = await ask(client, app, route, isScript);
        const text = await response.text();
        outage.left = Infinity;
        assertEquals(text.includes("s3cret"), false, title);
        assertEquals(client.cookies, cookies, title);
        if (outage.failed > 0) assertUnavailable(response, title);
        else assert(!isUser && response.status < 500, title);
      }
    }
    assertEquals(await sessionOf(client), isUser ? email : undefined);
    await accounts.flush();
  });

  Deno.test(`an outage that begins during a request of ${name} is a 503 at each call`, async () => {
    using _output = captureConsole();
    const { accounts } = await start();
    const count = [...routesOf(accounts.routes)].length;
    for (let index = 0; index < count; index++) {
      for (let calls = 0;; calls++) {
        const app = await start();
        const route = [...routesOf(app.accounts.routes)][index]!;
        const client = await app.browser(isUser);
        app.outage.left = calls;
        const response = await ask(client, app, route, true);
        const text = await response.text();
        const isFailed = app.outage.failed > 0;
        app.outage.left = Infinity;
        await app.accounts.flush();
        const title = `${route.method} ${route.href(EXAMPLE)}, call ${calls}`;
        if (!isFailed) break;
        // The change has happened if only its entry in the audit log fails.
        assert([200, 503].includes(response.status), `${title}: ${text}`);
        if (response.status === 503) {
          assert(response.headers.has("Retry-After"), title);
        }
        // A change of credentials ends all sessions before it moves this one.
        const { version } = (await app.memory.find(app.ada))!;
        if (!isUser || version > 1) continue;
        assertEquals(await sessionOf(client), email, title);
      }
    }
  });
}
