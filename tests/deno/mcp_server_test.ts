/** The example of an MCP server, called by the official client. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createIdentityProvider } from "../../examples/identity_provider/identity_provider.ts";
import { createApp } from "../../examples/mcp_server/mcp_server.ts";
import { choose, MCPUser } from "./_mcp_client.ts";
import { freePort } from "./_programs.ts";
import { serveLocally, type TestServer } from "./_serve.ts";

const SANITIZERS = {
  // The client keeps its connections for a moment.
  sanitizeOps: false,
  sanitizeResources: false,
} as const;

/** Serves two MCP servers with one demo provider. */
function start() {
  const issuer = `http://localhost:${freePort()}`;
  const resource = `http://localhost:${freePort()}/mcp`;
  const other = `http://localhost:${freePort()}/mcp`;
  const provider = createIdentityProvider({
    issuer,
    clients: [],
    resources: [resource, other],
  });
  const servers = [
    serve(issuer, provider.fetch),
    serve(resource, createApp({ issuer, resource }).fetch),
    serve(other, createApp({ issuer, resource: other }).fetch),
  ];
  return {
    issuer,
    resource,
    other,
    async [Symbol.asyncDispose]() {
      for (const server of servers) await server.shutdown();
    },
  };
}

function serve(
  url: string,
  handler: (request: Request) => Promise<Response>,
): TestServer {
  const port = Number(new URL(url).port);
  return serveLocally((request) => handler(request), { port });
}

/** Sends a call of a tool as a client of the version 2025-11-25. */
async function post(
  url: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "Accept": "application/json, text/event-stream",
      "Content-Type": "application/json",
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "list_notes", arguments: {} },
    }),
  });
  // Callers may still read the copy.
  const text = await response.text();
  return new Response(text, response);
}

Deno.test({
  ...SANITIZERS,
  name:
    "the official MCP client finds the issuer, registers, logs in and calls tools",
  async fn() {
    await using server = start();
    const ada = new MCPUser(server.resource);
    assertEquals(await ada.listTools(), ["list_notes", "add_note"]);
    assertEquals(await ada.callTool("list_notes"), "You have no notes.");
    assertEquals(ada.logins, ["notes:read"]);

    // The tool needs another scope, so the client logs in again.
    assertEquals(await ada.callTool("add_note", { text: "Milk" }), "Added.");
    assertEquals(await ada.callTool("list_notes"), "Milk");
    assertEquals(ada.logins, ["notes:read", "notes:read notes:write"]);

    const approve = choose("demo-grace");
    const grace = new MCPUser(server.resource, { approve });
    assertEquals(await grace.callTool("list_notes"), "You have no notes.");
  },
});

Deno.test({
  ...SANITIZERS,
  name: "the tools of the MCP server validate their arguments",
  async fn() {
    await using server = start();
    const ada = new MCPUser(server.resource);
    for (const args of [{}, { text: "" }, { text: "a".repeat(1_001) }]) {
      const text = await ada.callTool("add_note", args);
      assertStringIncludes(text, "text");
    }
  },
});

Deno.test({
  ...SANITIZERS,
  name:
    "the MCP server refuses requests without a token, and tokens for another server (RFC 8707)",
  async fn() {
    await using server = start();
    const anonymous = await post(server.resource);
    assertEquals(anonymous.status, 401);
    const challenge = anonymous.headers.get("WWW-Authenticate") ?? "";
    const metadataUrl = new URL(
      "/.well-known/oauth-protected-resource/mcp",
      server.resource,
    ).href;
    assertStringIncludes(challenge, `resource_metadata="${metadataUrl}"`);
    assertStringIncludes(challenge, 'scope="notes:read"');

    const ada = new MCPUser(server.other);
    await ada.listTools();
    assert(ada.accessToken);
    const bearer = { Authorization: `Bearer ${ada.accessToken}` };
    assertEquals((await post(server.other, bearer)).status, 200);
    const stolen = await post(server.resource, bearer);
    assertEquals(stolen.status, 401);
    assertStringIncludes(
      stolen.headers.get("WWW-Authenticate") ?? "",
      'error="invalid_token"',
    );
  },
});

Deno.test({
  ...SANITIZERS,
  name: "the MCP server rejects pages of other origins",
  async fn() {
    await using server = start();
    const ada = new MCPUser(server.resource);
    await ada.listTools();
    const headers = {
      Authorization: `Bearer ${ada.accessToken}`,
      Origin: "http://evil.example",
    };
    assertEquals((await post(server.resource, headers)).status, 403);
  },
});

Deno.test("the MCP server publishes its metadata (RFC 9728)", async () => {
  await using server = start();
  const { origin } = new URL(server.resource);
  for (const suffix of ["", "/mcp"]) {
    const path = `/.well-known/oauth-protected-resource${suffix}`;
    const response = await fetch(origin + path);
    const metadata = await response.json();
    assertEquals(metadata.resource, server.resource);
    assertEquals(metadata.authorization_servers, [server.issuer]);
    assertEquals(metadata.scopes_supported, ["notes:read", "notes:write"]);
  }
});
