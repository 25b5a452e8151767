/**
 * Serves the MCP server at http://localhost:8000/mcp, and the demo identity
 * provider at http://localhost:8001. Run it with `deno task example:mcp-server`,
 * and add the URL of the MCP server to your client.
 */
import { createIdentityProvider } from "../identity_provider/identity_provider.ts";
import { createApp } from "./mcp_server.ts";

const resource = "http://localhost:8000/mcp";
const issuer = "http://localhost:8001";

const provider = createIdentityProvider({
  issuer,
  clients: [],
  resources: [resource],
});
const app = createApp({ resource, issuer });

Deno.serve({ hostname: "127.0.0.1", port: 8001 }, provider.fetch);
Deno.serve({ hostname: "127.0.0.1", port: 8000 }, app.fetch);
