/**
 * Puts load on sessions in real stores and checks bars:
 *
 *     deno task load [script…] [--quick] [--store=Redis…]
 *
 * All scripts run if none is named. They exit with 1 if a bar does not hold.
 *
 * @module
 */
import type { Effort } from "./_report.ts";
import { capacity } from "./capacity.ts";
import { crashes } from "./crash.ts";
import { deployment } from "./deployment.ts";
import { endAll } from "./end_all.ts";
import { endings } from "./endings.ts";
import { flood } from "./flood.ts";
import { outage } from "./outage.ts";

const SCRIPTS: Readonly<Record<string, (effort: Effort) => Promise<boolean>>> =
  {
    endings,
    end_all: endAll,
    flood,
    outage,
    deployment,
    capacity,
    crash: crashes,
  };

const names = Deno.args.filter((arg) => !arg.startsWith("--"));
const effort: Effort = {
  quick: Deno.args.includes("--quick"),
  stores: Deno.args.filter((arg) => arg.startsWith("--store="))
    .map((arg) => arg.slice("--store=".length)),
};
let holds = true;
for (const [name, script] of Object.entries(SCRIPTS)) {
  if (names.length > 0 && !names.includes(name)) continue;
  console.log(`\n${name}\n`);
  if (!await script(effort)) holds = false;
}
console.log(holds ? "\nAll bars hold" : "\nA bar does not hold");
Deno.exit(holds ? 0 : 1);
