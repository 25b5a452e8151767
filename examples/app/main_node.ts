/**
 * The example application on Node, for `deno task start:node`, with data and
 * sessions in an SQLite file: `data.sqlite` in the current folder, unless
 * `DATABASE` names another. srvx turns Node's requests into web requests.
 */
import { env, exit } from "node:process";
import { DatabaseSync } from "node:sqlite";
import { serve } from "srvx/node";
import { overSQLite } from "./data/sqlite.ts";
import { serveNoticeboard } from "./serve.ts";
import { readSettings } from "./settings.ts";

const settings = readSettings((name) => env[name]);
const file = settings.get("DATABASE") ?? "data.sqlite";

await serveNoticeboard({
  settings,
  database: overSQLite(new DatabaseSync(file)),
  databaseName: file,
  async listen(address, fetch) {
    await serve({
      ...address,
      silent: true,
      fetch: (request) => fetch(request, request.runtime),
    }).ready();
  },
  exit,
});
