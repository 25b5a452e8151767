import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { createLocalJWKSet, jwtVerify } from "jose";
import { s256 } from "../../examples/identity_provider/client_authentication.ts";
import { createIdentityProvider } from "../../examples/identity_provider/identity_provider.ts";

const issuer = "http://127.0.0.1:9";
const redirectUri = "http://localhost:8000/callback";
const verifier = "v".repeat(43);
const challenge = await s256(verifier);
const basic = { Authorization: `Basic ${btoa("app:s3cret")}` };

Deno.test("the demo identity provider publishes the metadata of OpenID Connect", async () => {
  const provider = start();
  const path = "/.well-known/openid-configuration";
  const metadata = await (await provider.fetch(request(path))).json();
  assertEquals(metadata.issuer, issuer);
  assertEquals(metadata.code_challenge_methods_supported, ["S256"]);
  const keys = await (await provider.fetch(request("/jwks"))).json();
  assertEquals(
    keys.keys.map((key: { kty: string; d?: string }) => [key.kty, key.d]),
    [["RSA", undefined]],
  );
});

Deno.test("a code is exchanged for tokens that identify the user", async () => {
  const provider = start();

  const response = await exchange(provider, await codeOf(provider));

  assertEquals(response.headers.get("Cache-Control"), "no-store");
  const tokens = await response.json();
  const jwks = await (await provider.fetch(request("/jwks"))).json();
  const { payload } = await jwtVerify(
    tokens.id_token,
    createLocalJWKSet(jwks),
    { issuer, audience: "app", typ: "JWT" },
  );
  assertEquals([payload.sub, payload.nonce], ["demo-ada", "n-0"]);
  const userinfo = await provider.fetch(request("/userinfo", {
    headers: { Authorization: `Bearer ${tokens.access_token}` },
  }));
  assertEquals(await userinfo.json(), {
    sub: "demo-ada",
    name: "Ada Demo",
    email: "ada@people.example",
    email_verified: true,
  });
});

Deno.test("a code works once, and a replay revokes its token", async () => {
  const provider = start();
  const code = await codeOf(provider);
  const { access_token } = await (await exchange(provider, code)).json();

  const again = await exchange(provider, code);

  assertEquals([again.status, await again.json()], [400, {
    error: "invalid_grant",
  }]);
  const headers = { Authorization: `Bearer ${access_token}` };
  const userinfo = await provider.fetch(request("/userinfo", { headers }));
  assertEquals(userinfo.status, 401);
  assertStringIncludes(
    userinfo.headers.get("WWW-Authenticate") ?? "",
    "invalid_token",
  );
});

const exchanges: {
  body?: Record<string, string>;
  headers?: HeadersInit;
  error: string;
}[] = [
  { body: { code_verifier: "w".repeat(43) }, error: "invalid_grant" },
  { body: { code_verifier: "" }, error: "invalid_grant" },
  { body: { code: "x" }, error: "invalid_grant" },
  { body: { redirect_uri: `${redirectUri}/` }, error: "invalid_grant" },
  {
    body: { grant_type: "client_credentials" },
    error: "unsupported_grant_type",
  },
  { headers: {}, error: "invalid_client" },
  {
    headers: { Authorization: `Basic ${btoa("app:wrong")}` },
    error: "invalid_client",
  },
  { headers: { Authorization: "Basic %%%" }, error: "invalid_client" },
];

for (const { body, headers = basic, error } of exchanges) {
  Deno.test(`the token endpoint answers ${error} to ${JSON.stringify(body ?? headers)}`, async () => {
    const provider = start();
    const code = await codeOf(provider);
    const response = await exchange(provider, code, body, headers);
    assertEquals(await response.json(), { error });
  });
}

Deno.test("a client may authenticate in the body", async () => {
  const provider = start();
  const body = { client_id: "app", client_secret: "s3cret" };
  const response = await exchange(provider, await codeOf(provider), body, {});
  assertEquals(response.status, 200);
});

const refusedHere: Record<string, string>[] = [
  { client_id: "stranger" },
  { redirect_uri: "https://evil.example/" },
  { redirect_uri: `${redirectUri}?a=b` },
  { redirect_uri: "" },
];

for (const change of refusedHere) {
  Deno.test(`an authorization request with ${JSON.stringify(change)} causes no redirect (RFC 6749, section 4.1.2.1)`, async () => {
    const provider = start();
    for (const method of ["GET", "POST"]) {
      const response = await provider.fetch(authorize(change, { method }));
      assertEquals(response.status, 400);
      assertEquals(response.headers.get("Location"), null);
    }
  });
}

const refusedBack = [
  [{ response_type: "token" }, "unsupported_response_type"],
  [{ scope: "email" }, "invalid_scope"],
  [{ code_challenge: "" }, "invalid_request"],
  [{ code_challenge_method: "plain" }, "invalid_request"],
  [{ prompt: "none" }, "login_required"],
] as const;

for (const [change, error] of refusedBack) {
  Deno.test(`an authorization request with ${JSON.stringify(change)} redirects back with ${error}`, async () => {
    const provider = start();
    const response = await provider.fetch(authorize(change));
    const location = new URL(response.headers.get("Location")!);
    assertEquals(location.origin + location.pathname, redirectUri);
    assertEquals(Object.fromEntries(location.searchParams), {
      error,
      state: "s-0",
      iss: issuer,
    });
  });
}

Deno.test("the page offers all persons and declares itself a demo", async () => {
  const provider = start();
  const response = await provider.fetch(authorize());
  const body = await response.text();
  assertStringIncludes(body, "Demo identity provider");
  assertStringIncludes(body, 'value="demo-ada"');
  const policy = response.headers.get("Content-Security-Policy") ?? "";
  assertStringIncludes(policy, "form-action 'self' http://localhost:8000;");
  assertStringIncludes(policy, "frame-ancestors 'none'");
});

Deno.test("canceling redirects back with access_denied", async () => {
  const provider = start();
  const body = new URLSearchParams({ person: "" });
  const response = await provider.fetch(
    authorize({}, { method: "POST", body }),
  );
  assertMatch(response.headers.get("Location")!, /\?error=access_denied&/);
});

Deno.test("another site cannot choose for a user", async () => {
  const provider = start();
  const response = await provider.fetch(authorize({}, {
    method: "POST",
    headers: { Origin: "https://evil.example" },
    body: new URLSearchParams({ person: "demo-ada" }),
  }));
  assertEquals(response.status, 403);
});

const hosts = [
  "https://127.0.0.1:9",
  "http://example.com",
  "http://127.0.0.1.example.com",
  "http://0.0.0.0:9",
  "http://127.0.0.1:9/",
  "nonsense",
];

for (const host of hosts) {
  Deno.test(`the demo identity provider does not start at ${host}`, () => {
    assertThrows(
      () => createIdentityProvider({ issuer: host, clients: [] }),
      RangeError,
      "loopback",
    );
  });
}

Deno.test("the demo identity provider rejects other host names", async () => {
  const provider = start();
  for (const host of ["rebound.example:9", "localhost:9"]) {
    const response = await provider.fetch(new Request(`http://${host}/jwks`));
    assertEquals(response.status, 421);
  }
});

function start() {
  const clients = [{
    id: "app",
    secret: "s3cret",
    redirectUris: [redirectUri],
  }];
  return createIdentityProvider({ issuer, clients });
}

type Provider = ReturnType<typeof start>;

function request(path: string, init?: RequestInit): Request {
  return new Request(issuer + path, init);
}

function authorize(
  change: Record<string, string> = {},
  init?: RequestInit,
): Request {
  const params = new URLSearchParams({
    response_type: "code",
    client_id: "app",
    redirect_uri: redirectUri,
    scope: "openid email profile",
    state: "s-0",
    nonce: "n-0",
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...change,
  });
  return request(`/authorize?${params}`, init);
}

async function codeOf(provider: Provider): Promise<string> {
  const body = new URLSearchParams({ person: "demo-ada" });
  const response = await provider.fetch(
    authorize({}, { method: "POST", body }),
  );
  const code = URL.parse(response.headers.get("Location") ?? "")
    ?.searchParams.get("code");
  assert(code);
  return code;
}

function exchange(
  provider: Provider,
  code: string,
  change: Record<string, string> = {},
  headers: HeadersInit = basic,
): Promise<Response> {
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    ...change,
  });
  return provider.fetch(request("/token", { method: "POST", body, headers }));
}
