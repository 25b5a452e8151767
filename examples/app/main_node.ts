/**
 * The example application on Node, with data and sessions in an SQLite file:
 * `data.sqlite` in the current folder, unless `DATABASE` names another. srvx
 * turns Node's requests into web requests. `settings.ts` lists what else can be
 * set.
 *
 * Run it with `deno task start:node`.
 */
import { readFile } from "node:fs/promises";
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
  // The current folder is that of this file.
  readFile: (path) => readFile(`../../${path}`, "utf8"),
  async listen(address, fetch) {
    await serve({
      ...address,
      silent: true,
      fetch: (request) => fetch(request, request.runtime),
    }).ready();
  },
  exit,
});
