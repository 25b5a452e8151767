/**
 * An MCP server for the notes of its users. Only clients with an access token of
 * the identity provider can call its tools.
 */
import { Auth, auth } from "@gatehouse/web/auth-middleware";
import { createResourceServer } from "@gatehouse/web/auth/access-tokens";
import { createRouter, type FetchFunction } from "@gatehouse/web/fetch-router";
import { crossOriginProtection } from "@gatehouse/web/middleware";
import { createMcpHandler } from "npm:@modelcontextprotocol/server@2.4.0";
import { createNotesServer } from "./notes_server.ts";

/** Options for {@linkcode createApp}. */
export interface AppOptions {
  /** The URL of the MCP server, as clients know it. */
  readonly resource: string;
  /** The identity provider. */
  readonly issuer: string;
}

/** The path of the MCP server. */
const PATH = "/mcp";

/** Creates the MCP server, with the metadata that clients need to log in. */
export function createApp(
  { issuer, resource }: AppOptions,
): { readonly fetch: FetchFunction } {
  const api = createResourceServer({
    name: "notes",
    resource,
    issuers: [{ issuer }],
    scopes: ["notes:read", "notes:write"],
    verify: ({ client_id, scope, sub }) => ({
      id: sub,
      clientId: String(client_id),
      scopes: typeof scope === "string" ? scope.split(" ") : [],
    }),
    metadata: { resource_name: "Notes" },
    // The demo provider has no certificate.
    allowInsecureLoopback: true,
  });
  const mcp = createMcpHandler(({ authInfo }) => createNotesServer(authInfo));

  const router = createRouter({
    middleware: [
      api.metadata,
      // A page whose name points at this server (DNS rebinding) gets a 403.
      crossOriginProtection({ origin: new URL(resource).origin }),
      auth({ schemes: [api.scheme] }),
    ],
  });
  router.route(
    "ANY",
    PATH,
    api.requireScope("notes:read"),
    (context) => {
      const { clientId, id, scopes } = context.get(Auth);
      const authInfo = {
        // The tools need the user, and never the token.
        token: "",
        clientId,
        scopes,
        resourceMetadataUrl: api.metadataUrl,
        extra: { userId: id },
      };
      return mcp.fetch(context.request, { authInfo });
    },
  );
  return router;
}
