/**
 * The middleware that most applications run, in parts and together, next to a
 * bare handler and to Hono with the same work: a logger, secure headers, a
 * protection against cross-site requests, and a session in memory whose id is in
 * a cookie. Each answers `/` by greeting the user, and `/login` with a login.
 */
import {
  Auth,
  auth,
  batchOutput,
  completeAuth,
  createRouter,
  createSessionAuthScheme,
  crossOriginProtection,
  formData,
  logger,
  type Middleware,
  secureHeaders,
  session,
} from "@gatehouse/web";
import {
  type SessionEnv,
  useSession,
  useSessionStorage,
} from "npm:@hono/session@0.2.1";
import { Hono } from "npm:hono@4.13.19";
import { csrf } from "npm:hono@4.13.19/csrf";
import { logger as honoLogger } from "npm:hono@4.13.19/logger";
import { secureHeaders as honoSecureHeaders } from "npm:hono@4.13.19/secure-headers";
import type { Fetch } from "./_dispatch.ts";

type SessionData = Record<string, unknown>;

/** The output of each logger. */
const output = batchOutput({ target: "stdout" });

const users = new Map([["1", { id: "1", name: "Ada" }]]);

const authentication = [
  session(),
  auth({
    schemes: [
      createSessionAuthScheme({
        name: "browser",
        verify: (id) => users.get(String(id)) ?? null,
      }),
    ],
  }),
];

/** The servers by their names. */
export const applications: Readonly<Record<string, () => Fetch>> = {
  bare: () => bare,
  "logger": () => gatehouse([logger({ output })]),
  "JSON logger": () => gatehouse([logger({ format: "json", output })]),
  "countBytes": () => gatehouse([logger({ countBytes: true, output })]),
  "session and auth": () => gatehouse(authentication),
  "all together": () =>
    gatehouse([
      logger({ output }),
      secureHeaders(),
      formData(),
      crossOriginProtection(),
      ...authentication,
    ]),
  hono,
};

// deno-lint-ignore require-await -- what a handler that awaits nothing costs
async function bare(request: Request): Promise<Response> {
  const { url } = request;
  return url.slice(url.indexOf("/", 8)) === "/"
    ? greet(null)
    : new Response("Not Found", { status: 404 });
}

/** Returns the response of every server. */
function greet(user: { readonly name?: string | null } | null): Response {
  return new Response(`Hello ${user?.name ?? "visitor"}`);
}

function gatehouse(middleware: readonly Middleware[]): Fetch {
  const router = createRouter({ middleware });
  router.get(
    "/",
    (context) => greet(context.has(Auth) ? context.get(Auth) : null),
  );
  router.get("/login", async (context) => {
    await completeAuth(context, "1");
    return new Response();
  });
  return router.fetch;
}

/** Creates a Hono server with sessions in a map, as ours are in memory. */
function hono(): Fetch {
  const store = new Map<string, SessionData>();
  const app = new Hono<SessionEnv>();
  app.use(honoLogger(output), honoSecureHeaders(), csrf());
  app.use(useSessionStorage({
    get: (id: string) => store.get(id) ?? null,
    set: (id: string, value: SessionData) => void store.set(id, value),
    delete: (id: string) => void store.delete(id),
  }));
  app.use(useSession({
    secret: "a secret of more than thirty-two characters",
  }));
  app.get("/", async ({ var: { session } }) => {
    const values = await session.get();
    return greet(users.get(String(values?.userId)) ?? null);
  });
  app.get("/login", async ({ body, var: { session } }) => {
    await session.update({ userId: "1" });
    return body(null);
  });
  return app.fetch as Fetch;
}
