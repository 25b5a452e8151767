import { ACCOUNT_TESTS, ROUTER } from "./_accounts.ts";
import { LOGIN } from "./login.ts";
import type { Template } from "./template.ts";

/** Accounts with teams and API keys, and an API that both use. */
export const SAAS: Template = {
  ...LOGIN,
  summary: "Accounts, teams and API keys",
  sources: {
    ...LOGIN.sources,
    "app.ts": `import {
  Auth,
  createRouter,
  logger,
  secureHeaders,
  validate,
  ValidJSON,
} from "@gatehouse/web";
import { type Accounts, Member } from "@gatehouse/web/accounts";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import { Actor } from "@gatehouse/web/auth-middleware";
import { object, string } from "@gatehouse/web/data-schema";
import { maxLength, minLength } from "@gatehouse/web/data-schema/checks";
import { homePage } from "./pages.ts";

const definition = defineAccounts({
  // The roles in a team, the owner's first.
  teamRoles: ["owner", "editor", "reader"],
  // The scopes of API keys.
  scopes: ["team:read", "team:write"],
});

/** The options of the accounts that tests need, too. */
export const accountOptions = {
  name: "My app",
  definition,
  // The prefix of all API keys, by which scanners recognize leaked ones.
  apiKeys: { prefix: "my_app" },
  // New accounts with these addresses are administrators.
  admins: [] as string[],
};

/** Options for {@linkcode createApp}. */
export interface AppOptions {
  /** The accounts of users. */
  readonly accounts: Accounts<typeof definition.names>;
  /** The number of proxies in front of the server. */
  readonly trustedProxies?: number;
}

const NewName = object({
  name: string().pipe(minLength(1), maxLength(60)),
});

/** Creates the application. */
export function createApp({ accounts, trustedProxies = 0 }: AppOptions) {
  const { requireMember, requireScope, teams } = accounts;
${ROUTER}
  // Programs use an API key, and browsers their login, which has all scopes.
  router.get("/api/:team", [
    requireScope("team:read"),
    requireMember(({ params }) => params.team),
  ], async (context) => {
    const { teamId, teamName, role } = context.get(Member);
    const { length } = await teams.members(teamId);
    return Response.json({ name: teamName, role, members: length });
  });
  router.patch("/api/:team", [
    requireScope("team:write"),
    requireMember(({ params }) => params.team, "owner", "editor"),
    validate({ json: NewName }),
  ], async (context) => {
    const { name } = context.get(ValidJSON);
    await teams.rename(context.get(Member).teamId, name);
    return Response.json({ name });
  });
  return router;
}
`,
  },
  tests: `${ACCOUNT_TESTS}
test("an API key has the rights that its user has in the team", async () => {
  const { accounts, client } = openClient();
  const { keys, teams } = accounts;
  const ada = await createUser(accounts, "Ada");
  const bob = await createUser(accounts, "Bob");
  const team = await teams.create("Engines", ada);
  assert.ok(team !== null);
  const { teamId } = team;
  await teams.add(teamId, bob, "reader");
  const scopes = ["team:read", "team:write"] as const;
  const issued = await keys.issue(bob, { name: "Report", scopes, teamId });
  assert.ok(issued !== null);
  const call = (method: string, team: string, name?: string) =>
    client.fetch(\`/api/\${team}\`, {
      method,
      headers: {
        Authorization: \`Bearer \${issued.token}\`,
        "Content-Type": "application/json",
      },
      body: name === undefined ? null : JSON.stringify({ name }),
    });

  const found = await (await call("GET", teamId)).json();
  assert.deepEqual(found, { name: "Engines", role: "reader", members: 2 });
  assert.equal((await call("PATCH", teamId, "Looms")).status, 403);
  await teams.setRole(teamId, bob, "editor");
  assert.equal((await call("PATCH", teamId, "")).status, 422);
  assert.equal((await call("PATCH", teamId, "Looms")).status, 200);
  assert.equal((await teams.find(teamId))?.name, "Looms");
  assert.equal((await call("GET", "unknown")).status, 404);
  await teams.removeMember(teamId, bob);
  assert.equal((await call("GET", teamId)).status, 401);
});
`,
};
