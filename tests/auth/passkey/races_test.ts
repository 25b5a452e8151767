import { createMemorySessionStore } from "@gatehouse/web/session";
import {
  createMemoryPasskeyStore,
  createTestAuthenticator,
} from "@gatehouse/web/testing";
import { assertEquals } from "@std/assert";
import { createPasskeyApp, type Loose, withPasskey } from "../_passkey_app.ts";
import { slow, waitABit } from "../_slow_store.ts";

Deno.test("finishAuthentication() accepts one of fifty concurrent requests with one response", async () => {
  const sessionStore = slow(createMemorySessionStore());
  const { app, authenticator } = await withPasskey({ sessionStore });
  for (let round = 0; round < 5; round++) {
    const options = await app.post("/login/options");
    const response = await authenticator.authenticate(options);
    const results = await Promise.all(
      Array.from({ length: 50 }, () => app.post("/login", response)),
    );
    assertEquals(results.filter(({ ok }) => ok).length, 1);
    const reasons = new Set(results.map(({ reason }) => reason));
    assertEquals(reasons, new Set([undefined, "challenge_unknown"]));
  }
});

Deno.test("finishRegistration() accepts one of fifty concurrent requests with one response", async () => {
  const app = createPasskeyApp({
    sessionStore: slow(createMemorySessionStore()),
  });
  const options = await app.post("/register/options");
  const response = await createTestAuthenticator().register(options);
  const results = await Promise.all(
    Array.from({ length: 50 }, () => app.post("/register", response)),
  );
  assertEquals(results.filter(({ ok }) => ok).length, 1);
  assertEquals((await app.store.list(7)).length, 1);
});

Deno.test("finishAuthentication() accepts a counter once, also from other sessions at the same time", async () => {
  const memory = createMemoryPasskeyStore();
  const store = {
    ...memory,
    async get(id: string) {
      const passkey = await memory.get(id);
      await waitABit();
      return passkey;
    },
  };
  const { app, authenticator, id } = await withPasskey({ store });
  for (let round = 1; round <= 5; round++) {
    const responses = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const browser = app.newBrowser();
        const options = await app.post("/login/options", {}, browser);
        const response = await authenticator.authenticate(options, {
          authenticatorData(data) {
            data[36] = round;
            return data;
          },
        });
        return { browser, response };
      }),
    );
    const results = await Promise.all(
      responses.map(({ browser, response }) =>
        app.post("/login", response, browser)
      ),
    );
    assertEquals(results.filter(({ ok }) => ok).length, 1);
    assertEquals((await memory.get(id))?.counter, round);
  }
});

Deno.test("finishAuthentication() refuses a passkey that is removed at the same time", async () => {
  const memory = createMemoryPasskeyStore();
  const store = {
    ...memory,
    update(id: string) {
      memory.remove(id, 7);
      return false;
    },
  };
  const { app, authenticator } = await withPasskey({ store });
  const result: Loose = await app.logIn(authenticator);
  assertEquals(result.ok, false);
});

Deno.test("concurrent options keep each other's challenges", async () => {
  const sessionStore = slow(createMemorySessionStore());
  const { app, authenticator } = await withPasskey({ sessionStore });
  const all = await Promise.all(
    Array.from({ length: 8 }, () => app.post("/login/options")),
  );
  for (const options of all) {
    const response = await authenticator.authenticate(options);
    assertEquals((await app.post("/login", response)).ok, true);
  }
});
