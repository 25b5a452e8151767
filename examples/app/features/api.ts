import {
  Auth,
  auth,
  createAPIAuthScheme,
  createBearerTokenAuthScheme,
  requireAuth,
  requirePermission,
} from "@gatehouse/web/auth-middleware";
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

  router.get(routes.api.me, { middleware: guards }, (context) => {
    const user = context.get(Auth);
    return Response.json({
      id: user.id,
      name: user.name,
      role: user.role,
      ...("email" in user && { email: user.email }),
    });
  });

  router.map(routes.api.notices, {
    middleware: [...guards, requirePermission(permissions, "notices:read")],
    actions: {
      index: async () => Response.json({ notices: await notices.list() }),
      async show({ params }) {
        const notice = await notices.find(Number(params.id));
        return notice === null ? notFound() : Response.json(notice);
      },
      destroy: {
        middleware: [requirePermission(permissions, "notices:delete")],
        async handler({ params }) {
          const isGone = await notices.remove(Number(params.id));
          return isGone ? new Response(null, { status: 204 }) : notFound();
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
  return auth({ schemes: [token, key] });
}

function notFound(): Response {
  return Response.json({ error: "Not Found" }, { status: 404 });
}
