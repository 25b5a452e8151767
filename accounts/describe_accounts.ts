import type { InputSchema } from "../router/middleware/mod.ts";
import {
  type AnyRoute,
  type Operation,
  type ResponseDescription,
  Route,
  type RouteMap,
} from "../router/routes/mod.ts";
import {
  any,
  array,
  boolean,
  enum_,
  looseObject,
  number,
  object,
  optional,
  record,
  string,
  union,
} from "../schema/mod.ts";
import { NEXT_STEPS } from "./actions/call.ts";
import type { AdminRoutes } from "./definition/admin_routes.ts";
import type { AccountRoutes } from "./definition/routes.ts";

/**
 * The summary of a page, the summary of its action, and the inputs of the action. A
 * route without a page has only an action, and `?` marks an optional input.
 */
type Description = readonly [page: string, action?: string, inputs?: string];

const ACCOUNT: Readonly<Record<keyof AccountRoutes, Description>> = {
  login: [
    "Shows the login page",
    "Logs a user in with a password",
    "email password remember?",
  ],
  providerLogin: ["Sends the browser to a provider"],
  providerCallback: ["Receives the response of a provider"],
  providerEmail: [
    "Shows the page that asks for the address of a new account",
    "Sends an email that verifies the address of a new account",
    "email",
  ],
  passkeyLogin: ["", "Logs a user in with a passkey", "passkey"],
  passkeyLoginOptions: ["", "Returns the options of a login with a passkey"],
  emailLogin: [
    "Shows the page of the login by email",
    "Sends an email that logs a user in",
    "email",
  ],
  emailLoginCode: [
    "Shows the page of the code of a login email",
    "Logs a user in with the code of an email",
    "code",
  ],
  emailLoginLink: [
    "Shows the page of the link of a login email",
    "Logs a user in with the link of an email",
    "token",
  ],
  secondFactor: [
    "Shows the page of the second factor",
    "Finishes a login with a second factor",
    "code remember?",
  ],
  secondFactorSetup: [
    "Returns the second factors that a login requires",
    "Finishes a login with a new authenticator app",
    "setup code",
  ],
  secondFactorPasskey: [
    "",
    "Finishes a login with a passkey as second factor, or with a new one",
    "passkey name?",
  ],
  secondFactorPasskeyOptions: [
    "",
    "Returns the options of the passkey that a login requires",
  ],
  logout: ["", "Logs the user out"],
  register: [
    "Shows the registration page",
    "Starts a registration, or accepts the invitation of a token",
    "name password email? token? fields?",
  ],
  registerCode: [
    "Shows the page of the code of a registration",
    "Finishes a registration with the code of an email",
    "code",
  ],
  registerLink: [
    "Shows the page of the link of a registration",
    "Finishes a registration with the link of an email",
    "token",
  ],
  reset: [
    "Shows the page for forgotten passwords",
    "Sends an email that resets the password",
    "email",
  ],
  resetLink: [
    "Shows the page of the link that resets the password",
    "Resets the password",
    "token password",
  ],
  confirm: [
    "Shows the page that confirms the login",
    "Confirms the login with the password",
    "password",
  ],
  passkeyConfirm: ["", "Confirms the login with a passkey", "passkey"],
  passkeyConfirmOptions: [
    "",
    "Returns the options of a confirmation with a passkey",
  ],
  providerConfirm: ["", "Confirms the login at a provider", "provider"],
  codeConfirm: ["", "Confirms the login with a second factor", "code"],
  twoStep: [
    "Shows the page of the authenticator app",
    "Sets up the authenticator app",
    "setup code",
  ],
  twoStepRemoval: ["", "Removes the authenticator app"],
  browserRemoval: ["", "Makes a remembered browser need a code again", "id"],
  recoveryCodes: ["", "Creates new recovery codes"],
  sessions: [
    "Shows the sessions of the user",
    "Ends a session, or all others",
    "id?",
  ],
  logins: [
    "Returns the linked logins",
    "Links a login at a provider",
    "provider",
  ],
  loginRemoval: ["", "Removes a linked login", "id"],
  passkeys: ["Returns the passkeys", "Adds a passkey", "name passkey"],
  passkeyOptions: ["", "Returns the options of a new passkey"],
  passkeyName: [
    "Shows the page that renames a passkey",
    "Renames a passkey",
    "id name",
  ],
  passkeyRemoval: ["", "Removes a passkey", "id"],
  passkeyScript: ["Returns the script of passkeys"],
  security: ["Returns the facts that decide how safe the account is"],
  connected: ["Returns the numbers of logins, apps and teams"],
  profile: ["Shows the profile", "Changes the profile", "name fields?"],
  password: [
    "Shows the page of the password",
    "Changes the password",
    "password",
  ],
  email: [
    "Shows the page of the address",
    "Sends an email that verifies a new address",
    "email",
  ],
  emailCode: [
    "Shows the page of the code of a new address",
    "Changes the address with the code of an email",
    "code",
  ],
  emailLink: [
    "Shows the page of the link of a new address",
    "Changes the address with the link of an email",
    "token",
  ],
  notMe: [
    "Shows the page of the link that undoes a change",
    "Undoes a change",
    "token",
  ],
  keys: [
    "Returns the API keys",
    "Creates an API key",
    "name scopes days? team?",
  ],
  keyRemoval: [
    "Shows the page that revokes an API key",
    "Revokes an API key",
    "id",
  ],
  apps: [
    "Returns the connected applications",
    "Disconnects an application, or all of them",
    "id? all?",
  ],
  teams: ["Returns the teams of the user", "Creates a team", "name"],
  team: ["Returns a team with its members"],
  invite: [
    "Shows the page that invites an address to a team",
    "Invites an address to a team",
    "email role",
  ],
  withdrawal: ["", "Withdraws an invitation to a team", "invitation"],
  invitation: [
    "Shows an invitation to a team",
    "Accepts or declines an invitation to a team",
    "answer?",
  ],
  member: [
    "Shows the role of a member",
    "Changes the role of a member",
    "role? handOver?",
  ],
  memberRemoval: [
    "Shows the page that removes a member",
    "Removes a member from a team",
  ],
  data: [
    "Shows the page of the download",
    "Downloads the data of the account",
  ],
  remove: [
    "Shows the page that deletes the account",
    "Starts the deletion of the account",
  ],
  session: ["Returns the account of the logged-in user, or null"],
  style: ["Returns the stylesheet"],
};

const ADMIN: Readonly<Record<keyof AdminRoutes, Description>> = {
  users: ["Returns the accounts"],
  user: [
    "Returns an account",
    "Changes an account",
    "do role? reason? until? email?",
  ],
  invitations: [
    "Returns the invitations to register",
    "Invites an address, or withdraws its invitation",
    "do email role?",
  ],
  audit: ["Returns the audit log"],
  auditCSV: ["Returns the audit log as CSV"],
  stopActing: ["", "Ends acting as another user"],
};

/** The media types of responses that are neither pages nor results of actions. */
const TYPES: Readonly<Record<string, string>> = {
  session: "application/json",
  data: "application/json",
  passkeyLoginOptions: "application/json",
  secondFactorPasskeyOptions: "application/json",
  passkeyConfirmOptions: "application/json",
  passkeyOptions: "application/json",
  passkeyScript: "text/javascript",
  style: "text/css",
  auditCSV: "text/csv",
};

/** The inputs of the actions that a throttle limits. */
const LIMITED = /\b(?:code|email|passkey|password)\b/;

/**
 * Describes the routes of accounts for the OpenAPI document of a router: summaries,
 * JSON inputs and responses.
 *
 * @example The inputs of the login
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { describeAccounts } from "@gatehouse/web/accounts";
 * import { testAccounts } from "@gatehouse/web/accounts/testing";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { openapi } from "@gatehouse/web/openapi";
 *
 * const accounts = testAccounts();
 * const router = createRouter({ middleware: accounts.middleware });
 * router.map(describeAccounts(accounts.routes), accounts.controller);
 *
 * const info = { title: "Invoices", version: "1.0.0" };
 * const { document } = openapi(router, { info });
 * const { summary } = document.paths["/login"]!.post!;
 * assertEquals(summary, "Logs a user in with a password");
 * ```
 *
 * @typeParam Routes The type of the routes.
 * @param routes The routes of the accounts, or those for administrators.
 * @returns The same routes with descriptions.
 */
export function describeAccounts<Routes extends AccountRoutes | AdminRoutes>(
  routes: Routes,
): Routes {
  const known: Readonly<Record<string, Description>> = { ...ACCOUNT, ...ADMIN };
  const schemas = createSchemas();
  const describe = (route: AnyRoute, name: string): AnyRoute => {
    const operation = operationOf(route, name, known[name]!, schemas);
    return new Route(route.method, route.pattern, operation) as AnyRoute;
  };
  const described = Object.entries(routes as unknown as RouteMap).map((
    [name, one],
  ) => [
    name,
    one instanceof Route ? describe(one, name) : Object.fromEntries(
      Object.entries(one).map(([key, inner]) => [
        key,
        describe(inner as AnyRoute, name),
      ]),
    ),
  ]);
  return Object.fromEntries(described);
}

type Schemas = ReturnType<typeof createSchemas>;

/** Creates the schemas of the inputs that are not strings, and of the results. */
function createSchemas() {
  const text = string();
  return {
    text,
    inputs: new Map<string, InputSchema>([
      ["remember", boolean()],
      ["all", boolean()],
      ["handOver", enum_(["on"])],
      ["scopes", array(text)],
      ["days", union([number(), enum_(["never"])])],
      ["fields", record(text, any())],
      ["passkey", looseObject({ id: text })],
    ]),
    result: looseObject({ next: enum_(NEXT_STEPS), location: text }),
  };
}

function operationOf(
  { method }: AnyRoute,
  name: string,
  [page, action = "", inputs = ""]: Description,
  { inputs: known, result, text }: Schemas,
): Operation {
  const contentType = TYPES[name];
  if (method === "GET") {
    // Only the action of this page responds with JSON.
    const type = name === "data" ? undefined : contentType;
    const responses = { 200: { contentType: type ?? "text/html" } };
    return { summary: page, responses };
  }
  const problem = { contentType: "application/problem+json" };
  const shape = inputs.split(" ").filter((input) => input !== "").map(
    (input) => {
      const name = input.replace("?", "");
      const schema = known.get(name) ?? text;
      return [
        name,
        input.endsWith("?") ? optional(schema as typeof text) : schema,
      ];
    },
  );
  const responses: Record<number, ResponseDescription | InputSchema> = {
    200: contentType === undefined ? result : { contentType },
  };
  if (shape.length > 0) responses[422] = problem;
  if (LIMITED.test(inputs) || name === "data") responses[429] = problem;
  const json = object(Object.fromEntries(shape));
  return { summary: action, ...shape.length > 0 && { json }, responses };
}
