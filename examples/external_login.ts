/**
 * Login at an OpenID provider, in one file: "Log in with ...". Users live in
 * memory, found by issuer and subject.
 *
 * Run it with `deno task example:external-login`, then open
 * http://localhost:8000. It brings a demo provider. For a real one, where you
 * register http://localhost:8000/callback as redirect URI, set `OIDC_ISSUER`,
 * `OIDC_CLIENT_ID` and `OIDC_CLIENT_SECRET`; `PORT` is another port.
 */
import {
  completeAuth,
  createOIDCAuthProvider,
  type ExternalAuthProvider,
  externalAuthResult,
  type OIDCAuthProviderOptions,
  type OIDCProfile,
  startExternalAuth,
} from "@gatehouse/web/auth";
import {
  Auth,
  auth,
  createSessionAuthScheme,
  redirectToLogin,
  requireAuth,
} from "@gatehouse/web/auth-middleware";
import {
  createRouter,
  type FetchFunction,
  redirect,
} from "@gatehouse/web/fetch-router";
import { post, route } from "@gatehouse/web/fetch-router/routes";
import { logger } from "@gatehouse/web/logger-middleware";
import {
  crossOriginProtection,
  secureHeaders,
} from "@gatehouse/web/middleware";
import { Session } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";

interface User {
  readonly id: string;
  readonly name: string;
}

const routes = route({
  home: "/",
  login: "/login",
  callback: "/callback",
  canceled: "/canceled",
  logout: post("/logout"),
});

/** Creates the application, for one provider. */
export function createApp(
  provider: ExternalAuthProvider<OIDCProfile>,
): { readonly fetch: FetchFunction } {
  const users = new Map<string, User>();
  const browser = createSessionAuthScheme({
    name: "browser",
    verify: (id) => users.get(String(id)) ?? null,
  });
  const router = createRouter({
    middleware: [
      logger(),
      secureHeaders(),
      crossOriginProtection(),
      session(),
      auth({ schemes: [browser] }),
    ],
  });
  const requireLogin = requireAuth({
    onUnauthenticated: redirectToLogin(routes.login.href()),
  });

  router.get(routes.home, { middleware: [requireLogin] }, (context) => {
    return page(`
      <p>Hello ${escape(context.get(Auth).name)}</p>
      <form method="post" action="${routes.logout.href()}">
        <button>Log out</button>
      </form>`);
  });
  router.get(routes.login, (context) => {
    const returnTo = context.url.searchParams.get("returnTo");
    return startExternalAuth(provider, context, { returnTo });
  });
  router.get(routes.callback, async (context) => {
    const result = await externalAuthResult(provider, context);
    if (!result.ok && result.error.code === "access_denied") {
      return redirect(routes.canceled.href());
    }
    if (!result.ok) {
      const again = `<a href="${routes.login.href()}">Try again</a>`;
      return page(`<p>Authentication failed. ${again}</p>`, 401);
    }
    const { issuer, subject, profile, returnTo } = result;
    // Never by email address: those change hands, and not all are verified.
    const id = JSON.stringify([issuer, subject]);
    users.set(id, { id, name: profile.name ?? subject });
    await completeAuth(context, id);
    return redirect(returnTo);
  });
  router.get(routes.canceled, () => {
    const login = `<a href="${routes.login.href()}">Log in</a>`;
    return page(`<p>You have canceled the login. ${login}</p>`);
  });
  router.post(routes.logout, (context) => {
    context.get(Session).destroy();
    return page(`<p>Bye. <a href="${routes.home.href()}">Log in</a></p>`);
  });
  return router;
}

function page(content: string, status = 200): Response {
  const html = `<!doctype html>
    <html lang="en"><title>External login</title>${content}`;
  const headers = {
    "Content-Type": "text/html; charset=utf-8",
    // Otherwise the Back button shows a page again after the logout.
    "Cache-Control": "no-store",
  };
  return new Response(html, { status, headers });
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

if (import.meta.main) {
  const port = Number(Deno.env.get("PORT") ?? 8000);
  const redirectUri = `http://localhost:${port}${routes.callback.href()}`;
  const registration = registrationOf() ??
    await serveDemoProvider(port + 1, redirectUri);
  const provider = createOIDCAuthProvider({
    ...registration,
    redirectUri,
    onError: (error) => console.error(error),
  });
  // A login has to begin on the host that the redirect URI names.
  const onListen = () => console.log(`Listening on http://localhost:${port}/`);
  const address = { hostname: "127.0.0.1", port, onListen };
  Deno.serve(address, createApp(provider).fetch);
}

type Registration = Omit<OIDCAuthProviderOptions, "redirectUri">;

/** Reads the settings of a real provider from the environment. */
function registrationOf(): Registration | null {
  const issuer = Deno.env.get("OIDC_ISSUER");
  return issuer === undefined ? null : {
    name: "login",
    issuer,
    clientId: Deno.env.get("OIDC_CLIENT_ID") ?? "",
    clientSecret: Deno.env.get("OIDC_CLIENT_SECRET"),
  };
}

/** Serves the demo provider, which has no passwords. */
async function serveDemoProvider(
  port: number,
  redirectUri: string,
): Promise<Registration> {
  const { createIdentityProvider } = await import(
    "./identity_provider/identity_provider.ts"
  );
  const issuer = `http://127.0.0.1:${port}`;
  const [clientId, clientSecret] = ["example", crypto.randomUUID()];
  const { fetch } = createIdentityProvider({
    issuer,
    clients: [{
      id: clientId,
      secret: clientSecret,
      redirectUris: [redirectUri],
    }],
  });
  const address = { hostname: "127.0.0.1", port, onListen: () => {} };
  Deno.serve(address, fetch);
  return {
    name: "demo",
    issuer,
    clientId,
    clientSecret,
    allowInsecureLoopback: true,
  };
}
