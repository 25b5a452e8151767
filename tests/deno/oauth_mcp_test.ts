/** The official MCP client at an application with an authorization server. */
import { assertEquals, assertRejects } from "@std/assert";
import { exportJWK, generateKeyPair } from "jose";
import { dpopTokens } from "@gatehouse/web/oauth-server";
import {
  createPrivateKeyJwtAuth,
  DpopSession,
} from "npm:@modelcontextprotocol/client@2.4.0";
import { MCPUser } from "./_mcp_client.ts";
import { startOAuthMCP } from "./_oauth_mcp_server.ts";

const SANITIZERS = {
  // The client keeps its connections for a moment.
  sanitizeOps: false,
  sanitizeResources: false,
} as const;

const ID = "https://client.example/client.json";
const DOCUMENT = {
  client_id: ID,
  client_name: "Test client",
  // The client opens it with a port.
  redirect_uris: ["http://localhost/callback"],
  grant_types: ["authorization_code", "refresh_token"],
  token_endpoint_auth_method: "none",
};

Deno.test({
  ...SANITIZERS,
  name:
    "the official MCP client connects by URL, steps up, refreshes, and ends with its grant",
  async fn() {
    await using app = startOAuthMCP({ internet: { [ID]: DOCUMENT } });
    const { approve } = app;
    const ada = new MCPUser(app.resource, { approve, documentURL: ID });
    assertEquals(await ada.listTools(), ["list_notes", "add_note"]);
    assertEquals(ada.logins, ["notes:read"]);
    assertEquals(app.fetched, [ID]);

    // The tool needs another scope, so the client asks the user again.
    assertEquals(await ada.callTool("add_note", { text: "Milk" }), "Added.");
    assertEquals(ada.logins, ["notes:read", "notes:read notes:write"]);
    const grants = await app.server.grants("1");
    assertEquals(grants.map(({ client }) => client.id), [ID, ID]);
    assertEquals(grants[0]?.client.host, "client.example");
    assertEquals(grants[0]?.redirectHost, "localhost:3000");

    const { accessToken } = ada;
    app.wait(60_000);
    assertEquals(await ada.callTool("list_notes"), "Milk");
    assertEquals(ada.accessToken === accessToken, false);
    assertEquals(ada.logins.length, 2);

    await app.server.revoke("1");
    assertEquals(await ada.callTool("list_notes"), "Milk");
    assertEquals(ada.logins.length, 3);
  },
});

Deno.test({
  ...SANITIZERS,
  name: "the official MCP client connects with signed assertions",
  async fn() {
    const { privateKey, publicKey } = await generateKeyPair("ES256", {
      extractable: true,
    });
    const jwks_uri = "https://client.example/jwks.json";
    const internet = {
      [ID]: {
        ...DOCUMENT,
        token_endpoint_auth_method: "private_key_jwt",
        jwks_uri,
      },
      [jwks_uri]: { keys: [await exportJWK(publicKey)] },
    };
    await using app = startOAuthMCP({ internet });
    const authenticate = createPrivateKeyJwtAuth({
      issuer: ID,
      subject: ID,
      privateKey: { ...await exportJWK(privateKey) },
      alg: "ES256",
    });
    const { approve } = app;
    const options = { approve, documentURL: ID };
    const ada = new MCPUser(app.resource, { ...options, authenticate });
    assertEquals(await ada.listTools(), ["list_notes", "add_note"]);
    app.wait(60_000);
    assertEquals(await ada.callTool("list_notes"), "You have no notes.");
    assertEquals(ada.logins.length, 1);

    // Without the key, the id of the client is worth nothing.
    const thief = new MCPUser(app.resource, options);
    await assertRejects(() => thief.listTools());
  },
});

Deno.test({
  ...SANITIZERS,
  name:
    "the official MCP client binds its tokens to a key, and refreshes them with it (RFC 9449)",
  async fn() {
    await using app = startOAuthMCP({
      dpop: dpopTokens({ nonces: true, required: true }),
      internet: { [ID]: { ...DOCUMENT, dpop_bound_access_tokens: true } },
    });
    const options = { approve: app.approve, documentURL: ID };
    const dpop = await DpopSession.create();
    const ada = new MCPUser(app.resource, { ...options, dpop });
    assertEquals(await ada.callTool("list_notes"), "You have no notes.");
    const { accessToken } = ada;
    const headers = { Authorization: `Bearer ${accessToken}` };
    const stolen = await fetch(app.resource, { method: "POST", headers });
    await stolen.body?.cancel();
    assertEquals(stolen.status, 401);

    app.wait(60_000);
    assertEquals(await ada.callTool("list_notes"), "You have no notes.");
    assertEquals(ada.accessToken === accessToken, false);
    assertEquals(ada.logins.length, 1);

    const other = new MCPUser(app.resource, options);
    await assertRejects(() => other.listTools());
  },
});

Deno.test({
  ...SANITIZERS,
  name: "the official MCP client registers, if the application allows it",
  async fn() {
    await using app = startOAuthMCP({ canRegister: true });
    const { approve } = app;
    const ada = new MCPUser(app.resource, { approve });
    assertEquals(await ada.callTool("list_notes"), "You have no notes.");
    const [grant] = await app.server.grants("1");
    assertEquals(grant?.client.name, "Test client");
    assertEquals(app.fetched, []);

    await using closed = startOAuthMCP();
    const eve = new MCPUser(closed.resource, { approve: closed.approve });
    await assertRejects(() => eve.listTools());
  },
});
