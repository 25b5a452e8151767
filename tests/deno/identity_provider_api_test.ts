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

/** Returns the parameters of the redirect back to the client. */
async function authorize(
  provider: Provider,
  change: Record<string, string> = {},
): Promise<URLSearchParams> {
  const params = new URLSearchParams({
    response_type: "code",
    client_id: "app",
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
    client_id: "app",
    client_secret: "s3cret",
    redirect_uri: redirectUri,
    code_verifier: verifier,
    resource,
    ...change,
  });
  const response = await send(provider, "/token", { method: "POST", body });
  return await response.json();
}

Deno.test("the demo identity provider issues a token for an API (RFC 8707, 9068)", async () => {
  const provider = start();
  const code = (await authorize(provider)).get("code");
  assert(code);
  const tokens = await exchange(provider, { code });

  assertEquals([tokens.scope, tokens.id_token], ["notes:read", undefined]);
  const jwks = await (await send(provider, "/jwks")).json();
  const { payload } = await jwtVerify(
    tokens.access_token,
    createLocalJWKSet(jwks),
    { issuer, audience: resource, typ: "at+jwt" },
  );
  assertEquals(
    [payload.sub, payload.scope, payload.client_id],
    ["demo-ada", "notes:read", "app"],
  );
});

Deno.test("the demo identity provider issues no token for another API", async () => {
  const provider = start();
  const other = { resource: "http://127.0.0.1:11/mcp" };
  const answer = await authorize(provider, other);
  assertEquals(answer.get("error"), "invalid_target");

  const code = (await authorize(provider)).get("code") ?? "";
  assertEquals(await exchange(provider, { ...other, code }), {
    error: "invalid_target",
  });
});

Deno.test("a client of the demo identity provider must send its secret", async () => {
  const provider = start();
  const changes: Record<string, string>[] = [
    { client_secret: "" },
    { client_secret: "undefined" },
    { client_secret: "other" },
    { client_id: "stranger" },
  ];
  for (const change of changes) {
    assertEquals(await exchange(provider, { ...change, code: "a" }), {
      error: "invalid_client",
    });
  }
});
