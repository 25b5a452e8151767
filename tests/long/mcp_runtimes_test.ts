/** The example of an MCP server on Bun and Workers. */
import { assertEquals } from "@std/assert";
import { createIdentityProvider } from "../../examples/identity_provider/identity_provider.ts";
import { MCPUser } from "../deno/_mcp_client.ts";
import { accepts, freePort } from "../deno/_programs.ts";
import { startInBun } from "../runtimes/bun.ts";
import { bundle } from "../runtimes/bundle.ts";
import { startWorker } from "../runtimes/workers.ts";
import { serveLocally } from "../deno/_serve.ts";
import { until } from "../_wait.ts";

const ROOT = new URL("../../", import.meta.url);

/** Bundles the example with its addresses. */
function bundleExample(port: number, issuer: string): Promise<string> {
  const options = { resource: `http://localhost:${port}/mcp`, issuer };
  return bundle(`
    import { createApp } from "${ROOT.href}examples/mcp_server/mcp_server.ts";
    let app;
    export default {
      port: ${port},
      hostname: "127.0.0.1",
      fetch(request) {
        app ??= createApp(${JSON.stringify(options)});
        return app.fetch(request);
      },
    };`);
}

const runtimes: [
  name: string,
  start: (script: string, port: number) => Promise<AsyncDisposable>,
][] = [
  ["Bun", startOnBun],
  ["Workers", (script, port) => startWorker({ script, port })],
];

for (const [name, startOn] of runtimes) {
  Deno.test({
    name: `the official MCP client logs in and calls tools on ${name}`,
    // The client keeps its connections for a moment.
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const issuer = `http://localhost:${freePort()}`;
      const port = freePort();
      const resource = `http://localhost:${port}/mcp`;
      const provider = createIdentityProvider({
        issuer,
        clients: [],
        resources: [resource],
      });
      await using _server = serveLocally(
        (request) => provider.fetch(request),
        { port: Number(new URL(issuer).port) },
      );
      await using _runtime = await startOn(
        await bundleExample(port, issuer),
        port,
      );

      const ada = new MCPUser(resource);
      assertEquals(await ada.listTools(), ["list_notes", "add_note"]);
      assertEquals(await ada.callTool("add_note", { text: "Milk" }), "Added.");
      assertEquals(await ada.callTool("list_notes"), "Milk");
      assertEquals(ada.logins, ["notes:read", "notes:read notes:write"]);
    },
  });
}

async function startOnBun(
  script: string,
  port: number,
): Promise<AsyncDisposable> {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}/main.js`, script);
  const child = startInBun(folder);
  await listening(port);
  return {
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.stdout.cancel();
      await child.status;
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Waits until a server listens. */
async function listening(port: number): Promise<void> {
  await until(() => accepts(port));
}
