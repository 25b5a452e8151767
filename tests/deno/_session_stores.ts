import { DatabaseSync } from "node:sqlite";
import { Redis as Valkey } from "npm:iovalkey@0.4.0";
import postgres from "npm:postgres@3.4.7";
import { createClient } from "npm:redis@5.12.1";
import type { SessionStore } from "@gatehouse/web/session";
import { createRedisSessionStore } from "@gatehouse/web/session/redis";
import { createSQLSessionStore, type SQLRow } from "@gatehouse/web/session/sql";

/** A store with the connection that it works on. */
export interface OpenStore {
  /** The store. */
  readonly store: SessionStore;
  /** Closes the connection. */
  close(): unknown;
}

/** The settings of SQLite, as in docs/choose_a_session_store.md. */
export const SQLITE_PRAGMAS =
  "PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 5000";

/** The npm packages of the tests, as in docs/choose_a_session_store.md. */
export const CLIENTS = ["npm:postgres@3.4.7", "npm:redis@5.12.1"];

/** Opens a store as an application would: `address` is a file or a port. */
export async function openStore(
  kind: string,
  address: string | number,
  table?: string,
): Promise<OpenStore> {
  switch (kind) {
    case "sqlite":
      return openSQLite(String(address));
    case "postgres":
      return openPostgres(Number(address), table);
    case "redis":
      return await openRedis(Number(address));
    case "valkey":
      return openValkey(Number(address));
    default:
      throw new Error(`Unknown store ${kind}`);
  }
}

function openSQLite(file: string): OpenStore {
  const db = new DatabaseSync(file);
  db.exec(SQLITE_PRAGMAS);
  const store = createSQLSessionStore((sql, params) =>
    db.prepare(sql).all(...params) as SQLRow[]
  );
  return { store, close: () => db.close() };
}

function openPostgres(port: number, table?: string): OpenStore {
  const sql = postgres({
    host: "127.0.0.1",
    port,
    user: "test",
    database: "postgres",
    max: 10,
    onnotice: () => {},
    connect_timeout: 2,
    // Its back-off would make tests wait.
    backoff: () => 0.05,
  });
  const store = createSQLSessionStore(
    (text, params) => sql.unsafe(text, params),
    { dialect: "postgres", table },
  );
  return { store, close: () => sql.end({ timeout: 1 }) };
}

async function openRedis(port: number): Promise<OpenStore> {
  const client = createClient({
    url: `redis://127.0.0.1:${port}`,
    // If the server is unavailable, a command fails instead of waiting.
    disableOfflineQueue: true,
    socket: { reconnectStrategy: 50 },
  });
  client.on("error", () => {});
  await client.connect();
  const store = createRedisSessionStore((command, args) =>
    client.sendCommand([command, ...args])
  );
  return { store, close: () => client.destroy() };
}

function openValkey(port: number): OpenStore {
  // The client puts it before each key of a command in lowercase.
  const keyPrefix = "app:";
  const client = new Valkey(port, { keyPrefix, retryStrategy: () => 50 });
  client.on("error", () => {});
  const store = createRedisSessionStore(
    (command, args) => client.call(command.toLowerCase(), ...args),
    { prefix: "valkey:" },
  );
  return { store, close: () => client.disconnect() };
}
