import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { hashToken } from "@gatehouse/web/auth";
import { createDPoPBinding } from "@gatehouse/web/auth/access-tokens";
import type { Middleware } from "@gatehouse/web/fetch-router";
import { dpopTokens } from "@gatehouse/web/oauth-server";
import { connectTest, createTestClient } from "@gatehouse/web/testing";
import {
  API,
  authorizePath,
  browserOf,
  callAPI,
  CALLBACK,
  ORIGIN,
  startServer,
} from "./_server.ts";

const WEB = { server: ORIGIN, clientId: "web" };

Deno.test("connectTest() connects a client, which refreshes and revokes its tokens", async () => {
  const app = startServer();
  const connection = await connectTest(await browserOf(app), WEB);
  assertEquals(connection.scopes, ["notes:read", "notes:write"]);
  assertEquals(await (await connection.fetch("/api")).text(), "Ada");
  const { accessToken, refreshToken } = connection;
  assertEquals((await connection.refresh()).status, 200);
  assertEquals(connection.refreshToken === refreshToken, false);
  assertEquals(await callAPI(app, accessToken), 200);
  assertEquals((await connection.revoke()).status, 200);
  assertEquals((await connection.fetch("/api")).status, 401);
  const failed = await connection.refresh();
  assertEquals((await failed.json()).error, "invalid_grant");
  assertMatch(connection.refreshToken, /^oar_/);
});

Deno.test("connectTest() asks for scopes of a resource", async () => {
  const app = startServer();
  const browser = await browserOf(app);
  const reader = await connectTest(browser, {
    ...WEB,
    scopes: ["notes:read"],
  });
  assertEquals((await reader.fetch("/api/write")).status, 403);
  const files = await connectTest(browser, {
    server: ORIGIN,
    clientId: "web",
    redirectUri: CALLBACK,
    resource: `${ORIGIN}/files`,
  });
  assertEquals(files.scopes, ["files:read"]);
  // This client has two redirect URIs.
  const clientId = "other";
  const { scopes } = await connectTest(browser, {
    ...{ ...WEB, clientId, redirectUri: CALLBACK },
  });
  assertEquals(scopes, ["notes:read"]);
  await assertRejects(() => connectTest(browser, { ...WEB, clientId }));
  assertEquals((await files.fetch("/files")).status, 200);
});

Deno.test("connectTest() connects clients with a secret, with and without a consent page", async () => {
  const clientSecret = "s3cret: +%&";
  const client = {
    id: "partner",
    name: "Partner",
    redirectUris: [CALLBACK],
    authentication: { secretHashes: [await hashToken(clientSecret)] },
  };
  for (const trusted of [false, true]) {
    const app = startServer({ clients: [{ ...client, trusted }] });
    const connection = await connectTest(await browserOf(app), {
      server: ORIGIN,
      clientId: "partner",
      clientSecret,
    });
    assertEquals((await connection.fetch("/api")).status, 200);
    assertEquals((await connection.refresh()).status, 200);
  }
});

Deno.test("connectTest() binds the tokens to a key, and answers demands for a nonce", async () => {
  for (const nonces of [false, true]) {
    const dpop = dpopTokens({ required: true, nonces });
    const app = startServer({ dpop });
    const browser = await browserOf(app);
    const connection = await connectTest(browser, {
      ...WEB,
      dpop: createDPoPBinding(),
      now: () => app.clock.now,
    });
    assertEquals(await (await connection.fetch("/api")).text(), "Ada");
    const post = await connection.fetch(`${API}?a=b`, { method: "POST" });
    assertEquals(post.status, 200);
    app.clock.now += 301_000;
    assertEquals((await connection.refresh()).status, 200);
    app.clock.now += 301_000;
    assertEquals((await connection.fetch("/api")).status, 200);
    assertEquals(await callAPI(app, connection.accessToken), 401);
    assertEquals((await connection.revoke()).status, 200);
    assertEquals((await connection.fetch("/api")).status, 401);
    await assertRejects(
      () => connectTest(browser, WEB),
      Error,
      "invalid_dpop_proof",
    );
  }
});

Deno.test("connectTest() throws if the user or the server refuses", async () => {
  const app = startServer();
  const browser = await browserOf(app);
  const rows = [
    [{ ...WEB, server: `${ORIGIN}/tenant` }, "returned the status 404"],
    [{ ...WEB, server: `${ORIGIN}/` }, `the issuer is "${ORIGIN}"`],
    [
      { ...WEB, clientId: "unknown" },
      "The application is unknown",
    ],
    [{ ...WEB, scopes: ["admin"] }, "invalid_scope"],
    [{ ...WEB, clientSecret: "wrong" }, "invalid_client"],
  ] as const;
  for (const [options, reason] of rows) {
    await assertRejects(() => connectTest(browser, options), Error, reason);
  }
  const stranger = createTestClient(app.router, { origin: ORIGIN });
  await assertRejects(
    () => connectTest(stranger, WEB),
    Error,
    "Cannot connect the client: the browser is not logged in",
  );
});

for (const name of ["iss", "state"]) {
  Deno.test(`connectTest() throws if the response has another ${name} (RFC 9207, section 2.4)`, async () => {
    const outermost: Middleware = async (_context, next) => {
      const response = await next();
      const refresh = response.headers.get("Refresh");
      if (refresh !== null) {
        const other = refresh.replace(`${name}=`, `${name}=other`);
        response.headers.set("Refresh", other);
      }
      return response;
    };
    const browser = await browserOf(startServer({ outermost }));
    await assertRejects(
      () => connectTest(browser, WEB),
      Error,
      `Cannot connect the client: ${name} is wrong`,
    );
  });
}

Deno.test("a test client omits its cookies if a request says so", async () => {
  const browser = await browserOf(startServer());
  const { size } = browser.cookies;
  const path = authorizePath();
  const without = await browser.fetch(path, { credentials: "omit" });
  assertEquals(without.status, 303);
  assertEquals(browser.cookies.size, size);
  assertEquals((await browser.fetch(path)).status, 200);
});
