import { assert, assertEquals, assertInstanceOf } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { Redis as Valkey } from "npm:iovalkey@0.4.0";
import connect from "npm:postgres@3.4.7";
import { createClient } from "npm:redis@5.12.1";
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  Session,
  type SessionStore,
  SessionStoreError,
} from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { createRedisSessionStore } from "@gatehouse/web/session/redis";
import { createSQLSessionStore, type SQLRow } from "@gatehouse/web/session/sql";
import { findProgram, startPostgres, startRedis } from "../deno/_servers.ts";

const redis = findProgram("redis-server", "errors of Redis clients");
const postgres = findProgram("postgres", "errors of PostgreSQL clients");

/** The secrets that an error must not show, whole or in part. */
const SECRETS = ["vErIfIeR", "nOnCe", "eMbArRaSsInG", "4711"];

/** Causes of Redis errors, and the beginnings of their messages. */
const refusals: [how: string, refuse: string[], words: string][] = [
  ["an unknown command", [], "ERR unknown command"],
  ["a user without permissions", [
    "ACL",
    "SETUSER",
    "default",
    "-@all",
    "+acl",
    "+auth",
    "+ping",
  ], "NOPERM"],
  ["a server without free memory", ["CONFIG", "SET", "maxmemory", "1"], "OOM"],
];

for (const client of ["npm:redis", "npm:iovalkey"] as const) {
  for (const [how, refuse, words] of refusals) {
    Deno.test({
      name: `SessionStoreError shows no session value after ${how} (${client})`,
      ignore: redis === null,
      fn: async () => {
        const server = await startRedis(redis!);
        const { send, close } = await connectRedis(client, server.port);
        try {
          if (refuse.length > 0) await send(refuse[0], refuse.slice(1));
          const store = createRedisSessionStore((command, args) =>
            // The command looks renamed by an administrator.
            send(refuse.length === 0 ? `GONE${command}` : command, args)
          );
          const error = await errorOf(store);
          assert(error.cause!.message.startsWith(words), error.cause!.message);
          assertSilent(error);
        } finally {
          close();
          await server.stop();
        }
      },
    });
  }
}

Deno.test({
  name:
    "SessionStoreError shows no session value that PostgreSQL repeats in its message",
  ignore: postgres === null,
  fn: async () => {
    const server = await startPostgres(postgres!);
    const sql = connect({
      host: "127.0.0.1",
      port: server.port,
      user: "test",
      db: "postgres",
      // Adds the statement and its parameters to every error.
      debug: true,
    });
    try {
      await sql.unsafe(
        `CREATE TABLE gatehouse_sessions (id TEXT PRIMARY KEY, value BIGINT,
        version TEXT, expires_at BIGINT, index1 TEXT, index2 TEXT, index3 TEXT,
        index4 TEXT)`,
      );
      const store = createSQLSessionStore(
        (text, params) =>
          // A string, so that the server reports the error.
          sql.unsafe(text.replace("($1,", "($1::text::bigint,"), params),
        { dialect: "postgres", createTable: false },
      );
      const error = await errorOf(store);
      assertEquals(error.cause, {
        name: "PostgresError",
        message: "invalid input syntax for type bigint: …",
        code: "22P02",
      });
      assertSilent(error);
    } finally {
      await sql.end();
      await server.stop();
    }
  },
});

Deno.test("SessionStoreError shows no session value that SQLite repeats in its message", async () => {
  using db = new DatabaseSync(":memory:");
  const store = createSQLSessionStore((text, params) =>
    db.prepare(text).all(...params) as SQLRow[]
  );
  await store.get("key");
  db.exec(
    `CREATE TRIGGER refuse BEFORE INSERT ON gatehouse_sessions BEGIN
    SELECT abs(-9223372036854775808) + json_extract(NEW.value, '$'); END`,
  );
  assertSilent(await errorOf(store));
});

/** Asserts that an error contains no data of the session. */
function assertSilent(error: SessionStoreError): void {
  const shown = Deno.inspect(error, { depth: 10, showHidden: true });
  const logged = `${shown}\n${JSON.stringify(error)}\n${error.stack}`;
  assertEquals(SECRETS.filter((secret) => logged.includes(secret)), []);
}

/** Begins an external login and more, and returns the error of the store. */
async function errorOf(store: SessionStore): Promise<SessionStoreError> {
  let thrown: unknown;
  const router = createRouter({
    middleware: [session({ store })],
    onError: (error) => {
      thrown = error;
      return new Response("Service Unavailable", { status: 503 });
    },
  });
  router.get("/", (context) => {
    const session = context.get(Session);
    session.set("__auth.external", {
      state: { verifier: `vErIfIeR${"a".repeat(35)}`, nonce: "nOnCe" },
    });
    session.set("note", "an eMbArRaSsInG note");
    session.set("pin", 4711);
    return new Response();
  });
  const { status } = await router.fetch("https://example.com/");
  assertEquals(status, 503);
  assertInstanceOf(thrown, SessionStoreError);
  return thrown;
}

/** Connects as an application would. */
async function connectRedis(
  client: "npm:redis" | "npm:iovalkey",
  port: number,
) {
  if (client === "npm:redis") {
    const redis = createClient({ url: `redis://127.0.0.1:${port}` });
    redis.on("error", () => {});
    await redis.connect();
    return {
      send: (command: string, args: string[]) =>
        redis.sendCommand([command, ...args]),
      close: () => redis.destroy(),
    };
  }
  const valkey = new Valkey(port);
  valkey.on("error", () => {});
  return {
    send: (command: string, args: string[]) => valkey.call(command, ...args),
    close: () => valkey.disconnect(),
  };
}
