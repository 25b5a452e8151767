/** An MCP server whose application is its own authorization server. */
import { completeAuth } from "@gatehouse/web/auth";
import {
  Auth,
  auth,
  createSessionAuthScheme,
  grantedScopes,
} from "@gatehouse/web/auth-middleware";
import { createRouter } from "@gatehouse/web/fetch-router";
import { crossOriginProtection } from "@gatehouse/web/middleware";
import {
  createAuthorizationServer,
  type DPoPTokens,
  type RegisteredClient,
  registrationEndpoint,
} from "@gatehouse/web/oauth-server";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import {
  createTestClient,
  type TestClient,
  type TestTarget,
} from "@gatehouse/web/testing";
import { createMcpHandler } from "npm:@modelcontextprotocol/server@2.4.0";
import { createNotesServer } from "../../examples/mcp_server/notes_server.ts";

/** Options for {@linkcode createOAuthMCP}. */
export interface OAuthMCPOptions {
  /** The documents and keys on the internet, by URL. */
  readonly internet?: Readonly<Record<string, unknown>>;
  readonly clients?: readonly RegisteredClient[];
  readonly canRegister?: boolean;
  /**
   * Binds the tokens to keys of the clients.
   *
   * @default {undefined}
   */
  readonly dpop?: DPoPTokens;
  /**
   * Creates the MCP server of a request.
   *
   * @default {createNotesServer}
   */
  readonly createServer?: Parameters<typeof createMcpHandler>[0];
}

/** Creates the application. It runs on all runtimes. */
export function createOAuthMCP(origin: string, options: OAuthMCPOptions = {}) {
  const { canRegister = false, clients = [], dpop, internet = {} } = options;
  const resource = `${origin}/mcp`;
  const clock = { now: Date.now };
  const fetched: string[] = [];
  const find = (id: string) => ({ id, name: "Ada" });
  const server = createAuthorizationServer({
    issuer: origin,
    users: { find },
    store: createMemorySessionStore(),
    secrets: ["M9uYb1eVxqT7oZ2cKp4wRh6sLd8fGj0n"],
    resources: {
      [resource]: {
        name: "Notes",
        scopes: {
          "notes:read": "Read your notes",
          "notes:write": "Add notes",
        },
        defaultScopes: ["notes:read"],
      },
    },
    clients,
    cimd: {
      fetch(url) {
        fetched.push(url);
        return Promise.resolve(Response.json(internet[url]));
      },
    },
    ...canRegister && { registration: registrationEndpoint() },
    ...dpop && { dpop },
    lifetimes: { access: 60_000 },
    loginPath: "/login",
    now: () => clock.now(),
  });
  const api = server.resource(resource);
  const mcp = createMcpHandler(
    options.createServer ?? (({ authInfo }) => createNotesServer(authInfo)),
  );
  const login = createSessionAuthScheme({ name: "login", verify: find });
  const router = createRouter({
    middleware: [
      server.endpoints,
      api.metadata,
      session(),
      crossOriginProtection({ origin }),
      auth({ schemes: [login, api.scheme] }),
    ],
  });
  router.map(server.routes, server.controller);
  router.get("/login", async (context) => {
    await completeAuth(context, "1");
    return new Response("Welcome");
  });
  router.route("ANY", "/mcp", api.requireScope("notes:read"), (context) => {
    const { id } = context.get(Auth);
    return mcp.fetch(context.request, {
      authInfo: {
        // The tools need the user, and never the token.
        token: "",
        clientId: "",
        scopes: [...grantedScopes(context)],
        resourceMetadataUrl: api.metadataUrl,
        extra: { userId: `${origin} ${id}` },
      },
    });
  });
  return { clock, fetched, resource, router, server };
}

/** Logs Ada in, and approves all scopes on the consent page. */
export async function approve(
  target: TestTarget,
  origin: string,
  page: URL,
): Promise<URL> {
  const browser = createTestClient(target, { origin });
  await browser.fetch("/login");
  return await approveIn(browser, page);
}

/** Approves all scopes on the consent page, in a browser with a login. */
export async function approveIn(browser: TestClient, page: URL): Promise<URL> {
  const { origin } = page;
  const consent = await browser.fetch(page.pathname + page.search);
  const html = await consent.text();
  const [, handle] = /name="request" value="([\w-]+)"/.exec(html) ?? [];
  if (handle === undefined) throw new Error(`${consent.status} ${html}`);
  const body = new URLSearchParams({ request: handle, decision: "approve" });
  for (const [, scope] of html.matchAll(/name="scope" value="([^"]+)"/g)) {
    body.append("scope", scope!);
  }
  const response = await browser.fetch(page.pathname, {
    method: "POST",
    headers: { Origin: origin, "Sec-Fetch-Site": "same-origin" },
    body,
  });
  const location = response.headers.get("Location") ??
    response.headers.get("Refresh")?.replace(/^0; url=/, "");
  return new URL(location!);
}
