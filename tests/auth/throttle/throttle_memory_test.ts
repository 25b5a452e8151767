import { createRouter } from "@gatehouse/web/fetch-router";
import { createMemorySessionStore, Session } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { assert, assertEquals } from "@std/assert";
import { contextOf, createThrottledLogin } from "../_throttled_login.ts";

Deno.test("createThrottle() keeps failures during a flood of anonymous sessions in the same store", async () => {
  const store = createMemorySessionStore({ maxRecords: 1_000 });
  const { guess, knownDevice, throttle } = createThrottledLogin({ store });
  const cookie = await knownDevice();
  for (let n = 0; n < 100; n++) {
    await throttle.attempt(contextOf(`20.0.${n}.1`), "ada");
  }
  const router = createRouter({ middleware: [session({ store })] });
  router.get("/", (context) => {
    context.get(Session).set("visited", true);
    return new Response("ok");
  });
  for (let n = 0; n < 3_000; n++) await router.fetch("https://example.com/");
  assertEquals((await guess()).allowed, false, "the account is still limited");
  assert((await guess({ cookie })).allowed, "the device is still known");
});

Deno.test("createThrottle() keeps known devices and addresses during a flood of accounts", async () => {
  const store = createMemorySessionStore({ maxRecords: 1_000 });
  const { guess, knownDevice, throttle } = createThrottledLogin({ store });
  const cookie = await knownDevice();
  const busy = "198.51.100.1";
  for (let n = 0; n < 100; n++) {
    await throttle.attempt(contextOf(busy), `busy${n}`);
  }
  for (let n = 0; n < 3_000; n++) {
    const address = `20.${n % 40}.0.1`;
    await throttle.attempt(contextOf(address), `flood${n}`);
  }
  assertEquals((await guess({ address: busy, account: "new" })).allowed, false);
  for (let n = 0; n < 100; n++) {
    await throttle.attempt(contextOf(`30.0.${n}.1`), "ada");
  }
  assert((await guess({ cookie })).allowed, "the device is still known");
});
