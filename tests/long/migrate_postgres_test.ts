/** Imports between databases of PostgreSQL, with columns of other types than text. */
import { assertEquals } from "@std/assert";
import connect from "npm:postgres@3.4.7";
import {
  importAccounts,
  readAuthJS,
  readBetterAuth,
  takeAuthJSSession,
} from "@gatehouse/web/accounts/migrate";
import { createSQLAccountStore } from "@gatehouse/web/accounts/store";
import { findProgram, startPostgres } from "../deno/_servers.ts";

const program = findProgram("postgres", "imports between PostgreSQL databases");

/** Tables as the adapters of better-auth and Auth.js create them. */
const TABLES = `
  CREATE TABLE "user" (id uuid PRIMARY KEY, name text, email text,
    "emailVerified" boolean, "createdAt" timestamptz, "twoFactorEnabled" boolean);
  CREATE TABLE account (id text PRIMARY KEY, "accountId" text, "providerId" text,
    "userId" uuid, password text, "idToken" text);
  CREATE TABLE "twoFactor" (id text, secret text, "backupCodes" text,
    "userId" uuid);
  CREATE TABLE users (id serial PRIMARY KEY, name text, email text,
    "emailVerified" timestamptz, image text);
  CREATE TABLE accounts (id serial PRIMARY KEY, "userId" integer, provider text,
    "providerAccountId" text, id_token text);
  CREATE TABLE sessions (id serial, "userId" integer, expires timestamptz,
    "sessionToken" text);
  INSERT INTO "user" SELECT gen_random_uuid(), 'User ' || n,
    'user' || n || '@example.com', true, '2024-01-31T12:00:00Z', n = 7
    FROM generate_series(1, 1203) n;
  INSERT INTO account SELECT 'a' || email, id::text, 'credential', id, 'hash'
    FROM "user";
  INSERT INTO account SELECT 'g' || email, email, 'google', id, NULL
    FROM "user" WHERE email LIKE 'user1%';
  INSERT INTO "twoFactor" SELECT 't', 'a secret of 32 characters, all of',
    '["abcde-fghij"]', id FROM "user" WHERE "twoFactorEnabled";
  INSERT INTO users (name, email, "emailVerified") VALUES
    ('Ada', 'ada@example.com', now()), ('Bob', 'bob@example.com', NULL);
  INSERT INTO accounts ("userId", provider, "providerAccountId")
    VALUES (1, 'github', '7');
  INSERT INTO sessions ("userId", expires, "sessionToken")
    VALUES (1, now() + interval '1 hour', 'token')`;

if (program !== null) {
  Deno.test("importAccounts() moves all pages of users between tables of PostgreSQL", async () => {
    const { port, stop } = await startPostgres(program);
    const client = connect({
      host: "127.0.0.1",
      port,
      user: "test",
      database: "postgres",
      onnotice: () => {},
    });
    try {
      await client.unsafe(TABLES);
      const query = (sql: string, params: (string | number | null)[]) =>
        client.unsafe(sql, params);
      const dialect = "postgres";
      const store = createSQLAccountStore(query, { dialect });
      const options = { store, secrets: ["32 random characters of the test"] };

      const source = { dialect, decrypt: (data: string) => data } as const;
      const first = await importAccounts(
        readBetterAuth(query, source),
        options,
      );
      const { created, logins, passwords, problems, secondFactors } = first;
      assertEquals([created, passwords, secondFactors], [1203, 1203, 1]);
      assertEquals([logins, problems], [315, []]);
      const user = await store.findByEmail("user7@example.com");
      assertEquals(user?.createdAt, Date.parse("2024-01-31T12:00:00Z"));
      assertEquals(user?.emailVerified, true);

      const second = await importAccounts(
        readAuthJS(query, { dialect }),
        options,
      );
      assertEquals([second.created, second.logins], [2, 1]);
      const take = takeAuthJSSession(query, { dialect });
      const request = new Request("https://example.com/", {
        headers: { Cookie: "authjs.session-token=token" },
      });
      const taken = await Promise.all([take(request), take(request)]);
      const sessions = taken.filter((one) => one !== null);
      assertEquals(sessions, [{ userId: "1", createdAt: 0 }]);
      assertEquals((await store.find("1"))?.emailVerified, true);
    } finally {
      await client.end();
      await stop();
    }
  });
}
