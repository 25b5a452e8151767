// Logins whose tokens are bound to a key (RFC 9449).
import { refreshExternalAuth } from "@gatehouse/web/auth";
import { createDPoPBinding } from "@gatehouse/web/auth/access-tokens";
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { clientOf, errorOf, logIn } from "../_login.ts";
import { type Faults, TestProvider, USER } from "../_test_provider.ts";
import { TokenApp, tokenKeys, tokenOf } from "../_token_app.ts";

/** The faults of a provider that binds tokens, and may demand a nonce. */
const BOUND: Faults = {
  token: (token) => ({ ...token, token_type: "DPoP" }),
  respond: ({ path }) => path === "/userinfo" ? Response.json(USER) : undefined,
};

const dpop = createDPoPBinding();

Deno.test("dpop sends a proof with token requests and userinfo, with a key of the login", async () => {
  const provider = await TestProvider.create();
  provider.faults = BOUND;
  const first = await logIn(provider, { dpop });
  assert(first.result.ok);
  const { accessToken, dpopKey } = first.result.tokens;
  const { d: _, ...jwk } = dpopKey!;

  const proof = provider.last("/token").headers.get("DPoP")!;
  assertEquals(decodeProtectedHeader(proof), {
    typ: "dpop+jwt",
    alg: "ES256",
    jwk,
  });
  const { ath, htm, htu, nonce } = decodeJwt(proof);
  assertEquals([ath, htm, htu, nonce], [
    undefined,
    "POST",
    "https://id.example/token",
    undefined,
  ]);
  const { headers } = provider.last("/userinfo");
  assertEquals(headers.get("Authorization"), `DPoP ${accessToken}`);
  assertEquals(typeof decodeJwt(headers.get("DPoP")!).ath, "string");

  const second = await logIn(provider, { dpop });
  assert(second.result.ok);
  assertNotEquals(second.result.tokens.dpopKey, dpopKey);
});

Deno.test("dpop repeats a request once if the provider demands a nonce (RFC 9449, sections 8 and 9)", async () => {
  const provider = await TestProvider.create();
  const demand = (status: number) =>
    Response.json({ error: "use_dpop_nonce" }, {
      status,
      headers: {
        "DPoP-Nonce": "n-1",
        "WWW-Authenticate": 'DPoP error="use_dpop_nonce"',
      },
    });
  const nonceOf = (headers: Headers) =>
    decodeJwt(headers.get("DPoP") ?? "").nonce;
  provider.faults = {
    ...BOUND,
    respond: (request) => {
      const { headers, path } = request;
      if (path === "/token" && nonceOf(headers) !== "n-1") return demand(400);
      if (path !== "/userinfo") return undefined;
      return nonceOf(headers) === "n-1" ? Response.json(USER) : demand(401);
    },
  };
  const { result } = await logIn(provider, { dpop });
  assert(result.ok);
  assertEquals([provider.count("/token"), provider.count("/userinfo")], [2, 2]);

  // Never more than once.
  provider.faults = { respond: () => demand(400) };
  const client = clientOf(provider, { dpop, metadata: metadataOf(provider) });
  const refused = await refreshExternalAuth(client, result.tokens);
  assertEquals(!refused.ok && refused.error.code, "keys_failed");
  provider.faults = {
    respond: ({ path }) => path === "/token" ? demand(400) : undefined,
  };
  const again = await refreshExternalAuth(client, result.tokens);
  assertEquals(!again.ok && again.error.providerError, "use_dpop_nonce");
  assertEquals(provider.count("/token"), 4);
});

Deno.test("dpop rejects tokens that are not bound", async () => {
  const provider = await TestProvider.create();
  const outcome = await logIn(provider, { dpop });
  assertEquals(errorOf(outcome).code, "token_response_invalid");
});

Deno.test("a login without dpop rejects bound tokens (RFC 6749, section 7.1)", async () => {
  const provider = await TestProvider.create();
  provider.faults = BOUND;
  const outcome = await logIn(provider);
  assertEquals(errorOf(outcome).code, "token_response_invalid");
});

Deno.test("refreshExternalAuth() does not send bound tokens without the option dpop", async () => {
  const provider = await TestProvider.create();
  provider.faults = BOUND;
  const { result } = await logIn(provider, { dpop });
  assert(result.ok);
  const refused = await refreshExternalAuth(clientOf(provider), result.tokens);
  assertEquals(!refused.ok && refused.error.code, "token_request_failed");
  assertEquals(provider.count("/token"), 1);
});

Deno.test("keepTokens() keeps the key, encrypted, and binds refreshed tokens to it", async () => {
  const app = await TokenApp.create({ client: { dpop } });
  app.provider.faults = BOUND;
  const started = await app.logIn();
  const first = await tokenOf(started);
  assert(first.ok && first.dpopKey !== undefined);
  const [key] = await tokenKeys(app, `user:user of ${USER.sub}`);
  const { value } = (await app.store.get(key!))!;
  assert(!value.includes(first.dpopKey.d));
  app.expire();
  const second = await tokenOf(started);
  assert(second.ok);
  assertNotEquals(second.accessToken, first.accessToken);
  assertEquals(second.dpopKey, first.dpopKey);
  const proof = app.provider.last("/token").headers.get("DPoP")!;
  assertEquals(decodeProtectedHeader(proof).jwk?.x, first.dpopKey.x);
});

function metadataOf(provider: TestProvider) {
  const { issuer } = provider;
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
  };
}
