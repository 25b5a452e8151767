import type { AuthenticatedUser } from "../auth/middleware/mod.ts";
import type { Controller, RequestContext } from "../router/mod.ts";
import { get, post } from "../router/routes/mod.ts";
import { sweepSessions } from "../session/mod.ts";
import { authorize } from "./authorize/authorize.ts";
import { createConnectedApps } from "./grants/connected_apps.ts";
import { decide } from "./authorize/consent.ts";
import { createEndpoints } from "./endpoints.ts";
import { metadataOf } from "./metadata.ts";
import type {
  AuthorizationServer,
  ServerRoutes,
} from "./authorization_server.ts";
import type { AuthorizationServerOptions, Resources } from "./options.ts";
import { createResource } from "./resource.ts";
import { type Settings, settingsOf } from "./settings.ts";

/**
 * Creates an OAuth 2.1 authorization server, by which MCP clients, command-line
 * programs and other applications get access to an API for a user.
 *
 * The login stays that of the application. The server shows who asks for what, and
 * the user decides. Tokens are derived from the secrets and a row for each grant:
 * no token is stored, and all of them end with the row, at the next request.
 *
 * It is not an identity provider: there are no ID tokens, and clients learn nothing
 * about the user, except for the id in JWT access tokens.
 *
 * Trust: the names of clients with a metadata document are chosen by strangers. The
 * consent page shows their host.
 *
 * @example An API, and a program that may read it
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { auth, createSessionAuthScheme } from "@gatehouse/web/auth-middleware";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { crossOriginProtection } from "@gatehouse/web/middleware";
 * import { createAuthorizationServer } from "@gatehouse/web/oauth-server";
 * import { createMemorySessionStore } from "@gatehouse/web/session";
 * import { session } from "@gatehouse/web/session-middleware";
 *
 * const users = new Map([["1", { id: "1", name: "Ada" }]]);
 * const find = (id: string) => users.get(id) ?? null;
 * const server = createAuthorizationServer({
 *   issuer: "https://app.example",
 *   users: { find },
 *   store: createMemorySessionStore(),
 *   secrets: ["M9uYb1eVxqT7oZ2cKp4wRh6sLd8fGj0n"],
 *   resources: {
 *     "https://app.example/api": {
 *       name: "Notes",
 *       scopes: { "notes:read": "Read your notes" },
 *     },
 *   },
 *   clients: [{
 *     id: "notes-cli",
 *     name: "Notes CLI",
 *     redirectUris: ["http://127.0.0.1/callback"],
 *   }],
 *   loginPath: "/login",
 * });
 * const api = server.resource("https://app.example/api");
 * const login = createSessionAuthScheme({ name: "login", verify: find });
 * const router = createRouter({
 *   middleware: [
 *     server.endpoints,
 *     api.metadata,
 *     session(),
 *     crossOriginProtection(),
 *     auth({ schemes: [login, api.scheme] }),
 *   ],
 * });
 * router.map(server.routes, server.controller);
 * router.get("/api", {
 *   middleware: [api.requireScope("notes:read")],
 *   handler: () => new Response("Notes"),
 * });
 *
 * const response = await router.fetch("https://app.example/api");
 * assertEquals(response.status, 401);
 * assertEquals(server.metadata.issuer, "https://app.example");
 * ```
 *
 * @typeParam User The type of the users.
 * @typeParam R The resources.
 * @param options The issuer, the users, the store and the resources.
 * @returns The middleware, the pages and the resource servers.
 * @throws {TypeError} If an option is missing or malformed, or the store is only
 * eventually consistent or has no index.
 * @throws {RangeError} If a number is out of range, or a secret is weak.
 * @see {@link https://datatracker.ietf.org/doc/html/draft-ietf-oauth-v2-1 | OAuth 2.1}
 */
export function createAuthorizationServer<
  User extends AuthenticatedUser,
  const R extends Resources,
>(
  options: AuthorizationServerOptions<User, R>,
): AuthorizationServer<User, R> {
  const settings = settingsOf(options);
  const { paths, store } = settings;
  const apps = createConnectedApps(settings);
  options.users.connect?.(apps);
  const resource = (
    url: string,
    given?: Parameters<typeof createResource>[2],
  ) => createResource(settings, url, given);
  return {
    ...apps,
    endpoints: createEndpoints(settings),
    routes: { authorize: get(paths.authorize), consent: post(paths.authorize) },
    controller: createController(settings),
    deviceRoutes: { device: get(paths.device), decision: post(paths.device) },
    deviceController: {
      actions: {
        device: (context) =>
          settings.device?.show(settings, context) ?? notFound(context),
        decision: (context) =>
          settings.device?.decide(settings, context) ?? notFound(context),
      },
    },
    // The scopes of each resource are only known to the types.
    resource: resource as unknown as AuthorizationServer<User, R>["resource"],
    metadata: metadataOf(settings),
    sweep: () => sweepSessions(store),
  };
}

async function notFound(context: RequestContext): Promise<Response> {
  return await context.createErrorResponse({ status: 404 });
}

function createController(settings: Settings): Controller<ServerRoutes> {
  return {
    actions: {
      authorize: (context) => authorize(settings, context),
      consent: (context) => decide(settings, context),
    },
  };
}
