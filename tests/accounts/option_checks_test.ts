/** Each wrong option fails when the object is made, with the option's name. */
import { assertEquals, assertThrows } from "@std/assert";
import { type AccountsOptions, createAccounts } from "@gatehouse/web/accounts";
import { defineAccounts, type Names } from "@gatehouse/web/accounts/definition";
import {
  createMemoryAccountStore,
  createSQLAccountStore,
  type SQLAccountStoreOptions,
} from "@gatehouse/web/accounts/store";
import { testAccounts } from "@gatehouse/web/accounts/testing";
import { createOIDCAuthProvider } from "@gatehouse/web/auth";
import { createTestProvider } from "@gatehouse/web/testing";
import { string } from "@gatehouse/web/data-schema";
import { createCookieSessionStore } from "@gatehouse/web/session";

const secrets = ["q7Vd2LxN9bTz4KfH8mRc1YpW5sJg3Ae0"];
const field = { schema: string(), label: "Company" };
const provider = createOIDCAuthProvider({
  ...createTestProvider().client,
  name: "example",
  redirectUri: "https://test.example/login/with/example/callback",
});

/** Wrong values of each option, with a name in the message if it is another one. */
type Wrong<Options> = {
  readonly [Name in keyof Required<Options>]: readonly (
    | readonly [value: unknown]
    | readonly [value: unknown, part: string]
  )[];
};

const accountOptions: Wrong<AccountsOptions> = {
  name: [[undefined], [""], ["a\nb"], ["x".repeat(61)], [7]],
  origin: [
    [undefined],
    [""],
    ["https://app.example/"],
    ["http://app.example"],
    ["ftp://localhost"],
    [new URL("https://app.example")],
  ],
  database: [[undefined], [null], [{}], ["sqlite"]],
  dialect: [["mysql"], [""], [1]],
  definition: [[{}], [null], [defineAccounts]],
  sessions: [
    [null],
    ["memory"],
    [{ store: {} }, "sessions.store"],
    [{ store: null }, "sessions.store"],
    [{ timeouts: { idle: 0 } }, "idle"],
    [{ timeouts: { absolute: NaN } }, "absolute"],
    [{ timeouts: "1h" }, "sessions.timeouts"],
    [{ store: createCookieSessionStore({ secrets }) }, "sessions.store"],
    [{ remember: true }, "sessions.remember"],
    [{ remember: { absolute: -1 } }, "sessions.remember"],
    [{ remember: { absolute: "30 days" } }, "sessions.remember"],
    [{ remember: { idle: NaN } }, "sessions.remember"],
  ],
  secrets: [
    [[]],
    [["short"]],
    ["x".repeat(40)],
    [[7]],
    [
      ["a".repeat(40)],
      "Cannot create accounts: secrets[0] is too easy to guess",
    ],
  ],
  sendMail: [["smtp://localhost"], [{}], [null]],
  registration: [["opne"], [null], [true]],
  features: [["passkeys"], [["passkey"]], [["teams"]], [[7]], [null]],
  admins: [["ada@example.com"], [[7]], [["not an address"]], [null]],
  adminRole: [["owner"], ["user"], [7]],
  auditRetention: [[NaN], [-1], [Infinity], ["1 year"]],
  passwords: [
    [null],
    [{ memory: 1 }, "memory"],
    [{ passes: 0 }, "passes"],
    [{ parallelism: 0.5 }, "parallelism"],
  ],
  apiKeys: [
    [null],
    [{ prefix: "" }, "prefix"],
    [{ prefix: "a-b" }, "prefix"],
    [{ perMinute: 0 }, "perMinute"],
    [{ perMinute: NaN }, "perMinute"],
    [{ perMinute: "600" }, "perMinute"],
  ],
  providers: [
    [null],
    [[provider]],
    [{ Google: { label: "Google", provider } }, "Google"],
    [{ example: { label: "", provider } }, "example"],
    [{ example: { label: "Example" } }, "example"],
    [{ example: null }, "example"],
    [{ other: { label: "Other", provider } }, "other"],
  ],
  deletionDelay: [[NaN], [-1], [Infinity], ["7 days"]],
  exportData: [["data"], [{}], [null]],
  hooks: [
    [null],
    [() => {}],
    [{ beforeLogin: "no" }, "hooks.beforeLogin"],
    // A misspelled hook would let everybody through.
    [{ beforeLogn: () => {} }, "beforeLogn"],
  ],
  secondFactorRequired: [[true], [{}]],
  hookTimeout: [[0], [-1], [NaN], [Infinity], [60_001], ["1 s"]],
  home: [["https://evil.example"], ["//evil.example"], ["home"], [""], [7]],
  layout: [["<html>"], [{}], [null]],
  contentSecurityPolicy: [
    [{ "font-src": ["a; b"] }],
    [{ "font src": ["a"] }],
    [{ "font-src": "'self'" }],
    [{ "font-src": [7] }],
    ["default-src 'self'"],
    [null],
  ],
  now: [[5], [null], ["now"]],
};

const nameOptions: Wrong<Names> = {
  fields: [
    [{ "not plain": field }, "not plain"],
    [{ constructor: field }, "constructor"],
    [{ company: {} }, "company"],
    [{ company: null }, "company"],
    [{ company: { ...field, label: "" } }, "company"],
    [{ company: { schema: string() } }, "company"],
    [{ company: { ...field, label: { en: 7 } } }, "company"],
    [{ company: { ...field, input: "file" } }, "company"],
    [{ company: { ...field, input: [] } }, "company"],
    [{ company: { ...field, input: [1] } }, "company"],
    [{ company: { ...field, input: "__proto__" } }, "company"],
    [{ company: { ...field, by: "admin" } }, "company"],
    [[field], "fields"],
    [null, "fields"],
  ],
  roles: [[[]], [["a", "a"]], [["a b"]], ["admin"], [[7]], [null]],
  scopes: [[[]], [["a", "a"]], [["a b"]], ["read"], [[7]], [null]],
  teamRoles: [[["owner"]], [["a", "a"]], ["owner"], [[7, 8]], [null]],
  paths: [
    [{ login: "login" }, "login"],
    [{ login: "/login/" }, "login"],
    [{ account: 7 }, "account"],
    [{ acount: "/me" }, "acount"],
    [null],
    ["/auth"],
  ],
};

const storeOptions: Wrong<SQLAccountStoreOptions> = {
  dialect: [["mysql"], [null], [1]],
  prefix: [["a; DROP TABLE users"], [7], [null]],
  usersTable: [["user-table"], [""], [7], [null]],
  columns: [
    [{ email: "e mail" }],
    [{ mail: "email" }, 'column "mail"'],
    [{ email: 7 }],
    [{ email: "id" }],
    [null],
  ],
  now: [[5], [null]],
};

/** Checks that each wrong value throws an error with the name of its option. */
function testOptions<Options>(
  symbol: string,
  table: Wrong<Options>,
  create: (options: Options) => unknown,
): void {
  for (const [name, values] of Object.entries(table)) {
    Deno.test(`${symbol}() names a wrong ${name}`, () => {
      for (
        const [value, part = name] of values as [unknown, string?][]
      ) {
        const title = `${name}: ${JSON.stringify(value)}`;
        let thrown: unknown;
        try {
          create({ [name]: value } as Options);
        } catch (error) {
          thrown = error;
        }
        const message = String(thrown);
        const isNamed = message.includes(part) &&
          /^(?:Type|Range)Error: Cannot /.test(message);
        assertEquals(isNamed, true, `${title}: ${message}`);
      }
    });
  }
}

const options: AccountsOptions = {
  name: "Invoices",
  origin: "https://test.example",
  database: createMemoryAccountStore(),
  secrets,
  sendMail: () => {},
};

testOptions<AccountsOptions>(
  "createAccounts",
  accountOptions,
  (given) =>
    createAccounts({
      ...options,
      // Only a function has a dialect.
      ..."dialect" in given && { database: () => [] },
      ...given,
    }),
);
const { database: _, ...others } = accountOptions;
testOptions<Partial<AccountsOptions>>(
  "testAccounts",
  // Tests have a database in memory unless the options name one.
  { ...others, database: [[null], [{}], ["sqlite"]] },
  (given) =>
    testAccounts({
      ..."dialect" in given && { database: () => [] },
      ...given,
    }),
);
testOptions<Names>("defineAccounts", nameOptions, defineAccounts);
testOptions<SQLAccountStoreOptions>(
  "createSQLAccountStore",
  storeOptions,
  (given) => createSQLAccountStore(() => [], given),
);

Deno.test("createSQLAccountStore() names a query that is not a function", () => {
  for (const query of [undefined, null, {}, "SELECT 1"]) {
    assertThrows(
      // @ts-expect-error Callers without types pass such values too.
      () => createSQLAccountStore(query),
      TypeError,
      "query",
    );
  }
});

Deno.test("an origin other than localhost needs secrets and sendMail", () => {
  for (const name of ["secrets", "sendMail"]) {
    const given = { ...options, [name]: undefined };
    assertThrows(() => createAccounts(given), TypeError, `${name} is missing`);
  }
});

Deno.test("admins need the role admin", () => {
  const definition = defineAccounts({ roles: ["reader"] });
  const admins = ["ada@example.com"];
  assertThrows(() => testAccounts({ admins, definition }), TypeError, "admins");
});
