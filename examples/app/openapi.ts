/** Writes the OpenAPI document of the API, without a server or a database. */
import { createAccounts } from "@gatehouse/web/accounts";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { openapi } from "@gatehouse/web/openapi";
import { accountOptions } from "./account_options.ts";
import { Account, NotFound, Notice } from "./api_schemas.ts";
import { createApp } from "./app.ts";

const baseURL = "http://localhost:8000";
const accounts = createAccounts({
  ...accountOptions,
  origin: baseURL,
  database: createMemoryAccountStore(),
});
const app = createApp({ accounts, baseURL, database: () => [] });

const { document, omissions } = openapi(app, {
  info: {
    title: "Noticeboard",
    version: "1.0.0",
    license: { name: "MIT", identifier: "MIT" },
  },
  servers: [{ url: baseURL }],
  include: ({ name }) => name.startsWith("api."),
  schemas: { Account, Notice, NotFound },
});

for (const { route, reason } of omissions) console.error(`${route}: ${reason}`);
console.log(JSON.stringify(document, null, 2));
