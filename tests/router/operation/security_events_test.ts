import { createRouter } from "@gatehouse/web/fetch-router";
import { logger } from "@gatehouse/web/logger-middleware";
import {
  reportSecurityEvent,
  type SecurityEvent,
  securityEvents,
} from "@gatehouse/web/middleware";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { captureConsole } from "../../_console.ts";

const url = "https://example.com/";

Deno.test("securityEvents() delivers after the response, in order", async () => {
  const order: string[] = [];
  const events = securityEvents(async ({ event }) => {
    await Promise.resolve();
    order.push(String(event.reason));
  });
  const router = createRouter({ middleware: [events] });
  router.get("/", (context) => {
    for (const reason of ["a", "b", "c"]) {
      reportSecurityEvent(context, { action: "role-change", reason });
    }
    return new Response("Hello");
  });

  await router.fetch(url);
  order.push("response");
  await events.flush();
  assertEquals(order, ["response", "a", "b", "c"]);
});

Deno.test("securityEvents() names the user, the address, the request and its trace (ASVS 16.2.1, 16.2.2)", async () => {
  const found: SecurityEvent[] = [];
  const lines: string[] = [];
  await using events = securityEvents((event) => void found.push(event), {
    now: () => 0,
  });
  const output = (line: string) => void lines.push(line);
  const router = createRouter({
    middleware: [logger({ format: "json", output }), events],
  });
  router.post("/users/:id/role", (context) => {
    const targetId = context.params.id;
    reportSecurityEvent(context, {
      action: "role-change",
      userId: 1n,
      targetId,
    });
    return new Response("Saved");
  });
  const request = new Request(`${url}users/7/role?token=s3cret`, {
    method: "POST",
  });
  const info = { remoteAddr: { hostname: "203.0.113.7" } };
  await router.fetch(request, info, {});
  await events.flush();

  const line = JSON.parse(lines[0]!);
  assertEquals(found, [{
    "@timestamp": "1970-01-01T00:00:00.000Z",
    event: {
      kind: "event",
      action: "role-change",
      category: ["iam"],
      type: ["user", "change"],
      outcome: "success",
    },
    user: { id: "1", target: { id: "7" } },
    client: { ip: "203.0.113.7" },
    http: {
      request: { method: "POST", id: line["http.request.id"] },
      route: "/users/:id/role",
    },
    trace: { id: line["trace.id"] },
  }]);
});

Deno.test("securityEvents() prints an event that it cannot deliver, and continues", async () => {
  const reasons: unknown[] = [];
  using calls = captureConsole();
  const { printed } = calls;
  const events = securityEvents(({ event }) => {
    if (event.reason === "a") throw new Error("no database");
    reasons.push(event.reason);
  });
  const router = createRouter({ middleware: [events] });
  router.get("/", (context) => {
    reportSecurityEvent(context, { action: "key-create", reason: "a" });
    reportSecurityEvent(context, { action: "key-create", reason: "b" });
    return new Response("Hello");
  });
  assertEquals((await router.fetch(url)).status, 200);
  await events.flush();
  assertEquals(reasons, ["b"]);
  assertEquals((printed[0] as Error).message, "no database");
  assert(String(printed[1]).includes('"action":"key-create"'));
  assertEquals(printed.length, 2);
});

Deno.test("securityEvents() says that it drops events while a delivery hangs", async () => {
  using calls = captureConsole();
  const { printed } = calls;
  const hung = Promise.withResolvers<void>();
  const events = securityEvents(() => hung.promise);
  const router = createRouter({ middleware: [events] });
  router.get("/", (context) => {
    for (let count = 0; count < 10_001; count++) {
      reportSecurityEvent(context, { action: "lockout" });
    }
    return new Response("Hello");
  });
  await router.fetch(url);
  assertEquals(printed, [
    "Cannot keep up with security events: dropping new ones",
  ]);
  hung.resolve();
  await events.flush();
});

Deno.test("securityEvents() prints the number of events beyond its limit", async () => {
  let delivered = 0;
  using calls = captureConsole();
  const { printed } = calls;
  const events = securityEvents(() => void delivered++);
  const router = createRouter({ middleware: [events] });
  router.get("/", (context) => {
    for (let count = 0; count < 6000; count++) {
      reportSecurityEvent(context, { action: "lockout" });
    }
    return new Response("Hello");
  });
  await router.fetch(url);
  await router.fetch(url);
  await events.flush();
  assertEquals(delivered, 10_000);
  assertEquals(printed, [
    "Cannot keep up with security events: dropping new ones",
    "Cannot keep up with security events: dropped 2000",
  ]);
});

Deno.test("securityEvents() delivers events of requests that failed", async () => {
  const actions: string[] = [];
  await using events = securityEvents(({ event }) => {
    actions.push(event.action);
  });
  const router = createRouter({
    middleware: [events],
    onError: (_error, context) => {
      reportSecurityEvent(context, { action: "token-reuse" });
      return new Response("Error", { status: 500 });
    },
  });
  router.get("/", (context) => {
    reportSecurityEvent(context, { action: "password-change" });
    throw new Error("bug");
  });
  assertEquals((await router.fetch(url)).status, 500);
  await events.flush();
  assertEquals(actions, ["password-change", "token-reuse"]);
});

Deno.test("securityEvents() delivers events that are reported after the response", async () => {
  const actions: string[] = [];
  const events = securityEvents(({ event }) => void actions.push(event.action));
  const router = createRouter({ middleware: [events] });
  const later = Promise.withResolvers<void>();
  router.get("/", (context) => {
    later.promise = later.promise.then(() =>
      reportSecurityEvent(context, { action: "factor-add" })
    );
    return new Response("Hello");
  });
  await router.fetch(url);
  assertEquals(actions, []);
  later.resolve();
  await later.promise;
  await events.flush();
  assertEquals(actions, ["factor-add"]);
});

Deno.test("securityEvents() of a mounted router and of the outer one get its events", async () => {
  const outer: string[] = [];
  const inner: string[] = [];
  const outerEvents = securityEvents(({ event }) =>
    void outer.push(event.action)
  );
  const innerEvents = securityEvents(({ event }) =>
    void inner.push(event.action)
  );
  const admin = createRouter({ middleware: [innerEvents] });
  admin.get("/", (context) => {
    reportSecurityEvent(context, { action: "key-revoke" });
    return new Response("Hello");
  });
  const router = createRouter({
    middleware: [outerEvents, async (context, next) => {
      const response = await next();
      reportSecurityEvent(context, { action: "role-change" });
      return response;
    }],
  });
  router.mount("/admin", admin);
  await router.fetch(`${url}admin`);
  await Promise.all([outerEvents.flush(), innerEvents.flush()]);
  assertEquals(inner, ["key-revoke"]);
  assertEquals(outer, ["key-revoke", "role-change"]);
});

Deno.test("securityEvents() keeps a Worker alive until the delivery ends", async () => {
  const promises: Promise<unknown>[] = [];
  const waitUntil = (promise: Promise<unknown>) => void promises.push(promise);
  let isDelivered = false;
  const events = securityEvents(() => {
    isDelivered = true;
  });
  const router = createRouter({ middleware: [events] });
  router.get("/", (context) => {
    reportSecurityEvent(context, { action: "login" });
    return new Response("Hello");
  });
  await router.fetch(new Request(url), {}, { waitUntil });
  assert(promises.length > 0);
  await Promise.all(promises);
  assert(isDelivered);
});

Deno.test("securityEvents() needs a function", () => {
  assertThrows(() => securityEvents(undefined as never), TypeError);
});
