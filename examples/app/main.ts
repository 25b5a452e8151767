/**
 * The example application on Deno, with data and sessions in an SQLite file:
 * `data.sqlite` in this folder, unless `DATABASE` names another. `settings.ts`
 * lists what else can be set.
 *
 * Run it with `deno task start`.
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
  readFile: (path) =>
    Deno.readTextFile(new URL(`../../${path}`, import.meta.url)),
  listen(address, fetch) {
    Deno.serve({ ...address, onListen: () => {} }, fetch);
  },
  exit: Deno.exit,
});
