/**
 * Accounts for the tests of an application.
 *
 * @module
 */
import { completeAuth } from "../../auth/internal.ts";
import { describeMiddleware, descriptionOf } from "../../router/internal.ts";
import { createRouter } from "../../router/mod.ts";
import type { TestClient } from "../../router/testing.ts";
import { type Accounts, createAccounts } from "../create_accounts.ts";
import type { Names } from "../definition/names.ts";
import type { Mail } from "../mails/mail.ts";
import type { AccountsOptions } from "../options.ts";
import { createMemoryAccountStore } from "../store/memory.ts";
import { createSQLAccountStore } from "../store/sql.ts";
import type { AccountStore } from "../store/store.ts";

/**
 * Accounts for tests.
 *
 * @typeParam N The names of the application.
 */
export interface TestAccounts<N extends Names = Names> extends Accounts<N> {
  /** The emails that were sent. A response waits for those of its request. */
  readonly mails: readonly Mail[];
  /**
   * Advances the clock.
   *
   * @param milliseconds The time that passes.
   */
  wait(milliseconds: number): void;
  /**
   * Logs an account in as if it had proved its password and a second factor, and asks
   * no hooks.
   *
   * @param client The client, which keeps the cookie.
   * @param id The id of the account.
   * @throws {TypeError} If there is no such account.
   */
  logInTest(client: TestClient, id: string): Promise<void>;
}

/**
 * Creates accounts for the tests of an application: in memory, with the origin
 * `https://test.example` of test clients, cheap hashes and a clock that does
 * not advance.
 *
 * @example A page for users
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { testAccounts } from "@gatehouse/web/accounts/testing";
 * import { Auth } from "@gatehouse/web/auth-middleware";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { createTestClient } from "@gatehouse/web/testing";
 *
 * const accounts = testAccounts();
 * const router = createRouter({ middleware: accounts.middleware });
 * router.get("/", accounts.requireUser, (context) => {
 *   return new Response(`Hello ${context.get(Auth).name}`);
 * });
 * const client = createTestClient(router);
 * const ada = { email: "ada@example.com", name: "Ada" };
 * const user = await accounts.users.create(ada);
 * await accounts.logInTest(client, user!.id);
 *
 * const response = await client.fetch("/");
 * assertEquals(await response.text(), "Hello Ada");
 * ```
 *
 * @typeParam N The names of the application.
 * @param options The options that differ from those of tests.
 * @returns The accounts.
 */
export function testAccounts<const N extends Names = Names>(
  options: Partial<AccountsOptions<N>> = {},
): TestAccounts<N> {
  let time = Date.now();
  const { now = () => time } = options;
  const mails: Mail[] = [];
  const store = storeOf(options, now);
  const accounts = createAccounts<N>({
    name: "Test",
    origin: "https://test.example",
    secrets: ["2Xq8vN5kR1tY7wB4zP9cH3mJ6fL0sD-aB7"],
    sendMail: (mail) => void mails.push(mail),
    passwords: { memory: 64, passes: 1 },
    ...options,
    database: store,
    now,
  });
  return {
    ...accounts,
    // An application's own `sendMail` works as in production.
    ...options.sendMail === undefined && withoutLaterWork(accounts),
    mails,
    wait(milliseconds) {
      time += milliseconds;
    },
    logInTest: (client, id) => logIn(accounts.middleware, store, client, id),
  };
}

/**
 * Returns the middleware. Its responses wait for the work that follows them, which
 * could otherwise outlive a test.
 */
function withoutLaterWork<N extends Names>(
  accounts: Accounts<N>,
): Pick<Accounts<N>, "middleware" | "withSchemes"> {
  const withSchemes: Accounts<N>["withSchemes"] = (...schemes) => {
    const [first, ...others] = accounts.withSchemes(...schemes);
    const waiting: typeof first = async (context, next) => {
      const response = await first(context, next) ?? await next();
      await accounts.flush();
      return response;
    };
    const described = { ...descriptionOf(first) };
    return [describeMiddleware(waiting, described), ...others];
  };
  return { middleware: withSchemes(), withSchemes };
}

function storeOf(
  { database, dialect }: Partial<Pick<AccountsOptions, "database" | "dialect">>,
  now: () => number,
): AccountStore {
  if (database === undefined) return createMemoryAccountStore({ now });
  return typeof database === "function"
    ? createSQLAccountStore(database, {
      now,
      ...dialect !== undefined && { dialect },
    })
    : database;
}

async function logIn(
  [, session]: Accounts["middleware"],
  store: AccountStore,
  client: TestClient,
  id: string,
): Promise<void> {
  const account = await store.find(id);
  if (account === null) {
    throw new TypeError(`Cannot log in account "${id}": it does not exist`);
  }
  const router = createRouter({ middleware: [session] });
  router.post("/", async (context) => {
    const { version } = account;
    const methods = ["pwd", "mfa"];
    await completeAuth(context, id, { version, methods });
    return new Response();
  });
  // The request has the origin of the clients, so that the cookie has the same
  // prefix.
  const response = await router.fetch("https://test.example/", {
    method: "POST",
  });
  for (const cookie of response.headers.getSetCookie()) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    (client.cookies as Map<string, string>).set(name!, value!);
  }
}
