import {
  deviceBoundSessions,
  requireBoundSession,
} from "@gatehouse/web/auth/device-bound";
import { createRouter } from "@gatehouse/web/fetch-router";
import { session } from "@gatehouse/web/session-middleware";
import { assertEquals, assertMatch } from "@std/assert";
import { createBoundApp, Device, IN_FLIGHT } from "../_bound_app.ts";

Deno.test("requireBoundSession() lets pages wait for the registration, but not forever", async () => {
  const { clock, router } = createBoundApp();
  const device = new Device(router);
  await device.logIn();
  const page = { "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "none" };
  assertEquals((await device.get("/bound", page)).headers.get("Refresh"), "1");
  assertEquals((await device.get("/bound")).status, 403);
  clock.time += IN_FLIGHT;
  assertEquals((await device.get("/bound", page)).status, 403);
});

Deno.test("requireBoundSession() lets no page reload forever if the bound cookie never arrives", async () => {
  const { clock, router } = createBoundApp();
  const device = new Device(router);
  await device.logIn();
  const cookie = device.jar;
  await device.register(); // The browser rejects the cookie.
  const page = { "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "none" };
  const ask = () =>
    router.fetch("https://example.com/bound", { headers: { ...page, cookie } });
  assertEquals((await ask()).headers.get("Refresh"), "1");
  clock.time += IN_FLIGHT;
  assertEquals((await ask()).status, 403);
});

Deno.test("requireBoundSession() refuses anonymous requests and calls onUnbound", async () => {
  const { router } = createBoundApp();
  assertEquals((await router.fetch("https://example.com/bound")).status, 403);

  const other = createRouter({
    middleware: [session(), deviceBoundSessions()],
  });
  other.get("/", {
    middleware: [requireBoundSession({
      onUnbound: () => new Response("Use Chrome", { status: 418 }),
    })],
    handler: () => new Response("bound"),
  });
  const response = await other.fetch("https://example.com/");
  assertEquals(await response.text(), "Use Chrome");
});

Deno.test("requireBoundSession() throws without deviceBoundSessions()", async () => {
  const router = createRouter({
    middleware: [session(), requireBoundSession()],
    onError: (error) => new Response(String(error), { status: 500 }),
  });
  router.get("/", () => new Response());
  const response = await router.fetch("https://example.com/");
  assertMatch(await response.text(), /deviceBoundSessions/);
});
