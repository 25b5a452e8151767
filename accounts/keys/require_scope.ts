import {
  Auth,
  auth,
  type AuthenticatedUser,
  createBearerTokenAuthScheme,
  createGuards,
  type Guard,
} from "../../auth/middleware/mod.ts";
import {
  createContextKey,
  describeMiddleware,
  descriptionOf,
} from "../../router/internal.ts";
import type {
  ContextKey,
  Middleware,
  RequestContext,
} from "../../router/mod.ts";
import { rateLimit } from "../../session/middleware.ts";
import type { Settings } from "../actions/services.ts";
import { toUser } from "../to_user.ts";
import type { FoundKey } from "./api_keys.ts";

/** The keys of the users of requests. */
const found = new WeakMap<object, FoundKey>();

/** The context key of the user whose scopes `requireScope` has checked. */
export const Scoped: ContextKey<AuthenticatedUser | null> =
  /* @__PURE__ */ createContextKey<AuthenticatedUser | null>(null, {
    name: "AccountScoped",
  });

/** Returns the API key of a user, or `undefined` for a login in a browser. */
export function keyOfUser(
  user: AuthenticatedUser | null,
): FoundKey | undefined {
  return user === null ? undefined : found.get(user);
}

/**
 * Creates the guard of scopes. Only this guard reads API keys, and the other guards
 * of accounts accept tokens only after it: neither of them opens a route that names no
 * scope.
 */
export function createRequireScope(
  settings: Settings,
): (...scopes: readonly [string, ...string[]]) => Guard {
  const { keys, names } = settings;
  const { requireScope } = createGuards({ scopes: names.scopes ?? [] });
  const authenticate = auth({ schemes: [keyScheme(settings)] });
  const limit = limitOfKey(settings);
  return (...scopes) => {
    const guard = requireScope(...scopes);
    const middleware: Guard = (context, next) =>
      run(authenticate, context, async () => {
        const user = context.get(Auth);
        const check = () =>
          run(guard, context, () => {
            context.set(Scoped, user);
            return next();
          });
        const key = keyOfUser(user);
        if (key === undefined) return await check();
        const response = await run(limit, context, check);
        keys.noteUse(context, key);
        return response;
      });
    return describeMiddleware(middleware, {
      ...descriptionOf(authenticate),
      ...descriptionOf(guard),
      responses: { 401: "", 403: "", 429: "" },
    });
  };
}

function keyScheme({ keys, names }: Settings) {
  return createBearerTokenAuthScheme({
    name: "keys",
    async verify(token) {
      const key = await keys.find(token);
      if (key === null) return null;
      const user = toUser(key.account, names, key.key);
      found.set(user, key);
      return user;
    },
  });
}

function limitOfKey({ keyLimit, now, store }: Settings): Middleware {
  return rateLimit({
    name: "api-key",
    store: store.values,
    limit: keyLimit,
    window: 60_000,
    key: (context) => keyOfUser(context.get(Auth))?.key.id,
    now,
  });
}

/** Runs a middleware, and calls the next one if it returns no response. */
async function run(
  middleware: Middleware,
  context: RequestContext,
  next: () => Promise<Response>,
): Promise<Response> {
  return await middleware(context, next) ?? await next();
}
