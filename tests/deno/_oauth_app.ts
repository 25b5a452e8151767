/** An application with an authorization server, on a port of this machine. */
import { completeAuth } from "@gatehouse/web/auth";
import {
  Auth,
  auth,
  type AuthenticatedUser,
  createSessionAuthScheme,
} from "@gatehouse/web/auth-middleware";
import { html, htmlResponse } from "@gatehouse/web/content";
import {
  createRouter,
  redirect,
  safeRedirectPath,
} from "@gatehouse/web/fetch-router";
import { crossOriginProtection } from "@gatehouse/web/middleware";
import {
  createAuthorizationServer,
  deviceGrant,
  dpopTokens,
  jwtAccessTokens,
  type RegisteredClient,
  registrationEndpoint,
  type SigningKey,
} from "@gatehouse/web/oauth-server";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { HTTPBrowser } from "./_http_browser.ts";
import { freePort } from "./_programs.ts";
import { serveLocally } from "./_serve.ts";

const USER = { id: "1", name: "Ada", scopes: ["notes:read", "notes:write"] };

/** Options for {@linkcode serveOAuthApp}. */
export interface OAuthAppOptions {
  /** The resource, if it is on another machine, and the keys for its tokens. */
  readonly other?: {
    readonly resource: string;
    readonly keys: readonly SigningKey[];
  };
}

/** Serves the application. Its user logs in with a click. */
export function serveOAuthApp(
  clients: readonly RegisteredClient[],
  { other }: OAuthAppOptions = {},
) {
  const port = freePort();
  const clock = { offset: 0 };
  const issuer = `http://localhost:${port}`;
  const resource = other?.resource ?? `${issuer}/api`;
  const find = (id: string): AuthenticatedUser | null =>
    id === USER.id ? USER : null;
  const server = createAuthorizationServer({
    issuer,
    users: { find },
    store: createMemorySessionStore(),
    secrets: ["M9uYb1eVxqT7oZ2cKp4wRh6sLd8fGj0n"],
    resources: {
      [resource]: {
        name: "Notes",
        scopes: {
          "notes:read": "Read your notes",
          "notes:write": "Change your notes",
        },
        format: other === undefined ? "opaque" : "at+jwt",
      },
    },
    ...other !== undefined && { jwt: jwtAccessTokens(other) },
    clients,
    registration: registrationEndpoint(),
    device: deviceGrant(),
    dpop: dpopTokens({ nonces: true }),
    loginPath: "/login",
    now: () => Date.now() + clock.offset,
  });
  const api = server.resource(resource);
  const login = createSessionAuthScheme({ name: "login", verify: find });
  const router = createRouter({
    middleware: [
      server.endpoints,
      api.metadata,
      session(),
      crossOriginProtection(),
      auth({ schemes: [login, api.scheme] }),
    ],
  });
  router.map(server.routes, server.controller);
  router.map(server.deviceRoutes, server.deviceController);
  router.get(
    "/login",
    () => htmlResponse(html`<form method="post">Log in</form>`),
  );
  router.post("/login", async (context) => {
    await completeAuth(context, USER.id);
    return redirect(safeRedirectPath(context.url.searchParams.get("returnTo")));
  });
  router.get("/api", {
    middleware: [api.requireScope("notes:read")],
    handler: (context) => {
      const { id, name } = context.get(Auth);
      return Response.json({ id, name });
    },
  });
  const { shutdown } = serveLocally((one) => router.fetch(one), { port });
  return { clock, issuer, resource, server, [Symbol.asyncDispose]: shutdown };
}

/** An application of {@linkcode serveOAuthApp}. */
export type OAuthApp = ReturnType<typeof serveOAuthApp>;

/**
 * Logs in at the server, decides on a request in a browser, and returns the URL that
 * the client receives.
 */
export async function approveInBrowser(
  page: string | URL,
  decision = "approve",
): Promise<URL> {
  const browser = new HTTPBrowser();
  const login = await browser.open(String(page));
  const consent = await browser.submit(login, {});
  const final = await browser.submit(consent, {
    decision,
    scope: "notes:read",
  });
  return linkOf(final);
}

/** Returns the link of the final page, which leads to the client. */
export function linkOf(page: string): URL {
  const [, href] = /<a class="button" href="([^"]+)"/.exec(page) ?? [];
  if (href === undefined) throw new Error(`No link to a client in: ${page}`);
  return new URL(href.replaceAll("&amp;", "&"));
}
