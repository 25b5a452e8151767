/**
 * The conformance scenarios of the Model Context Protocol, against a protected
 * server and `createAuthorizationServer()`.
 *
 * No scenario tests a protected resource as such: those with `auth/` test clients.
 * So a proxy adds the token of a logged-in user to all requests of the runner, and
 * the scenarios show that the router and the guards keep the protocol intact.
 */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { connectTest, createTestClient } from "@gatehouse/web/testing";
import { createConformanceServer } from "../deno/_mcp_conformance_server.ts";
import { createOAuthMCP } from "../deno/_oauth_mcp_app.ts";
import { startOAuthMCP } from "../deno/_oauth_mcp_server.ts";
import { freePort, serveCommand } from "../deno/_programs.ts";
import { serveLocally, type TestServer } from "../deno/_serve.ts";
import { withinMinute } from "../_wait.ts";

const RUNNER =
  "npm:@modelcontextprotocol/conformance@0.2.0-alpha.12/conformance";
const REVISION = "2026-07-28";

/** All scenarios that the revision requires of servers. */
const REQUIRED = [
  "server-stateless",
  "completion-complete",
  "tools-list",
  "tools-call-simple-text",
  "tools-call-image",
  "tools-call-audio",
  "tools-call-embedded-resource",
  "tools-call-mixed-content",
  "tools-call-error",
  "tools-call-with-progress",
  "server-sse-multiple-streams",
  "resources-list",
  "resources-read-text",
  "resources-read-binary",
  "resources-templates-read",
  "sep-2164-resource-not-found",
  "prompts-list",
  "prompts-get-simple",
  "prompts-get-with-args",
  "prompts-get-embedded-resource",
  "prompts-get-with-image",
  "dns-rebinding-protection",
  "caching",
  "input-required-result-basic-elicitation",
  "input-required-result-basic-sampling",
  "input-required-result-basic-list-roots",
  "input-required-result-request-state",
  "input-required-result-multiple-input-requests",
  "input-required-result-multi-round",
  "input-required-result-missing-input-response",
  "input-required-result-non-tool-request",
  "input-required-result-result-type",
  "input-required-result-unsupported-methods",
  "input-required-result-tampered-state",
  "input-required-result-capability-check",
  "input-required-result-ignore-extra-params",
  "input-required-result-validate-input",
];

function serve(
  url: string,
  handler: (request: Request) => Promise<Response>,
): TestServer {
  const port = Number(new URL(url).port);
  return serveLocally((request) => handler(request), { port });
}

const CLIENT = {
  id: "conformance",
  name: "Conformance",
  // The port of the runner is another one.
  redirectUris: ["http://127.0.0.1/callback"],
};

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

Deno.test({
  name: `a protected MCP server passes the scenarios of ${REVISION}`,
  // The client keeps its connections for a moment.
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const origin = `http://localhost:${freePort()}`;
    const { clock, resource, router } = createOAuthMCP(origin, {
      clients: [CLIENT],
      createServer: createConformanceServer,
    });
    const time = Date.now();
    clock.now = () => time;
    const browser = createTestClient(router, { origin });
    await browser.fetch("/login");
    const options = { server: origin, clientId: CLIENT.id };
    const { accessToken } = await connectTest(browser, options);
    await using _server = serve(resource, (request) => {
      const headers = new Headers(request.headers);
      headers.set("Authorization", `Bearer ${accessToken}`);
      return router.fetch(new Request(request, { headers }));
    });

    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "-A", RUNNER, "server"],
        ...["--url", resource, "--requirements", REVISION],
      ],
      env: { NO_COLOR: "1" },
    }).output();
    const output = decode(stdout) + decode(stderr);
    const passed = [...output.matchAll(/^✓ ([\w-]+): (\d+) passed/gm)]
      .map(([, name]) => name!);
    const missing = REQUIRED.filter((name) => !passed.includes(name));
    assertEquals(missing, [], output);
  },
});

Deno.test({
  name:
    "createAuthorizationServer() passes the scenarios of authorization servers",
  // The server of the runner closes its connections late.
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const port = freePort();
    await using app = startOAuthMCP({
      clients: [CLIENT],
    });
    const { approve, origin, resource } = app;
    await passAuthorizationServer({ approve, issuer: origin, port, resource });
  },
});

/** A server under test, and the port of the runner. */
interface AuthorizationServerRun {
  readonly issuer: string;
  readonly port: number;
  readonly resource: string;
  /** Approves on the page, and returns the URL of the callback. */
  readonly approve: (page: URL) => Promise<URL>;
}

/** Runs all scenarios of authorization servers, with the client `conformance`. */
async function passAuthorizationServer(
  { approve, issuer, port, resource }: AuthorizationServerRun,
): Promise<void> {
  await using program = await serveCommand(
    [
      ...["run", "-A", RUNNER, "authorization"],
      ...["--url", issuer, "--client-id", "conformance"],
      ...["--resource", resource, "--port", String(port)],
    ],
    port,
    { env: { NO_COLOR: "1" } },
  );
  const [page] = await program.printed(
    /http:\/\/\S+\/authorize\?\S+(?=\n)/,
  );
  const callback = await withinMinute(
    approve(new URL(page)),
    () => `No callback from ${page}`,
  );
  const response = await withinMinute(
    fetch(callback),
    () => `No response from the runner:\n${program.output()}`,
  );
  await response.body?.cancel();
  await program.printed(/^Total: .*\n/m);
  assertStringIncludes(program.output(), "authorization-code-grant");
  const failure = /FAILURE|[1-9]\d* failed/.exec(program.output());
  assertEquals(failure, null, program.output());
}
