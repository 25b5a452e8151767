/**
 * Roles and permissions, in one file.
 *
 * Run it with `deno task example:roles`. It prints an access token for each
 * role, to try:
 *
 *     curl -H "Authorization: Bearer $EDITOR" http://localhost:8000/me
 *     curl -H "Authorization: Bearer $EDITOR" -X DELETE \
 *       http://localhost:8000/posts/1
 */
import { createToken, hashToken } from "@gatehouse/web/auth";
import {
  Auth,
  auth,
  createBearerTokenAuthScheme,
  requireAuth,
  requirePermission,
  requireRole,
} from "@gatehouse/web/auth-middleware";
import { createRouter } from "@gatehouse/web/fetch-router";
import { resources, route } from "@gatehouse/web/fetch-router/routes";
import { logger } from "@gatehouse/web/logger-middleware";

/** The permissions of each role. Other roles have no permissions. */
const permissions = {
  user: ["posts:read"],
  editor: ["posts:read", "posts:write"],
  admin: ["posts:read", "posts:write", "posts:delete"],
} as const;

/** The roles of this application. */
export type Role = keyof typeof permissions;

interface User {
  readonly id: number;
  readonly name: string;
  readonly role: Role;
}

const users = new Map<string, User>();
const posts = new Map([
  ["1", { id: 1, authorId: 2, title: "Hello" }],
  ["2", { id: 2, authorId: 3, title: "Rules of the house" }],
]);

const tokens = createBearerTokenAuthScheme({
  name: "demo",
  verify: async (token) => users.get(await hashToken(token)) ?? null,
});

const routes = route({
  me: "/me",
  posts: resources("posts", { only: ["index", "update", "destroy"] }),
  admin: route("admin", { users: "users" }),
});

export const router = createRouter({
  middleware: [logger(), auth({ schemes: [tokens] })],
});

// A permission that is not listed above fails to compile.
const mayRead = requirePermission(permissions, "posts:read");
const mayWrite = requirePermission(permissions, "posts:write");
const mayDelete = requirePermission(permissions, "posts:delete");

// Any user.
router.get(routes.me, { middleware: [requireAuth()] }, (context) => {
  const { name, role } = context.get(Auth);
  return Response.json({ name, role, permissions: permissions[role] });
});

router.map(routes.posts, {
  middleware: [mayRead],
  actions: {
    index: () => Response.json([...posts.values()]),
    update: {
      middleware: [mayWrite],
      handler(context) {
        const { id, role } = context.get(Auth);
        const post = posts.get(context.params.id);
        if (post === undefined) return notFound();
        // The handler checks rules that depend on the post.
        if (post.authorId !== id && role !== "admin") {
          return new Response("Forbidden", { status: 403 });
        }
        return Response.json(post);
      },
    },
    destroy: {
      middleware: [mayDelete],
      handler: ({ params }) =>
        posts.delete(params.id)
          ? new Response(null, { status: 204 })
          : notFound(),
    },
  },
});

router.map(routes.admin, {
  middleware: [requireRole("admin")],
  actions: { users: () => Response.json([...users.values()]) },
});

/** Adds a user with a role, and returns their access token. */
export async function addUser(role: Role): Promise<string> {
  const token = createToken({ prefix: "demo" });
  const id = users.size + 1;
  users.set(await hashToken(token), { id, name: `Some ${role}`, role });
  return token;
}

function notFound(): Response {
  return Response.json({ error: "Not Found" }, { status: 404 });
}

if (import.meta.main) {
  for (const role of ["user", "editor", "admin"] as const) {
    console.log(`${role.toUpperCase()}=${await addUser(role)}`);
  }
  Deno.serve({ hostname: "127.0.0.1", port: 8000 }, router.fetch);
}
