/** Writes the OpenAPI document of the API, without a server or a database. */
import { openapi } from "@gatehouse/web/openapi";
import { Account, NotFound, Notice } from "./api_schemas.ts";
import { createApp } from "./app.ts";

const app = createApp({
  database: () => Promise.resolve([]),
  baseURL: "http://localhost:8000",
});

const { document, omissions } = openapi(app, {
  info: {
    title: "Noticeboard",
    version: "1.0.0",
    license: { name: "MIT", identifier: "MIT" },
  },
  servers: [{ url: "http://localhost:8000" }],
  include: ({ name }) => name.startsWith("api."),
  schemas: { Account, Notice, NotFound },
});

for (const { route, reason } of omissions) console.error(`${route}: ${reason}`);
console.log(JSON.stringify(document, null, 2));
