import { assertEquals, assertMatch } from "@std/assert";
import { createRouter } from "@gatehouse/web/fetch-router";
import { grantedClient } from "../../../oauth_server/clients/client.ts";
import { ClientWorld } from "./_client_world.ts";
import { createWorld, METADATA } from "./_registrations.ts";

Deno.test("register() registers a public client (RFC 7591, section 3.2.1)", async () => {
  const { register, world } = createWorld();
  const response = await register(METADATA);
  assertEquals(response.status, 201);
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  const { client_id: id, ...rest } = await response.json();
  assertMatch(id, /^dcr_[\w-]{22}$/);
  // There is no registration_client_uri, because RFC 7592 is not supported.
  assertEquals(rest, { ...METADATA, client_id_issued_at: 1_700_000_000 });
  const client = await world.clients.find(id);
  assertEquals(client, {
    id,
    name: "Editor",
    redirectUris: METADATA.redirect_uris,
    authentication: "none",
    isPublic: true,
    grants: ["code"],
    trusted: false,
    source: "dynamic",
  });
  const granted = grantedClient(client!);
  assertEquals((await world.clients.ofGrant(granted))?.isPublic, true);
});

Deno.test("register() needs only redirect URIs, and gives no secret to clients that want one", async () => {
  const { register, world } = createWorld();
  const { redirect_uris } = METADATA;
  for (const method of ["client_secret_basic", "client_secret_post"]) {
    const response = await register({
      redirect_uris,
      token_endpoint_auth_method: method,
    });
    assertEquals(response.status, 201);
    const body = await response.json();
    assertEquals(body.token_endpoint_auth_method, "none");
    assertEquals("client_secret" in body, false);
    const client = await world.clients.find(body.client_id);
    assertEquals(client?.name, "127.0.0.1:33418");
  }
});

const HOSTILE_URIS: unknown[] = [
  undefined,
  [],
  "https://editor.example/",
  { length: 1, 0: "https://editor.example/" },
  [null],
  ["https://editor.example/", "javascript:alert(1)"],
  ["javascript:alert(1)"],
  ["data:text/html,x"],
  ["http://editor.example/"],
  ["cursor://editor/callback"],
  ["com.example.app:/callback"],
  ["https://user@editor.example/"],
  ["https://editor.example/#a"],
  ["https://editor.example/\n"],
  Array.from({ length: 11 }, (_, index) => `https://editor.example/${index}`),
];

Deno.test("register() rejects redirect URIs that strangers must not have (ASVS 10.4.7)", async () => {
  const { register } = createWorld({ perAddress: 100 });
  for (const redirect_uris of HOSTILE_URIS) {
    const response = await register({ ...METADATA, redirect_uris });
    assertEquals(response.status, 400);
    const { error } = await response.json();
    assertEquals(error, "invalid_redirect_uri", String(redirect_uris));
  }
});

/** Returns a body of so many bytes. */
function padded(length: number): string {
  const { length: others } = JSON.stringify({ ...METADATA, padding: "" });
  return JSON.stringify({ ...METADATA, padding: "a".repeat(length - others) });
}

const HOSTILE_BODIES: [body: unknown, type?: string][] = [
  [""],
  ["{"],
  ["null"],
  ["7"],
  ["[]"],
  [JSON.stringify(METADATA), "text/plain"],
  [JSON.stringify(METADATA), "application/x-www-form-urlencoded"],
  [JSON.stringify(METADATA), "application/jsonp"],
  [{ ...METADATA, grant_types: ["client_credentials"] }],
  [{ ...METADATA, grant_types: "authorization_code" }],
  [{ ...METADATA, response_types: ["token"] }],
  [{ ...METADATA, response_types: "code" }],
  [{ ...METADATA, token_endpoint_auth_method: "private_key_jwt" }],
  [{ ...METADATA, token_endpoint_auth_method: 7 }],
  [padded(5_121)],
];

Deno.test("register() rejects other metadata (RFC 7591, section 3.2.2)", async () => {
  const { register } = createWorld({ perAddress: 100 });
  for (const [body, type] of HOSTILE_BODIES) {
    const response = await register(body, "192.0.2.1", type);
    assertEquals(response.status, 400, JSON.stringify(body));
    const { error } = await response.json();
    assertEquals(error, "invalid_client_metadata", JSON.stringify(body));
  }
});

Deno.test("register() accepts ten redirect URIs, and a body of 5,120 bytes", async () => {
  const { register } = createWorld();
  const redirect_uris = Array.from(
    { length: 10 },
    (_, index) => `https://editor.example/${index}`,
  );
  const response = await register({ redirect_uris });
  assertEquals(response.status, 201);
  assertEquals((await response.json()).redirect_uris, redirect_uris);
  assertEquals((await register(padded(5_120))).status, 201);
});

Deno.test("register() limits an address to 20 registrations per hour, and all to 1,000 per day, by default", async () => {
  const { register } = createWorld();
  const { headers } = await register(METADATA);
  assertEquals(
    headers.get("RateLimit-Policy"),
    '"oauth-register-all";q=1000;w=86400, "oauth-register";q=20;w=3600',
  );
});

Deno.test("register() binds tokens only for clients that ask for it, and only with DPoP (RFC 9449, section 5.2)", async () => {
  const { world } = createWorld();
  const rows = [
    [{}, {}, undefined],
    [{ dpop_bound_access_tokens: true }, {}, true],
    [{ dpop_bound_access_tokens: true }, null, undefined],
    [{ dpop_bound_access_tokens: "true" }, {}, undefined],
  ] as const;
  for (const [metadata, dpop, expected] of rows) {
    const router = createRouter();
    router.post(
      "/register",
      (context) => world.registration!.answer({ dpop }, context),
    );
    const response = await router.fetch("https://test.example/register", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ ...METADATA, ...metadata }),
    });
    const { client_id, dpop_bound_access_tokens } = await response.json();
    assertEquals(dpop_bound_access_tokens, expected);
    const client = await world.clients.find(client_id);
    assertEquals(client?.needsProof, expected);
  }
});

Deno.test("register() responds with 400 without a body, and with 405 to other methods", async () => {
  const { world } = createWorld();
  const router = createRouter();
  for (const method of ["GET", "POST"] as const) {
    router.route(
      method,
      "/register",
      (context) => world.registration!.answer({ dpop: null }, context),
    );
  }
  const empty = await router.fetch("https://test.example/register", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
  });
  assertEquals(empty.status, 400);
  const response = await router.fetch("https://test.example/register");
  assertEquals(response.status, 405);
  assertEquals(response.headers.get("Allow"), "POST, OPTIONS");
});

Deno.test("register() responds with 503 if the store has no room", async () => {
  const { register, world } = createWorld();
  const put = world.store.put.bind(world.store);
  world.store.put = (key, ...rest) =>
    key.startsWith("oauth-client") ? false : put(key, ...rest);
  assertEquals((await register(METADATA)).status, 503);
});

Deno.test("register() limits the registrations of an address", async () => {
  const { register } = createWorld({ perAddress: 2 });
  const statuses = await Promise.all(
    Array.from({ length: 20 }, async () => (await register(METADATA)).status),
  );
  assertEquals(statuses.filter((status) => status === 201).length, 2);
  assertEquals(statuses.filter((status) => status === 429).length, 18);
  assertEquals((await register(METADATA, "192.0.2.2")).status, 201);
});

Deno.test("the grants of clients that registered end without the option", async () => {
  const { register, world } = createWorld();
  const { client_id: id } = await (await register(METADATA)).json();
  const granted = grantedClient((await world.clients.find(id))!);

  const off = new ClientWorld();
  assertEquals(await off.clients.ofGrant(granted), null);
});
