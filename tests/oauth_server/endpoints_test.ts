/** Headers and errors that all endpoints for clients share. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { captureConsole } from "../_console.ts";
import { connect, ORIGIN, refresh, startServer } from "./_server.ts";

/** Returns the headers of a response that name CORS. */
function corsOf({ headers }: Response): Record<string, string> {
  return Object.fromEntries(
    [...headers].filter(([name]) => /^access-control-|^vary$/.test(name)),
  );
}

const EXPOSED = "DPoP-Nonce, WWW-Authenticate";

/** The headers of a preflight. */
const PREFLIGHT = {
  "access-control-allow-headers": "*, Authorization",
  "access-control-allow-methods": "GET, HEAD, POST",
  "access-control-expose-headers": EXPOSED,
  "access-control-max-age": "3600",
};

Deno.test("only preflights say which methods and headers scripts may send", async () => {
  const origin = "https://client.example";
  const rows = [
    ["*", origin, { "access-control-allow-origin": "*" }],
    ["*", null, { "access-control-allow-origin": "*" }],
    [[origin], origin, {
      "access-control-allow-origin": origin,
      "vary": "Origin",
    }],
    [[origin], "https://other.example", { "vary": "Origin" }],
    [[origin], null, { "vary": "Origin" }],
  ] as const;
  for (const [cors, from, expected] of rows) {
    const { router } = startServer({ cors });
    const headers = new Headers(from === null ? {} : { Origin: from });
    const isAllowed = "access-control-allow-origin" in expected;
    const preflight = await router
      .fetch(`${ORIGIN}/token`, { method: "OPTIONS", headers });
    assertEquals(preflight.status, 204);
    assertEquals(corsOf(preflight), {
      ...expected,
      ...isAllowed && PREFLIGHT,
    });
    for (const method of ["GET", "POST"]) {
      const response = await router
        .fetch(`${ORIGIN}/token`, { method, headers });
      assertEquals(corsOf(response), {
        ...expected,
        ...isAllowed && { "access-control-expose-headers": EXPOSED },
      });
    }
  }
});

const BASIC = 'Basic realm="token"';

Deno.test("only an error 401 challenges clients that use Basic (RFC 6749, section 5.2)", async () => {
  const { router } = startServer();
  const { refresh_token } = await connect({ router });
  const rows = [
    ["Basic", { grant_type: "password" }, 400, null],
    ["Basic", { grant_type: "refresh_token" }, 400, null],
    ["Basic", { grant_type: "refresh_token", refresh_token }, 401, BASIC],
    ["bAsIc", { grant_type: "refresh_token", refresh_token }, 401, BASIC],
    ["Bearer", { grant_type: "refresh_token", refresh_token }, 401, null],
  ] as const;
  for (const [scheme, form, status, challenge] of rows) {
    const response = await router.fetch(`${ORIGIN}/token`, {
      method: "POST",
      headers: { Authorization: `${scheme} ${btoa("web:x")}` },
      body: new URLSearchParams({ ...form }),
    });
    assertEquals(response.status, status);
    assertEquals(response.headers.get("WWW-Authenticate"), challenge);
  }
});

Deno.test("a form has at most 16,384 bytes", async () => {
  const { router } = startServer();
  for (const [length, status] of [[16_384, 400], [16_385, 413]] as const) {
    const response = await router.fetch(`${ORIGIN}/token`, {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: "grant_type=".padEnd(length, "a"),
    });
    assertEquals(response.status, status);
    const { error } = await response.json();
    const isRead = status === 400;
    assertEquals(error, isRead ? "unsupported_grant_type" : "invalid_request");
  }
});

Deno.test("the metadata can be cached for an hour", async () => {
  const { router } = startServer();
  const path = "/.well-known/oauth-authorization-server";
  const { headers } = await router.fetch(ORIGIN + path);
  assertEquals(headers.get("Cache-Control"), "public, max-age=3600");
});

Deno.test("a body that was read before the endpoints is an error that names the order", async () => {
  const app = startServer({
    outermost: async (context, next) => {
      await context.request.text();
      return next();
    },
  });
  using console = captureConsole();
  const response = await app.router.fetch(`${ORIGIN}/token`, {
    method: "POST",
    // Bun forgets the type of a body that it has read.
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: "grant_type=refresh_token",
  });
  assertEquals(response.status, 500);
  assertStringIncludes(
    String(console.printed[0]),
    "put the endpoints of the authorization server first",
  );
});

Deno.test("an access token works for ten minutes by default", async () => {
  const app = startServer();
  app.clock.now += 999;
  assertEquals((await connect(app)).expires_in, 600);
});

Deno.test("tokens that expire within this second have no negative lifetime", async () => {
  const lifetimes = { access: 60_000, idle: 120_000, total: 120_000 };
  const app = startServer({ lifetimes });
  app.clock.now += 500;
  const { refresh_token } = await connect(app);
  app.clock.now += 119_900;
  const response = await refresh(app, refresh_token);
  assertEquals((await response.json()).expires_in, 0);
});
