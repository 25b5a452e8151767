import {
  Auth,
  type AuthenticatedUser,
  type AuthScheme,
  createAPIAuthScheme,
  createBearerTokenAuthScheme,
  createGuards,
  requireScope,
} from "@gatehouse/web/auth-middleware";
import { RequestContext } from "@gatehouse/web/fetch-router";
import { assertEquals, assertThrows } from "@std/assert";
import { fetchGuarded } from "../_fetch_guarded.ts";

const users: Record<string, AuthenticatedUser> = {
  writer: { id: 1, scopes: ["notes:read", "notes:write"] },
  reader: { id: 2, scopes: ["notes:read"] },
  none: { id: 3 },
  // From a database without types.
  string: { id: 4, scopes: "notes:write notes:read" as never },
};
const tokens = createBearerTokenAuthScheme({
  name: "tokens",
  verify: (token) => users[token] ?? null,
});
const keys = createAPIAuthScheme({
  name: "keys",
  header: "X-API-Key",
  verify: (key) => users[key] ?? null,
});

const rows: [user: string, status: number][] = [
  ["writer", 200],
  ["reader", 403],
  ["none", 403],
  ["string", 403],
  ["unknown", 401],
];

for (const [user, status] of rows) {
  Deno.test(`requireScope() answers ${status} to the token and the key of the user "${user}"`, async () => {
    const guard = requireScope("notes:read", "notes:write");
    const credentials: Record<string, string>[] = [
      { Authorization: `Bearer ${user}` },
      { "X-API-Key": user },
    ];
    for (const headers of credentials) {
      const response = await fetchGuarded(guard, headers, [tokens, keys]);
      assertEquals(response.status, status);
      await response.body?.cancel();
    }
  });
}

Deno.test("requireScope() names all required scopes (RFC 6750, 3)", async () => {
  const guard = requireScope("notes:read", "notes:write");
  const challenge = async (token: string) => {
    const headers = { Authorization: `Bearer ${token}` };
    const response = await fetchGuarded(guard, headers, [tokens, keys]);
    await response.body?.cancel();
    return response.headers.get("WWW-Authenticate");
  };
  const start = 'Bearer realm="tokens", scope="notes:read notes:write"';
  assertEquals(
    await challenge("reader"),
    `${start}, error="insufficient_scope", error_description="The request needs the scope notes:read notes:write"`,
  );
  assertEquals(await challenge("unknown"), `${start}, error="invalid_token"`);
});

Deno.test("requireScope() requires scopes of the user and of the token, if both are known", async () => {
  const scheme = (
    user: AuthenticatedUser,
    scopes: readonly string[],
  ): AuthScheme<AuthenticatedUser> => ({
    name: "custom",
    authenticate: () => ({ status: "authenticated", user, scopes }),
  });
  const statusOf = async (user: AuthenticatedUser, scopes: string[]) => {
    const guard = requireScope("a");
    const response = await fetchGuarded(guard, {}, [scheme(user, scopes)]);
    await response.body?.cancel();
    return response.status;
  };
  assertEquals(await statusOf({ id: 1 }, ["a"]), 200);
  assertEquals(await statusOf({ id: 1 }, ["b"]), 403);
  assertEquals(await statusOf({ id: 1, scopes: [] }, ["a"]), 403);
  // The user may do more than the client that has the token.
  assertEquals(await statusOf({ id: 1, scopes: ["a"] }, []), 403);
  assertEquals(await statusOf({ id: 1, scopes: ["a", "b"] }, ["b"]), 403);
  assertEquals(await statusOf({ id: 1, scopes: ["a", "b"] }, ["a"]), 200);
  assertEquals(await statusOf({ id: 1, scopes: "a" as never }, ["a"]), 403);
});

Deno.test("a challenge contains no quotes and control characters of a description", async () => {
  const scheme = createBearerTokenAuthScheme({
    name: "custom",
    verify: () => null,
  });
  const custom: AuthScheme<AuthenticatedUser> = {
    ...scheme,
    authenticate: () => ({
      status: "refused",
      description: 'a", error="b\\\r\nSet-Cookie: é',
      headers: { "DPoP-Nonce": "n1" },
    }),
  };
  const { headers } = await fetchGuarded(requireScope("a"), {}, [custom]);
  assertEquals(
    headers.get("WWW-Authenticate"),
    `Bearer realm="custom", scope="a", error="invalid_token", error_description="a', error='b'''Set-Cookie: '"`,
  );
  assertEquals(headers.get("DPoP-Nonce"), "n1");
});

for (const scope of ["", "a b", 'a"', "a\\b", "ä", "a\n"]) {
  Deno.test(`requireScope(${JSON.stringify(scope)}) throws a TypeError (RFC 6749, 3.3)`, () => {
    assertThrows(() => requireScope(scope), TypeError, "Cannot use the scope");
  });
}

Deno.test("requireScope() throws without arguments and with an array", () => {
  const none = [] as unknown as [string];
  assertThrows(() => requireScope(...none), TypeError, "none is given");
  assertThrows(
    () => requireScope(["a"] as never),
    TypeError,
    "each must be a separate string argument",
  );
});

Deno.test("createGuards() accepts only listed names", () => {
  const { requireRole, requireScope } = createGuards({
    roles: ["user", "admin"],
    scopes: ["notes:read"],
  });
  requireRole("user", "admin");
  requireScope("notes:read");
  assertThrows(
    // @ts-expect-error The name is misspelled.
    () => requireRole("admn"),
    TypeError,
    'Cannot require the role "admn": it is not listed',
  );
  assertThrows(
    // @ts-expect-error The name is misspelled.
    () => requireScope("notes:raed"),
    TypeError,
    'Cannot require the scope "notes:raed": it is not listed',
  );
});

Deno.test("createGuards() accepts all names if none are listed", async () => {
  const { requireRole, requireScope } = createGuards({});
  const next = () => Promise.resolve(new Response("passed"));
  const context = new RequestContext(new Request("https://example.com/"));
  context.set(Auth, { id: 1, role: "anything", scopes: ["anything"] });
  for (const guard of [requireRole("anything"), requireScope("anything")]) {
    assertEquals((await guard(context, next))?.status, 200);
  }
  for (const guard of [requireRole("other"), requireScope("other")]) {
    assertEquals((await guard(context, next))?.status, 403);
  }
});
