/**
 * Runs a separate server process, for tests with several of them. It sends
 * itself requests on one session and prints the responses.
 *
 * Arguments: store, address, cookie, name, the number of concurrent requests,
 * and the number that pause between load and save.
 */
import { createRouter } from "@gatehouse/web/fetch-router";
import { Session } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { openStore } from "./_session_stores.ts";

const [kind, address, cookie, name, parallel, limit] = Deno.args;
const { store } = await openStore(kind, address);

const router = createRouter({ middleware: [session({ store })] });
router.get("/:n", async (context) => {
  const { n } = context.params;
  const session = context.get(Session);
  session.set(`${name}${n}`, true);
  session.update("count", (count) => Number(count ?? 0) + 1);
  if (Number(n) === Number(limit)) {
    console.log("loaded");
    await new Promise(() => setInterval(() => {}, 1_000));
  }
  return new Response();
});

console.log("ready");
for (let n = 0;; n += Number(parallel)) {
  const numbers = Array.from({ length: Number(parallel) }, (_, i) => n + i);
  await Promise.all(numbers.map(async (n) => {
    const response = await router.fetch(`https://example.com/${n}`, {
      headers: { Cookie: cookie },
    });
    console.log(`${response.status} ${name}${n}`);
  }));
  if (limit === undefined) break;
}
Deno.exit(0);
