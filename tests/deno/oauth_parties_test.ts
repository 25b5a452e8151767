/** Clients of other authors, and our own, at the authorization server. */
import {
  assertEquals,
  assertNotEquals,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import {
  createOAuthProvider,
  externalAuthResult,
  type ExternalAuthTokens,
  hashToken,
  refreshExternalAuth,
  revokeExternalAuth,
  startExternalAuth,
} from "@gatehouse/web/auth";
import { createDPoPBinding } from "@gatehouse/web/auth/access-tokens";
import { createRouter } from "@gatehouse/web/fetch-router";
import { session } from "@gatehouse/web/session-middleware";
import { exportJWK, generateKeyPair } from "jose";
import * as oauth from "npm:oauth4webapi@3.8.8";
import * as openid from "npm:openid-client@6.9.0";
import { HTTPBrowser } from "./_http_browser.ts";
import {
  approveInBrowser,
  linkOf,
  type OAuthApp,
  serveOAuthApp,
} from "./_oauth_app.ts";
import {
  CLIENT,
  connectClient,
  discover,
  REDIRECT_URI,
  SANITIZERS,
} from "./_openid_client.ts";
import { freePort } from "./_programs.ts";
import { serveLocally } from "./_serve.ts";

/** Calls the API with a token. */
async function statusOf(resource: string, token: string): Promise<number> {
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch(resource, { headers });
  await response.body?.cancel();
  return response.status;
}

Deno.test({
  ...SANITIZERS,
  name:
    "openid-client finds the server, and gets, refreshes and revokes tokens as a public client",
  async fn() {
    await using app = serveOAuthApp([CLIENT]);
    const config = await discover(app.issuer);
    await walkOpenIDClient(app, config);
  },
});

Deno.test({
  ...SANITIZERS,
  name: "openid-client authenticates with a secret in Basic",
  async fn() {
    const secret = "s3cret of a partner: +%&";
    const authentication = { secretHashes: [await hashToken(secret)] };
    await using app = serveOAuthApp([{ ...CLIENT, authentication }]);
    const config = await openid.discovery(
      new URL(app.issuer),
      CLIENT.id,
      undefined,
      openid.ClientSecretBasic(secret),
      { algorithm: "oauth2", execute: [openid.allowInsecureRequests] },
    );
    await walkOpenIDClient(app, config);
  },
});

Deno.test({
  ...SANITIZERS,
  name: "openid-client authenticates with a signed assertion (RFC 7523)",
  async fn() {
    const { privateKey, publicKey } = await generateKeyPair("ES256");
    const jwks = { keys: [{ ...await exportJWK(publicKey), kid: "1" }] };
    await using app = serveOAuthApp([{ ...CLIENT, authentication: { jwks } }]);
    const config = await openid.discovery(
      new URL(app.issuer),
      CLIENT.id,
      undefined,
      openid.PrivateKeyJwt({ key: privateKey, kid: "1" }),
      { algorithm: "oauth2", execute: [openid.allowInsecureRequests] },
    );
    await walkOpenIDClient(app, config);
  },
});

Deno.test({
  ...SANITIZERS,
  name: "openid-client registers itself, and connects (RFC 7591)",
  async fn() {
    await using app = serveOAuthApp([]);
    const config = await openid.dynamicClientRegistration(
      new URL(app.issuer),
      {
        client_name: "CLI",
        redirect_uris: [REDIRECT_URI],
        token_endpoint_auth_method: "none",
      },
      openid.None(),
      { algorithm: "oauth2", execute: [openid.allowInsecureRequests] },
    );
    await walkOpenIDClient(app, config);
  },
});

Deno.test({
  ...SANITIZERS,
  name:
    "openid-client binds its tokens to a key, and answers the requests for a nonce (RFC 9449)",
  async fn() {
    await using app = serveOAuthApp([CLIENT]);
    const config = await discover(app.issuer);
    const keys = await openid.randomDPoPKeyPair();
    const DPoP = openid.getDPoPHandle(config, keys);
    const verifier = openid.randomPKCECodeVerifier();
    const page = openid.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT_URI,
      scope: "notes:read",
      resource: app.resource,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      dpop_jkt: await DPoP.calculateThumbprint(),
    });
    const callback = await approveInBrowser(page);
    const checks = { pkceCodeVerifier: verifier };
    const first = await openid
      .authorizationCodeGrant(config, callback, checks, undefined, { DPoP });
    assertEquals(first.token_type, "dpop");
    const second = await openid
      .refreshTokenGrant(config, first.refresh_token!, undefined, { DPoP });
    const { access_token, refresh_token, token_type } = second;
    assertEquals(token_type, "dpop");
    const url = new URL(app.resource);
    const response = await openid.fetchProtectedResource(
      config,
      access_token,
      url,
      "GET",
      undefined,
      undefined,
      { DPoP },
    );
    assertEquals(await response.json(), { id: "1", name: "Ada" });
    assertEquals(await statusOf(app.resource, access_token), 401);

    const thief = await openid.randomDPoPKeyPair();
    const other = { DPoP: openid.getDPoPHandle(config, thief) };
    const { error } = await assertRejects(
      () => openid.refreshTokenGrant(config, refresh_token!, undefined, other),
      openid.ResponseBodyError,
    );
    assertEquals(error, "invalid_grant");
    const third = await openid
      .refreshTokenGrant(config, refresh_token!, undefined, { DPoP });
    await openid.tokenRevocation(config, third.refresh_token!);
    assertEquals(await app.server.grants("1"), []);
  },
});

/** Connects, calls the API, refreshes and revokes. */
async function walkOpenIDClient(
  { issuer, resource, server }: OAuthApp,
  config: openid.Configuration,
): Promise<void> {
  assertEquals(config.serverMetadata().issuer, issuer);
  const first = await connectClient(config, resource);
  assertEquals(first.scope, "notes:read");
  assertEquals(await statusOf(resource, first.access_token), 200);

  const second = await openid
    .refreshTokenGrant(config, first.refresh_token!);
  assertNotEquals(second.refresh_token, first.refresh_token);
  assertEquals(await statusOf(resource, second.access_token), 200);
  assertEquals((await server.grants("1")).length, 1);

  await openid.tokenRevocation(config, second.refresh_token!);
  assertEquals(await statusOf(resource, second.access_token), 401);
  assertEquals(await server.grants("1"), []);
}

Deno.test({
  ...SANITIZERS,
  name:
    "oauth4webapi finds the API's server, and gets, refreshes and revokes tokens",
  async fn() {
    await using app = serveOAuthApp([CLIENT]);
    const insecure = { [oauth.allowInsecureRequests]: true };
    const url = new URL(app.resource);
    const api = await oauth.processResourceDiscoveryResponse(
      url,
      await oauth.resourceDiscoveryRequest(url, insecure),
    );
    const issuer = new URL(api.authorization_servers![0]!);
    const as = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, {
        ...insecure,
        algorithm: "oauth2",
      }),
    );
    const client = { client_id: CLIENT.id };
    const verifier = oauth.generateRandomCodeVerifier();
    const page = new URL(as.authorization_endpoint!);
    page.search = String(
      new URLSearchParams({
        response_type: "code",
        client_id: CLIENT.id,
        redirect_uri: REDIRECT_URI,
        scope: "notes:read",
        state: "s1",
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      }),
    );
    const callback = await approveInBrowser(page);
    const params = oauth.validateAuthResponse(as, client, callback, "s1");
    const first = await oauth.processAuthorizationCodeResponse(
      as,
      client,
      await oauth.authorizationCodeGrantRequest(
        as,
        client,
        oauth.None(),
        params,
        REDIRECT_URI,
        verifier,
        insecure,
      ),
    );
    const second = await oauth.processRefreshTokenResponse(
      as,
      client,
      await oauth.refreshTokenGrantRequest(
        as,
        client,
        oauth.None(),
        first.refresh_token!,
        insecure,
      ),
    );
    const { access_token } = second;
    const response = await oauth.protectedResourceRequest(
      access_token,
      "GET",
      url,
      undefined,
      undefined,
      insecure,
    );
    assertEquals(await response.json(), { id: "1", name: "Ada" });
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(
        as,
        client,
        oauth.None(),
        access_token,
        insecure,
      ),
    );
    assertEquals(await statusOf(app.resource, access_token), 401);
  },
});

Deno.test({
  ...SANITIZERS,
  name: "oauth4webapi connects a device with a code (RFC 8628)",
  async fn() {
    const client = { client_id: "tv" };
    await using app = serveOAuthApp([
      { id: "tv", name: "TV", grants: ["device"] },
    ]);
    const insecure = { [oauth.allowInsecureRequests]: true };
    const issuer = new URL(app.issuer);
    const as = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, {
        ...insecure,
        algorithm: "oauth2",
      }),
    );
    const none = oauth.None();
    const params = { scope: "notes:read", resource: app.resource };
    const started = await oauth.processDeviceAuthorizationResponse(
      as,
      client,
      await oauth
        .deviceAuthorizationRequest(as, client, none, params, insecure),
    );
    const browser = new HTTPBrowser();
    const login = await browser.open(started.verification_uri_complete!);
    const { user_code } = started;
    const form = await browser.submit(login, {});
    const consent = await browser.submit(form, { user_code });
    const done = await browser.submit(consent, {
      decision: "approve",
      scope: "notes:read",
    });
    assertStringIncludes(done, "TV is connected");
    const { access_token, refresh_token } = await oauth
      .processDeviceCodeResponse(
        as,
        client,
        await oauth.deviceCodeGrantRequest(
          as,
          client,
          none,
          started.device_code,
          insecure,
        ),
      );
    assertEquals(await statusOf(app.resource, access_token), 200);
    await oauth.processRevocationResponse(
      await oauth
        .revocationRequest(as, client, none, refresh_token!, insecure),
    );
    assertEquals(await statusOf(app.resource, access_token), 401);
  },
});

Deno.test({
  ...SANITIZERS,
  name: "oauth4webapi binds the tokens of a device to a key (RFC 9449)",
  async fn() {
    const client = { client_id: "tv" };
    await using app = serveOAuthApp([
      { id: "tv", name: "TV", grants: ["device"] },
    ]);
    const insecure = { [oauth.allowInsecureRequests]: true };
    const issuer = new URL(app.issuer);
    const as = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, {
        ...insecure,
        algorithm: "oauth2",
      }),
    );
    assertEquals(
      as.dpop_signing_alg_values_supported?.includes("Ed25519"),
      true,
    );
    const none = oauth.None();
    const params = { scope: "notes:read", resource: app.resource };
    const started = await oauth.processDeviceAuthorizationResponse(
      as,
      client,
      await oauth
        .deviceAuthorizationRequest(as, client, none, params, insecure),
    );
    const DPoP = oauth.DPoP({}, await oauth.generateKeyPair("Ed25519"));
    const poll = async () =>
      await oauth.processDeviceCodeResponse(
        as,
        client,
        await oauth.deviceCodeGrantRequest(
          as,
          client,
          none,
          started.device_code,
          { ...insecure, DPoP },
        ),
      );
    // The response to a device that waits has the first nonce.
    const { error } = await assertRejects(poll, oauth.ResponseBodyError);
    assertEquals(error, "authorization_pending");
    const browser = new HTTPBrowser();
    const login = await browser.open(started.verification_uri_complete!);
    const { user_code } = started;
    const form = await browser.submit(login, {});
    const consent = await browser.submit(form, { user_code });
    const decision = { decision: "approve", scope: "notes:read" };
    await browser.submit(consent, decision);
    app.clock.offset += 5_000;
    const tokens = await poll();
    assertEquals(tokens.token_type, "dpop");
    const response = await oauth.protectedResourceRequest(
      tokens.access_token,
      "GET",
      new URL(app.resource),
      undefined,
      undefined,
      { ...insecure, DPoP },
    );
    assertEquals(response.status, 200);
    await response.body?.cancel();
    assertEquals(await statusOf(app.resource, tokens.access_token), 401);
  },
});

for (const isBound of [false, true]) {
  Deno.test({
    ...SANITIZERS,
    name: `createOAuthProvider() ${
      isBound ? "binds its tokens to a key" : "logs in with the server"
    }, and refreshes and revokes its tokens`,
    fn: () => walkOwnClient(isBound),
  });
}

/** Logs in with our own client, refreshes and revokes. */
async function walkOwnClient(isBound: boolean): Promise<void> {
  const clientSecret = "s3cret-of-the-partner";
  const port = freePort();
  const redirectUri = `http://localhost:${port}/callback`;
  await using app = serveOAuthApp([{
    id: "partner",
    name: "Partner",
    redirectUris: [redirectUri],
    authentication: { secretHashes: [await hashToken(clientSecret)] },
  }]);
  const { issuer, resource } = app;
  const provider = createOAuthProvider({
    name: "notes",
    issuer,
    authorizationEndpoint: `${issuer}/authorize`,
    tokenEndpoint: `${issuer}/token`,
    revocationEndpoint: `${issuer}/revoke`,
    profileEndpoint: resource,
    scopes: ["notes:read"],
    clientId: "partner",
    clientSecret,
    redirectUri,
    parseProfile: ({ id, name }) => ({ id, name }),
    allowInsecureLoopback: true,
    ...isBound && { dpop: createDPoPBinding() },
  });
  const logins: ExternalAuthTokens[] = [];
  const router = createRouter({ middleware: [session()] });
  router.get("/start", (context) => startExternalAuth(provider, context));
  router.get("/callback", async (context) => {
    const result = await externalAuthResult(provider, context);
    if (!result.ok) return new Response(result.error.message);
    logins.push(result.tokens);
    return Response.json(result.profile);
  });
  await using _partner = serveLocally((one) => router.fetch(one), { port });

  const browser = new HTTPBrowser();
  const login = await browser.open(`http://localhost:${port}/start`);
  const final = await browser.submit(await browser.submit(login, {}), {
    decision: "approve",
    scope: "notes:read",
  });
  const profile = await browser.open(String(linkOf(final)));
  assertEquals(profile, JSON.stringify({ id: "1", name: "Ada" }));

  const refreshed = await refreshExternalAuth(provider, logins[0]!);
  if (!refreshed.ok) throw refreshed.error;
  const { accessToken } = refreshed.tokens;
  const asBearer = isBound ? 401 : 200;
  assertEquals(await statusOf(resource, accessToken), asBearer);
  const revoked = await revokeExternalAuth(provider, refreshed.tokens);
  assertEquals(revoked.ok, true);
  assertEquals(await statusOf(resource, accessToken), 401);
}
