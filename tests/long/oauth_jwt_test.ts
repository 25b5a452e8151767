/** APIs on other machines that verify the JWTs of an authorization server. */
import { assertEquals, assertRejects } from "@std/assert";
import { createResourceServer } from "@gatehouse/web/auth/access-tokens";
import { Auth, auth } from "@gatehouse/web/auth-middleware";
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  createRemoteJWKSet,
  exportJWK,
  generateKeyPair,
  jwtVerify,
} from "jose";
import * as oauth from "npm:oauth4webapi@3.8.8";
import {
  callAPI,
  connect,
  refresh,
  type TokenBody,
} from "../oauth_server/_server.ts";
import { type OAuthApp, serveOAuthApp } from "../deno/_oauth_app.ts";
import { startProcesses } from "../deno/_oauth_processes.ts";
import {
  CLIENT,
  connectClient,
  discover,
  SANITIZERS,
} from "../deno/_openid_client.ts";
import { freePort } from "../deno/_programs.ts";
import { serveLocally } from "../deno/_serve.ts";
import { makeDataFolder } from "../runtimes/data_folder.ts";

/** Connects openid-client, and returns an access token. */
async function getToken({ issuer, resource }: OAuthApp): Promise<string> {
  const config = await discover(issuer);
  const tokens = await connectClient(config, resource);
  return tokens.access_token;
}

/** Serves an API that knows only the issuer. */
function serveAPI(resource: string, issuer: string) {
  const api = createResourceServer({
    name: "notes",
    resource,
    issuers: [{ issuer }],
    scopes: ["notes:read", "notes:write"],
    verify: ({ iss, sub }) => ({ id: `${iss} ${sub}` }),
    allowInsecureLoopback: true,
  });
  const router = createRouter({
    middleware: [api.metadata, auth({ schemes: [api.scheme] })],
  });
  router.get("/notes", api.requireScope("notes:read"), (context) => {
    return new Response(String(context.get(Auth)?.id));
  });
  router.post("/notes", api.requireScope("notes:write"), () => new Response());
  const { port } = new URL(resource);
  return serveLocally((one) => router.fetch(one), { port: Number(port) });
}

for (const algorithm of ["RS256", "Ed25519"]) {
  Deno.test({
    ...SANITIZERS,
    name:
      `our resource server, jose and oauth4webapi verify a JWT signed with ${algorithm}, and need only the keys`,
    async fn() {
      const { privateKey } = await generateKeyPair(algorithm, {
        extractable: true,
      });
      const keys = [await exportJWK(privateKey)];
      const resource = `http://localhost:${freePort()}/notes`;
      await using app = serveOAuthApp([CLIENT], { other: { resource, keys } });
      const token = await getToken(app);
      const headers = { Authorization: `Bearer ${token}` };

      const machine = serveAPI(resource, app.issuer);
      const response = await fetch(resource, { headers });
      assertEquals(await response.text(), `${app.issuer} 1`);
      const write = await fetch(resource, { method: "POST", headers });
      assertEquals(write.status, 403);
      await write.body?.cancel();
      await machine.shutdown();

      const { jwks_uri } = app.server.metadata;
      const set = createRemoteJWKSet(new URL(String(jwks_uri)));
      const expected = {
        issuer: app.issuer,
        audience: resource,
        typ: "at+jwt",
        requiredClaims: ["client_id", "iat", "exp", "jti", "scope"],
      };
      const { payload } = await jwtVerify(token, set, expected);
      assertEquals(payload.sub, "1");
      const audience = `${app.issuer}/api`;
      await assertRejects(() =>
        jwtVerify(token, set, { ...expected, audience })
      );

      await validateWithOAuth4WebAPI(app, new Request(resource, { headers }));
    },
  });
}

/** Validates the token of a request as an API with oauth4webapi does. */
async function validateWithOAuth4WebAPI(
  { issuer, resource }: OAuthApp,
  request: Request,
): Promise<void> {
  const insecure = { [oauth.allowInsecureRequests]: true };
  const url = new URL(issuer);
  const as = await oauth.processDiscoveryResponse(
    url,
    await oauth.discoveryRequest(url, { ...insecure, algorithm: "oauth2" }),
  );
  const claims = await oauth
    .validateJwtAccessToken(as, request, resource, insecure);
  assertEquals(claims.client_id, CLIENT.id);
  assertEquals(claims.scope, "notes:read");
  await assertRejects(() =>
    oauth.validateJwtAccessToken(as, request, `${issuer}/other`, insecure)
  );
}

Deno.test(
  "two processes with one store return one JWT for 100 concurrent refreshes",
  {
    ...SANITIZERS,
  },
  async () => {
    const folder = await makeDataFolder();
    {
      await using processes = await startProcesses(
        "sqlite",
        `${folder}/db`,
        "at+jwt",
      );
      const { apps } = processes;
      const { refresh_token } = await connect(apps[0]!);
      const tokens = await Promise.all(
        Array.from({ length: 100 }, async (_, index) => {
          const response = await refresh(apps[index % 2]!, refresh_token);
          assertEquals(response.status, 200);
          const { access_token }: TokenBody = await response.json();
          return access_token;
        }),
      );
      const [token, ...others] = new Set(tokens);
      assertEquals(others, []);
      for (const app of apps) assertEquals(await callAPI(app, token!), 200);
    }
    await Deno.remove(folder, { recursive: true });
  },
);
