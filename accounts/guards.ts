import {
  Auth,
  createGuards,
  type Guard,
  redirectToLogin,
  requireAuth,
  requireFreshAuth,
} from "../auth/middleware/mod.ts";
import {
  describeMiddleware,
  descriptionOf,
  prefersJSON,
  redirect,
  reportDenied,
} from "../router/internal.ts";
import type { Middleware, RequestContext } from "../router/mod.ts";
import { keyOfUser, Scoped } from "./keys/require_scope.ts";
import type { AccountRoutes } from "./definition/routes.ts";
import { isLongPath } from "./actions/call.ts";
import { DEFAULT_ROLES } from "./actions/roles.ts";
import { isLogin, ownAccount } from "./current_account.ts";
import { confirmsWithFactor } from "./factors/required_factor.ts";
import type { Services, Settings } from "./actions/services.ts";

/** The maximum age of a login before a sensitive change, in milliseconds. */
const FRESH = 10 * 60_000;

/** Returns `true` for a request of a script, which gets JSON. */
export function wantsJSON({ request }: RequestContext): boolean {
  const type = request.headers.get("Content-Type") ?? "";
  return /^application\/json\b/i.test(type) || prefersJSON(request);
}

/** Creates the guard of pages for users. Visitors go to the login page. */
export function createRequireUser({ routes: { login } }: Settings): Guard {
  const toLogin = redirectToLogin(login.index.href());
  const onUnauthenticated = (request: Request) =>
    withoutLongPath(login.index, request) ?? toLogin(request);
  return refusingTokens(
    either(requireAuth(), requireAuth({ onUnauthenticated })),
  );
}

/**
 * Creates a middleware that rejects tokens, for the account pages: only the session
 * of a browser reaches them.
 */
export function requireBrowser(): Middleware<readonly []> {
  return (context, next) => isToken(context) ? refuse(context) : next();
}

/**
 * Adds to a guard that it rejects tokens, unless `requireScope` has checked the scopes
 * before.
 */
function refusingTokens(guard: Guard): Guard {
  const middleware: Guard = (context, next) =>
    isToken(context) && context.get(Scoped) !== context.get(Auth)
      ? refuse(context)
      : guard(context, next);
  return describeMiddleware(middleware, {
    ...descriptionOf(guard),
    responses: { ...descriptionOf(guard)?.responses, 403: "" },
  });
}

/** Returns `true` if a token or an API key has found the user of a request. */
function isToken(context: RequestContext): boolean {
  const user = context.get(Auth);
  return user !== null && !isLogin(user);
}

async function refuse(context: RequestContext): Promise<Response> {
  reportDenied(context, "forbidden", context.get(Auth)!.id);
  return await context.createErrorResponse({ status: 403 });
}

/**
 * Returns the redirect to a page that says that the path is too long to return to,
 * or `undefined` if there is room for it.
 */
function withoutLongPath(
  page: AccountRoutes["login"]["index"] | AccountRoutes["confirm"]["index"],
  { url }: Request,
): Response | undefined {
  const { pathname, search } = new URL(url);
  if (!isLongPath(pathname + search)) return undefined;
  return uncached(redirect(page.href({}, { notice: "long-path" })));
}

/** Makes a redirect uncacheable, because it depends on the login. */
function uncached(response: Response): Response {
  response.headers.set("Cache-Control", "no-store");
  return response;
}

/**
 * Creates the guard of sensitive pages. Users with an old login confirm it
 * first.
 */
export function createRequireFresh(
  { now, routes }: Settings,
  requireUser: Guard,
  ready: () => Promise<Services>,
): Guard {
  const confirm = routes.confirm.index;
  const onStale = (request: Request) => {
    const { pathname, search } = new URL(request.url);
    const returnTo = pathname + search;
    return withoutLongPath(confirm, request) ??
      uncached(redirect(confirm.href({}, { returnTo })));
  };
  const recent = either(
    requireFreshAuth(FRESH, { now }),
    requireFreshAuth(FRESH, { now, onStale }),
  );
  const methods = ["mfa"];
  const both = either(
    requireFreshAuth(FRESH, { now, methods }),
    requireFreshAuth(FRESH, { now, methods, onStale }),
  );
  const guard: Guard = async (context, next) => {
    const services = await ready();
    // A user with a second factor confirms with it.
    const hasFactor = await confirmsWithFactor(services, ownAccount(context));
    return await (hasFactor ? both : recent)(context, next);
  };
  return describeMiddleware(
    (context, next) =>
      requireUser(context, async () => {
        return await guard(context, next) ?? await next();
      }),
    { requires: [[]], responses: { 401: "", 403: "" } },
  );
}

/** Creates the guard of the application's roles. */
export function createRequireRole(
  { names }: Settings,
): (...roles: readonly [string, ...string[]]) => Guard {
  const { requireRole } = createGuards({
    roles: names.roles ?? DEFAULT_ROLES,
  });
  return (...roles) => {
    const guard = refusingTokens(requireRole(...roles));
    const middleware: Guard = (context, next) =>
      // The key of a team has no rights outside this team.
      keyOfUser(context.get(Auth))?.key.teamId === undefined
        ? guard(context, next)
        : refuse(context);
    return describeMiddleware(middleware, descriptionOf(guard) ?? {});
  };
}

/** Creates a guard that treats scripts and browsers differently. */
function either(script: Guard, browser: Guard): Guard {
  return describeMiddleware(
    (context, next) =>
      wantsJSON(context) ? script(context, next) : browser(context, next),
    { requires: [[]], responses: { 401: "" } },
  );
}

/** Creates a middleware that responds with 404 if a feature is off. */
export function onlyIf(
  isOn: boolean | (() => boolean),
): Middleware<readonly []> {
  const check = typeof isOn === "function" ? isOn : () => isOn;
  return (context, next) =>
    check() ? next() : context.createErrorResponse({ status: 404 });
}
