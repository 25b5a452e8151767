/** The demo identity provider as the issuer of access tokens for APIs. */
import { assert, assertEquals } from "@std/assert";
import { createLocalJWKSet, jwtVerify } from "jose";
import { s256 } from "../../examples/identity_provider/client_authentication.ts";
import { createIdentityProvider } from "../../examples/identity_provider/identity_provider.ts";

const issuer = "http://127.0.0.1:9";
const resource = "http://127.0.0.1:10/mcp";
const redirectUri = "http://localhost:3000/callback";
const verifier = "v".repeat(43);
const challenge = await s256(verifier);

type Provider = ReturnType<typeof createIdentityProvider>;

function start(): Provider {
  return createIdentityProvider({
    issuer,
    clients: [{ id: "app", secret: "s3cret", redirectUris: [redirectUri] }],
    resources: [resource],
  });
}

function send(provider: Provider, path: string, init?: RequestInit) {
  return provider.fetch(new Request(issuer + path, init));
}

async function register(
  provider: Provider,
  body: unknown = { redirect_uris: [redirectUri] },
): Promise<{ readonly status: number; readonly json: { client_id: string } }> {
  const response = await send(provider, "/register", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, json: await response.json() };
}

/** Returns the parameters of the redirect back to the client. */
async function authorize(
  provider: Provider,
  change: Record<string, string>,
): Promise<URLSearchParams> {
  const params = new URLSearchParams({
    response_type: "code",
    redirect_uri: redirectUri,
    scope: "notes:read",
    resource,
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...change,
  });
  const body = new URLSearchParams({ person: "demo-ada" });
  const init = { method: "POST", body };
  const response = await send(provider, `/authorize?${params}`, init);
  return new URL(response.headers.get("Location") ?? "").searchParams;
}

async function exchange(
  provider: Provider,
  change: Record<string, string>,
) {
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    redirect_uri: redirectUri,
    code_verifier: verifier,
    resource,
    ...change,
  });
  const response = await send(provider, "/token", { method: "POST", body });
  return await response.json();
}

Deno.test("the demo identity provider issues a token for an API to a client that registered itself (RFC 7591, 8707, 9068)", async () => {
  const provider = start();
  const { status, json: { client_id } } = await register(provider);
  assertEquals(status, 201);

  const code = (await authorize(provider, { client_id })).get("code");
  assert(code);
  const tokens = await exchange(provider, { client_id, code });

  assertEquals([tokens.scope, tokens.id_token], ["notes:read", undefined]);
  const jwks = await (await send(provider, "/jwks")).json();
  const { payload } = await jwtVerify(
    tokens.access_token,
    createLocalJWKSet(jwks),
    { issuer, audience: resource, typ: "at+jwt" },
  );
  assertEquals(
    [payload.sub, payload.scope, payload.client_id],
    ["demo-ada", "notes:read", client_id],
  );
});

Deno.test("the demo identity provider publishes the metadata of an authorization server (RFC 8414)", async () => {
  const response = await send(
    start(),
    "/.well-known/oauth-authorization-server",
  );
  const metadata = await response.json();
  assertEquals(metadata.issuer, issuer);
  assertEquals(metadata.registration_endpoint, `${issuer}/register`);
  assert(metadata.token_endpoint_auth_methods_supported.includes("none"));
});

Deno.test("the demo identity provider without APIs lets no client register", async () => {
  const provider = createIdentityProvider({ issuer, clients: [] });
  for (const path of ["/register", "/.well-known/oauth-authorization-server"]) {
    for (const method of ["GET", "POST"]) {
      const response = await send(provider, path, { method });
      assertEquals(response.status, 404);
    }
  }
});

Deno.test("the demo identity provider issues no token for another API", async () => {
  const provider = start();
  const { json: { client_id } } = await register(provider);
  const other = { client_id, resource: "http://127.0.0.1:11/mcp" };
  const answer = await authorize(provider, other);
  assertEquals(answer.get("error"), "invalid_target");

  const code = (await authorize(provider, { client_id })).get("code") ?? "";
  assertEquals(await exchange(provider, { ...other, code }), {
    error: "invalid_target",
  });
});

Deno.test("a client with a secret must send it, and a public client must not", async () => {
  const provider = start();
  const { json: { client_id } } = await register(provider);
  const changes: Record<string, string>[] = [
    { client_id: "app" },
    { client_id: "app", client_secret: "" },
    { client_id, client_secret: "" },
    { client_id, client_secret: "undefined" },
    { client_id: "stranger" },
  ];
  for (const change of changes) {
    assertEquals(await exchange(provider, { ...change, code: "a" }), {
      error: "invalid_client",
    });
  }
});

const malformed: unknown[] = [
  "",
  "{",
  "null",
  [],
  {},
  { redirect_uris: [] },
  { redirect_uris: redirectUri },
  { redirect_uris: [1] },
  { redirect_uris: ["javascript:alert(1)"] },
  { redirect_uris: ["http://evil.example/"] },
  { redirect_uris: ["/callback"] },
  { redirect_uris: [redirectUri, "http://evil.example/"] },
  { redirect_uris: Array(6).fill(redirectUri) },
  { redirect_uris: [`https://a.example/${"a".repeat(1_000)}`] },
  { redirect_uris: [redirectUri], padding: "a".repeat(20_000) },
];

for (const body of malformed) {
  Deno.test(`the demo identity provider refuses to register ${JSON.stringify(body).slice(0, 60)}`, async () => {
    const { status, json } = await register(start(), body);
    assertEquals(status, 400);
    assertEquals("client_id" in json, false);
  });
}

Deno.test("the demo identity provider forgets the oldest of many clients", async () => {
  const provider = start();
  const { json: first } = await register(provider);
  for (let count = 0; count < 100; count++) await register(provider);
  const body = { client_id: first.client_id, code: "a" };
  assertEquals(await exchange(provider, body), { error: "invalid_client" });
});
