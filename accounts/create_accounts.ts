import {
  auth,
  type AuthenticatedUser,
  type AuthMiddleware,
  type AuthScheme,
  type Guard,
  requireOwnLogin,
} from "../auth/middleware/mod.ts";
import type { UserSource } from "../auth/internal.ts";
import { isLoopback } from "../router/internal.ts";
import { crossOriginProtection } from "../router/middleware/mod.ts";
import type {
  ContextEntry,
  Controller,
  Middleware,
  RequestContext,
} from "../router/mod.ts";
import {
  type Session,
  type SessionStore,
  sweepSessions,
} from "../session/mod.ts";
import { session } from "../session/middleware.ts";
import { randomToken } from "../session/secrets.ts";
import { createController } from "./_controller.ts";
import { pendingLogin } from "./hooks/held_login.ts";
import { createFinishStep } from "./_answer.ts";
import {
  createRegistrationQueue,
  createServices,
  type Services,
  type Settings,
} from "./actions/services.ts";
import type {
  Account,
  Names,
  RoleOf,
  ScopeOf,
  TeamRoleOf,
} from "./definition/names.ts";
import { createAdminController } from "./_admin_controller.ts";
import { createUserSource, type TokenAccount } from "./apps/user_source.ts";
import type { AdminRoutes } from "./definition/admin_routes.ts";
import type { AccountRoutes } from "./definition/routes.ts";
import {
  createRequireFresh,
  createRequireRole,
  createRequireUser,
} from "./guards.ts";
import {
  createRequireMember,
  type MemberGuard,
  type TeamOf,
} from "./teams/member.ts";
import { createTeams, type Teams } from "./teams/teams.ts";
import { createKeys, type Keys } from "./keys/keys.ts";
import type { LoginAttempt } from "./hooks/hooks.ts";
import { createRequireScope } from "./keys/require_scope.ts";
import type { AccountsOptions } from "./options.ts";
import { createSessionScheme } from "./session_scheme.ts";
import { isDevelopment, settingsOf } from "./settings.ts";
import { withCallbacks } from "./providers.ts";
import type { Users } from "./admin/user_records.ts";
import { createUsers, removeAll } from "./users.ts";

/**
 * The middleware of accounts: the session, protection against other sites, and the
 * user. It reads no forms and sets no policy.
 *
 * @typeParam N The names of the application.
 * @typeParam Schemes The schemes of `withSchemes`.
 */
export type AccountMiddleware<
  N extends Names,
  Schemes extends readonly AuthScheme<AuthenticatedUser>[] = readonly [],
> = readonly [
  Middleware<readonly []>,
  Middleware<readonly [ContextEntry<typeof Session, Session>]>,
  AuthMiddleware<readonly [AuthScheme<Account<N>>, ...Schemes]>,
];

/**
 * The accounts of an application.
 *
 * @typeParam N The names of the application.
 */
export interface Accounts<N extends Names = Names>
  extends Required<UserSource<TokenAccount<N>>> {
  /** The middleware of the router. */
  readonly middleware: AccountMiddleware<N>;
  /**
   * Returns the middleware of the router with further schemes, such as that of
   * access tokens. The session counts before them. Their users never reach the
   * account pages, and the guards of accounts reject them, except for
   * `requireScope` and those after it.
   *
   * @param schemes The schemes.
   */
  readonly withSchemes: <
    const Schemes extends readonly AuthScheme<AuthenticatedUser>[],
  >(...schemes: Schemes) => AccountMiddleware<N, Schemes>;
  /** The routes of the account pages. */
  readonly routes: AccountRoutes;
  /** The controller of these routes, with forms, headers and policy. */
  readonly controller: Controller<AccountRoutes>;
  /** The routes of the pages for administrators. Map them to have these pages. */
  readonly adminRoutes: AdminRoutes;
  /** The controller of these routes. */
  readonly adminController: Controller<AdminRoutes>;
  /**
   * Requires a user: browsers go to the login page, scripts get a 401. Tokens get a
   * 403, unless `requireScope` has checked their scopes before.
   */
  readonly requireUser: Guard;
  /** Requires a login within the last ten minutes, which a page confirms. */
  readonly requireFresh: Guard;
  /**
   * Requires one of the given roles.
   *
   * @param roles The roles that may pass.
   */
  readonly requireRole: (
    ...roles: readonly [RoleOf<N>, ...RoleOf<N>[]]
  ) => Guard;
  /**
   * Requires all of the given scopes, of a login in a browser, of an API key in the
   * `Authorization` header, or of a token of `withSchemes`. It is the only guard that
   * reads API keys, and the others accept tokens only after it: put it before them.
   *
   * @param scopes The scopes.
   */
  readonly requireScope: (
    ...scopes: readonly [ScopeOf<N>, ...ScopeOf<N>[]]
  ) => Guard;
  /**
   * Requires a member of a team, with one of the given team roles, and sets `Member`.
   * Other users get a 404. The roles of the site do not count.
   *
   * @param team Returns the id of the team, such as a param of the URL.
   * @param roles The team roles that may pass, or none for all members.
   */
  readonly requireMember: (
    team: TeamOf,
    ...roles: readonly TeamRoleOf<N>[]
  ) => MemberGuard<TeamRoleOf<N>>;
  /** The teams, for jobs, hooks and tests. */
  readonly teams: Teams<N>;
  /** The API keys, for jobs and tests. */
  readonly keys: Keys<N>;
  /** The accounts, for pages of administrators, jobs and tests. */
  readonly users: Users<N>;
  /**
   * Returns the login of this browser that waits for an own step, for the page of
   * the step.
   *
   * @param context The context of the request.
   * @returns The login; `null` if no login waits, or access has ended.
   */
  readonly pendingLogin: (
    context: RequestContext,
  ) => Promise<Pick<LoginAttempt<N>, "account" | "methods"> | null>;
  /**
   * Continues the login that waits for an own step, after your page has saved
   * it. `beforeLogin` is asked again, and the browser goes to the next page, which
   * is the step if it is still missing. Call it for a `POST`.
   *
   * @param context The context of the request.
   * @returns The response: a redirect, or JSON for scripts.
   */
  readonly finishStep: (context: RequestContext) => Promise<Response>;
  /**
   * The database as a store of values, for `rateLimit` and an authorization server. It
   * is never the option `sessions.store`, which may lose values.
   */
  readonly store: SessionStore;
  /** Creates missing tables. The first request does so as well. */
  readonly migrate: () => Promise<void>;
  /**
   * Deletes the accounts whose delay has passed, old entries of the audit log, and
   * expired sessions. It rejects at the end if an account could not be deleted, for
   * example because a row of the application refers to it.
   */
  readonly sweep: () => Promise<void>;
  /**
   * Waits for the emails and other work after responses. On Workers, the work of
   * another request ends with it unless `router.fetch` has got the `ctx`, and this
   * function waits for it 31 seconds at most.
   */
  readonly flush: () => Promise<void>;
}

/**
 * Creates the accounts of an application: registration with a verified address,
 * login, logout, password reset, and an account area.
 *
 * @example A page for users
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createAccounts } from "@gatehouse/web/accounts";
 * import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
 * import { Auth } from "@gatehouse/web/auth-middleware";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 *
 * const accounts = createAccounts({
 *   name: "Invoices",
 *   origin: "http://localhost:8000",
 *   database: createMemoryAccountStore(),
 * });
 * const router = createRouter({ middleware: accounts.middleware });
 * router.map(accounts.routes, accounts.controller);
 * router.get("/", accounts.requireUser, (context) => {
 *   return new Response(`Hello ${context.get(Auth).name}`);
 * });
 *
 * const response = await router.fetch("http://localhost:8000/");
 * assertEquals(response.headers.get("Location"), "/login?returnTo=%2F");
 * ```
 *
 * @typeParam N The names of the application.
 * @param options The name, the origin and the database.
 * @returns The accounts.
 * @throws {TypeError} If an option is missing or malformed.
 * @throws {RangeError} If `deletionDelay` or a timeout is out of range.
 */
export function createAccounts<const N extends Names = Names>(
  options: AccountsOptions<N>,
): Accounts<N> {
  const settings: Settings = settingsOf(
    options,
    () => ({ users, teams, keys }),
  );
  const { outbox, routes, store } = settings;
  const ready = servicesOnce(settings, options.secrets);
  const users = createUsers<N>(ready);
  const teams = createTeams<N>(settings);
  const keys = createKeys<N>(settings);
  const requireUser = createRequireUser(settings);
  const requireFresh = createRequireFresh(settings, requireUser, ready);
  const parts = {
    settings,
    ready,
    requireUser,
    own: [requireUser, requireOwnLogin()],
    fresh: [requireFresh, requireOwnLogin()],
    layout: options.layout,
    policy: options.contentSecurityPolicy ?? {},
  };
  return {
    ...createUserSource<N>(settings, ready),
    ...middlewareOf<N>(settings, options),
    routes,
    controller: createController(parts),
    adminRoutes: settings.adminRoutes,
    adminController: createAdminController(parts),
    requireUser,
    requireFresh,
    requireRole: createRequireRole(settings) as Accounts<N>["requireRole"],
    requireScope: createRequireScope(settings) as Accounts<N>["requireScope"],
    requireMember: createRequireMember<TeamRoleOf<N>>(settings, requireUser),
    teams,
    keys,
    users,
    pendingLogin: (context) => pendingLogin<N>(context, settings),
    finishStep: createFinishStep(ready),
    store: store.values,
    migrate: () => store.migrate(),
    sweep: async () => await sweep(await ready()),
    flush: async () => {
      await outbox.flush();
      await settings.keys.flush();
    },
  };
}

/**
 * Returns a function that creates the services once. Each request awaits its own
 * attempt: on Workers, a promise of another request may never settle.
 */
function servicesOnce(
  settings: Settings,
  given: readonly string[] | undefined,
): () => Promise<Services> {
  const queue = createRegistrationQueue();
  // Invalid secrets throw here, before the first request.
  let services = given && createServices(settings, given, queue);
  return async () => {
    if (services !== undefined) return services;
    const random = randomToken();
    const secret = await settings.store.secret("secret", random);
    return services ??= createServices(settings, [secret], queue);
  };
}

function middlewareOf<N extends Names>(
  settings: Settings,
  { sessions = {} }: AccountsOptions<N>,
): Pick<Accounts<N>, "middleware" | "withSchemes"> {
  const { now, origin, providers, sessions: store } = settings;
  const { timeouts } = sessions;
  const scheme = createSessionScheme<N>(settings);
  const withSchemes: Accounts<N>["withSchemes"] = (...schemes) => [
    withCallbacks(providers, protection(origin)),
    session({ store, origin, now, ...timeouts && { timeouts } }),
    auth({ schemes: [scheme, ...schemes] }),
  ];
  return { middleware: withSchemes(), withSchemes };
}

/** Creates the protection against other sites, and against other hosts. */
function protection(origin: string): Middleware<readonly []> {
  const crossOrigin = crossOriginProtection({ origin });
  if (!isDevelopment(origin)) return crossOrigin;
  return (context, next) =>
    // Another site could otherwise reach a development server through its own
    // host name.
    isLoopback(context.url.hostname)
      ? crossOrigin(context, next)
      : context.createErrorResponse({ status: 421 });
}

/** The maximum number of accounts that one sweep deletes, so that it ends. */
const MAX_SWEEPS = 1_000;

async function sweep(services: Services): Promise<void> {
  const { now, sessions, store } = services;
  const failed = new Map<string, unknown>();
  for (let count = 0; count < MAX_SWEEPS; count++) {
    const due = (await store.due(now())).filter(({ id }) => !failed.has(id));
    if (due.length === 0) break;
    for (const { id } of due) {
      try {
        await removeAll(services, id);
      } catch (error) {
        // A row of the application may refer to it, which must not keep the others.
        failed.set(id, error);
      }
    }
  }
  await store.audit.prune(now() - services.auditRetention);
  await sweepSessions(store.values, { now });
  if (sessions !== store.values) await sweepSessions(sessions, { now });
  for (const error of failed.values()) throw error;
}
