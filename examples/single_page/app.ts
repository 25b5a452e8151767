/**
 * A single-page application and its backend. The browser has a session cookie, and
 * never a token: the backend adds it to the requests for the API.
 */
import {
  completeAuth,
  createOIDCAuthProvider,
  externalAuthResult,
  startExternalAuth,
} from "@gatehouse/web/auth";
import { forwardTo, keepTokens } from "@gatehouse/web/auth/provider-tokens";
import {
  createRouter,
  type FetchFunction,
  redirect,
} from "@gatehouse/web/fetch-router";
import {
  crossOriginProtection,
  secureHeaders,
} from "@gatehouse/web/middleware";
import { createMemorySessionStore, Session } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import page from "./page.html" with { type: "text" };
import script from "./page_script.js" with { type: "text" };

/** Options for {@linkcode createApp}. */
export interface AppOptions {
  /** The address of the application, such as `http://localhost:8000`. */
  readonly origin: string;
  /** The identity provider. */
  readonly issuer: string;
  /** The secret of the client `single-page` at the provider. */
  readonly clientSecret: string;
  /** The URL of the API. */
  readonly api: string;
  /** The secret that encrypts the tokens. */
  readonly secret: string;
}

/** Creates the application. */
export function createApp(
  { api, clientSecret, issuer, origin, secret }: AppOptions,
): { readonly fetch: FetchFunction } {
  const provider = createOIDCAuthProvider({
    name: "demo",
    issuer,
    clientId: "single-page",
    clientSecret,
    redirectUri: `${origin}/callback`,
    scopes: ["openid", "notes"],
    // The token is for this API only (RFC 8707).
    authorizationParams: { resource: api },
    // So the provider's userinfo endpoint does not accept it.
    userinfo: false,
    allowInsecureLoopback: true,
  });
  const store = createMemorySessionStore();
  const tokens = keepTokens(provider, { store, secrets: [secret] });
  const router = createRouter({
    middleware: [
      secureHeaders(),
      crossOriginProtection({ origin }),
      session({ store }),
    ],
  });

  router.get("/", () => serveFile(page, "text/html"));
  router.get("/page_script.js", () => serveFile(script, "text/javascript"));
  router.mount(
    "/api",
    forwardTo(api, { tokens, paths: { "/notes": ["GET", "POST"] } }),
  );

  router.get("/login", (context) => startExternalAuth(provider, context));
  router.get("/callback", async (context) => {
    const result = await externalAuthResult(provider, context);
    if (!result.ok) return new Response("Login failed", { status: 401 });
    await completeAuth(context, result.subject);
    await tokens.save(context, result);
    return redirect("/");
  });
  router.post("/logout", (context) => {
    context.get(Session).destroy();
    return redirect("/");
  });
  return router;
}

function serveFile(text: string, type: string): Response {
  const headers = { "Content-Type": `${type}; charset=utf-8` };
  return new Response(text, { headers });
}
