/** Users in the tables that the adapters of Auth.js and Lucia write. */
import { assert, assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { DrizzleAdapter } from "npm:@auth/drizzle-adapter@1.11.3";
import { BetterSqlite3Adapter } from "npm:@lucia-auth/adapter-sqlite@3.0.2";
import bcrypt from "npm:bcryptjs@3.0.3";
import { drizzle } from "npm:drizzle-orm@0.45.4/sqlite-proxy";
import { Lucia, Scrypt } from "npm:lucia@3.2.2";
import {
  adoptSessions,
  importAccounts,
  type ImportReport,
  readAuthJS,
  readLucia,
  takeAuthJSSession,
  takeLuciaSession,
  type TakeOldSession,
} from "@gatehouse/web/accounts/migrate";
import {
  type AccountStore,
  createMemoryAccountStore,
} from "@gatehouse/web/accounts/store";
import { Auth } from "@gatehouse/web/auth-middleware";
import { readBcrypt } from "@gatehouse/web/auth/password/bcrypt";
import { createRouter } from "@gatehouse/web/fetch-router";
import { createTestClient } from "@gatehouse/web/testing";
import { startAccounts } from "../accounts/_accounts.ts";

const PASSWORD = "correct horse battery";

function open(sql: string) {
  const database = new DatabaseSync(":memory:");
  database.exec(sql);
  const query = (sql: string, params: (string | number | null)[]) =>
    database.prepare(sql).all(...params) as Record<string, unknown>[];
  return { database, query };
}

/** The tables of the documentation of the Drizzle adapter, and a column of our own. */
const AUTH_JS = `
  CREATE TABLE user (id TEXT PRIMARY KEY, name TEXT, email TEXT UNIQUE,
    emailVerified INTEGER, image TEXT, password TEXT);
  CREATE TABLE account (userId TEXT NOT NULL, type TEXT NOT NULL,
    provider TEXT NOT NULL, providerAccountId TEXT NOT NULL, refresh_token TEXT,
    access_token TEXT, expires_at INTEGER, token_type TEXT, scope TEXT,
    id_token TEXT, session_state TEXT, PRIMARY KEY (provider, providerAccountId));
  CREATE TABLE session (sessionToken TEXT PRIMARY KEY, userId TEXT NOT NULL,
    expires INTEGER NOT NULL);
  CREATE TABLE verificationToken (identifier TEXT, token TEXT, expires INTEGER);
  CREATE TABLE authenticator (credentialID TEXT UNIQUE, userId TEXT,
    providerAccountId TEXT, credentialPublicKey TEXT, counter INTEGER,
    credentialDeviceType TEXT, credentialBackedUp INTEGER, transports TEXT,
    PRIMARY KEY (userId, credentialID))`;

/** Starts a database of Auth.js, whose adapter writes the users. */
async function startAuthJS() {
  const { database, query } = open(AUTH_JS);
  const db = drizzle((sql, params, method) => {
    const rows = database.prepare(sql).all(...params)
      .map((row) => Object.values(row as object));
    return Promise.resolve({ rows: method === "get" ? rows[0]! : rows });
  });
  const adapter = DrizzleAdapter(db) as Required<
    ReturnType<typeof DrizzleAdapter>
  >;
  const user = (name: string, emailVerified: Date | null) =>
    adapter.createUser!({
      id: crypto.randomUUID(),
      name,
      email: `${name.toLowerCase()}@example.com`,
      emailVerified,
    });
  const ada = await user("Ada", new Date());
  const bob = await user("Bob", null);
  query("UPDATE user SET password = ? WHERE id = ?", [
    bcrypt.hashSync(PASSWORD, 4),
    bob.id,
  ]);
  const claims = { iss: "https://login.example.com/tenant", sub: "ms-1" };
  await adapter.linkAccount!({
    userId: ada.id,
    type: "oidc",
    provider: "github",
    providerAccountId: "7",
  });
  await adapter.linkAccount!({
    userId: ada.id,
    type: "oidc",
    provider: "microsoft-entra-id",
    providerAccountId: "ms-1",
    id_token: `x.${btoa(JSON.stringify(claims)).replaceAll("=", "")}.x`,
  });
  await adapter.linkAccount!({
    userId: bob.id,
    type: "oauth",
    provider: "unknown-provider",
    providerAccountId: "9",
  });
  // This is a passkey, which no provider has.
  await adapter.linkAccount!({
    userId: bob.id,
    type: "webauthn",
    provider: "passkey",
    providerAccountId: "k1",
  });
  await adapter.createSession!({
    sessionToken: "the-session-token",
    userId: ada.id,
    expires: new Date(Date.now() + 60_000),
  });
  return { ada, bob, database, query };
}

async function importInto(
  accounts: Parameters<typeof importAccounts>[0],
): Promise<{ report: ImportReport; store: AccountStore }> {
  const store = createMemoryAccountStore();
  return { report: await importAccounts(accounts, { store }), store };
}

/** Returns the status and the name of the user of a login. */
async function logIn(database: AccountStore, email: string, password: string) {
  const { browser } = startAccounts({
    database,
    passwords: { memory: 64, passes: 1, readers: [readBcrypt] },
  });
  const client = browser();
  await client.post("/login", { email, password });
  return await client.isLoggedIn();
}

/** Asks for the user of a request with an old cookie, twice. */
async function adopt(
  store: AccountStore,
  take: TakeOldSession,
  Cookie: string,
) {
  const { accounts } = startAccounts({ database: store });
  const [protection, session, auth] = accounts.middleware;
  const adopting = adoptSessions({ store, take });
  const router = createRouter({
    middleware: [protection, session, adopting, auth],
  });
  router.get("/", (context) => new Response(context.get(Auth)?.name ?? "?"));
  const ask = async () => {
    const { fetch } = createTestClient(router);
    return await (await fetch("/", { headers: { Cookie } })).text();
  };
  return [await ask(), await ask()];
}

Deno.test("readAuthJS() reads users, linked logins and hashes of the tables of an adapter", async () => {
  const { ada, bob, query } = await startAuthJS();
  const { report, store } = await importInto(readAuthJS(query));
  assertEquals([report.created, report.passwords, report.logins], [2, 1, 2]);
  assertEquals(report.problems, [{
    id: bob.id,
    problem:
      'the issuer of the provider "unknown-provider" is unknown: see the option issuers',
  }]);
  assertEquals(
    (await store.findByEmail("ada@example.com"))?.emailVerified,
    true,
  );
  assertEquals(
    (await store.findByEmail("bob@example.com"))?.emailVerified,
    false,
  );
  for (
    const identity of [
      '["https://github.com","7"]',
      '["https://login.example.com/tenant","ms-1"]',
    ]
  ) {
    const found = await store.findWayIn("identity", identity);
    assertEquals(found?.account.id, ada.id);
  }
  assert(await logIn(store, "bob@example.com", PASSWORD));
  assert(!await logIn(store, "bob@example.com", "a wrong password"));
});

Deno.test("readAuthJS() refuses users whose own columns may be a second factor, unless they are read", async () => {
  const { database, query } = await startAuthJS();
  database.exec("ALTER TABLE user ADD COLUMN two_factor_secret TEXT");
  const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
  query("UPDATE user SET two_factor_secret = ? WHERE name = 'Bob'", [secret]);
  const refused = await importInto(readAuthJS(query));
  assertEquals([refused.report.created, refused.report.refused], [1, 1]);
  assertEquals(await refused.store.findByEmail("bob@example.com"), null);

  const { report } = await importInto(readAuthJS(query, {
    issuers: { "unknown-provider": "https://sso.example.com" },
    extend: ({ two_factor_secret: secret }) => ({
      secondFactor: typeof secret === "string" ? { secret } : null,
    }),
  }));
  assertEquals([report.created, report.secondFactors], [2, 1]);
  assertEquals(report.problems, []);
});

Deno.test("takeAuthJSSession() takes a session once", async () => {
  const { query } = await startAuthJS();
  const { store } = await importInto(readAuthJS(query));
  const cookie = "__Secure-authjs.session-token";
  const take = takeAuthJSSession(query);
  assertEquals(await adopt(store, take, `${cookie}=a-guess`), ["?", "?"]);
  assertEquals(await adopt(store, take, `${cookie}=the-session-token`), [
    "Ada",
    "?",
  ]);
});

/** Starts a database of Lucia 3 with the tables of its guides. */
async function startLucia() {
  const { database, query } = open(`
    CREATE TABLE user (id TEXT PRIMARY KEY, email TEXT UNIQUE,
      email_verified INTEGER, username TEXT, password_hash TEXT);
    CREATE TABLE oauth_account (provider_id TEXT, provider_user_id TEXT,
      user_id TEXT, PRIMARY KEY (provider_id, provider_user_id));
    CREATE TABLE session (id TEXT PRIMARY KEY, expires_at INTEGER NOT NULL,
      user_id TEXT NOT NULL)`);
  const lucia = new Lucia(
    // node:sqlite has the functions of better-sqlite3 that the adapter calls.
    new BetterSqlite3Adapter(
      database as unknown as ConstructorParameters<
        typeof BetterSqlite3Adapter
      >[0],
      { user: "user", session: "session" },
    ),
  );
  query("INSERT INTO user VALUES ('u1', 'ada@example.com', 1, 'Ada', ?)", [
    await new Scrypt().hash(PASSWORD),
  ]);
  query("INSERT INTO oauth_account VALUES ('google', 'g1', 'u1')", []);
  const { id } = await lucia.createSession("u1", {});
  const { name, value } = lucia.createSessionCookie(id);
  return { cookie: `${name}=${value}`, query };
}

Deno.test("readLucia() reads users, hashes and linked logins of version 3, and takeLuciaSession() a session once", async () => {
  const { cookie, query } = await startLucia();
  const { report, store } = await importInto(readLucia(query));
  assertEquals([report.created, report.passwords, report.logins], [1, 1, 1]);
  assertEquals(report.problems, []);
  const ada = await store.find("u1");
  assertEquals([ada?.name, ada?.emailVerified], ["Ada", true]);
  assert(await logIn(store, "ada@example.com", PASSWORD));
  const take = takeLuciaSession(query);
  assertEquals(await adopt(store, take, "auth_session=x"), ["?", "?"]);
  assertEquals(await adopt(store, take, cookie), ["Ada", "?"]);
});

Deno.test("readLucia() reads the keys of version 2", async () => {
  const { query } = open(`
    CREATE TABLE auth_user (id TEXT PRIMARY KEY, username TEXT);
    CREATE TABLE user_key (id TEXT PRIMARY KEY, user_id TEXT,
      hashed_password TEXT);
    INSERT INTO auth_user VALUES ('u1', 'Ada'), ('u2', 'Bob')`);
  const hash = await new Scrypt().hash(PASSWORD);
  query("INSERT INTO user_key VALUES ('email:ada@example.com', 'u1', ?)", [
    `s2:${hash}`,
  ]);
  query("INSERT INTO user_key VALUES ('github:7', 'u1', NULL)", []);
  const { report, store } = await importInto(readLucia(query));
  assertEquals([report.created, report.passwords, report.logins], [1, 1, 1]);
  assertEquals(report.problems, [{
    id: "u2",
    problem: "the account has no address",
  }]);
  assert(await logIn(store, "ada@example.com", PASSWORD));
});
