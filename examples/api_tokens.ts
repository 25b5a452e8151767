/**
 * A JSON API behind access tokens and API keys, in one file. It stores only their
 * hashes, and shows each once, when it is created.
 *
 * Run it with `deno task example:api-tokens`. It prints an access token to
 * begin with:
 *
 *     curl -H "Authorization: Bearer $TOKEN" http://localhost:8000/me
 *     curl -H "Authorization: Bearer $TOKEN" -d label=reports \
 *       http://localhost:8000/keys
 *     curl -H "X-API-Key: $KEY" http://localhost:8000/me
 */
import { createToken, hashToken, isTokenShaped } from "@gatehouse/web/auth";
import {
  Auth,
  auth,
  createAPIAuthScheme,
  createBearerTokenAuthScheme,
  requireAuth,
  requireRole,
} from "@gatehouse/web/auth-middleware";
import {
  createRouter,
  type Middleware,
  withHeaders,
} from "@gatehouse/web/fetch-router";
import { resources, route } from "@gatehouse/web/fetch-router/routes";
import { logger } from "@gatehouse/web/logger-middleware";
import { formData } from "@gatehouse/web/middleware";

/** A token or a key, stored by its hash. */
interface Entry {
  readonly id: string;
  readonly userId: number;
  readonly label: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

const users = new Map([[1, { id: 1, name: "Ada", role: "user" }]]);
const tokens = new Map<string, Entry>();
const keys = new Map<string, Entry>();

const HOUR = 3_600_000;
const TOKEN = { prefix: "demo_token" };
const KEY = { prefix: "demo_key" };

const schemes = [
  createBearerTokenAuthScheme({
    name: "demo",
    async verify(token) {
      const entry = await find(tokens, token, TOKEN);
      return entry === null ? null : users.get(entry.userId) ?? null;
    },
  }),
  createAPIAuthScheme({
    name: "demo-key",
    header: "X-API-Key",
    async verify(key) {
      const entry = await find(keys, key, KEY);
      // A key has fewer permissions than the user who created it.
      return entry && { id: entry.userId, name: entry.label, role: "api" };
    },
  }),
] as const;

const routes = route({
  me: "/me",
  keys: resources("keys", { only: ["index", "create", "destroy"] }),
});

/** Caches do not know the header of keys: one would answer others with this. */
const noStore: Middleware<readonly []> = async (_context, next) =>
  withHeaders(
    await next(),
    (headers) => headers.set("Cache-Control", "no-store"),
  );

export const router = createRouter({
  middleware: [logger(), noStore, formData(), auth({ schemes })],
});

router.get(routes.me, { middleware: [requireAuth()] }, (context) => {
  return Response.json(context.get(Auth));
});

router.map(routes.keys, {
  // A key cannot create more keys.
  middleware: [requireRole("user")],
  actions: {
    index(context) {
      const own = keys.values()
        .filter(({ userId }) => userId === context.get(Auth).id);
      return Response.json([...own]);
    },
    async create(context) {
      const label = context.get(FormData).get("label");
      if (typeof label !== "string" || label === "" || label.length > 100) {
        return Response.json({ error: "label is missing" }, { status: 422 });
      }
      const key = createToken(KEY);
      const userId = Number(context.get(Auth).id);
      const entry = await remember(keys, key, userId, label, 24 * 90 * HOUR);
      return Response.json({ ...entry, key }, { status: 201 });
    },
    destroy(context) {
      const userId = context.get(Auth).id;
      for (const [hash, entry] of keys) {
        if (entry.id !== context.params.id || entry.userId !== userId) continue;
        keys.delete(hash);
        return new Response(null, { status: 204 });
      }
      return Response.json({ error: "Not Found" }, { status: 404 });
    },
  },
});

/** Creates an access token for a user, which works for an hour. */
export async function createAccessToken(userId: number): Promise<string> {
  const token = createToken(TOKEN);
  await remember(tokens, token, userId, "access token", HOUR);
  return token;
}

async function remember(
  table: Map<string, Entry>,
  secret: string,
  userId: number,
  label: string,
  lifetime: number,
): Promise<Entry> {
  const id = crypto.randomUUID();
  const entry = { id, userId, label, expiresAt: Date.now() + lifetime };
  table.set(await hashToken(secret), entry);
  return entry;
}

async function find(
  table: ReadonlyMap<string, Entry>,
  secret: string,
  shape: { readonly prefix: string },
): Promise<Entry | null> {
  // Malformed tokens need no lookup.
  if (!isTokenShaped(secret, shape)) return null;
  const entry = table.get(await hashToken(secret));
  return entry !== undefined && entry.expiresAt > Date.now() ? entry : null;
}

if (import.meta.main) {
  console.log(`TOKEN=${await createAccessToken(1)}`);
  Deno.serve({ hostname: "127.0.0.1", port: 8000 }, router.fetch);
}
