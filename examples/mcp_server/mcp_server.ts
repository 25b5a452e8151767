/**
 * Notes of users, and an MCP server by which their assistants read and add notes.
 * Users register, connect a client by its URL, and log out everywhere: the clients
 * are then out too.
 */
import { createAccounts } from "@gatehouse/web/accounts";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { Auth, grantedScopes } from "@gatehouse/web/auth-middleware";
import { html, htmlResponse } from "@gatehouse/web/content";
import { createRouter, redirect } from "@gatehouse/web/fetch-router";
import {
  type ClientDocumentOptions,
  createAuthorizationServer,
} from "@gatehouse/web/oauth-server";
import { createMcpHandler } from "npm:@modelcontextprotocol/server@2.4.0";
import { createNotesServer, notesOf } from "./notes_server.ts";

/** Options for {@linkcode createApp}. */
export interface AppOptions {
  /** The origin of the application. */
  readonly origin: string;
  /** Fetches the metadata documents of clients, for tests. */
  readonly fetch?: ClientDocumentOptions["fetch"];
}

/** Creates the application. Accounts and notes are in memory. */
export function createApp({ fetch, origin }: AppOptions) {
  const resource = `${origin}/mcp`;
  const accounts = createAccounts({
    name: "Notes",
    origin,
    database: createMemoryAccountStore(),
  });
  const server = createAuthorizationServer({
    issuer: origin,
    users: accounts,
    store: accounts.store,
    // In production: from the environment, so that tokens survive a restart.
    secrets: [crypto.randomUUID() + crypto.randomUUID()],
    resources: {
      [resource]: {
        name: "Notes",
        scopes: { "notes:read": "Read your notes", "notes:write": "Add notes" },
        defaultScopes: ["notes:read"],
      },
    },
    loginPath: accounts.routes.login.index.href(),
    confirmPath: accounts.routes.confirm.index.href(),
    ...fetch && { cimd: { fetch } },
  });
  const api = server.resource(resource);
  const mcp = createMcpHandler(({ authInfo }) => createNotesServer(authInfo));

  const router = createRouter({
    middleware: [
      server.endpoints,
      api.metadata,
      ...accounts.withSchemes(api.scheme),
    ],
  });
  router.map(accounts.routes, accounts.controller);
  router.map(server.routes, server.controller);
  router.route("ANY", "/mcp", api.requireScope("notes:read"), (context) => {
    const authInfo = {
      // The tools need the user, and never the token.
      token: "",
      clientId: "",
      scopes: [...grantedScopes(context)],
      resourceMetadataUrl: api.metadataUrl,
      extra: { userId: context.get(Auth).id },
    };
    return mcp.fetch(context.request, { authInfo });
  });
  router.get("/", accounts.requireUser, (context) => {
    const { id, name } = context.get(Auth);
    return htmlResponse(html`
      <h1>Notes of ${name}</h1>
      <ul>${notesOf(id).map((note) => html`<li>${note}</li>`)}</ul>
      <p>Add ${resource} to your assistant.</p>
      <p><a href="/account/apps">Connected apps</a></p>
      <form method="post" action="/end"><button>Log out everywhere</button></form>
    `);
  });
  router.post("/end", accounts.requireUser, async (context) => {
    // It ends the sessions, and the access of all clients.
    await accounts.users.endAccess(context.get(Auth).id);
    return redirect("/login", 303);
  });
  return { accounts, fetch: router.fetch };
}
