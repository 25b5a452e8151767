import { createOAuthProvider, refreshExternalAuth } from "@gatehouse/web/auth";
import {
  assert,
  assertEquals,
  assertNotEquals,
  assertRejects,
} from "@std/assert";
import { afterTimers } from "../../../_wait.ts";
import { clientOf } from "../../_login.ts";
import { type Faults, USER } from "../../_test_provider.ts";
import { loggedIn } from "./_logged_in.ts";

Deno.test("refreshExternalAuth() rotates the refresh token (RFC 9700, section 4.14)", async () => {
  const { client, provider, tokens } = await loggedIn();
  const first = await refreshExternalAuth(client, tokens);
  assert(first.ok);
  assertNotEquals(first.tokens.accessToken, tokens.accessToken);
  assertNotEquals(first.tokens.refreshToken, tokens.refreshToken);
  assertEquals(first.tokens.subject, USER.sub);
  assertEquals(first.tokens.issuer, provider.issuer);

  const { form, headers } = provider.last("/token");
  assertEquals(form.get("grant_type"), "refresh_token");
  assertEquals(form.get("refresh_token"), tokens.refreshToken);
  assert(headers.get("Authorization")!.startsWith("Basic "));

  const again = await refreshExternalAuth(client, tokens);
  assert(!again.ok);
  assertEquals([again.error.code, again.error.providerError], [
    "token_request_refused",
    "invalid_grant",
  ]);
  assert((await refreshExternalAuth(client, first.tokens)).ok);
});

Deno.test("refreshExternalAuth() passes each failed refresh to onError, and no successful one", async () => {
  const codes: string[] = [];
  const { provider, tokens } = await loggedIn();
  const client = clientOf(provider, {
    onError: ({ code }) => void codes.push(code),
  });
  const refreshed = await refreshExternalAuth(client, tokens);
  assert(refreshed.ok);
  assertEquals(codes, []);

  assert(!(await refreshExternalAuth(client, tokens)).ok);
  assertEquals(codes.splice(0), ["token_request_refused"]);

  // The provider replaces the refresh token, but no key verifies the ID token.
  provider.faults = { header: (header) => ({ ...header, kid: "unknown" }) };
  assert(!(await refreshExternalAuth(client, refreshed.tokens)).ok);
  assertEquals(codes, ["id_token_invalid"]);
});

Deno.test("refreshExternalAuth() keeps the refresh token if there is no new one (RFC 6749, section 6)", async () => {
  const { client, provider, tokens } = await loggedIn();
  provider.faults = { token: ({ refresh_token: _, ...token }) => token };
  const result = await refreshExternalAuth(client, tokens);
  assert(result.ok);
  assertEquals(result.tokens.refreshToken, tokens.refreshToken);
});

Deno.test("refreshExternalAuth() keeps the ID token if there is no new one (OpenID Connect Core 1.0, section 12.2)", async () => {
  const { client, provider, tokens } = await loggedIn();
  provider.faults = { token: ({ id_token: _, ...token }) => token };
  const result = await refreshExternalAuth(client, tokens);
  assert(result.ok);
  assertEquals(result.tokens.idToken, tokens.idToken);
});

Deno.test("refreshExternalAuth() sends one request for concurrent calls with the same token", async () => {
  const { client, provider, tokens } = await loggedIn();
  const results = await Promise.all(
    Array.from({ length: 10 }, () => refreshExternalAuth(client, tokens)),
  );
  assert(results.every(({ ok }) => ok));
  assertEquals(provider.count("/token"), 2);
});

Deno.test("refreshExternalAuth() uses no refresh token twice if the keys are slow", async () => {
  const { provider, tokens } = await loggedIn();
  const slow = () => afterTimers(400);
  const cache = { get: slow, set: slow };
  const client = clientOf(provider, { cache, timeout: 500 });
  const results = await Promise.all(
    [1, 2].map(() => refreshExternalAuth(client, tokens)),
  );
  assertEquals(results.map(({ ok }) => ok), [true, true]);
  assertEquals(provider.count("/token"), 2);
});

const changed: [string, Faults][] = [
  ["oidcc-client-test-refresh-token-invalid-issuer: another issuer", {
    claims: (c) => ({ ...c, iss: "https://evil.example" }),
  }],
  ["oidcc-client-test-refresh-token-invalid-sub: another user", {
    claims: (c) => ({ ...c, sub: "someone" }),
  }],
  ["another audience", { claims: (c) => ({ ...c, aud: "other" }) }],
  ["another auth_time", { claims: (c) => ({ ...c, auth_time: 1 }) }],
  ["another nonce", { claims: (c) => ({ ...c, nonce: "other" }) }],
  ["a broken signature", {
    idToken: (idToken) => idToken.slice(0, -8) + "AAAAAAAA",
  }],
  ["another at_hash", { claims: (c) => ({ ...c, at_hash: "x" }) }],
];

for (const [name, faults] of changed) {
  Deno.test(`refreshExternalAuth() rejects a new ID token with ${name} (OpenID Connect Core 1.0, section 12.2)`, async () => {
    const { client, provider, tokens } = await loggedIn();
    provider.faults = faults;
    const result = await refreshExternalAuth(client, tokens);
    assertEquals(!result.ok && result.error.code, "id_token_invalid");
  });
}

Deno.test("refreshExternalAuth() returns the rotated refresh token if the new ID token can't be verified", async () => {
  const { client, provider, tokens } = await loggedIn();
  let issued: Record<string, unknown> = {};
  provider.faults = {
    token: (token) => issued = token,
    idToken: (idToken) => idToken.slice(0, -8) + "AAAAAAAA",
  };
  const result = await refreshExternalAuth(client, tokens);
  assert(!result.ok);
  const { accessToken: _, expiresAt: __, ...kept } = tokens;
  // The access token is removed, because it may belong to another user.
  assertEquals<unknown>(result.tokens, {
    ...kept,
    refreshToken: issued.refresh_token,
  });
  provider.faults = {};
  assert((await refreshExternalAuth(client, result.tokens!)).ok);
});

for (
  const [name, claims] of [
    ["user", { sub: "someone" }],
    ["issuer", { iss: "https://evil.example" }],
    ["login", { nonce: "other" }],
  ] as const
) {
  Deno.test(`refreshExternalAuth() returns no tokens if an ID token that can't be verified is about another ${name}`, async () => {
    const { client, provider, tokens } = await loggedIn();
    provider.faults = {
      claims: (right) => ({ ...right, ...claims }),
      idToken: (idToken) => idToken.slice(0, -8) + "AAAAAAAA",
    };
    const result = await refreshExternalAuth(client, tokens);
    assert(!result.ok);
    assertEquals(result.error.code, "id_token_invalid");
    assertEquals(result.tokens, undefined);
  });
}

for (
  const [name, change, isKept] of [
    ["token_type", { token_type: "mac" }, true],
    ["token_type", { token_type: undefined }, true],
    ["access_token", { access_token: "ü" }, true],
    ["access_token", { access_token: undefined }, true],
    ["refresh_token", { refresh_token: "ü" }, false],
  ] as const
) {
  Deno.test(`refreshExternalAuth() returns ${isKept ? "the rotated refresh token" : "no tokens"} if the response has ${JSON.stringify(change)}`, async () => {
    const { client, provider, tokens } = await loggedIn();
    let issued: Record<string, unknown> = {};
    provider.faults = {
      token: (token) => {
        issued = token;
        return { ...token, ...change };
      },
    };
    const result = await refreshExternalAuth(client, tokens);
    assert(!result.ok);
    assertEquals(result.error.code, "token_response_invalid");
    assert(result.error.message.includes(`"${name}"`));
    assert(!JSON.stringify(result.error).includes(`${issued.refresh_token}`));
    assertEquals(
      result.tokens?.refreshToken,
      isKept ? issued.refresh_token : undefined,
    );
    if (!isKept) return;
    assertEquals(result.tokens!.accessToken, undefined);
    provider.faults = {};
    assert((await refreshExternalAuth(client, result.tokens!)).ok);
  });
}

Deno.test("refreshExternalAuth() returns no tokens if the ID token is malformed", async () => {
  for (const id_token of [7, "", "a.b.c", "{}"]) {
    const { client, provider, tokens } = await loggedIn();
    provider.faults = { token: (token) => ({ ...token, id_token }) };
    const result = await refreshExternalAuth(client, tokens);
    assert(!result.ok);
    assertEquals(result.error.code, "id_token_invalid");
    assertEquals(result.tokens, undefined);
  }
});

Deno.test("refreshExternalAuth() returns no tokens if the token type is wrong and the ID token is about another user", async () => {
  const { client, provider, tokens } = await loggedIn();
  provider.faults = {
    claims: (claims) => ({ ...claims, sub: "someone" }),
    token: (token) => ({ ...token, token_type: "mac" }),
  };
  const result = await refreshExternalAuth(client, tokens);
  assert(!result.ok);
  assertEquals(result.error.code, "id_token_invalid");
  assertEquals(result.tokens, undefined);
});

Deno.test("refreshExternalAuth() returns no tokens if the new ID token is about another user", async () => {
  const { client, provider, tokens } = await loggedIn();
  provider.faults = { claims: (claims) => ({ ...claims, sub: "someone" }) };
  const result = await refreshExternalAuth(client, tokens);
  assertEquals(!result.ok && result.tokens, undefined);
});

Deno.test("refreshExternalAuth() requires the user of the tokens", async () => {
  const { client, tokens } = await loggedIn();
  const { refreshToken } = tokens;
  await assertRejects(
    () => refreshExternalAuth(client, { refreshToken }),
    TypeError,
    "subject",
  );
  const { issuer, subject } = tokens;
  const kept = { refreshToken, issuer, subject };
  assert((await refreshExternalAuth(client, kept)).ok);
});

Deno.test("refreshExternalAuth() does not send the refresh token of another issuer", async () => {
  const { client, provider, tokens } = await loggedIn();
  const issuer = "https://other.example";
  const result = await refreshExternalAuth(client, { ...tokens, issuer });
  assertEquals(!result.ok && result.error.code, "provider_mismatch");
  assertEquals(provider.count("/token"), 1);
});

Deno.test("refreshExternalAuth() keeps the refresh token while the keys are unavailable", async () => {
  const { client, provider, tokens } = await loggedIn();
  provider.faults = {
    respond: ({ path }) =>
      path === "/keys" ? new Response(null, { status: 503 }) : undefined,
  };
  const result = await refreshExternalAuth(client, tokens);
  assertEquals(!result.ok && result.error.code, "keys_failed");
  assertEquals(provider.count("/token"), 1);
  provider.faults = {};
  assert((await refreshExternalAuth(client, tokens)).ok);
});

for (const refreshToken of [undefined, ""]) {
  Deno.test(`refreshExternalAuth() reports a missing refresh token for ${JSON.stringify(refreshToken)}`, async () => {
    const { client, provider, tokens } = await loggedIn();
    const result = await refreshExternalAuth(client, {
      ...tokens,
      refreshToken,
    });
    assertEquals(!result.ok && result.error.code, "refresh_token_missing");
    assertEquals(provider.count("/token"), 1);
  });
}

Deno.test("refreshExternalAuth() returns an error if the provider is unavailable", async () => {
  const { client, provider, tokens } = await loggedIn();
  provider.faults = {
    respond: ({ path }) =>
      path === "/token" ? new Response(null, { status: 503 }) : undefined,
  };
  const result = await refreshExternalAuth(client, tokens);
  assertEquals(!result.ok && result.error.code, "token_request_failed");
  provider.faults = {};
  assert((await refreshExternalAuth(client, tokens)).ok);
});

Deno.test("refreshExternalAuth() works without OpenID Connect", async () => {
  const client = createOAuthProvider({
    name: "music",
    issuer: "https://music.example",
    authorizationEndpoint: "https://music.example/authorize",
    tokenEndpoint: "https://music.example/token",
    profileEndpoint: "https://music.example/me",
    scopes: [],
    clientId: "app",
    clientSecret: "s3cret",
    redirectUri: "https://app.example/callback",
    parseProfile: () => null,
    fetch: () =>
      Promise.resolve(
        Response.json({ access_token: "new", token_type: "bearer" }),
      ),
  });
  const result = await refreshExternalAuth(client, { refreshToken: "old" });
  assert(result.ok);
  assertEquals(result.tokens, { refreshToken: "old", accessToken: "new" });
});
