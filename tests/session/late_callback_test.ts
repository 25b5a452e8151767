import { assertEquals, assertNotEquals } from "@std/assert";
import {
  completeAuth,
  externalAuthResult,
  startExternalAuth,
} from "@gatehouse/web/auth";
import { createRouter } from "@gatehouse/web/fetch-router";
import { Session } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { createProvider } from "./_provider.ts";

const provider = createProvider();

Deno.test("externalAuthResult() of a late callback does not replace the cookie of a login", async () => {
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const router = createRouter({ middleware: [session()] });
  router.get("/start", (context) => startExternalAuth(provider, context));
  router.get("/login", async (context) => {
    await completeAuth(context, 7);
    return new Response();
  });
  router.get("/callback", async (context) => {
    assertNotEquals(context.get(Session).id, "");
    begun.resolve();
    await gate.promise;
    const result = await externalAuthResult(provider, context);
    return new Response(result.ok ? "ok" : result.error.code);
  });
  const start = await router.fetch("https://example.com/start");
  const cookie = start.headers.getSetCookie()[0].split(";")[0];
  const location = new URL(start.headers.get("Location")!);
  const callback = new URL("https://example.com/callback?code=c");
  callback.searchParams.set("state", location.searchParams.get("state")!);

  const late = router.fetch(callback, { headers: { cookie } });
  await begun.promise;
  // A second callback of the same login is faster and logs the user in.
  const login = await router.fetch("https://example.com/login", {
    headers: { cookie },
  });
  assertEquals(login.headers.getSetCookie().length, 1);
  gate.resolve();
  const response = await late;
  assertEquals(await response.text(), "state_unknown");
  assertEquals(response.headers.getSetCookie(), []);
});

Deno.test("a late request that has stored a new id does not replace the cookie of a confirmed login", async () => {
  const stored = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const router = createRouter({ middleware: [session()] });
  router.get("/", async (context) => {
    await completeAuth(context, 7);
    return new Response();
  });
  router.get("/login", async (context) => {
    assertEquals(context.get(Session).userId, 7);
    await stored.promise;
    await completeAuth(context, 7);
    return new Response();
  });
  router.get("/late", async (context) => {
    const own = context.get(Session);
    own.regenerateId();
    await own.commit();
    stored.resolve();
    await ended.promise;
    own.set("visits", 2);
    return new Response();
  });
  const first = await router.fetch("https://example.com/");
  const cookie = first.headers.getSetCookie()[0].split(";")[0];
  const get = (path: string) =>
    router.fetch(`https://example.com/${path}`, { headers: { cookie } });
  const login = get("login");
  const late = get("late");
  assertEquals((await login).headers.getSetCookie().length, 1);
  ended.resolve();
  assertEquals((await late).headers.getSetCookie(), []);
});
