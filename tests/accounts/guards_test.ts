/** The guards of the application's routes, at their limits. */
import { assertEquals, assertThrows } from "@std/assert";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import { testAccounts } from "@gatehouse/web/accounts/testing";
import {
  type AuthenticatedUser,
  type AuthScheme,
  createBearerTokenAuthScheme,
} from "@gatehouse/web/auth-middleware";
import { createRouter } from "@gatehouse/web/fetch-router";
import { openapi } from "@gatehouse/web/openapi";
import { createTestClient } from "@gatehouse/web/testing";
import { EventRecorder } from "./_events.ts";

const MINUTE = 60_000;
const JSON_TYPE = { Accept: "application/json" };

/** A scheme of the application. */
const tokens = createBearerTokenAuthScheme({
  name: "tokens",
  verify: (token) => token === "t" ? { id: "7", role: "admin" } : null,
});

/**
 * Starts an application with a route for each guard.
 *
 * @param schemes The schemes of the application.
 */
async function start(
  schemes: readonly AuthScheme<AuthenticatedUser>[] = [tokens],
) {
  const accounts = testAccounts({
    definition: defineAccounts({
      scopes: ["notes:read"],
      teamRoles: ["owner", "reader"],
    }),
  });
  const events = new EventRecorder();
  const router = createRouter({
    middleware: [events.middleware, ...accounts.withSchemes(...schemes)],
  });
  router.map(accounts.routes, accounts.controller);
  const { requireFresh, requireMember, requireRole } = accounts;
  const guards = {
    user: accounts.requireUser,
    fresh: requireFresh,
    role: requireRole("admin"),
    scope: accounts.requireScope("notes:read"),
    member: requireMember(({ url }) => url.searchParams.get("team") ?? ""),
    owner: requireMember(() => undefined, "owner"),
  };
  for (const [name, guard] of Object.entries(guards)) {
    router.get(`/${name}` as "/user", guard, () => new Response("in"));
    router.post(`/${name}` as "/user", guard, () => new Response("in"));
  }
  const values = { email: "ada@example.com", name: "Ada" };
  const { id } = (await accounts.users.create(values))!;
  const ada = createTestClient(router, { remoteAddress: "192.0.2.1" });
  await accounts.logInTest(ada, id);
  const visitor = createTestClient(router, { remoteAddress: "192.0.2.2" });
  return { accounts, ada, events, id, router, visitor };
}

Deno.test("a login is fresh for ten minutes, in pages and in scripts", async () => {
  const { accounts, ada } = await start();
  const statuses = async () => [
    (await ada.fetch("/fresh")).status,
    (await ada.fetch("/fresh", { headers: JSON_TYPE })).status,
  ];
  accounts.wait(10 * MINUTE - 1_000);
  assertEquals(await statuses(), [200, 200]);
  accounts.wait(2_000);
  assertEquals(await statuses(), [302, 401]);
});

Deno.test("the redirect of a guard keeps the page, and no cache keeps the redirect", async () => {
  const { accounts, ada, visitor } = await start();
  accounts.wait(11 * MINUTE);
  const rows = [
    [visitor, "/user?a=1", "/login?returnTo=%2Fuser%3Fa%3D1"],
    [visitor, "/fresh", "/login?returnTo=%2Ffresh"],
    [ada, "/fresh?a=1", "/account/confirm?returnTo=%2Ffresh%3Fa%3D1"],
    [visitor, `/user?${"a".repeat(2_000)}`, "/login?notice=long-path"],
    [ada, `/fresh?${"a".repeat(2_000)}`, "/account/confirm?notice=long-path"],
  ] as const;
  for (const [client, path, location] of rows) {
    const { headers, status } = await client.fetch(path);
    assertEquals([status, headers.get("Location")], [302, location]);
    assertEquals(headers.get("Cache-Control"), "no-store", path);
  }
});

const scripts: [headers: Record<string, string>, isScript: boolean][] = [
  [{}, false],
  [{ Accept: "text/html" }, false],
  [{ Accept: "application/json" }, true],
  [{ "Content-Type": "application/json" }, true],
  [{ "Content-Type": "Application/JSON; charset=utf-8" }, true],
  [{ "Content-Type": "text/plain; a=application/json" }, false],
  [{ "Content-Type": "application/x-www-form-urlencoded" }, false],
];

for (const [headers, isScript] of scripts) {
  Deno.test(`a visitor with ${JSON.stringify(headers)} gets a ${isScript ? "401" : "redirect"}`, async () => {
    const { visitor } = await start();
    const init = { method: "POST", headers, body: "{}" };
    for (const path of ["/user", "/fresh"]) {
      const { status } = await visitor.fetch(path, init);
      assertEquals(status, isScript ? 401 : 302, path);
    }
  });
}

Deno.test("the token of another scheme passes no guard of accounts, and each refusal is an event", async () => {
  const { events, router } = await start();
  const headers = { Authorization: "Bearer t", ...JSON_TYPE };
  for (const path of ["/user", "/fresh", "/role", "/member", "/account"]) {
    const response = await router.fetch(`https://test.example${path}`, {
      headers,
    });
    assertEquals(response.status, 403, path);
    assertEquals(events.take(), ["access-denied forbidden 7"], path);
  }
});

Deno.test("a user without the role, and one without a team, get their errors", async () => {
  const { accounts, ada, events, id } = await start();
  assertEquals((await ada.fetch("/role")).status, 403);
  assertEquals(events.take(), [`access-denied forbidden ${id}`]);
  assertEquals((await ada.fetch("/member")).status, 404);
  assertEquals((await ada.fetch("/owner")).status, 404);
  assertEquals(events.take(), []);
  const team = (await accounts.teams.create("Engines", id))!.teamId;
  assertEquals((await ada.fetch(`/member?team=${team}`)).status, 200);
  assertEquals((await ada.fetch("/user")).status, 200);
});

Deno.test("requireMember() and requireRole() refuse a role that is not listed", async () => {
  const { accounts } = await start();
  const role = "boss" as never;
  const team = () => "x";
  for (
    const create of [
      () => accounts.requireMember(team, "owner", role),
      () => accounts.requireRole(role),
      () => accounts.requireScope(role),
    ]
  ) assertThrows(create, TypeError, "boss");
});

Deno.test("OpenAPI shows the responses and the security of each guard", async () => {
  const { router } = await start([]);
  const info = { title: "Notes", version: "1" };
  const { document } = openapi(router, { info });
  const shown = ["user", "fresh", "role", "scope", "member"].map((name) => {
    const { responses, security } = document.paths[`/${name}`]!.get!;
    const schemes = (security as object[]).map((one) => JSON.stringify(one));
    return [name, ...Object.keys(responses as object), ...schemes].join(" ");
  });
  assertEquals(shown, [
    'user 401 403 {"session":[]}',
    'fresh 401 403 {"session":[]}',
    'role 401 403 {"session":["admin"]}',
    'scope 401 403 429 {"session":["notes:read"]} {"keys":["notes:read"]}',
    'member 401 403 404 {"session":[]}',
  ]);
});
