import { measure, printTable } from "./_measure.ts";
import { type WorkloadName, WORKLOADS } from "./_schema_data.ts";
import { FASTEST, type Medians, printMeans, TURNS } from "./_schema_race.ts";
import { startServer } from "./_serve_race.ts";
import { workerCommand } from "./_serve_runtimes.ts";
import { LIBRARIES } from "./schema_libraries/all.ts";
import { bundleFile } from "../runtimes/bundle.ts";

/**
 * Measures schemas on workerd, which allows eval only while a worker starts. Zod
 * compiles at the first parse, so it cannot. The clock of workerd does not advance
 * while code runs, so each measurement is a request with many parses.
 *
 * @returns `true` if all bounds hold within the tolerance.
 */
export async function raceSchemasOnWorkerd(quick: boolean): Promise<boolean> {
  const folder = await Deno.makeTempDir();
  const script = await bundleFile(
    new URL("_schema_worker.ts", import.meta.url),
  );
  const command = await workerCommand(folder, script, ["schemas"]);
  const server = await startServer({ name: "workerd", command, path: "" });
  // The bundle has no Paseri, because its import depends on the machine.
  const libraries = LIBRARIES.filter(({ name }) => name !== "paseri");
  const bounds = FASTEST.filter(({ to }) => to !== "paseri");
  const parses: Medians[] = [];
  const verdicts: boolean[] = [];
  try {
    for (const workload of Object.keys(WORKLOADS) as WorkloadName[]) {
      for (const kind of ["valid", "invalid"] as const) {
        const url = `${server.url}/${workload}/${kind}`;
        // About 4 ms of ours, next to which a request takes little.
        const turns = TURNS[workload] * (quick ? 10 : 40);
        const medians = await measure(
          libraries.map(({ name }) => {
            const library = encodeURIComponent(name);
            const path = `${url}?library=${library}&turns=${turns}`;
            return { name, run: () => request(path) };
          }),
          { rounds: quick ? 3 : 15, turns: 1 },
        );
        const perParse = new Map(
          [...medians].map(([name, time]) => [name, time / turns]),
        );
        parses.push(perParse);
        const title = `${workload}, ${kind} on workerd`;
        verdicts.push(printTable(title, perParse, bounds));
      }
    }
  } finally {
    server.process.kill();
    await server.process.status;
    await Deno.remove(folder, { recursive: true });
  }
  verdicts.push(printMeans(parses, " on workerd", 1.3));
  return verdicts.every((holds) => holds);
}

async function request(url: string): Promise<void> {
  const response = await fetch(url);
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${text}`);
}
