import { DatabaseSync } from "node:sqlite";
import postgres from "npm:postgres@3.4.7";
import { createClient } from "npm:redis@5.12.1";
import {
  createMemorySessionStore,
  type SessionStore,
} from "@gatehouse/web/session";
import { createRedisSessionStore } from "@gatehouse/web/session/redis";
import {
  createSQLSessionStore,
  type SQLQuery,
  type SQLRow,
} from "@gatehouse/web/session/sql";
import {
  findProgram,
  type Server,
  startPostgres,
  startRedis,
} from "../deno/_servers.ts";
import { SQLITE_PRAGMAS } from "../deno/_session_stores.ts";
import { startWorker } from "../runtimes/workers.ts";
import { makeDataFolder } from "../runtimes/data_folder.ts";

/** A store on a new and empty server. */
export interface Opened {
  readonly store: SessionStore;
  /** `true` if each statement travels through HTTP, which hides its own time. */
  readonly isRemote?: boolean;
  /** The server, if it is a separate process. */
  readonly server?: Server;
  /** Returns the number of stored values, also of expired ones. */
  count?(): Promise<number>;
  /** Returns the bytes that the store takes. */
  bytes?(): Promise<number>;
  close(): Promise<void>;
}

/** Opens a store, or returns `null` if its server is not installed. */
export type Open = () => Promise<Opened | null>;

const redisProgram = findProgram("redis-server", "Redis under load");
const postgresProgram = findProgram("postgres", "PostgreSQL under load");

/** All stores by their names in tables. */
export const STORES: Readonly<Record<string, Open>> = {
  memory: () =>
    Promise.resolve({
      store: createMemorySessionStore(),
      close: () => Promise.resolve(),
    }),
  SQLite: openSQLite,
  PostgreSQL: openPostgres,
  Redis: openRedis,
  D1: openD1,
};

async function openSQLite(): Promise<Opened> {
  const folder = await makeDataFolder();
  const db = new DatabaseSync(`${folder}/sessions`);
  db.exec(SQLITE_PRAGMAS);
  const query: SQLQuery = (sql, params) =>
    db.prepare(sql).all(...params) as SQLRow[];
  return {
    store: createSQLSessionStore(query),
    count: () => countRows(query),
    bytes: async () => {
      db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      return (await Deno.stat(`${folder}/sessions`)).size;
    },
    close: async () => {
      db.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

async function openPostgres(): Promise<Opened | null> {
  if (postgresProgram === null) return null;
  const server = await startPostgres(postgresProgram);
  const sql = postgres({
    host: "127.0.0.1",
    port: server.port,
    user: "test",
    database: "postgres",
    max: 10,
    onnotice: () => {},
    connect_timeout: 2,
    backoff: () => 0.05,
  });
  const query: SQLQuery = (text, params) => sql.unsafe(text, [...params]);
  return {
    store: createSQLSessionStore(query, { dialect: "postgres" }),
    server,
    count: () => countRows(query),
    bytes: async () => {
      const [row] = await sql`
        SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class
        WHERE relkind = 'r' AND relname LIKE 'gatehouse_sessions%'`;
      return Number(row!.bytes);
    },
    close: async () => {
      await sql.end({ timeout: 1 });
      await server.stop();
    },
  };
}

async function openRedis(): Promise<Opened | null> {
  if (redisProgram === null) return null;
  const server = await startRedis(redisProgram);
  const client = createClient({
    url: `redis://127.0.0.1:${server.port}`,
    disableOfflineQueue: true,
    socket: { reconnectStrategy: 50 },
  });
  client.on("error", () => {});
  await client.connect();
  return {
    store: createRedisSessionStore((command, args) =>
      client.sendCommand([command, ...args])
    ),
    server,
    count: async () => Number(await client.sendCommand(["DBSIZE"])),
    bytes: async () => {
      const info = String(await client.sendCommand(["INFO", "memory"]));
      return Number(/^used_memory:(\d+)/m.exec(info)![1]);
    },
    close: async () => {
      client.destroy();
      await server.stop();
    },
  };
}

/** Opens D1 of a Worker that runs each statement that it gets. */
async function openD1(): Promise<Opened> {
  const worker = await startWorker({
    d1Databases: ["DB"],
    script: `export default {
      async fetch(request, { DB }) {
        const { sql, params } = await request.json();
        const { results } = await DB.prepare(sql).bind(...params).all();
        return Response.json(results);
      }
    }`,
  });
  const query: SQLQuery = async (sql, params) => {
    const body = JSON.stringify({ sql, params });
    const response = await fetch(worker.url, { method: "POST", body });
    if (!response.ok) throw new Error(await response.text());
    return await response.json();
  };
  return {
    store: createSQLSessionStore(query),
    isRemote: true,
    count: () => countRows(query),
    close: () => worker[Symbol.asyncDispose]() as Promise<void>,
  };
}

async function countRows(query: SQLQuery): Promise<number> {
  const [row] = await query(
    "SELECT count(*) AS count FROM gatehouse_sessions",
    [],
  );
  return Number(row!.count);
}
