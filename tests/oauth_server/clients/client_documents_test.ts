import {
  assertEquals,
  assertMatch,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import {
  type Client,
  grantedClient,
} from "../../../oauth_server/clients/client.ts";
import { hasRedirectURI } from "../../../oauth_server/clients/redirect_uri.ts";
import { CHATGPT, CLAUDE, CLAUDE_CODE, ClientWorld } from "./_client_world.ts";

const ID = "https://client.example/client.json";
const DOCUMENT = {
  client_id: ID,
  client_name: "Client",
  redirect_uris: ["https://client.example/callback"],
};

Deno.test("resolve() returns the client of Claude Code's document, with any port of localhost", async () => {
  const world = new ClientWorld();
  world.publish(CLAUDE_CODE.client_id, CLAUDE_CODE);

  const client = await world.clients.resolve(CLAUDE_CODE.client_id, "1");

  assertEquals(client, {
    id: CLAUDE_CODE.client_id,
    name: "Claude Code",
    host: "claude.ai",
    redirectUris: ["http://localhost/callback", "http://127.0.0.1/callback"],
    authentication: "none",
    isPublic: true,
    grants: ["code"],
    trusted: false,
    source: "document",
  });
  const { redirectUris } = client!;
  const port = "http://localhost:3118/callback";
  assertEquals(hasRedirectURI(redirectUris, port), true);
});

Deno.test("resolve() returns the clients of Claude's and ChatGPT's documents", async () => {
  const world = new ClientWorld();
  world.publish(CLAUDE.client_id, CLAUDE);
  world.publish(CHATGPT.client_id, CHATGPT);

  const claude = await world.clients.resolve(CLAUDE.client_id, "1");
  const chatGPT = await world.clients.resolve(CHATGPT.client_id, "1");

  assertEquals([claude?.authentication, claude?.isPublic], ["none", true]);
  // Its method is a preference: the document offers `none` too.
  assertEquals([chatGPT?.authentication, chatGPT?.isPublic], [
    { jwksUri: "https://chatgpt.com/oauth/jwks.json" },
    true,
  ]);
  // No logo is loaded, and no key before the token endpoint.
  assertEquals(world.fetched, [CLAUDE.client_id, CHATGPT.client_id]);
});

/** Changes of the document, and the reason why it is invalid. */
const INVALID: [changes: Record<string, unknown>, reason: string][] = [
  [{ client_id: undefined }, "client_id is not its URL"],
  [{ client_id: `${ID}?` }, "client_id is not its URL"],
  [{ client_id: "https://evil.example/" }, "client_id is not its URL"],
  [{ client_id: [ID] }, "client_id is not its URL"],
  [{ client_secret: "s3cret" }, "client secret"],
  [{ client_secret: "" }, "client secret"],
  [{ client_secret_expires_at: 0 }, "client secret"],
  [{ redirect_uris: undefined }, "no redirect URI"],
  [{ redirect_uris: [] }, "no redirect URI"],
  [{ redirect_uris: "https://client.example/callback" }, "no redirect URI"],
  [{ redirect_uris: { 0: "https://client.example/" } }, "no redirect URI"],
  [{ redirect_uris: ["javascript:alert(1)"] }, "no redirect URI"],
  [{ redirect_uris: ["com.example.app:/callback"] }, "no redirect URI"],
  [{ redirect_uris: ["http://client.example/callback"] }, "no redirect URI"],
  [{ redirect_uris: [null, 1, {}] }, "no redirect URI"],
  [{ grant_types: [] }, "grant type"],
  [{ grant_types: ["client_credentials"] }, "grant type"],
  [{ grant_types: "authorization_code" }, "grant type"],
  [{ token_endpoint_auth_method: "client_secret_basic" }, "neither none"],
  [{ token_endpoint_auth_method: "client_secret_post" }, "neither none"],
  [{ token_endpoint_auth_method: "private_key_jwt" }, "neither none"],
  [{ token_endpoint_auth_method: null }, "neither none"],
  [{
    token_endpoint_auth_method: "private_key_jwt",
    jwks_uri: "http://client.example/jwks",
  }, "neither none"],
  [{
    token_endpoint_auth_method: "private_key_jwt",
    jwks_uri: "https://user@client.example/jwks",
  }, "neither none"],
  [{ token_endpoint_auth_method: "private_key_jwt", jwks: [] }, "neither none"],
];

for (const [changes, reason] of INVALID) {
  Deno.test(`resolve() returns null for a document with ${JSON.stringify(changes)}`, async () => {
    const world = new ClientWorld();
    world.publish(ID, { ...DOCUMENT, ...changes });
    assertEquals(await world.clients.resolve(ID, "1"), null);
    assertStringIncludes(world.errors[0]!, reason);
  });
}

Deno.test("resolve() ignores redirect URIs and grants that the server does not support", async () => {
  const world = new ClientWorld();
  world.publish(ID, {
    ...DOCUMENT,
    redirect_uris: ["javascript:alert(1)", "https://client.example/callback"],
    grant_types: [
      "urn:ietf:params:oauth:grant-type:device_code",
      "authorization_code",
      "client_credentials",
    ],
  });
  const client = await world.clients.resolve(ID, "1");
  assertEquals(client?.redirectUris, ["https://client.example/callback"]);
  assertEquals(client?.grants, ["code", "device"]);
});

const NAMES: [name: unknown, expected: string][] = [
  ["Client", "Client"],
  [undefined, "client.example"],
  ["", "client.example"],
  [" \u200b\u202e ", "client.example"],
  [7, "client.example"],
  ["Your\nbank", "Your bank"],
  ["evil\u202egnp.exe", "evil gnp.exe"],
  ["a".repeat(1_000), "a".repeat(60)],
  ["👋".repeat(100), "👋".repeat(60)],
  [`${" ".repeat(599)}Client`, "C"],
  [`${" ".repeat(600)}Client`, "client.example"],
];

Deno.test("resolve() returns a name in one line, without invisible characters", async () => {
  for (const [name, expected] of NAMES) {
    const world = new ClientWorld();
    world.publish(ID, { ...DOCUMENT, client_name: name });
    assertEquals((await world.clients.resolve(ID, "1"))?.name, expected);
  }
});

/** Values at a limit and the next ones, with the part of the client that shows it. */
const LIMITS: [
  changes: Record<string, unknown>,
  select: (client: Client | null) => unknown,
  expected: unknown,
][] = [
  [
    { redirect_uris: callbacks(25) },
    (client) => client?.redirectUris,
    callbacks(20),
  ],
  [
    { redirect_uris: [...Array(99).fill("x"), ...callbacks(1)] },
    (client) => client?.redirectUris,
    callbacks(1),
  ],
  [
    { redirect_uris: [...Array(100).fill("x"), ...callbacks(1)] },
    (client) => client,
    null,
  ],
  [withKeysAt(2_000), (client) => client?.isPublic, false],
  [withKeysAt(2_001), (client) => client, null],
];

function callbacks(count: number): string[] {
  return Array.from(
    { length: count },
    (_, index) => `https://client.example/${index}`,
  );
}

/** Returns metadata with a URL of keys of so many characters. */
function withKeysAt(length: number): Record<string, unknown> {
  return {
    token_endpoint_auth_method: "private_key_jwt",
    jwks_uri: "https://client.example/".padEnd(length, "a"),
  };
}

Deno.test("resolve() reads 20 redirect URIs among 100 values, and a URL of keys of 2,000 characters", async () => {
  for (const [changes, select, expected] of LIMITS) {
    const world = new ClientWorld();
    world.publish(ID, { ...DOCUMENT, ...changes });
    assertEquals(select(await world.clients.resolve(ID, "1")), expected);
  }
});

/** Responses without a usable document, by the reason. */
const UNUSABLE: Record<string, () => Response | Error> = {
  "it redirects": () =>
    new Response(null, { status: 302, headers: { Location: "https://x/" } }),
  "status 404": () => Response.json(DOCUMENT, { status: 404 }),
  "status 500": () => Response.json({}, { status: 500 }),
  "not JSON": () =>
    new Response(JSON.stringify(DOCUMENT), {
      headers: { "Content-Type": "text/html" },
    }),
  "malformed": () =>
    new Response("{", { headers: { "Content-Type": "application/json" } }),
  "an array": () => Response.json([DOCUMENT]),
  "not an object": () => Response.json("text"),
  "not UTF-8": () =>
    new Response(new Uint8Array([0x22, 0xff, 0x22]), {
      headers: { "Content-Type": "application/json" },
    }),
  "more than 5120 bytes": () =>
    Response.json({ ...DOCUMENT, padding: "a".repeat(5_120) }),
  "no route": () => new TypeError("no route"),
};

for (const [reason, create] of Object.entries(UNUSABLE)) {
  Deno.test(`resolve() returns null, and caches nothing, if a document is unusable: ${reason}`, async () => {
    const world = new ClientWorld();
    world.answers.set(ID, () => {
      const answer = create();
      if (answer instanceof Error) throw answer;
      return answer;
    });
    assertEquals(await world.clients.resolve(ID, "1"), null);
    assertStringIncludes(world.errors[0]!, reason);

    world.publish(ID, DOCUMENT);
    assertEquals((await world.clients.resolve(ID, "1"))?.name, "Client");
  });
}

Deno.test("resolve() ignores a prototype in a document", async () => {
  const world = new ClientWorld();
  const text = `{"__proto__": ${JSON.stringify(DOCUMENT)}}`;
  const headers = { "Content-Type": "application/json" };
  world.answers.set(ID, () => new Response(text, { headers }));
  assertEquals(await world.clients.resolve(ID, "1"), null);
});

Deno.test("find() and ofGrant() fetch nothing", async () => {
  const world = new ClientWorld();
  world.publish(ID, DOCUMENT);
  assertEquals(await world.clients.find(ID), null);
  const granted = {
    id: ID,
    source: "document",
    authentication: { jwksUri: "https://client.example/jwks" },
    isPublic: true,
  } as const;
  assertEquals(await world.clients.ofGrant(granted), granted);
  assertEquals(world.fetched, []);
});

Deno.test("a client that the application no longer allows is unknown, with its grants", async () => {
  const hosts = new Set(["client.example"]);
  const world = new ClientWorld({
    cimd: { allow: ({ host }) => hosts.has(host) },
  });
  world.publish(ID, DOCUMENT);
  world.publish(CLAUDE.client_id, CLAUDE);
  const client = await world.clients.resolve(ID, "1");
  const granted = grantedClient(client!);
  assertEquals((await world.clients.ofGrant(granted))?.id, ID);
  assertEquals(await world.clients.resolve(CLAUDE.client_id, "1"), null);
  assertEquals(world.fetched, [ID]);

  hosts.clear();
  assertEquals(await world.clients.find(ID), null);
  assertEquals(await world.clients.resolve(ID, "1"), null);
  assertEquals(await world.clients.ofGrant(granted), null);
});

Deno.test("resolve() fetches nothing if cimd is false", async () => {
  const world = new ClientWorld({ cimd: false });
  world.publish(ID, DOCUMENT);
  assertEquals(world.clients.hasDocuments, false);
  assertEquals(await world.clients.resolve(ID, "1"), null);
  assertEquals(world.fetched, []);
});

Deno.test("resolve() asks for JSON, and follows no redirect", async () => {
  const world = new ClientWorld();
  let seen: RequestInit = {};
  world.answers.set(ID, (init) => {
    seen = init;
    return Response.json(DOCUMENT);
  });
  await world.clients.resolve(ID, "1");
  const headers = new Headers(seen.headers);
  assertEquals(seen.method, "GET");
  assertEquals(seen.redirect, "manual");
  assertMatch(headers.get("Accept")!, /json/);
});

Deno.test("createClients() needs a strongly consistent store", () => {
  const store = {
    ...new ClientWorld().store,
    consistency: "eventual",
  } as const;
  assertThrows(
    () => new ClientWorld({ store }),
    TypeError,
    "can't tell which request uses an assertion first",
  );
});
