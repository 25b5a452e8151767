/**
 * Authorization servers of other packages and of Gatehouse, each as its
 * documentation says and with its default settings, in one process.
 */
import { createServer } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { oauthProvider } from "npm:@better-auth/oauth-provider@1.7.5";
import { betterAuth, type BetterAuthOptions } from "npm:better-auth@1.7.25";
import { getMigrations } from "npm:better-auth@1.7.25/db/migration";
import { jwt } from "npm:better-auth@1.7.25/plugins";
import { Miniflare } from "npm:miniflare@4.20260730.0";
import Provider from "npm:oidc-provider@9.13.3";
import { captureConsole } from "../_console.ts";
import { bundle } from "../runtimes/bundle.ts";
import { COMPATIBILITY_DATE } from "../runtimes/workers.ts";
import type { HTTPBrowser } from "./_http_browser.ts";
import { createOAuthMCP } from "./_oauth_mcp_app.ts";
import { freePort } from "./_programs.ts";
import { serveLocally } from "./_serve.ts";

/** An authorization server, as a public client sees it. */
export interface Peer extends AsyncDisposable {
  readonly clientId: string;
  readonly scope: string;
  readonly authorize: string;
  readonly token: string;
  /** Responds with 401 to a token that does not work. */
  readonly api: string;
  /** Logs a user in before the authorization. */
  readonly logIn?: (browser: HTTPBrowser) => Promise<unknown>;
  /** Approves on the page, and returns the page of the client. */
  readonly approve?: (browser: HTTPBrowser, page: string) => Promise<string>;
}

const SECRET = "q7Vd2LxN9bTz4KfH8mRc1YpW5sJg3Ae0";

/** Starts Gatehouse. */
function startGatehouse(redirectUri: string): Promise<Peer> {
  const { promise, resolve } = Promise.withResolvers<
    (request: Request) => Promise<Response>
  >();
  const server = serveLocally(async (request) => (await promise)(request));
  const origin = `http://localhost:${server.addr.port}`;
  const clientId = "races";
  const { resource, router } = createOAuthMCP(origin, {
    clients: [{ id: clientId, name: "Races", redirectUris: [redirectUri] }],
  });
  resolve(router.fetch);
  return Promise.resolve({
    clientId,
    scope: "notes:read",
    authorize: `${origin}/authorize`,
    token: `${origin}/token`,
    api: resource,
    logIn: (browser) => browser.open(`${origin}/login`),
    async approve(browser, page) {
      const fields = { scope: "notes:read", decision: "approve" };
      const back = await browser.submit(page, fields);
      const [, link = ""] = /<a[^>]* href="([^"]+)"/.exec(back) ?? [];
      return await browser.open(link.replaceAll("&amp;", "&"));
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  });
}

/** The function and the handler of better-auth that its server uses. */
interface TypedAuth {
  readonly handler: (request: Request) => Promise<Response>;
  readonly api: {
    readonly adminCreateOAuthClient: (
      input: { readonly headers: Headers; readonly body: object },
    ) => Promise<{ readonly client_id: string }>;
  };
}

/** Starts better-auth with its plugin, for a trusted client without a consent page. */
async function startBetterAuth(
  redirectUri: string,
  options: { readonly refreshTokenReuseInterval?: number } = {},
): Promise<Peer> {
  const { promise, resolve } = Promise.withResolvers<
    (request: Request) => Promise<Response>
  >();
  const server = serveLocally(async (request) => (await promise)(request));
  const origin = `http://localhost:${server.addr.port}`;
  const settings = {
    baseURL: origin,
    database: new DatabaseSync(":memory:"),
    secret: SECRET,
    telemetry: { enabled: false },
    emailAndPassword: { enabled: true },
    disabledPaths: ["/token"],
    plugins: [
      jwt(),
      oauthProvider({
        loginPage: "/login",
        consentPage: "/consent",
        ...options,
      }),
    ],
  };
  // The types of the plugin come from another copy of better-auth's core.
  const typed = settings as unknown as BetterAuthOptions;
  await (await getMigrations(typed)).runMigrations();
  const auth = betterAuth(typed) as unknown as TypedAuth;
  resolve(auth.handler);
  const api = `${origin}/api/auth`;
  let users = 0;
  const signUp = () => ({
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: origin },
    body: JSON.stringify({
      name: "Ada",
      email: `ada${++users}@example.com`,
      password: "correct horse battery",
    }),
  });
  const owner = await fetch(`${api}/sign-up/email`, signUp());
  await owner.body?.cancel();
  const [cookie = ""] = owner.headers.getSetCookie();
  const client = await auth.api.adminCreateOAuthClient({
    headers: new Headers({ Cookie: cookie.split(";")[0]! }),
    body: {
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      application_type: "native",
      skip_consent: true,
      scope: "openid offline_access",
    },
  });
  return {
    clientId: client.client_id,
    scope: "openid offline_access",
    authorize: `${api}/oauth2/authorize`,
    token: `${api}/oauth2/token`,
    api: `${api}/oauth2/userinfo`,
    logIn: (browser) => browser.open(`${api}/sign-up/email`, signUp()),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Starts oidc-provider, with the pages that it has for development. */
async function startOIDCProvider(redirectUri: string): Promise<Peer> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const origin = `http://localhost:${port}`;
  using _info = captureConsole("info");
  using _warn = captureConsole("warn");
  const provider = new Provider(origin, {
    clients: [{
      client_id: "races",
      application_type: "native",
      token_endpoint_auth_method: "none",
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
    }],
    cookies: { keys: [SECRET] },
  });
  server.on("request", provider.callback());
  return {
    clientId: "races",
    scope: "openid offline_access",
    authorize: `${origin}/auth?prompt=consent`,
    token: `${origin}/token`,
    api: `${origin}/me`,
    async approve(browser, page) {
      const consent = await browser.submit(page, { login: "a", password: "x" });
      return await browser.submit(consent, {});
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A Worker whose user is logged in, and has agreed. */
const workerAt = (origin: string) => `
import { OAuthProvider } from "npm:@cloudflare/workers-oauth-provider@1.2.3";
export default new OAuthProvider({
  apiRoute: "/mcp",
  apiHandler: { fetch: () => new Response("ok") },
  defaultHandler: {
    async fetch(request, { OAUTH_PROVIDER, REDIRECT_URI }) {
      if (new URL(request.url).pathname === "/client") {
        return Response.json(await OAUTH_PROVIDER.createClient({
          redirectUris: [REDIRECT_URI],
          tokenEndpointAuthMethod: "none",
        }));
      }
      const parsed = await OAUTH_PROVIDER.parseAuthRequest(request);
      const { redirectTo } = await OAUTH_PROVIDER.completeAuthorization({
        request: parsed,
        userId: crypto.randomUUID(),
        metadata: {},
        scope: parsed.scope,
        props: {},
      });
      return Response.redirect(redirectTo);
    },
  },
  authorizeEndpoint: "/authorize",
  tokenEndpoint: "/token",
  scopesSupported: ["read", "offline_access"],
  resourceMetadata: {
    resource: "${origin}/mcp",
    authorization_servers: ["${origin}"],
  },
});`;

/** Starts workers-oauth-provider in workerd, with the KV of Miniflare. */
async function startWorkersOAuthProvider(redirectUri: string): Promise<Peer> {
  const port = freePort();
  const origin = `http://localhost:${port}`;
  const worker = new Miniflare({
    port,
    modules: true,
    script: await bundle(workerAt(origin)),
    compatibilityDate: COMPATIBILITY_DATE,
    compatibilityFlags: ["global_fetch_strictly_public"],
    bindings: { REDIRECT_URI: redirectUri },
    kvNamespaces: ["OAUTH_KV"],
  });
  await worker.ready;
  const { clientId } = await (await fetch(`${origin}/client`)).json();
  return {
    clientId,
    scope: "read offline_access",
    authorize: `${origin}/authorize`,
    token: `${origin}/token`,
    api: `${origin}/mcp`,
    [Symbol.asyncDispose]: () => worker.dispose(),
  };
}

/** The servers by the names of their rows in `docs/compare.md`. */
export const PEERS: Readonly<
  Record<string, (redirectUri: string) => Promise<Peer>>
> = {
  "[oauth-provider][bap] 1.7.5 of better-auth": startBetterAuth,
  "the same with `refreshTokenReuseInterval: 30`": (redirectUri) =>
    startBetterAuth(redirectUri, { refreshTokenReuseInterval: 30 }),
  "[oidc-provider] 9.13.3": startOIDCProvider,
  "[workers-oauth-provider] 1.2.3": startWorkersOAuthProvider,
  "Gatehouse": startGatehouse,
};
