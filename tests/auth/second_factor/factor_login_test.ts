import {
  createSecondFactors,
  type FirstFactorOptions,
} from "@gatehouse/web/auth/second-factor";
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  createMemorySessionStore,
  endUserSessions,
  Session,
} from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { createTestClient } from "@gatehouse/web/testing";
import { assert, assertEquals } from "@std/assert";

const MINUTE = 60_000;

/** Creates an application whose user has a second factor, or none. */
function createApp(options: FirstFactorOptions, hasOtherFactor = true) {
  let time = 1_700_000_000_000;
  const now = () => time;
  const store = createMemorySessionStore({ now });
  const factors = createSecondFactors({
    issuer: "Example",
    store: createMemorySessionStore({ now }),
    secrets: ["a secret of more than thirty-two characters"],
    hasOtherFactor: () => hasOtherFactor,
    now,
  });
  const errors: unknown[] = [];
  const router = createRouter({
    middleware: [session({ store, now })],
    onError(error) {
      errors.push(error);
      return new Response("error", { status: 500 });
    },
  });
  router.post("/first", async (context) => {
    const login = await factors.completeFirstFactor(context, 7, options);
    return new Response(login === null ? "waits" : "in");
  });
  router.post("/second", async (context) => {
    const login = await factors.completeSecondFactor(context, ["hwk"]);
    return new Response(login === null ? "missing" : "in");
  });
  router.get("/", (context) => {
    const { authMethods, authenticatedAt, userId } = context.get(Session);
    return Response.json({ authMethods, authenticatedAt, userId });
  });
  const { fetch } = createTestClient(router);
  return {
    errors,
    now,
    store,
    wait: (passed: number) => void (time += passed),
    post: async (path: string) => {
      const response = await fetch(path, { method: "POST" });
      return response.ok ? await response.text() : response.status;
    },
    read: async () => await (await fetch("/")).json(),
  };
}

Deno.test("an old password's login does not survive endUserSessions({ version }) with a code that is typed later", async () => {
  const app = createApp({ methods: ["pwd"], version: 1 });
  assertEquals(await app.post("/first"), "waits");
  app.wait(5 * MINUTE);
  await endUserSessions(app.store, 7, { version: 2 });
  assertEquals(await app.post("/second"), 409);
  assertEquals((await app.read()).userId, undefined);
});

Deno.test("a login whose version is current completes with its second factor", async () => {
  const app = createApp({ methods: ["pwd"], version: 2 });
  await app.post("/first");
  await endUserSessions(app.store, 7, { version: 2 });
  assertEquals(await app.post("/second"), "in");
});

Deno.test("a login keeps its short timeouts through the second factor", async () => {
  const timeouts = { absolute: 5 * MINUTE, idle: 2 * MINUTE };
  const app = createApp({ timeouts });
  await app.post("/first");
  app.wait(MINUTE);
  assertEquals(await app.post("/second"), "in");
  app.wait(MINUTE);
  assertEquals((await app.read()).userId, 7);
  app.wait(2 * MINUTE);
  assertEquals((await app.read()).userId, undefined);
});

Deno.test("a login without a second factor keeps its short timeouts, its time and its version", async () => {
  const timeouts = { absolute: 5 * MINUTE, idle: 2 * MINUTE };
  const authenticatedAt = 1_700_000_000_000 - MINUTE;
  const options = { authenticatedAt, timeouts, version: 1 };
  const app = createApp(options, false);
  assertEquals(await app.post("/first"), "in");
  assertEquals((await app.read()).authenticatedAt, authenticatedAt);
  app.wait(3 * MINUTE);
  assertEquals((await app.read()).userId, undefined);
  await endUserSessions(app.store, 7, { version: 2 });
  assertEquals(await app.post("/first"), 409);
});

Deno.test("a login keeps the time of its first factor through the second one", async () => {
  const authenticatedAt = 1_700_000_000_000 - MINUTE;
  const app = createApp({ authenticatedAt });
  await app.post("/first");
  await app.post("/second");
  assertEquals((await app.read()).authenticatedAt, authenticatedAt);
});

for (
  const options of [
    { timeouts: { absolute: -1 } },
    { timeouts: { absolute: MINUTE, idle: NaN } },
    { version: 1.5 },
    { authenticatedAt: 2e12 },
  ]
) {
  Deno.test(`completeFirstFactor() throws at once for ${JSON.stringify(options)}`, async () => {
    const app = createApp(options);
    assertEquals(await app.post("/first"), 500);
    assert(app.errors[0] instanceof RangeError);
    assertEquals(await app.post("/second"), "missing");
  });
}

Deno.test("a login with a passkey, whose methods contain mfa, needs no code", async () => {
  const app = createApp({ methods: ["hwk", "user", "mfa"] });
  assertEquals(await app.post("/first"), "in");
  const { authMethods, userId } = await app.read();
  assertEquals(userId, 7);
  assertEquals(Object.keys(authMethods), ["hwk", "user", "mfa"]);
});

Deno.test("a login with a security key without a PIN needs another factor", async () => {
  const app = createApp({ methods: ["hwk", "user"] });
  assertEquals(await app.post("/first"), "waits");
});
