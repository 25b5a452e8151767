/** Emails after responses on workerd, where a promise ends with its request. */
import { assertEquals } from "@std/assert";
import { bundle } from "../runtimes/bundle.ts";
import { startWorker } from "../runtimes/workers.ts";

/** Sends emails in 300 ms, and flushes in other requests. */
const application = `
import { createAccounts } from "@gatehouse/web/accounts";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { createRouter } from "@gatehouse/web/fetch-router";

const origin = "https://app.example";
let sent = 0;
const accounts = createAccounts({
  name: "Invoices",
  origin,
  database: createMemoryAccountStore(),
  secrets: ["q7Vd2LxN9bTz4KfH8mRc1YpW5sJg3Ae0"],
  passwords: { memory: 64, passes: 1 },
  async sendMail() {
    await new Promise((resolve) => setTimeout(resolve, 300));
    sent++;
  },
});
const router = createRouter({ middleware: accounts.middleware });
router.map(accounts.routes, accounts.controller);
router.get("/flush", async () => {
  await accounts.flush();
  return Response.json(sent);
});
export default {
  fetch(request, env, ctx) {
    const { pathname, search } = new URL(request.url);
    const own = new Request(origin + pathname, request);
    return router.fetch(own, env, search === "?ctx" ? ctx : undefined);
  },
};
`;

Deno.test("accounts.flush() on workerd waits for the emails of another request, and never hangs", async () => {
  await using worker = await startWorker({ script: await bundle(application) });
  const register = async (name: string, search: string) => {
    const response = await fetch(new URL(`/register${search}`, worker.url), {
      method: "POST",
      redirect: "manual",
      body: new URLSearchParams({
        name,
        email: `${name}@example.com`,
        password: "correct horse battery",
      }),
    });
    await response.body?.cancel();
    assertEquals(response.status, 303);
  };
  const flush = async () => {
    const response = await fetch(new URL("/flush", worker.url));
    return await response.json();
  };
  await register("ada", "?ctx");
  assertEquals(await flush(), 1);
  await Promise.all([register("bob", "?ctx"), register("eve", "?ctx")]);
  assertEquals(await Promise.all([flush(), flush()]), [3, 3]);

  // Without the ctx, the end of the request ends its emails.
  await register("mallory", "");
  assertEquals(await flush(), 3);
  await register("ada2", "?ctx");
  assertEquals(await flush(), 4);
});
