import {
  Auth,
  auth,
  type AuthenticatedUser,
  createSessionAuthScheme,
  requireAuth,
  requireFreshAuth,
  requireOwnLogin,
  requirePermission,
  requireRole,
} from "@gatehouse/web/auth-middleware";
import {
  createRouter,
  type Middleware,
  RequestContext,
} from "@gatehouse/web/fetch-router";
import { session } from "@gatehouse/web/session-middleware";
import { assertEquals, assertThrows } from "@std/assert";
import { fetchGuarded } from "../_fetch_guarded.ts";

const permissions = {
  user: ["read"],
  editor: ["read", "write"],
  admin: ["read", "write", "delete"],
} as const;

/** Returns the response of a guard to a user, before a handler with "secret". */
async function answer(
  guard: Middleware,
  user: AuthenticatedUser | null,
): Promise<[status: number, body: string]> {
  const context = new RequestContext(new Request("https://example.com/a?b=1"));
  context.set(Auth, user);
  const next = () => Promise.resolve(new Response("secret"));
  const response = await guard(context, next) as Response;
  return [response.status, await response.text()];
}

const ok: [number, string] = [200, "secret"];
const unauthorized: [number, string] = [401, "Unauthorized"];
const forbidden: [number, string] = [403, "Forbidden"];

const cases: [
  string,
  Middleware,
  AuthenticatedUser | null,
  [number, string],
][] = [
  ["requireAuth()", requireAuth(), { id: 1 }, ok],
  ["requireAuth()", requireAuth(), { id: 0 }, ok],
  ["requireAuth()", requireAuth(), null, unauthorized],
  ['requireRole("admin")', requireRole("admin"), null, unauthorized],
  ['requireRole("admin")', requireRole("admin"), { id: 1 }, forbidden],
  [
    'requireRole("admin")',
    requireRole("admin"),
    { id: 1, role: null },
    forbidden,
  ],
  [
    'requireRole("admin")',
    requireRole("admin"),
    { id: 1, role: "user" },
    forbidden,
  ],
  [
    'requireRole("admin")',
    requireRole("admin"),
    { id: 1, role: "Admin" },
    forbidden,
  ],
  ['requireRole("admin")', requireRole("admin"), { id: 1, role: "admin" }, ok],
  [
    'requireRole("admin", "editor")',
    requireRole("admin", "editor"),
    { id: 1, role: "editor" },
    ok,
  ],
  [
    'requirePermission("write")',
    requirePermission(permissions, "write"),
    null,
    unauthorized,
  ],
  [
    'requirePermission("write")',
    requirePermission(permissions, "write"),
    { id: 1, role: "user" },
    forbidden,
  ],
  [
    'requirePermission("write")',
    requirePermission(permissions, "write"),
    { id: 1, role: "editor" },
    ok,
  ],
  [
    'requirePermission("read", "delete")',
    requirePermission(permissions, "read", "delete"),
    { id: 1, role: "editor" },
    forbidden,
  ],
  [
    'requirePermission("read", "delete")',
    requirePermission(permissions, "read", "delete"),
    { id: 1, role: "admin" },
    ok,
  ],
  [
    'requirePermission("read")',
    requirePermission(permissions, "read"),
    { id: 1, role: "constructor" },
    forbidden,
  ],
  [
    'requirePermission("read")',
    requirePermission(permissions, "read"),
    { id: 1, role: "__proto__" },
    forbidden,
  ],
  [
    'requirePermission("read")',
    requirePermission(permissions, "read"),
    { id: 1, role: null },
    forbidden,
  ],
  [
    'requirePermission("read")',
    requirePermission(permissions, "read"),
    { id: 1 },
    forbidden,
  ],
];

for (const [name, guard, user, expected] of cases) {
  Deno.test(`${name} responds with ${expected[0]} to ${JSON.stringify(user)} (spec 5.3.3, 5.3.6, 7; ASVS 8.2.1)`, async () => {
    assertEquals(await answer(guard, user), expected);
  });
}

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

Deno.test("requireRole() and requirePermission() throw without arguments", () => {
  const none = [] as unknown as [string];
  assertThrows(() => requireRole(...none), TypeError, "none is given");
  assertThrows(
    () => requirePermission({ a: ["b"] }, ...none as ["b"]),
    TypeError,
    "none is given",
  );
});

const misused: [call: string, make: () => unknown, message: string][] = [
  [
    'requireRole(["admin"])',
    () => requireRole(["admin"] as never),
    "Cannot require a role: each must be a separate string argument",
  ],
  [
    'requireRole("admin", undefined)',
    () => requireRole("admin", undefined as never),
    "Cannot require a role: each must be a separate string argument",
  ],
  [
    'requirePermission(permissions, ["read"])',
    () => requirePermission(permissions, ["read"] as never),
    "Cannot require a permission: each must be a separate string argument",
  ],
  [
    'requireAuth({ onUnauthenticated: "/login" })',
    () => requireAuth({ onUnauthenticated: "/login" as never }),
    "Cannot create the guard: onUnauthenticated is not a function",
  ],
  [
    "requireAuth({ onUnauthenticated: null })",
    () => requireAuth({ onUnauthenticated: null as never }),
    "Cannot create the guard: onUnauthenticated is not a function",
  ],
  [
    'requireFreshAuth(1000, { onStale: "/confirm" })',
    () => requireFreshAuth(1000, { onStale: "/confirm" as never }),
    "Cannot create the guard: onStale is not a function",
  ],
];

for (const [call, make, message] of misused) {
  Deno.test(`${call} throws a TypeError`, () => {
    assertThrows(make, TypeError, message);
  });
}

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

Deno.test("requireRole() responds with 403 and insufficient_scope to a token's user (RFC 6750, 3.1)", async () => {
  const withToken = await fetchGuarded(requireRole("admin"), {
    Authorization: "Bearer t0ken",
  });
  assertEquals(withToken.status, 403);
  assertEquals(
    withToken.headers.get("WWW-Authenticate"),
    'Bearer realm="tokens", error="insufficient_scope"',
  );
  assertEquals(withToken.headers.get("Cache-Control"), "no-store");

  const withKey = await fetchGuarded(requireRole("admin"), {
    "X-API-Key": "k3y",
  });
  assertEquals(withKey.status, 403);
  assertEquals(withKey.headers.get("WWW-Authenticate"), null);
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

Deno.test("requireRole() responds with 403 as problem details (RFC 9457)", async () => {
  const response = await fetchGuarded(requireRole("admin"), {
    Authorization: "Bearer t0ken",
    Accept: "application/json",
  });
  assertEquals(await response.json(), {
    type: "about:blank",
    title: "Forbidden",
    status: 403,
  });
});

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

for (
  const [name, value] of [
    ["Authorization", "Bearer t0ken"],
    ["X-API-Key", "k3y"],
  ] as const
) {
  Deno.test(`requireOwnLogin() refuses the credentials of a client in ${name}`, async () => {
    const response = await fetchGuarded(requireOwnLogin(), { [name]: value });
    assertEquals(response.status, 403);
    await response.body?.cancel();
  });
}
