import {
  auth,
  createAPIAuthScheme,
  createBearerTokenAuthScheme,
  createGuards,
  createSessionAuthScheme,
  requireAuth,
  requireFreshAuth,
  requireOwnLogin,
  requirePermission,
  requireRole,
  requireScope,
  requireSecondFactor,
} from "@gatehouse/web/auth-middleware";
import {
  createRouter,
  describeMiddleware,
  type Middleware,
  type SecurityScheme,
} from "@gatehouse/web/fetch-router";
import { openapi } from "@gatehouse/web/openapi";
import { createMemorySessionStore } from "@gatehouse/web/session";
import {
  csrfProtection,
  rateLimit,
  session,
} from "@gatehouse/web/session-middleware";
import { assertEquals } from "@std/assert";

const info = { title: "Notes", version: "1.0.0" };
const user = { id: 1, role: "admin" };
const ok = () => new Response();

const tokens = createBearerTokenAuthScheme({
  name: "tokens",
  verify: () => user,
});
const keys = createAPIAuthScheme({
  name: "api keys",
  header: "X-API-Key",
  verify: () => user,
});
const sessions = createSessionAuthScheme({
  name: "session",
  verify: () => user,
});

/** Returns the document and the only operation of a route behind middleware. */
function describe(
  middleware: readonly Middleware[],
  guards: readonly Middleware[],
) {
  const router = createRouter({ middleware });
  router.post("/notes", { middleware: guards }, ok);
  const { document, omissions } = openapi(router, { info });
  const { responses, security } = document.paths["/notes"]!.post!;
  return {
    schemes: document.components.securitySchemes,
    responses: Object.keys(responses as object),
    security,
    omissions,
  };
}

const guards = [
  ["requireAuth()", requireAuth(), [[]], ["401"]],
  ["requireRole()", requireRole("admin", "editor"), [["admin"], ["editor"]], [
    "401",
    "403",
  ]],
  [
    "requirePermission()",
    requirePermission({ admin: ["read", "write"] }, "read", "write"),
    [["read", "write"]],
    ["401", "403"],
  ],
  ["requireScope()", requireScope("notes:read", "notes:write"), [[
    "notes:read",
    "notes:write",
  ]], ["401", "403"]],
  ["createGuards()", createGuards({ scopes: ["a"] }).requireScope("a"), [[
    "a",
  ]], ["401", "403"]],
  ["requireFreshAuth()", requireFreshAuth(60_000), [[]], ["401"]],
  ["requireOwnLogin()", requireOwnLogin(), [[]], ["401", "403"]],
  ["requireSecondFactor()", requireSecondFactor(), [[]], ["401"]],
] as const;

for (const [name, guard, sets, statuses] of guards) {
  Deno.test(`openapi() takes the security of a route from ${name}`, () => {
    const { omissions, responses, schemes, security } = describe(
      [auth({ schemes: [tokens] })],
      [guard],
    );
    assertEquals(security, sets.map((tokens) => ({ tokens })));
    assertEquals(responses, [...statuses]);
    assertEquals(schemes, { tokens: { type: "http", scheme: "bearer" } });
    assertEquals(omissions, []);
  });
}

Deno.test("openapi() claims no security without a guard", () => {
  const { responses, schemes, security } = describe(
    [auth({ schemes: [tokens] })],
    [],
  );
  assertEquals([security, schemes, responses], [[], {}, ["default"]]);
});

Deno.test("openapi() reports a guard without auth() before it", () => {
  const { omissions, security } = describe([], [requireAuth()]);
  assertEquals(security, []);
  assertEquals(omissions, [{
    route: "POST /notes",
    reason: "a guard has no auth() before it, so no request can pass",
  }]);
});

Deno.test("openapi() combines schemes and guards", () => {
  const { schemes, security } = describe(
    [session(), auth({ schemes: [keys, sessions] })],
    [requireAuth(), requireRole("admin", "editor"), requireScope("write")],
  );
  assertEquals(security, [
    { api_keys: ["admin", "write"] },
    { api_keys: ["editor", "write"] },
    { session: ["admin", "write"] },
    { session: ["editor", "write"] },
  ]);
  assertEquals(schemes, {
    api_keys: { type: "apiKey", in: "header", name: "X-API-Key" },
    session: { type: "apiKey", in: "cookie", name: "__Host-Http-session" },
  });
});

Deno.test("openapi() takes the schemes of each auth() before the route", () => {
  const { security } = describe(
    [session(), auth({ schemes: [sessions] })],
    [auth({ schemes: [tokens] }), requireAuth()],
  );
  assertEquals(security, [{ session: [] }, { tokens: [] }]);
});

Deno.test("openapi() takes only the schemes of auth({ only: true })", () => {
  const { schemes, security } = describe(
    [session(), auth({ schemes: [sessions] })],
    [auth({ schemes: [tokens], only: true }), requireAuth()],
  );
  assertEquals(security, [{ tokens: [] }]);
  assertEquals(Object.keys(schemes), ["tokens"]);
});

Deno.test("openapi() reports a scheme without a description", () => {
  const { security: _, ...plain } = tokens;
  const { omissions, security } = describe(
    [auth({ schemes: [{ ...plain, name: "odd" }, keys] })],
    [requireAuth()],
  );
  assertEquals(security, [{ api_keys: [] }]);
  assertEquals(omissions, [{
    route: "POST /notes",
    reason: 'the authentication scheme "odd" has no description',
  }]);
});

Deno.test("openapi() documents limits, CSRF and custom guards", () => {
  const store = createMemorySessionStore();
  const partner = describeMiddleware(() => ok(), {
    schemes: { partner: { type: "mutualTLS" } },
    requires: [["orders"]],
    responses: { 403: "Only for partners" },
  });
  const { responses, schemes, security } = describe([
    rateLimit({ store, limit: 1, window: 1000 }),
    session(),
    csrfProtection(),
  ], [partner]);
  assertEquals(responses, ["403", "429"]);
  assertEquals(schemes, { partner: { type: "mutualTLS" } });
  assertEquals(security, [{ partner: ["orders"] }]);
});

Deno.test("openapi() documents the flows of OAuth 2.0, and names only their scopes", () => {
  const tokenUrl = "https://id.example/token";
  const security: SecurityScheme = {
    type: "oauth2",
    flows: {
      authorizationCode: {
        authorizationUrl: "https://id.example/authorize",
        tokenUrl,
        scopes: { "notes:read": "Read your notes" },
      },
      clientCredentials: {
        tokenUrl,
        scopes: { "notes:write": "Change notes" },
      },
    },
  };
  const oauth = { ...tokens, security };
  const before = [auth({ schemes: [oauth, keys] })];
  const { schemes, security: scoped } = describe(before, [
    requireScope("notes:read", "notes:write"),
    requireRole("admin", "editor"),
  ]);
  assertEquals(schemes.tokens, security);
  const scopes = ["notes:read", "notes:write"];
  assertEquals(scoped, [
    { tokens: scopes },
    { api_keys: [...scopes, "admin"] },
    { api_keys: [...scopes, "editor"] },
  ]);
  const roles = describe(before, [requireRole("constructor")]);
  assertEquals(roles.security, [{ tokens: [] }, { api_keys: ["constructor"] }]);
});

Deno.test("openapi() documents no 401 if a guard redirects", () => {
  const { responses, security } = describe(
    [auth({ schemes: [tokens] })],
    [requireAuth({ onUnauthenticated: ok })],
  );
  assertEquals(security, [{ tokens: [] }]);
  assertEquals(responses, ["default"]);
});
