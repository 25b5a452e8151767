import { createThrottle } from "@gatehouse/web/auth";
import { RequestContext } from "@gatehouse/web/fetch-router";
import {
  createMemorySessionStore,
  type SessionStore,
  SessionStoreError,
} from "@gatehouse/web/session";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { afterTimers } from "../../_wait.ts";
import { createClocked, hour, withCalls } from "../_clocked_throttle.ts";

Deno.test("createThrottle() accepts the right password if the counts were evicted meanwhile", async () => {
  for (const end of ["succeed", "cancel"] as const) {
    const memory = createMemorySessionStore();
    const keys = new Set<string>();
    const store: SessionStore = {
      get: (key) => memory.get(key),
      put(key, ...value) {
        keys.add(key);
        return memory.put(key, ...value);
      },
      delete: (key) => memory.delete(key),
    };
    const throttle = createThrottle({ store });
    const context = new RequestContext(new Request("https://example.com/"), {
      remoteAddress: "203.0.113.7",
    });
    const attempt = await throttle.attempt(context, "ada");
    assert(attempt.allowed);
    for (const key of keys) await memory.delete(key);
    keys.clear();
    await attempt[end]();
    // A count that is gone stays gone.
    for (const key of keys) assertEquals(await memory.get(key), null);
  }
});

Deno.test("createThrottle() rejects if the store never accepts a count", async () => {
  const store: SessionStore = {
    get: () => null,
    put: () => false,
    delete: () => {},
  };
  assertEquals(await createClocked({ store }).attempt(), 1);
});

const hang = () => new Promise<never>(() => {});

const fail = () => Promise.reject(new Error("The store is unavailable"));

for (const [how, sweep] of [["hangs", hang], ["fails", fail]] as const) {
  Deno.test(`createThrottle() counts even if a sweep of the store ${how}`, async () => {
    const store = withCalls({ sweep });
    const { fail, pass } = createClocked({ store, storeTimeout: 50 });
    pass(hour);
    const answers = await fail(6);
    assertEquals(answers, [true, true, true, true, true, 1]);
  });
}

for (const method of ["get", "put", "delete"] as const) {
  for (const [how, call] of [["hangs", hang], ["fails", fail]] as const) {
    Deno.test(`createThrottle() rejects every attempt if the store's ${method} ${how}`, async () => {
      const store = withCalls({ [method]: call });
      const { attempt } = createClocked({ store, storeTimeout: 50 });
      const right = attempt("ada", "203.0.113.7", {}, true);
      await assertRejects(
        () => right,
        SessionStoreError,
        "Cannot throttle session: the store failed",
      );
      // Other calls of the attempt may have begun later.
      await afterTimers(50);
    });
  }
}
