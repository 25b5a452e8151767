import { toJSON, VERSIONS } from "./_packages.ts";
import {
  databaseFile,
  dataFolder,
  ignoreFiles,
  LISTEN,
  mainSetup,
  NODE_SQLITE,
  serverSettings,
  testSetup,
  workflow,
} from "./_server.ts";
import type { Template } from "../templates/template.ts";
import type { ProjectRuntime } from "./runtime.ts";

const IMAGE = "denoland/deno:2.9.6";

/** Deno, with SQLite. */
export const DENO: ProjectRuntime = {
  title: "Deno",
  settings: serverSettings,
  commands: ["deno task test", "deno task dev"],
  deployment: "Start it with `deno task start`, or build the `Dockerfile`.",
  testSetup,
  files(_name, template) {
    const permissions = permissionsOf(template);
    const isPostgres = template.database === "postgres";
    const data = dataFolder(template, "deno", " /deno-dir");
    const run = `deno run --env-file ${permissions}`;
    return {
      "main.ts": `${mainSetup(template)}const server = Deno.serve({
  ${LISTEN}
}, app.fetch);

// Finish the current requests before the program ends.
process.once("SIGTERM", () => server.shutdown());
`,
      ...databaseFile(template, NODE_SQLITE),
      "deno.json": toJSON({
        tasks: {
          dev: `${run} --watch main.ts`,
          start: `${run} main.ts`,
          test: "deno test -A",
          check: "deno fmt --check && deno lint && deno check",
        },
        imports: {
          "@gatehouse/web": `jsr:@gatehouse/web@${VERSIONS["@gatehouse/web"]}`,
          ...isPostgres && { postgres: `npm:postgres@${VERSIONS.postgres}` },
        },
      }),
      ...ignoreFiles(),
      Dockerfile: `FROM ${IMAGE}
WORKDIR /app
COPY . .
RUN deno cache main.ts${data.create}
USER deno
ENV HOST=0.0.0.0${data.environment}EXPOSE 8000
CMD ["run", ${
        permissions.split(" ").map((flag) => `"${flag}", `).join("")
      }"main.ts"]
`,
      ...workflow(IMAGE, ["deno task check", "deno task test"]),
    };
  },
};

/** Returns the permissions of the server. */
function permissionsOf({ database, tables }: Template): string {
  return tables === null || database === "postgres" ? "-N -E" : "-N -E -R -W";
}
