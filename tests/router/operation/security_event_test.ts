import { createRouter, RequestContext } from "@gatehouse/web/fetch-router";
import {
  reportSecurityEvent,
  type SecurityEvent,
  securityEvents,
  type SecurityReport,
} from "@gatehouse/web/middleware";
import { assert, assertEquals } from "@std/assert";
import { captureConsole } from "../../_console.ts";

const url = "https://example.com/";

Deno.test("reportSecurityEvent() shortens hostile values, and never throws", async () => {
  const found: SecurityEvent[] = [];
  await using events = securityEvents((event) => void found.push(event));
  const router = createRouter({ middleware: [events] });
  const hostile: SecurityReport[] = [
    { action: "login", reason: "x".repeat(1e6), userId: "y".repeat(1e6) },
    { action: "login", reason: '"}\n{"', userId: "\u0000\ud800" },
    { action: "login", userId: NaN, targetId: "__proto__" },
    { action: "constructor" as "login" },
    { action: "nothing" as "login" },
  ];
  router.get("/", (context) => {
    using _console = captureConsole();
    for (const report of hostile) reportSecurityEvent(context, report);
    return new Response("Hello");
  });
  assertEquals((await router.fetch(url)).status, 200);
  await events.flush();
  assertEquals(found.length, 3);
  assertEquals(found[0]!.event.reason?.length, 100);
  assertEquals(found[0]!.user?.id?.length, 100);
  for (const event of found) assert(!JSON.stringify(event).includes("\n"));
});

Deno.test("reportSecurityEvent() does nothing without securityEvents(), and before it", async () => {
  reportSecurityEvent(new RequestContext(new Request(url)), {
    action: "login",
  });
  const actions: string[] = [];
  const events = securityEvents(({ event }) => void actions.push(event.action));
  const router = createRouter({
    middleware: [(context, next) => {
      reportSecurityEvent(context, { action: "login" });
      return next();
    }, events],
  });
  router.get("/", (context) => {
    reportSecurityEvent(context, { action: "logout" });
    return new Response();
  });
  await router.fetch(url);
  await events.flush();
  assertEquals(actions, ["logout"]);
});
