import {
  databasePackages,
  NODE_RANGE,
  packageFiles,
  tsconfig,
} from "./_packages.ts";
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
import type { ProjectRuntime } from "./runtime.ts";

/** Node, with SQLite, served by srvx. */
export const NODE: ProjectRuntime = {
  title: "Node",
  settings: serverSettings,
  commands: ["npm install", "npm test", "npm run dev"],
  deployment: "Start it with `npm start`, or build the `Dockerfile`.",
  testSetup,
  files: (name, template) => ({
    "main.ts": `${mainSetup(template, 'import { serve } from "srvx";\n')}serve({
  ${LISTEN}
  // The router reads the address of the client from the runtime.
  fetch: (request) => app.fetch(request, request.runtime),
});
`,
    ...databaseFile(template, NODE_SQLITE),
    ...packageFiles({
      name,
      node: NODE_RANGE,
      scripts: {
        dev: "node --env-file-if-exists=.env --watch main.ts",
        start: "node --env-file-if-exists=.env main.ts",
        test: "node --test",
        check: "tsc",
      },
      dependencies: [...databasePackages(template), "srvx"],
      devDependencies: ["@types/node", "typescript"],
    }),
    "tsconfig.json": tsconfig("node"),
    ...ignoreFiles(),
    Dockerfile: `FROM node:24-slim
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev${dataFolder(template, "node").create}
COPY . .
USER node
ENV HOST=0.0.0.0${dataFolder(template, "node").environment}EXPOSE 8000
CMD ["node", "main.ts"]
`,
    ...workflow("node:24-bookworm", ["npm ci", "npm run check", "npm test"]),
  }),
};
