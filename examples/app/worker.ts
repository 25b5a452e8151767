/**
 * The example application as a Worker, with data and sessions in D1. The binding
 * `DB` is the database; variables are what `settings.ts` lists. Of them it needs
 * `BASE_URL`. No Node compatibility is needed.
 *
 * Run it with `deno task start:worker`.
 */
import type { FetchFunction } from "@gatehouse/web/fetch-router";
import type { Query, Row } from "./data/database.ts";
import { openNoticeboard } from "./noticeboard.ts";
import { readSettings } from "./settings.ts";

/** The bindings of the Worker: the database and variables. */
interface Env {
  readonly DB: D1;
  readonly [variable: string]: unknown;
}

/** A D1 database, as far as it is used here. */
interface D1 {
  prepare(sql: string): {
    bind(...params: unknown[]): { all(): Promise<{ results: Row[] }> };
  };
}

let board: { readonly fetch: FetchFunction } | undefined;

export default {
  async fetch(request: Request, env: Env, context: unknown): Promise<Response> {
    // Not one promise for all: a request must not wait for another's.
    board ??= await openNoticeboard({
      settings: readSettings((name) => variable(env[name])),
      database: overD1(env.DB),
      databaseName: "D1",
    });
    return await board.fetch(request, env, context);
  },
};

function overD1(database: D1): Query {
  return async (sql, params) => {
    const { results } = await database.prepare(sql).bind(...params).all();
    return results;
  };
}

function variable(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
