/**
 * The example of an MCP server on Bun and Workers, and an MCP server with its own
 * authorization server on Bun, Node and Workers.
 */
import { assertEquals } from "@std/assert";
import { createTestClient, type TestClient } from "@gatehouse/web/testing";
import { MCPUser } from "../deno/_mcp_client.ts";
import { approve, approveIn } from "../deno/_oauth_mcp_app.ts";
import { freePort, listening } from "../deno/_programs.ts";
import { bunPath } from "../runtimes/bun.ts";
import { bundle } from "../runtimes/bundle.ts";
import { NODE_VERSIONS, nodePath } from "../runtimes/node.ts";
import { startWorker } from "../runtimes/workers.ts";
import { until, withinMinute } from "../_wait.ts";

const ROOT = new URL("../../", import.meta.url);

const DOCUMENT_URL = "https://client.example/client.json";
const DOCUMENT = {
  client_id: DOCUMENT_URL,
  client_name: "Test client",
  redirect_uris: ["http://localhost/callback"],
  token_endpoint_auth_method: "none",
};

/** Bundles the example. At `/printed` it returns the emails that it has printed. */
function bundleExample(port: number): Promise<string> {
  return bundle(`
    import { createApp } from "${ROOT.href}examples/mcp_server/mcp_server.ts";
    import { captureConsole } from "${ROOT.href}tests/_console.ts";
    const { printed } = captureConsole("log");
    let app;
    export default {
      port: ${port},
      hostname: "127.0.0.1",
      async fetch(request, ...platform) {
        app ??= createApp({
          origin: "http://localhost:${port}",
          fetch: () => Promise.resolve(Response.json(${
    JSON.stringify(DOCUMENT)
  })),
        });
        return request.url.endsWith("/printed")
          ? Response.json(printed)
          : await app.fetch(request, ...platform);
      },
    };`);
}

const runtimes: [
  name: string,
  start: (script: string, port: number) => Promise<AsyncDisposable>,
][] = [
  ["Bun", startOnBun],
  ["Workers", startOnWorkers],
];
const nodes: typeof runtimes = NODE_VERSIONS.slice(0, 1).map((version) => [
  `Node ${version}`,
  (script, port) => startOnNode(version, script, port),
]);

for (const [name, startOn] of runtimes) {
  Deno.test({
    name:
      `the official MCP client connects by its URL and calls tools on ${name}`,
    // The client keeps its connections for a moment.
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const port = freePort();
      const origin = `http://localhost:${port}`;
      const script = await bundleExample(port);
      await using _runtime = await startOn(script, port);
      const browser = await register(origin);
      const ada = new MCPUser(`${origin}/mcp`, {
        documentURL: DOCUMENT_URL,
        approve: (page) => approveIn(browser, page),
      });
      assertEquals(await ada.listTools(), ["list_notes", "add_note"]);
      assertEquals(await ada.callTool("add_note", { text: "Milk" }), "Added.");
      assertEquals(await ada.callTool("list_notes"), "Milk");
      assertEquals(ada.logins, ["notes:read", "notes:read notes:write"]);
    },
  });
}

/** Registers a user with the code of the email, and returns the browser. */
async function register(origin: string): Promise<TestClient> {
  const browser = createTestClient({
    fetch: (request) => fetch(request, { redirect: "manual" }),
  }, { origin });
  const post = (path: string, fields: Readonly<Record<string, string>>) =>
    browser.fetch(path, { method: "POST", body: new URLSearchParams(fields) });
  const password = "correct horse battery";
  const email = "ada@example.com";
  const asked = await post("/register", { email, name: "Ada", password });
  await asked.body?.cancel();
  // The email is sent after the response.
  const printed = until(async () => {
    const lines = await (await fetch(`${origin}/printed`)).json();
    return /\b\d{6}\b/.exec(lines.join("\n"))?.[0];
  });
  const code = await withinMinute(printed, () => "No email has a code");
  const registered = await post("/register/code", { code });
  assertEquals(registered.status, 303, await registered.text());
  return browser;
}

function startOnWorkers(
  script: string,
  port: number,
): Promise<AsyncDisposable> {
  const compatibilityFlags = ["global_fetch_strictly_public"];
  return startWorker({ script, port, compatibilityFlags });
}

/** Bundles an application that serves the document of a client to itself. */
function bundleOAuth(origin: string): Promise<string> {
  const { hostname, port } = new URL(origin);
  const options = { internet: { [DOCUMENT_URL]: DOCUMENT } };
  return bundle(`
    import { createOAuthMCP } from "${ROOT.href}tests/deno/_oauth_mcp_app.ts";
    const { router } = createOAuthMCP(
      ${JSON.stringify(origin)},
      ${JSON.stringify(options)},
    );
    export default {
      port: ${port},
      hostname: ${JSON.stringify(hostname)},
      fetch: (request) => router.fetch(request),
    };`);
}

for (const [name, startOn] of [...runtimes, ...nodes]) {
  Deno.test({
    name: `the official MCP client connects by URL on ${name}`,
    // The client keeps its connections for a moment.
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const port = freePort();
      const origin = `http://localhost:${port}`;
      await using _runtime = await startOn(await bundleOAuth(origin), port);
      const target = {
        fetch: (request: Request) =>
          fetch(new Request(request, { redirect: "manual" })),
      };
      const ada = new MCPUser(`${origin}/mcp`, {
        approve: (page) => approve(target, origin, page),
        documentURL: DOCUMENT_URL,
      });
      assertEquals(await ada.listTools(), ["list_notes", "add_note"]);
      assertEquals(await ada.callTool("add_note", { text: "Milk" }), "Added.");
      assertEquals(await ada.callTool("list_notes"), "Milk");
      assertEquals(ada.logins, ["notes:read", "notes:read notes:write"]);
    },
  });
}

function startOnBun(script: string, port: number): Promise<AsyncDisposable> {
  return startScript(bunPath(), { "main.mjs": script }, port);
}

/** Serves the default export of a script on Node. */
async function startOnNode(
  version: typeof NODE_VERSIONS[number],
  script: string,
  port: number,
): Promise<AsyncDisposable> {
  const files = { "app.mjs": script, "main.mjs": NODE_SERVER };
  return await startScript(await nodePath(version), files, port);
}

const NODE_SERVER = `
import { createServer } from "node:http";
import { Readable } from "node:stream";
import app from "./app.mjs";
createServer(async (incoming, outgoing) => {
  const { headers, method, url } = incoming;
  const hasBody = method !== "GET" && method !== "HEAD";
  const response = await app.fetch(
    new Request(new URL(url, "http://localhost:" + app.port), {
      method,
      headers,
      ...hasBody && { body: Readable.toWeb(incoming), duplex: "half" },
    }),
  );
  outgoing.writeHead(response.status, [...response.headers].flat());
  for await (const chunk of response.body ?? []) outgoing.write(chunk);
  outgoing.end();
}).listen(app.port, app.hostname);`;

/** Starts `main.mjs` of some files, and waits until it listens. */
async function startScript(
  program: string,
  files: Readonly<Record<string, string>>,
  port: number,
): Promise<AsyncDisposable> {
  const folder = await Deno.makeTempDir();
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(`${folder}/${name}`, text);
  }
  const child = new Deno.Command(program, {
    args: ["main.mjs"],
    cwd: folder,
    stdout: "null",
    stderr: "null",
  }).spawn();
  await listening(port);
  return {
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.status;
      await Deno.remove(folder, { recursive: true });
    },
  };
}
