/**
 * The example application as a Worker, for `deno task start:worker`, with data and
 * sessions in D1. The binding `DB` is the database; variables are what `settings.ts`
 * lists. Of them it needs `BASE_URL`. A cron trigger deletes what has expired.
 */
import type { SQLRow } from "@gatehouse/web/session/sql";
import { type Noticeboard, openNoticeboard } from "./noticeboard.ts";
import { readSettings } from "./settings.ts";

/** The bindings of the Worker: the database and variables. */
interface Env {
  readonly DB: {
    prepare(sql: string): {
      bind(...params: unknown[]): { all(): Promise<{ results: SQLRow[] }> };
    };
  };
  readonly [variable: string]: unknown;
}

let board: Noticeboard | undefined;

export default {
  async fetch(request: Request, env: Env, context: unknown): Promise<Response> {
    return await (await open(env)).fetch(request, env, context);
  },
  async scheduled(_event: unknown, env: Env): Promise<void> {
    await (await open(env)).sweep();
  },
};

async function open(env: Env): Promise<Noticeboard> {
  const variable = (name: string) =>
    typeof env[name] === "string" ? env[name] : undefined;
  // Not one promise for all: a request must not wait for another's.
  return board ??= await openNoticeboard({
    settings: readSettings(variable),
    database: async (sql, params) =>
      (await env.DB.prepare(sql).bind(...params).all()).results,
    databaseName: "D1",
  });
}
