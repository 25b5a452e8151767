/** Tokens of applications, and everything that they cannot reach. */
import { assertEquals } from "@std/assert";
import { createAccounts, type TokenAccount } from "@gatehouse/web/accounts";
import {
  type Account,
  defineAccounts,
} from "@gatehouse/web/accounts/definition";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { testAccounts } from "@gatehouse/web/accounts/testing";
import {
  Auth,
  type AuthScheme,
  requireAuth,
} from "@gatehouse/web/auth-middleware";
import { createRouter, type Middleware } from "@gatehouse/web/fetch-router";
import type { UserSource } from "@gatehouse/web/oauth-server";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { createTestClient } from "@gatehouse/web/testing";
import { routesOf } from "../_accounts.ts";

const email = "ada@example.com";
const definition = defineAccounts({
  roles: ["user", "admin"],
  scopes: ["notes:read", "notes:write"],
  teamRoles: ["owner", "reader"],
});
const TOKEN = { Authorization: "Bearer t0ken" };
const JSON_TOKEN = { ...TOKEN, Accept: "application/json" };

/** Stands for the endpoints of an authorization server. */
const endpoints: Middleware<readonly []> = (_context, next) => next();

/** Starts accounts with a token that has the scope to read the user's notes. */
async function start() {
  const accounts = testAccounts({ definition });
  const user = (await accounts.users.create({
    email,
    name: "Ada",
    role: "admin",
  }))!;
  const tokens: AuthScheme<TokenAccount<typeof definition.names>> = {
    name: "tokens",
    security: { type: "http", scheme: "bearer" },
    async authenticate({ request }) {
      const header = request.headers.get("Authorization");
      if (header !== TOKEN.Authorization) return { status: "absent" };
      const found = await accounts.find(user.id);
      return found === null
        ? { status: "refused" }
        : { status: "authenticated", user: found, scopes: ["notes:read"] };
    },
    challenge: () => "Bearer",
  };
  const router = createRouter({
    middleware: [endpoints, ...accounts.withSchemes(tokens)],
  });
  router.map(accounts.routes, accounts.controller);
  router.map(accounts.adminRoutes, accounts.adminController);
  const done = () => new Response("reached");
  router.get("/user", accounts.requireUser, done);
  router.get("/fresh", accounts.requireFresh, done);
  router.get("/role", accounts.requireRole("admin"), done);
  router.get("/member/:team", accounts.requireMember(teamOf), done);
  router.get("/read", accounts.requireScope("notes:read"), (context) => {
    const { name, scopes } = context.get(Auth);
    return Response.json({ name, scopes: scopes ?? "those of the token" });
  });
  router.get("/write", accounts.requireScope("notes:write"), done);
  const read = accounts.requireScope("notes:read");
  router.get("/read-user", [read, accounts.requireUser], done);
  router.get("/read-role", [read, accounts.requireRole("admin")], done);
  router.get("/read-fresh", [read, accounts.requireFresh], done);
  const member = accounts.requireMember(teamOf);
  router.get("/read-member/:team", [read, member], done);
  router.get("/plain", [requireAuth()], (context) => {
    const user: TokenAccount<typeof definition.names> = context.get(Auth);
    // @ts-expect-error The user may be that of a token, whose scopes are unknown.
    const account: Account<typeof definition.names> = user;
    return new Response(account.name);
  });
  const client = createTestClient(router, { origin: "https://test.example" });
  const statusOf = async (path: string, headers: object = TOKEN) => {
    const response = await client.fetch(path, { headers: { ...headers } });
    await response.body?.cancel();
    return response.status;
  };
  return { accounts, client, id: user.id, router, statusOf };
}

const teamOf = ({ params }: { params: Readonly<Record<string, unknown>> }) =>
  String(params.team);

Deno.test("a token reaches no route of accounts, with any method and any accepted type", async () => {
  const { accounts, client, id } = await start();
  const before = await accounts.users.find(id);
  let count = 0;
  const routes = [accounts.routes, accounts.adminRoutes].flatMap((map) => [
    ...routesOf(map),
  ]);
  for (const route of routes) {
    const path = route.href({
      provider: "example",
      team: "x",
      invitation: "x",
      member: "x",
      user: id,
    });
    for (const headers of [TOKEN, JSON_TOKEN]) {
      const response = await client.fetch(path, {
        method: route.method,
        headers,
        ...route.method === "POST" && {
          body: new URLSearchParams({ email, name: "Eve", do: "remove" }),
        },
      });
      const text = await response.text();
      const { status } = response;
      assertEquals([route.method, path, status], [route.method, path, 403]);
      assertEquals(text.includes(email), false, path);
      assertEquals(response.headers.getSetCookie(), [], path);
      count++;
    }
  }
  // Fewer routes would mean that the table has lost some.
  assertEquals(count >= 120, true, `${count}`);
  assertEquals(await accounts.users.find(id), before);
  assertEquals(accounts.mails, []);
});

Deno.test("the guards of accounts reject a token, unless requireScope has checked its scopes", async () => {
  const { accounts, id, statusOf } = await start();
  const team = await accounts.teams.create("A", id);
  const member = `/member/${team!.teamId}`;
  for (const path of ["/user", "/fresh", "/role", member]) {
    assertEquals([path, await statusOf(path)], [path, 403]);
    assertEquals(await statusOf(path, JSON_TOKEN), 403, path);
  }
  for (
    const path of [
      "/read",
      "/read-user",
      "/read-role",
      `/read-${member.slice(1)}`,
    ]
  ) {
    assertEquals([path, await statusOf(path)], [path, 200]);
  }
  // A token has no login that could be recent.
  assertEquals(await statusOf("/read-fresh"), 401);
  assertEquals(await statusOf("/write"), 403);
});

Deno.test("a token has no more scopes than it was given, and its user no list of scopes", async () => {
  const { client } = await start();
  const response = await client.fetch("/read", { headers: TOKEN });
  assertEquals(await response.json(), {
    name: "Ada",
    scopes: "those of the token",
  });
  assertEquals(
    (await client.fetch("/write", { headers: TOKEN })).status,
    403,
  );
});

Deno.test("a session counts before the token of the same request", async () => {
  const { accounts, client, id, statusOf } = await start();
  await accounts.logInTest(client, id);
  for (const path of ["/user", "/fresh", "/role", "/write", "/account"]) {
    assertEquals([path, await statusOf(path)], [path, 200]);
  }
});

Deno.test("accounts are the users of an authorization server", async () => {
  const { accounts, client, id, router } = await start();
  const source: UserSource<TokenAccount<typeof definition.names>> = accounts;
  const user = (await source.find(id))!;
  const version = source.version!(user);
  assertEquals([user.email, version >= 0], [email, true]);
  assertEquals(await source.find("unknown"), null);
  // A copy has no version, so its grants end.
  assertEquals(source.version!({ ...user }), NaN);
  router.get("/who", (context) => {
    return Response.json(source.loggedIn!(context)?.id ?? null);
  });
  const who = async (headers: Record<string, string> = {}) =>
    await (await client.fetch("/who", { headers })).json();
  assertEquals([await who(), await who(TOKEN)], [null, null]);
  await accounts.logInTest(client, id);
  assertEquals([await who(), await who(TOKEN)], [id, id]);
  await accounts.users.endAccess(id);
  assertEquals(await who(), null);
  assertEquals(source.version!((await source.find(id))!) > version, true);
  await accounts.users.disable(id, { reason: "spam" });
  assertEquals(await source.find(id), null);
  await accounts.users.enable(id);
  assertEquals((await source.find(id))?.id, id);
  await accounts.users.remove(id);
  assertEquals(await source.find(id), null);
});

Deno.test("an administrator who acts as a user cannot connect applications for the user", async () => {
  const { accounts, client, id, router } = await start();
  router.get("/who", (context) => {
    return Response.json([
      context.get(Auth)?.email,
      accounts.loggedIn(context)?.email ?? null,
    ]);
  });
  const other = { email: "eve@example.com", name: "Eve" };
  const eve = (await accounts.users.create(other))!;
  await accounts.logInTest(client, id);
  const body = new URLSearchParams({ do: "act", reason: "help" });
  const path = `/admin/users/${eve.id}`;
  await client.fetch(path, { method: "POST", body });
  const acting = await (await client.fetch("/who")).json();
  assertEquals(acting, [other.email, null]);
  await client.fetch("/admin/stop-acting", { method: "POST" });
  assertEquals(await (await client.fetch("/who")).json(), [email, email]);
});

Deno.test("accounts.store is the database, not the store of the sessions", () => {
  const database = createMemoryAccountStore();
  const store = createMemorySessionStore();
  const accounts = createAccounts({
    name: "Notes",
    origin: "http://localhost:8000",
    database,
    sessions: { store },
  });
  assertEquals(accounts.store, database.values);
});
