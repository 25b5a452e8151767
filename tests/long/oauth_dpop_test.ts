/** Bound tokens of an authorization server with two processes and one store. */
import { walkDPoPRaces } from "../oauth_server/dpop/_dpop_races.ts";
import { startProcesses } from "../deno/_oauth_processes.ts";
import { makeDataFolder } from "../runtimes/data_folder.ts";

Deno.test(
  "two processes accept a proof once, give one successor to one key, and bind a code to one of two keys",
  // The connections of `fetch` stay open for a moment.
  { sanitizeOps: false, sanitizeResources: false },
  async () => {
    const folder = await makeDataFolder();
    {
      await using processes = await startProcesses("sqlite", `${folder}/db`);
      await walkDPoPRaces(processes.apps);
    }
    await Deno.remove(folder, { recursive: true });
  },
);
