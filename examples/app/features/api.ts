import {
  Auth,
  auth,
  createAPIAuthScheme,
  createBearerTokenAuthScheme,
  requireAuth,
  requirePermission,
} from "@gatehouse/web/auth-middleware";
import { respond } from "@gatehouse/web/content";
import { validate, ValidParams } from "@gatehouse/web/middleware";
import type { AppRouter } from "../app_middleware.ts";
import type { User } from "../data/users.ts";
import { routes } from "../routes.ts";
import type { Services } from "../services.ts";

/** The permissions of each role at the API. API keys have a separate role. */
const permissions = {
  api: ["notices:read"],
  user: ["notices:read"],
  editor: ["notices:read", "notices:delete"],
  admin: ["notices:read", "notices:delete"],
} as const;

/**
 * Adds the JSON API. It accepts access tokens and API keys, but no cookies:
 * another site cannot make a browser call it for a user.
 */
export function addAPI(router: AppRouter, services: Services): void {
  const { notices } = services;
  const guards = [apiAuth(services), requireAuth()] as const;
  const { index, show, destroy } = routes.api.notices;

  router.get(routes.api.me, { middleware: guards }, (context) => {
    const user = context.get(Auth);
    return respond(routes.api.me, 200, {
      id: user.id,
      name: user.name,
      role: user.role,
      ...("email" in user && { email: user.email }),
    });
  });

  router.map(routes.api.notices, {
    middleware: [...guards, requirePermission(permissions, "notices:read")],
    actions: {
      index: async () => respond(index, 200, { notices: await notices.list() }),
      show: {
        middleware: [validate(show)],
        async handler(context) {
          const notice = await notices.find(context.get(ValidParams).id);
          return notice === null
            ? respond(show, 404, NOT_FOUND)
            : respond(show, 200, notice);
        },
      },
      destroy: {
        middleware: [
          requirePermission(permissions, "notices:delete"),
          validate(destroy),
        ],
        async handler(context) {
          const isGone = await notices.remove(context.get(ValidParams).id);
          return isGone
            ? respond(destroy, 204)
            : respond(destroy, 404, NOT_FOUND);
        },
      },
    },
  });
}

function apiAuth({ users, keys, tokens }: Services) {
  const token = createBearerTokenAuthScheme<User>({
    name: "noticeboard",
    async verify(token) {
      const userId = await tokens.verify(token);
      return userId === null ? null : await users.find(userId);
    },
  });
  const key = createAPIAuthScheme({
    name: "noticeboard-key",
    header: "X-API-Key",
    async verify(key) {
      const found = await keys.verify(key);
      return found === null
        ? null
        : { id: found.userId, name: found.label, role: "api" };
    },
  });
  return auth({ schemes: [token, key], only: true });
}

const NOT_FOUND = { error: "Not Found" };
