/**
 * The middleware that most applications run, one by one and together, next to a
 * bare handler and to Hono with the same work. Each answers `/` by greeting the
 * user, and `/login` with a login.
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
import { Hono } from "npm:hono@4.13.19";
import { getSignedCookie, setSignedCookie } from "npm:hono@4.13.19/cookie";
import { csrf } from "npm:hono@4.13.19/csrf";
import { logger as honoLogger } from "npm:hono@4.13.19/logger";
import { secureHeaders as honoSecureHeaders } from "npm:hono@4.13.19/secure-headers";
import type { Fetch } from "./_dispatch.ts";

/** The output of each logger, unless its name says otherwise. */
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
  "no middleware": () => gatehouse([]),
  "logger": () => gatehouse([logger({ output })]),
  "logger, console.log": () => gatehouse([logger()]),
  "JSON logger": () => gatehouse([logger({ format: "json", output })]),
  "JSON logger, console.log": () => gatehouse([logger({ format: "json" })]),
  "countBytes": () => gatehouse([logger({ countBytes: true, output })]),
  "secure headers": () => gatehouse([secureHeaders()]),
  "form data": () => gatehouse([formData()]),
  "cross-origin": () => gatehouse([crossOriginProtection()]),
  "session": () => gatehouse([session()]),
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

/** Creates a Hono server that keeps the user in a signed cookie. */
function hono(): Fetch {
  const secret = "a secret of more than thirty-two characters";
  const app = new Hono<{ Variables: { userId: string | false | undefined } }>();
  app.use(honoLogger(output), honoSecureHeaders(), csrf());
  app.use(async (context, next) => {
    context.set("userId", await getSignedCookie(context, secret, "user"));
    await next();
  });
  app.get(
    "/",
    (context) => greet(users.get(context.get("userId") || "") ?? null),
  );
  app.get("/login", async (context) => {
    await setSignedCookie(context, "user", "1", secret, { httpOnly: true });
    return context.body(null);
  });
  return (request) => app.fetch(request);
}
