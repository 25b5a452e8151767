/**
 * Serves the application at http://localhost:8000. Run it with
 * `deno task example:mcp-server`, register, and add http://localhost:8000/mcp to
 * your client. The codes of emails are printed.
 */
import { createApp } from "./mcp_server.ts";

const app = createApp({ origin: "http://localhost:8000" });

Deno.serve({ hostname: "127.0.0.1", port: 8000 }, app.fetch);
