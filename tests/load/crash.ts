import pg from "npm:pg@8.16.3";
import postgres from "npm:postgres@3.4.7";
import type { SessionStore } from "@gatehouse/web/session";
import { createSQLSessionStore } from "@gatehouse/web/session/sql";
import { findProgram, startPostgres } from "../deno/_servers.ts";
import type { Effort } from "./_report.ts";

const CRASHES = 10;
const WRITERS = 20;

interface Opened {
  readonly store: SessionStore;
  close(): unknown;
}

const clients: Record<string, (url: string) => Opened> = {
  postgres: (url) => {
    const db = postgres(url, {
      max: WRITERS,
      onnotice() {},
      backoff: () => 0.05,
    });
    const store = createSQLSessionStore(
      (sql, params) => db.unsafe(sql, params),
      { dialect: "postgres" },
    );
    return { store, close: () => db.end({ timeout: 1 }) };
  },
  pg: (url) => {
    const db = new pg.Pool({ connectionString: url, max: WRITERS });
    db.on("error", () => {});
    const store = createSQLSessionStore(
      async (sql, params) => (await db.query(sql, params)).rows,
      { dialect: "postgres" },
    );
    return { store, close: () => db.end() };
  },
};

const program = findProgram("postgres", "crashes of PostgreSQL");

/**
 * Counts the writes that PostgreSQL loses in crashes although the client has
 * reported them as done. There is no bar: the guide tells the numbers.
 */
export async function crashes({ quick }: Effort): Promise<boolean> {
  if (program === null) return true;
  const count = quick ? 1 : CRASHES;
  console.log("| client | crashes | confirmed writes | lost |");
  console.log("| --- | ---: | ---: | ---: |");
  for (const [name, open] of Object.entries(clients)) {
    let [confirmed, lost] = [0, 0];
    for (let crash = 0; crash < count; crash++) {
      const [written, missing] = await crashDuringWrites(open);
      confirmed += written;
      lost += missing;
    }
    console.log(`| ${name} | ${count} | ${confirmed} | ${lost} |`);
  }
  return true;
}

/** Returns the number of confirmed writes, and of those that were lost. */
async function crashDuringWrites(
  open: (url: string) => Opened,
): Promise<[confirmed: number, lost: number]> {
  const server = await startPostgres(program!);
  const url = `postgres://test@127.0.0.1:${server.port}/postgres`;
  const { close, store } = open(url);
  await store.get("create the table");
  const confirmed: string[] = [];
  let isOver = false;
  const writers = Array.from({ length: WRITERS }, async () => {
    while (!isOver) {
      const key = crypto.randomUUID();
      const options = { ttl: 600_000, ifVersion: null };
      try {
        if (await store.put(key, "value", options)) confirmed.push(key);
      } catch {
        return;
      }
    }
  });
  await new Promise((resolve) =>
    setTimeout(resolve, 500 + Math.random() * 200)
  );
  await server.crash();
  isOver = true;
  await server.restart();
  const after = open(url);
  let lost = 0;
  for (const key of confirmed) {
    if (await after.store.get(key) === null) lost++;
  }
  void Promise.allSettled([...writers, close()]);
  await after.close();
  await server.stop();
  return [confirmed.length, lost];
}
