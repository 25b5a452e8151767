/**
 * The example application on Deno, for `deno task start`, with data and sessions
 * in an SQLite file: `data.sqlite` in this folder, unless `DATABASE` names another.
 */
import { DatabaseSync } from "node:sqlite";
import { overSQLite } from "./data/sqlite.ts";
import { serveNoticeboard } from "./serve.ts";
import { readSettings } from "./settings.ts";

const settings = readSettings((name) => Deno.env.get(name));
const file = settings.get("DATABASE") ?? `${import.meta.dirname}/data.sqlite`;

await serveNoticeboard({
  settings,
  database: overSQLite(new DatabaseSync(file)),
  databaseName: file,
  listen(address, fetch) {
    Deno.serve({ ...address, onListen: () => {} }, fetch);
  },
  exit: Deno.exit,
});
