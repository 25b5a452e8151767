import {
  auth,
  createSessionAuthScheme,
  requireAuth,
  requireRole,
} from "@gatehouse/web/auth-middleware";
import { createRouter } from "@gatehouse/web/fetch-router";
import { session } from "@gatehouse/web/session-middleware";
import { assertEquals } from "@std/assert";
import { fetchGuarded } from "../_fetch_guarded.ts";
import { answer, ok } from "./_guarded.ts";

Deno.test("requireAuth() returns the response of onUnauthenticated (spec 5.3.3, 7)", async () => {
  const guard = requireAuth({
    onUnauthenticated: (request) =>
      new Response(new URL(request.url).pathname, { status: 418 }),
  });
  assertEquals(await answer(guard, null), [418, "/a"]);
  assertEquals(await answer(guard, { id: 1 }), ok);
});

Deno.test("requireAuth() rejects all requests if auth() did not run (ASVS 8.3.1)", async () => {
  const router = createRouter();
  router.get(
    "/",
    { middleware: [requireAuth()] },
    () => new Response("secret"),
  );
  const response = await router.fetch("https://example.com/", {
    headers: { Authorization: "Bearer t0ken" },
  });
  assertEquals(response.status, 401);
});

const challenges: [string, Record<string, string>, string][] = [
  [
    "the challenge of the scheme that has one, without an error if there are no credentials",
    {},
    'Bearer realm="tokens"',
  ],
  [
    "the error of a rejected token",
    { Authorization: "Bearer wrong" },
    'Bearer realm="tokens", error="invalid_token"',
  ],
  [
    "no error for a malformed header",
    { Authorization: "Bearer a b" },
    'Bearer realm="tokens"',
  ],
  [
    "no token error for a rejected key",
    { "X-API-Key": "wrong" },
    'Bearer realm="tokens"',
  ],
];

for (const [name, headers, expected] of challenges) {
  Deno.test(`requireAuth() responds with 401 and ${name} (RFC 6750, 3; RFC 9110, 11.6.1)`, async () => {
    for (const guard of [requireAuth(), requireRole("admin")]) {
      const response = await fetchGuarded(guard, headers);
      assertEquals(response.status, 401);
      assertEquals(response.headers.get("WWW-Authenticate"), expected);
      assertEquals(response.headers.get("Cache-Control"), "no-store");
    }
  });
}

Deno.test("requireAuth() responds with 401 without a challenge for sessions, which have no registered scheme", async () => {
  const scheme = createSessionAuthScheme({
    name: "members",
    verify: () => null,
  });
  const router = createRouter({
    middleware: [session(), auth({ schemes: [scheme] })],
  });
  router.get("/", { middleware: [requireAuth()] }, () => new Response());
  const { headers, status } = await router.fetch("https://example.com/");
  assertEquals(status, 401);
  assertEquals(headers.get("WWW-Authenticate"), null);
});

const accepts: [accept: string, json: boolean][] = [
  ["application/json", true],
  ["application/problem+json", true],
  ["Application/JSON; charset=utf-8", true],
  ["application/json, text/plain, */*", true],
  ["text/html;q=0.5, application/json", true],
  ["application/vnd.api+json", true],
  ["text/html, application/json;q=0.9", false],
  ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", false],
  ["*/*", false],
  ["application/*", false],
  ["application/json;q=0", false],
  ["application/json;q=9", false],
  ["application/json;q=nan", false],
  ["", false],
  [",,;;q=,", false],
  [`application/json,${"a/b,".repeat(300)}`, false],
];

for (const [accept, json] of accepts) {
  Deno.test(`requireAuth() responds with ${json ? "problem details" : "text"} to Accept "${accept.slice(0, 70)}" (RFC 9457)`, async () => {
    const response = await fetchGuarded(requireAuth(), { Accept: accept });
    const type = json ? "application/problem+json" : "text/plain;charset=UTF-8";
    assertEquals(response.status, 401);
    assertEquals(response.headers.get("Content-Type"), type);
    const expected = json
      ? { type: "about:blank", title: "Unauthorized", status: 401 }
      : "Unauthorized";
    const body = await response.text();
    assertEquals(json ? JSON.parse(body) : body, expected);
  });
}

Deno.test("requireAuth() rejects all requests if the callback returns nothing", async () => {
  const nothing = () => undefined as unknown as Response;
  for (
    const guard of [
      requireAuth({ onUnauthenticated: nothing }),
      requireAuth({ onUnauthenticated: () => Promise.resolve(nothing()) }),
    ]
  ) {
    const router = createRouter({
      middleware: [guard],
      onError: (error) => new Response(String(error), { status: 500 }),
    });
    router.get("/", () => new Response("secret"));
    const response = await router.fetch("https://example.com/");
    assertEquals(
      await response.text(),
      "TypeError: Cannot reject the request: the callback returned no Response",
    );
  }
});
