/** The example of an MCP server with accounts, called by the official client. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  createTestAuthenticator,
  createTestClient,
  type TestClient,
} from "@gatehouse/web/testing";
import { createApp } from "../../examples/mcp_server/mcp_server.ts";
import { captureConsole } from "../_console.ts";
import { MCPUser } from "./_mcp_client.ts";
import { approveIn } from "./_oauth_mcp_app.ts";
import { freePort } from "./_programs.ts";
import { serveLocally } from "./_serve.ts";

const SANITIZERS = {
  // The client keeps its connections for a moment.
  sanitizeOps: false,
  sanitizeResources: false,
} as const;

const DOCUMENT_URL = "https://client.example/client.json";
const DOCUMENT = {
  client_id: DOCUMENT_URL,
  client_name: "Test client",
  redirect_uris: ["http://localhost/callback"],
  token_endpoint_auth_method: "none",
};

/** Serves the example, whose clients have one document. */
function start() {
  const port = freePort();
  const origin = `http://localhost:${port}`;
  const app = createApp({
    origin,
    fetch: (url) => {
      assertEquals(url, DOCUMENT_URL);
      return Promise.resolve(Response.json(DOCUMENT));
    },
  });
  // The application prints the emails.
  const log = captureConsole("log");
  const { shutdown } = serveLocally((one) => app.fetch(one), { port });
  const browser = () =>
    createTestClient(app, { origin, remoteAddress: "127.0.0.1" });
  return {
    ...{ app, browser, log, origin },
    async [Symbol.asyncDispose]() {
      await shutdown();
      await app.accounts.flush();
      log[Symbol.dispose]();
    },
  };
}

type Example = ReturnType<typeof start>;

/** Submits a form. */
function submit(
  browser: TestClient,
  path: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return browser
    .fetch(path, { method: "POST", body: new URLSearchParams(fields) });
}

/** Registers a user with the code of the email, and returns the browser. */
async function register(
  { app, browser, log }: Example,
  name: string,
): Promise<TestClient> {
  const client = browser();
  const email = `${name.toLowerCase()}@example.com`;
  await submit(client, "/register", {
    email,
    name,
    password: "correct horse battery",
  });
  await app.accounts.flush();
  const [code = ""] = /\b\d{6}\b/.exec(String(log.printed.at(-1))) ?? [];
  const response = await submit(client, "/register/code", { code });
  assertEquals(response.status, 303);
  return client;
}

/** Creates the official client of a user. */
function connect({ origin }: Example, browser: TestClient): MCPUser {
  return new MCPUser(`${origin}/mcp`, {
    documentURL: DOCUMENT_URL,
    approve: (page) => approveIn(browser, page),
  });
}

/** Calls a tool without the official client, which would ask the user again. */
async function post(
  { origin }: Example,
  token: string | undefined,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const response = await fetch(`${origin}/mcp`, {
    method: "POST",
    headers: {
      "Accept": "application/json, text/event-stream",
      "Content-Type": "application/json",
      ...token !== undefined && { Authorization: `Bearer ${token}` },
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
  return new Response(await response.text(), response);
}

Deno.test({
  ...SANITIZERS,
  name:
    "a user registers, adds a passkey, connects a client by its URL, and logs out everywhere",
  async fn() {
    await using example = start();
    const { browser, origin } = example;
    const ada = await register(example, "Ada");
    const authenticator = createTestAuthenticator({ origin });
    const creation = await submit(ada, "/account/passkeys/options");
    await submit(ada, "/account/passkeys", {
      name: "Phone",
      passkey: JSON.stringify(
        await authenticator.register(await creation.json()),
      ),
    });
    const phone = browser();
    const request = await submit(phone, "/login/passkey/options");
    const login = await submit(phone, "/login/passkey", {
      passkey: JSON.stringify(
        await authenticator.authenticate(await request.json()),
      ),
    });
    assertEquals(login.status, 303);

    const client = connect(example, phone);
    assertEquals(await client.listTools(), ["list_notes", "add_note"]);
    // The tool needs another scope, so the client asks the user again.
    assertEquals(await client.callTool("add_note", { text: "Milk" }), "Added.");
    assertEquals(client.logins, ["notes:read", "notes:read notes:write"]);
    const page = await (await ada.fetch("/")).text();
    assertStringIncludes(page, "<li>Milk</li>");
    const apps = await (await ada.fetch("/account/apps")).text();
    assertStringIncludes(apps, "client.example");
    assertEquals((await post(example, client.accessToken)).status, 200);

    assertEquals((await submit(ada, "/end")).status, 303);
    assertEquals((await post(example, client.accessToken)).status, 401);
    for (const one of [ada, phone]) {
      assertEquals((await one.fetch("/")).status, 302);
    }
  },
});

Deno.test({
  ...SANITIZERS,
  name: "each user of the MCP server has notes that no other user sees",
  async fn() {
    await using example = start();
    const ada = connect(example, await register(example, "Ada"));
    const grace = connect(example, await register(example, "Grace"));
    await ada.callTool("add_note", { text: "Milk" });
    assertEquals(await ada.callTool("list_notes"), "Milk");
    assertEquals(await grace.callTool("list_notes"), "You have no notes.");
    for (const args of [{}, { text: "" }, { text: "a".repeat(1_001) }]) {
      assertStringIncludes(await ada.callTool("add_note", args), "text");
    }
  },
});

Deno.test({
  ...SANITIZERS,
  name: "the MCP server refuses requests without a token, and of other sites",
  async fn() {
    await using example = start();
    const anonymous = await post(example, undefined);
    assertEquals(anonymous.status, 401);
    const challenge = anonymous.headers.get("WWW-Authenticate") ?? "";
    assertStringIncludes(
      challenge,
      `resource_metadata="${example.origin}/.well-known/oauth-protected-resource/mcp"`,
    );
    assertStringIncludes(challenge, 'scope="notes:read"');

    const client = connect(example, await register(example, "Ada"));
    await client.listTools();
    const { accessToken } = client;
    assert(accessToken);
    const headers = { Origin: "http://evil.example" };
    assertEquals((await post(example, accessToken, headers)).status, 403);
    assertEquals((await post(example, `${accessToken}x`)).status, 401);
  },
});

Deno.test("the MCP server publishes its metadata (RFC 8414, RFC 9728)", async () => {
  await using example = start();
  const { origin } = example;
  for (const suffix of ["", "/mcp"]) {
    const path = `/.well-known/oauth-protected-resource${suffix}`;
    const metadata = await (await fetch(origin + path)).json();
    assertEquals(metadata.resource, `${origin}/mcp`);
    assertEquals(metadata.authorization_servers, [origin]);
    assertEquals(metadata.scopes_supported, ["notes:read", "notes:write"]);
  }
  const path = "/.well-known/oauth-authorization-server";
  const server = await (await fetch(origin + path)).json();
  assertEquals(server.issuer, origin);
  assertEquals(server.client_id_metadata_document_supported, true);
  assertEquals(server.registration_endpoint, undefined);
});

Deno.test("the example has at most 150 lines", async () => {
  const folder = new URL("../../examples/mcp_server/", import.meta.url);
  let lines = 0;
  for await (const { name } of Deno.readDir(folder)) {
    lines +=
      (await Deno.readTextFile(new URL(name, folder))).split("\n").length - 1;
  }
  assert(lines <= 150, `${lines}`);
});
