import { assert, assertEquals } from "@std/assert";
import { type AccountsOptions, Member } from "@gatehouse/web/accounts";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import { testAccounts } from "@gatehouse/web/accounts/testing";
import { createRouter } from "@gatehouse/web/fetch-router";
import { createTestClient } from "@gatehouse/web/testing";
import { Browser, linkOf } from "../_accounts.ts";
import { EventRecorder } from "../_events.ts";

export const definition = defineAccounts({
  roles: ["user", "admin"],
  scopes: ["notes:read", "notes:write"],
  teamRoles: ["owner", "editor", "reader"],
});

/** Starts an application with routes for teams. */
export function start(
  options: Pick<Partial<AccountsOptions>, "database" | "now" | "registration"> =
    {},
) {
  const accounts = testAccounts({ ...options, definition });
  const { requireMember, requireRole, requireScope } = accounts;
  const events = new EventRecorder();
  const router = createRouter({
    middleware: [events.middleware, ...accounts.middleware],
  });
  router.map(accounts.routes, accounts.controller);
  router.get(
    "/t/:team/notes",
    [requireScope("notes:read"), requireMember(({ params }) => params.team)],
    (context) => {
      const { role, teamName, userId } = context.get(Member);
      const isOwner: boolean = role === "owner";
      // @ts-expect-error The role does not exist.
      assertEquals(role === "boss", false);
      return Response.json({ role, isOwner, teamName, userId });
    },
  );
  router.post(
    "/t/:team/notes",
    [
      requireScope("notes:write"),
      requireMember(({ params }) => params.team, "owner", "editor"),
    ],
    () => new Response("written"),
  );
  router.delete(
    "/t/:team",
    requireMember(({ params }) => params.team, "owner"),
    () => new Response("deleted"),
  );
  router.get("/staff", requireRole("admin"), () => new Response("staff"));
  router.get(
    "/staff/api",
    [requireScope("notes:read"), requireRole("admin")],
    () => new Response("staff"),
  );

  let clients = 0;
  /** Creates a user with a verified address, who is logged in. */
  async function login(name: string) {
    const email = `${name}@example.com`;
    const values = { email, name, emailVerified: true };
    const user = (await accounts.users.create(values))!;
    const remoteAddress = `198.51.100.${++clients}`;
    const client = createTestClient(router, { remoteAddress });
    await accounts.logInTest(client, user.id);
    return { browser: new Browser(client, {}), email, id: user.id };
  }

  /** Calls the routes of notes with a method. */
  async function status(
    { browser }: { readonly browser: Browser },
    method: string,
    path: string,
  ): Promise<number> {
    const response = await browser.client.fetch(path, { method });
    await response.body?.cancel();
    return response.status;
  }

  /** Sends a request with a key. */
  const call = (token: string, path: string, method = "GET") =>
    router.fetch(
      new Request(`https://test.example${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${token}`,
          Accept: "application/json",
        },
      }),
    );
  return { accounts, call, events, login, router, status };
}

export type App = ReturnType<typeof start>;

/** Invites a user on the page, and returns the path of the email's link. */
export async function invite(
  { accounts }: Pick<App, "accounts">,
  owner: Browser,
  team: string,
  { email, role }: { readonly email: string; readonly role: string },
): Promise<string> {
  const values = { email, role };
  const response = await owner.post(`/teams/${team}/invite`, values);
  assertEquals(response.headers.get("Location"), `/teams/${team}`);
  const mail = accounts.mails.findLast(({ to }) => to === email)!;
  return linkOf(mail);
}

/** Returns the membership of a user. All memberships have the same time. */
export async function memberOf(
  { accounts }: Pick<App, "accounts">,
  team: string,
  { id }: { readonly id: string },
) {
  const members = await accounts.teams.members(team);
  return members.find(({ userId }) => userId === id)!;
}

export async function newTeam({ browser }: { browser: Browser }, name: string) {
  const response = await browser.send("/teams", { name });
  const { team } = await response.json();
  assert(typeof team === "string");
  return team;
}
