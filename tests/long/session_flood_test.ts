import { assert, assertEquals, assertLess } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import connect from "npm:postgres@3.4.7";
import {
  completeAuth,
  createOIDCAuthProvider,
  startExternalAuth,
} from "@gatehouse/web/auth";
import { createRouter } from "@gatehouse/web/fetch-router";
import type { SessionStore } from "@gatehouse/web/session";
import { sweepSessions } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import {
  createSQLSessionStore,
  type SQLQuery,
  type SQLRow,
} from "@gatehouse/web/session/sql";
import { Clock, MINUTE } from "../session/_browser.ts";
import { findProgram, startPostgres } from "../deno/_servers.ts";

const postgres = findProgram("postgres", "a flood of sessions on PostgreSQL");

/** The limits of the tests, the addresses, and the requests from each. */
const LIMIT = { perAddress: 50, total: 200 };
const ADDRESSES = 10;
const REQUESTS = 100;

type Test = (query: SQLQuery, dialect: "sqlite" | "postgres") => Promise<void>;

testOn(
  "session() limits the stored sessions during a flood of pending logins",
  async (query, dialect) => {
    const { clock, count, store } = open(query, dialect);
    const router = createRouter({
      middleware: [session({ store, now: clock.now, anonymousLimit: LIMIT })],
    });
    const provider = createOIDCAuthProvider({
      name: "example",
      issuer: "https://id.example",
      clientId: "app",
      clientSecret: "s3cret",
      redirectUri: "https://app.example/auth/example/callback",
      metadata: {
        issuer: "https://id.example",
        authorization_endpoint: "https://id.example/authorize",
        token_endpoint: "https://id.example/token",
        jwks_uri: "https://id.example/keys",
      },
    });
    router.get(
      "/auth/example",
      (context) => startExternalAuth(provider, context),
    );

    let largest = 0;
    for (let period = 0; period < 4; period++) {
      const statuses: Record<number, number> = {};
      for (let address = 1; address <= ADDRESSES; address++) {
        const answers = await Promise.all(
          Array.from(
            { length: REQUESTS },
            () =>
              router.fetch(new Request("https://app.example/auth/example"), {
                remoteAddr: { hostname: `203.0.113.${address}` },
              }),
          ),
        );
        for (const { headers, status } of answers) {
          statuses[status] = (statuses[status] ?? 0) + 1;
          if (status !== 302) assert(Number(headers.get("Retry-After")) > 0);
        }
        largest = Math.max(largest, await count());
      }
      // Each address may begin 50 logins. Beyond the total, the oldest ones end.
      assertEquals(statuses, { 302: 500, 429: 500 });
      // The expired sessions were removed while the others arrived. One more value
      // names the issuer of the callback.
      assertEquals(await count(), LIMIT.total + 1);
      clock.time += 10 * MINUTE + 1;
    }
    assertLess(largest, 2 * LIMIT.total);
  },
);

testOn(
  "createSQLSessionStore() does not grow in processes that handle one login each",
  async (query, dialect) => {
    const { clock, count, store: first } = open(query, dialect);
    await first.get("create");
    for (let login = 0; login < 200; login++) {
      // A new process without state of the previous one.
      const store = createSQLSessionStore(query, {
        dialect,
        createTable: false,
        now: clock.now,
      });
      const router = createRouter({
        middleware: [session({ store, now: clock.now })],
      });
      router.post("/login", async (context) => {
        await completeAuth(context, login);
        return new Response();
      });
      const { status } = await router.fetch("https://app.example/login", {
        method: "POST",
      });
      assertEquals(status, 200);
      clock.time += MINUTE;
    }
    // The default lifetime without a request is 30 minutes.
    assertEquals(await count(), 30);
  },
);

testOn(
  "sweepSessions() removes any number of expired sessions",
  async (query, dialect) => {
    const { clock, count, store } = open(query, dialect);
    await store.get("create");
    await Promise.all(
      Array.from(
        { length: 2_500 },
        (_none, n) =>
          store.put(`flood${n}`, "value", {
            ttl: 10 * MINUTE,
            ifVersion: null,
          }),
      ),
    );
    await store.put("login", "value", { ttl: 30 * MINUTE, ifVersion: null });
    clock.time += 10 * MINUTE;
    await sweepSessions(store, { now: clock.now });
    assertEquals(await count(), 1);
    assertEquals((await store.get("login"))?.value, "value");
  },
);

interface Opened {
  readonly clock: Clock;
  readonly store: SessionStore;
  /** Counts the rows of the table, expired ones too. */
  count(): Promise<number>;
}

function open(query: SQLQuery, dialect: "sqlite" | "postgres"): Opened {
  const clock = new Clock();
  const store = createSQLSessionStore(query, { dialect, now: clock.now });
  const count = async () => {
    const [row] = await query(
      "SELECT count(*) AS rows FROM gatehouse_sessions",
      [],
    );
    return Number(row.rows);
  };
  return { clock, count, store };
}

/** Registers a test for SQLite and one for PostgreSQL. */
function testOn(name: string, test: Test): void {
  Deno.test(`${name} (SQLite)`, async () => {
    using db = new DatabaseSync(":memory:");
    await test(
      (sql, params) => db.prepare(sql).all(...params) as SQLRow[],
      "sqlite",
    );
  });
  Deno.test({
    name: `${name} (PostgreSQL)`,
    ignore: postgres === null,
    fn: async () => {
      const server = await startPostgres(postgres!);
      const sql = connect({
        host: "127.0.0.1",
        port: server.port,
        user: "test",
        db: "postgres",
        onnotice() {},
      });
      try {
        await test((text, params) => sql.unsafe(text, params), "postgres");
      } finally {
        await sql.end();
        await server.stop();
      }
    },
  });
}
