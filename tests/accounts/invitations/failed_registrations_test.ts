/** Registrations by invitation that fail in the middle: no invitation is lost. */
import { assert, assertEquals } from "@std/assert";
import type { AccountsOptions } from "@gatehouse/web/accounts";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import {
  type AccountStore,
  createMemoryAccountStore,
} from "@gatehouse/web/accounts/store";
import { createTestProvider } from "@gatehouse/web/testing";
import { captureConsole } from "../../_console.ts";
import {
  type Browser,
  codeOf,
  exampleProviders,
  PASSWORD,
  startAccounts,
  tokenOf,
} from "../_accounts.ts";

const email = "ada@example.com";
const definition = defineAccounts({ roles: ["user", "editor", "admin"] });
const provider = createTestProvider();

/** Returns `true` for a call of a store that fails. */
type Fails = (place: number, method: string, args: unknown[]) => boolean;

/** Creates a store whose calls fail on demand. */
function breakable(inner: AccountStore) {
  let calls = 0;
  let fails: Fails = () => false;
  const wrap = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (name === "values") return values;
        if (typeof value !== "function") return value;
        return (...args: unknown[]) =>
          fails(++calls, String(name), args)
            ? Promise.reject(new Error("The database is down"))
            : value.apply(target, args);
      },
    });
  const values = wrap(inner.values);
  /** Counts the calls from now on, and lets some of them fail. */
  const fail = (next: Fails) => {
    calls = 0;
    fails = next;
  };
  return { database: wrap(inner), fail };
}

/** Starts accounts with an invitation of an editor. */
async function start(options: Partial<AccountsOptions> = {}) {
  const { database, fail } = breakable(createMemoryAccountStore());
  const app = startAccounts({
    registration: "invited",
    database,
    definition: definition as never,
    providers: exampleProviders(provider),
    ...options,
  });
  await app.accounts.users.invite({ email, role: "editor" });
  const token = tokenOf(await app.lastMail(email));
  const users = async () => (await app.accounts.users.list()).users;
  return { ...app, fail, token, users };
}

type App = Awaited<ReturnType<typeof start>>;

const accept = (browser: Browser, token: string) =>
  browser.post("/register", { token, name: "Ada", password: PASSWORD });

/** The ways to accept an invitation, and to log in to its account afterwards. */
const ways: Record<string, {
  readonly accept: (app: App, browser: Browser) => Promise<unknown>;
  readonly logIn: (app: App, browser: Browser) => Promise<unknown>;
}> = {
  "a link": {
    accept: ({ token }, browser) => accept(browser, token),
    logIn: (_, browser) =>
      browser.post("/login", { email, password: PASSWORD }),
  },
  "a provider": {
    accept: (_, { client }) =>
      provider.logIn(client, "/login/with/example", {
        user: { sub: "a1", name: "Ada", email, email_verified: true },
      }),
    async logIn({ lastMail }, browser) {
      await browser.post("/login/email", { email });
      const code = codeOf(await lastMail(email));
      await browser.post("/login/email/code", { code });
    },
  },
};

/** The lengths of an outage, in calls of the store. */
const outages = [["one call", 1], ["all later calls", Infinity]] as const;

for (const [name, way] of Object.entries(ways)) {
  for (const [length, count] of outages) {
    Deno.test(`an invitation of ${name} survives an outage of ${length} at any place`, async () => {
      using _output = captureConsole();
      const outcomes: string[] = [];
      for (let first = 1; outcomes.at(-1) !== "no call failed"; first++) {
        const app = await start();
        let isFailed = false;
        app.fail((place) => {
          const isDown = first <= place && place < first + count;
          isFailed ||= isDown;
          return isDown;
        });
        outcomes.push(await tryTwice(app, way, () => isFailed));
        const [user, ...others] = await app.users();
        assertEquals([user?.email, user?.role, others], [email, "editor", []]);
        assertEquals(await app.accounts.users.invitations(), []);
        assertEquals((await accept(app.browser(), app.token)).status, 400);
      }
      assert(outcomes.includes("second try"), outcomes.join());
    });
  }
}

/** Registers during an outage, and after it if that failed. */
async function tryTwice(
  app: App,
  way: typeof ways[string],
  isFailed: () => boolean,
): Promise<string> {
  const first = app.browser();
  await way.accept(app, first).catch(() => {});
  app.fail(() => false);
  if (!isFailed()) return "no call failed";
  if (await first.isLoggedIn()) return "first try";
  const second = app.browser();
  await way.accept(app, second);
  if (await second.isLoggedIn()) return "second try";
  await way.logIn(app, second);
  assert(await second.isLoggedIn());
  return "login";
}

Deno.test("of 100 requests that accept an invitation at once, one registers", async () => {
  const app = await start();
  const logins = await Promise.all(
    Array.from({ length: 100 }, async (_, n) => {
      const name = n % 2 === 0 ? "a link" : "a provider";
      const browser = app.browser();
      await ways[name]!.accept(app, browser);
      return await browser.isLoggedIn() ? name : null;
    }),
  );
  // The browsers at the provider have one user, who may log in again.
  const names = logins.filter((name) => name !== null);
  assert(names.filter((name) => name === "a link").length <= 1);
  assertEquals(new Set(names).size, 1);
  assertEquals((await app.users()).length, 1);
  assertEquals(await app.accounts.users.invitations(), []);
});

const ends: Record<string, (app: App) => unknown> = {
  "is withdrawn": ({ accounts }) => accounts.users.withdrawInvitation(email),
  "expires": ({ accounts }) => accounts.wait(7 * 86_400_000),
  "is sent again": ({ accounts }) => accounts.users.invite({ email }),
};

for (const [name, way] of Object.entries(ways)) {
  for (const [reason, end] of Object.entries(ends)) {
    // A provider proves the address, so its login accepts the later invitation.
    if (name === "a provider" && reason === "is sent again") continue;
    Deno.test(`an invitation that ${reason} during a registration by ${name} leaves no account`, async () => {
      const app: App = await start({
        hooks: { beforeRegister: async () => void await end(app) },
      });
      const ada = app.browser();
      await way.accept(app, ada);
      assertEquals(await ada.isLoggedIn(), false);
      assertEquals(await app.users(), []);
    });
  }
}

const changes: Record<string, (app: App) => Promise<unknown>> = {
  "was removed": async ({ accounts, users }) =>
    await accounts.users.remove((await users())[0]!.id),
  async "has another address"({ browser, lastMail }) {
    const ada = browser();
    await ada.post("/login", { email, password: PASSWORD });
    await ada.post("/account/email", { email: "ada@example.org" });
    const code = codeOf(await lastMail("ada@example.org"));
    await ada.post("/account/email/code", { code });
  },
};

for (const [change, run] of Object.entries(changes)) {
  Deno.test(`an invitation that a crash has left does not work after its account ${change}`, async () => {
    using _output = captureConsole();
    const app = await start();
    app.fail((_, method, [key]) =>
      method === "put" && String(key).startsWith("invitation:")
    );
    assertEquals((await accept(app.browser(), app.token)).status, 503);
    app.fail(() => false);
    assertEquals((await app.users()).length, 1);
    await run(app);
    assertEquals(await app.accounts.users.findByEmail(email), null);
    assertEquals((await accept(app.browser(), app.token)).status, 400);
    assertEquals(await app.accounts.users.invitations(), []);
  });
}
