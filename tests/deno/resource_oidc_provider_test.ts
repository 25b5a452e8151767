// Access tokens of npm:oidc-provider at a resource server.
import { assertEquals, assertMatch } from "@std/assert";
import { Auth, auth, requireAuth } from "@gatehouse/web/auth-middleware";
import {
  createIntrospection,
  createResourceServer,
} from "@gatehouse/web/auth/access-tokens";
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  API_CLIENT,
  serveTokenIssuer,
  type TokenIssuer,
} from "./_oidc_token_issuer.ts";

Deno.test("npm:oidc-provider: the API accepts the JWTs of a login, and requires their scopes", async () => {
  await using issuer = await serveTokenIssuer();
  const send = createAPI(issuer, "https://api.example/jwt");
  const reader = await issuer.issue("https://api.example/jwt", "notes:read");
  assertMatch(reader.accessToken, /^[\w-]+\.[\w-]+\.[\w-]+$/);
  assertEquals(await send("GET", reader.accessToken), "jane");
  assertEquals(await send("POST", reader.accessToken), 403);
  const scopes = "notes:read notes:write";
  const writer = await issuer.issue("https://api.example/jwt", scopes);
  assertEquals(await send("POST", writer.accessToken), "written");
  assertEquals(await send("GET", writer.idToken), 401);
  assertEquals(await send("GET", writer.refreshToken), 401);
});

Deno.test("npm:oidc-provider: the API accepts the opaque tokens of a login, until they are revoked", async () => {
  await using issuer = await serveTokenIssuer();
  const url = "https://api.example/opaque";
  const send = createAPI(
    issuer,
    url,
    createIntrospection({
      ...API_CLIENT,
      maxCacheTime: 0,
    }),
  );
  const reader = await issuer.issue(url, "notes:read");
  assertMatch(reader.accessToken, /^[\w-]+$/);
  assertEquals(await send("GET", reader.accessToken), "jane");
  assertEquals(await send("POST", reader.accessToken), 403);
  // The issuer says that it is active, but its audience is missing.
  assertEquals(await send("GET", reader.refreshToken), 401);
  await issuer.revoke(reader.accessToken);
  assertEquals(await send("GET", reader.accessToken), 401);
  assertEquals(await send("GET", "guessed"), 401);
});

Deno.test("npm:oidc-provider: the API refuses tokens for other APIs", async () => {
  await using issuer = await serveTokenIssuer();
  const jwt = await issuer.issue("https://other.example/jwt", "notes:read");
  const send = createAPI(issuer, "https://api.example/jwt");
  assertEquals(await send("GET", jwt.accessToken), 401);
  const opaque = await issuer.issue(
    "https://other.example/opaque",
    "notes:read",
  );
  const introspection = createIntrospection(API_CLIENT);
  const url = "https://api.example/opaque";
  const introspect = createAPI(issuer, url, introspection);
  assertEquals(await introspect("GET", opaque.accessToken), 401);
});

Deno.test("npm:oidc-provider: the API accepts the JWT of a client, whose subject is the client", async () => {
  await using issuer = await serveTokenIssuer();
  const url = "https://api.example/jwt";
  const token = await issuer.issueToClient(url, "notes:read");
  assertEquals(await createAPI(issuer, url)("GET", token), "client");
});

/** Creates an API, and returns a function that sends a request with a token. */
function createAPI(
  { issuer }: TokenIssuer,
  resource: string,
  introspection?: ReturnType<typeof createIntrospection>,
) {
  const api = createResourceServer({
    name: "notes",
    resource,
    issuers: [{ issuer, ...introspection && { introspection } }],
    scopes: ["notes:read", "notes:write"],
    verify: ({ sub }) => ({ id: sub }),
    allowInsecureLoopback: true,
  });
  const router = createRouter({
    middleware: [api.metadata, auth({ schemes: [api.scheme] })],
  });
  const { pathname } = new URL(resource);
  router.get(pathname, requireAuth(), (context) => {
    return new Response(String(context.get(Auth).id));
  });
  router.post(pathname, api.requireScope("notes:write"), () => {
    return new Response("written");
  });
  return async (method: string, token: string): Promise<string | number> => {
    const headers = { Authorization: `Bearer ${token}` };
    const response = await router.fetch(resource, { method, headers });
    const text = await response.text();
    return response.ok ? text : response.status;
  };
}
