/**
 * The example application on Bun, for `deno task start:bun`, with data in the
 * SQLite file `DATABASE` and sessions in the Redis server at `REDIS_URL`. If no
 * server answers, sessions are kept in the file too.
 */
/// <reference types="./runtimes.d.ts" />
import { env, RedisClient, serve } from "bun";
import { Database } from "bun:sqlite";
import type { SessionStore } from "@gatehouse/web/session";
import { createRedisSessionStore } from "@gatehouse/web/session/redis";
import { overSQLite } from "./data/sqlite.ts";
import { serveNoticeboard } from "./serve.ts";
import { readSettings } from "./settings.ts";

const settings = readSettings((name) => env[name]);
const file = settings.get("DATABASE") ?? "data.sqlite";
const redisURL = settings.get("REDIS_URL") ?? "redis://127.0.0.1:6379";

await serveNoticeboard({
  settings,
  database: overSQLite(new Database(file)),
  databaseName: file,
  sessions: await openRedis(redisURL),
  listen(address, fetch) {
    serve({ ...address, fetch });
  },
  exit: (code) => process.exit(code),
});

/** Opens a Redis store for sessions: `undefined` if Redis does not answer. */
async function openRedis(url: string): Promise<SessionStore | undefined> {
  // The client that stays would try again and again.
  const probe = new RedisClient(url, { autoReconnect: false });
  try {
    await probe.connect();
  } catch {
    // The rest of the address may be a password.
    const { host } = new URL(url);
    console.error(`No Redis at ${host}: sessions are kept in SQLite`);
    return undefined;
  } finally {
    probe.close();
  }
  const client = new RedisClient(url);
  return createRedisSessionStore((command, args) => client.send(command, args));
}
