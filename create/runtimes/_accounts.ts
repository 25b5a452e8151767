/** Returns the beginning of the `main.ts` of a server. */
export function accountsSetup(
  imports: string,
  { database, trustedProxies }: {
    readonly database: string;
    readonly trustedProxies: string;
  },
): string {
  return `import process from "node:process";
import { setInterval } from "node:timers";
${imports}import { createAccounts } from "@gatehouse/web/accounts";
import { accountOptions, createApp } from "./app.ts";
import { openDatabase } from "./database.ts";
import { sendMail } from "./mail.ts";

const accounts = createAccounts({
  ...accountOptions,
  ${database}
  origin: process.env.ORIGIN ?? "",
  secrets: process.env.SECRETS?.split(" "),
  sendMail,
});
const app = createApp({
  accounts,
  ${trustedProxies}
});

// Every hour, delete accounts whose delay has passed, and expired sessions.
const sweep = () => accounts.sweep().catch(console.error);
setInterval(sweep, 3_600_000).unref();

`;
}

/** Returns the `main.ts` of a Worker. */
export function accountsWorker(query: string): string {
  return `import { env } from "cloudflare:workers";
import { createAccounts } from "@gatehouse/web/accounts";
import { accountOptions, createApp } from "./app.ts";
import { sendMail } from "./mail.ts";

const accounts = createAccounts({
  ...accountOptions,
  async database(sql, params) {${query}},
  origin: env.ORIGIN,
  secrets: env.SECRETS?.split(" "),
  sendMail,
});
const app = createApp({ accounts });

export default {
  fetch: app.fetch,
  // Deletes accounts whose delay has passed, and expired sessions.
  scheduled: () => accounts.sweep(),
};
`;
}

/** Returns the beginning of the tests, with new accounts for each client. */
export function accountsTestSetup(imports: string, options: string): string {
  return `import assert from "node:assert/strict";
import { test } from "node:test";
import { testAccounts } from "@gatehouse/web/accounts/testing";
import { createTestClient } from "@gatehouse/web/testing";
${imports}
/** Opens a client of a new application. */
function openClient() {
  const accounts = testAccounts(${options});
  const client = createTestClient(createApp({ accounts }), {
    // The limits count by address, so the client needs one.
    remoteAddress: "192.0.2.1",
  });
  return { accounts, client };
}
`;
}

/** Returns the beginning of the tests of a Worker, and one in workerd. */
export function accountsWorkerTest(): string {
  const imports = `import { createTestHarness } from "wrangler";
import { accountOptions, createApp } from "./app.ts";
`;
  return accountsTestSetup(imports, "accountOptions") + `
test("the Worker serves the login page, and cleans its database", async () => {
  const server = createTestHarness({
    workers: [{
      configPath: "./wrangler.json",
      vars: { ORIGIN: "http://localhost:8787" },
    }],
  });
  try {
    const { url } = await server.listen();
    assert.equal((await fetch(new URL("/login", url))).status, 200);
    const job = await server.getWorker().scheduled({ cron: "0 * * * *" });
    assert.equal(job.outcome, "ok");
  } finally {
    await server.close();
  }
});
`;
}
