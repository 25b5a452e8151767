/** Hostile requests to an application with all entries for APIs. */
import { eventStream, html, htmlResponse } from "@gatehouse/web/content";
import { createRouter, HTTPError } from "@gatehouse/web/fetch-router";
import {
  bodyLimit,
  cors,
  createLifecycle,
  etag,
  reportSecurityEvent,
  requireMatch,
  securityEvents,
  telemetry,
  timeout,
} from "@gatehouse/web/middleware";
import {
  createMemorySessionStore,
  parseCookies,
  serializeCookie,
} from "@gatehouse/web/session";
import { rateLimit } from "@gatehouse/web/session-middleware";
import { assert, assertEquals } from "@std/assert";
import { createRecorder } from "../_open_telemetry.ts";

function createApplication() {
  const { api, spans } = createRecorder();
  const events = securityEvents(() => {});
  const lifecycle = createLifecycle();
  const router = createRouter({
    trustedProxies: 1,
    middleware: [
      telemetry({ api, trust: true }),
      events,
      cors({ trustedOrigins: ["https://*.app.example"], credentials: true }),
      bodyLimit({ maxBytes: 1_000 }),
      timeout(5_000),
      rateLimit({
        store: createMemorySessionStore(),
        limit: 1_000,
        window: 60_000,
      }),
    ],
  });
  router.get("/page", etag(), ({ request }) => {
    const name = request.headers.get("X-Hostile") ?? "";
    return htmlResponse(html`<p title="${name}">${name}</p>`);
  });
  router.get(
    "/events",
    (context) =>
      eventStream(context, async function* ({ lastEventId }) {
        yield { data: lastEventId };
      }),
  );
  router.get("/cookie", (context) => {
    const cookies = [...parseCookies(context.headers.get("Cookie"))];
    const response = new Response(`${cookies.length} cookies`);
    const value = cookies.map((cookie) => cookie.join("=")).join().slice(0, 99);
    response.headers.append("Set-Cookie", serializeCookie("seen", value));
    return response;
  });
  router.get("/error", (context) => {
    const reason = context.request.headers.get("X-Hostile") ?? "";
    reportSecurityEvent(context, { action: "access-denied", reason });
    throw new HTTPError(409, reason);
  });
  router.get("/ready", lifecycle.ready);
  router.route(["PUT", "POST"], "/note", async (context) => {
    requireMatch(context, '"7"');
    return new Response(String((await context.request.text()).length));
  });
  return { router, spans, events };
}

const paths: readonly [method: string, path: string][] = [
  ["GET", "/page"],
  ["HEAD", "/page"],
  ["GET", "/events"],
  ["GET", "/cookie"],
  ["GET", "/error"],
  ["GET", "/ready"],
  ["PUT", "/note"],
  ["POST", "/note"],
  ["DELETE", "/note"],
  ["OPTIONS", "/note"],
  ["GET", "/nowhere"],
  ["GET", "/%zz"],
];

const many = (value: string, separator = ",") =>
  Array(10_000).fill(value).join(separator);

const trusted = "https://x.app.example";

const usualHeaders = {
  Origin: trusted,
  "Access-Control-Request-Method": "PUT",
};

/** Values that each header gets. */
const values: readonly string[] = [
  "",
  " ",
  ",,,,",
  '"',
  "*",
  "null",
  "__proto__",
  "constructor",
  "<script>alert(1)</script>",
  "\u0080\u00ff\u00e9",
  "%00%0d%0aX-Injected: 1",
  "\t\tX-Injected: 1",
  "-1",
  "1e999",
  "NaN",
  "x".repeat(100_000),
  "a=%zz; b=%E4%; =; __proto__=1; c",
  many("a"),
  many('"a"'),
  many('W/"a"'),
  many("a=b", ";"),
  many("application/json;q=0.1"),
  "(".repeat(30_000),
  "https://x.app.example\u00a0",
  "https://a.b.app.example",
  "https://x.app.example.evil.example",
  "https://x.app.example, https://evil.example",
  "00-00000000000000000000000000000000-0000000000000000-00",
  "00-ffff-ff-01",
  "::1",
  "::ffff:192.0.2.1",
  "[2001:db8::1]:99999",
  "2001:db8::1%eth0",
  "999.999.999.999",
  many("192.0.2.1"),
];

/** The headers that the entries read. */
const names: readonly string[] = [
  "Accept",
  "Access-Control-Request-Headers",
  "Access-Control-Request-Method",
  "Content-Length",
  "Content-Type",
  "Cookie",
  "If-Match",
  "If-Modified-Since",
  "If-None-Match",
  "Last-Event-ID",
  "Origin",
  "X-Forwarded-For",
  "X-Hostile",
  "baggage",
  "traceparent",
  "tracestate",
];

for (const name of names) {
  Deno.test(`no value of ${name} makes an entry fail, wait or inject something`, async () => {
    const { events, router, spans } = createApplication();
    const usual = await (await router.fetch("https://api.example/page")).text();
    let count = 1;
    for (const value of values) {
      for (const [method, path] of paths) {
        const request = new Request(`https://api.example${path}`, {
          method,
          headers: { ...usualHeaders, [name]: value },
          ...method.startsWith("P") && { body: "x" },
        });
        const peer = { remoteAddr: { hostname: "198.51.100.1" } };
        const response = await router.fetch(request, peer, {});
        const text = await response.text();
        const what = `${method} ${path} with ${value.slice(0, 30)}`;
        count++;
        assert(response.status < 500, `${response.status} for ${what}`);
        const { headers } = response;
        assertEquals(headers.get("X-Injected"), null, what);
        assert(![...headers].join().includes("<script"), what);
        if (headers.get("Content-Type")?.includes("html")) {
          assert(!text.includes("<script"), what);
        }
        const allowed = headers.get("Access-Control-Allow-Origin");
        assertEquals(allowed, name === "Origin" ? null : trusted, what);
      }
    }
    await events.flush();
    assertEquals(spans.length, count);
    assert(spans.every(({ isEnded }) => isEnded));
    // Nothing has changed for others.
    const after = await router.fetch("https://api.example/page");
    assertEquals(await after.text(), usual);
  });
}
