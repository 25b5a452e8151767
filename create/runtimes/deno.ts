import { toJSON, VERSIONS } from "./_packages.ts";
import {
  ignoreFiles,
  LISTEN,
  mainSetup,
  nodeSQLite,
  serverSettings,
  testSetup,
  workflow,
} from "./_server.ts";
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
    const permissions = template.tables === null ? "-N -E" : "-N -E -R -W";
    const run = `deno run --env-file ${permissions}`;
    return {
      "main.ts": `${mainSetup(template)}const server = Deno.serve({
  ${LISTEN}
}, app.fetch);

// Finish the current requests before the program ends.
process.once("SIGTERM", () => server.shutdown());
`,
      ...nodeSQLite(template),
      "deno.json": toJSON({
        tasks: {
          dev: `${run} --watch main.ts`,
          start: `${run} main.ts`,
          test: "deno test -A",
          check: "deno fmt --check && deno lint && deno check",
        },
        imports: {
          "@gatehouse/web": `jsr:@gatehouse/web@${VERSIONS["@gatehouse/web"]}`,
        },
      }),
      ...ignoreFiles(),
      Dockerfile: `FROM ${IMAGE}
WORKDIR /app
COPY . .
RUN deno cache main.ts && mkdir /data && chown -R deno /data /deno-dir
USER deno
ENV HOST=0.0.0.0 DATABASE=/data/data.sqlite
VOLUME /data
EXPOSE 8000
CMD ["run", ${
        permissions.split(" ").map((flag) => `"${flag}", `).join("")
      }"main.ts"]
`,
      ...workflow(IMAGE, ["deno task check", "deno task test"]),
    };
  },
};
