/** DPoP with a certified provider, and with proofs of another library. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Auth, auth } from "@gatehouse/web/auth-middleware";
import {
  createDPoPKey,
  createDPoPProof,
  createDPoPVerifier,
  createResourceServer,
  readDPoPNonce,
} from "@gatehouse/web/auth/access-tokens";
import { createRouter } from "@gatehouse/web/fetch-router";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { exportJWK, generateKeyPair } from "jose";
import { Buffer } from "node:buffer";
import { createServer } from "node:http";
import {
  generateKeyPair as generateDPoPKeyPair,
  generateProof,
} from "npm:dpop@2.1.2";
import Provider from "npm:oidc-provider@9.13.3";
import { captureConsole } from "../_console.ts";

const resource = "https://api.example/notes";
const SECRET = "a-s3cret-of-the-client";

/** Serves the provider, which requires a nonce in proofs if asked to. */
async function serveProvider(requireNonce: boolean) {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const issuer = `http://localhost:${port}`;
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const key = { ...await exportJWK(privateKey), kid: "k1", alg: "ES256" };
  // It warns of a setup that is only for development.
  using _info = captureConsole("info");
  using _warn = captureConsole("warn");
  const provider = new Provider(issuer, {
    clients: [{
      client_id: "app",
      client_secret: SECRET,
      grant_types: ["client_credentials"],
      redirect_uris: [],
      response_types: [],
      token_endpoint_auth_method: "client_secret_post",
      id_token_signed_response_alg: "ES256",
    }],
    jwks: { keys: [key] },
    enabledJWA: {
      dPoPSigningAlgValues: ["ES256", "RS256", "PS256", "Ed25519"],
    },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      dPoP: {
        enabled: true,
        nonceSecret: Buffer.alloc(32, 7),
        requireNonce: () => requireNonce,
      },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          scope: "notes:read",
          audience: resource,
          accessTokenFormat: "jwt",
          jwt: { sign: { alg: "ES256" } },
        }),
      },
    },
  });
  server.on("request", provider.callback());
  return {
    issuer,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Asks for a token for the API, with the proof of a header `DPoP`. */
async function requestToken(issuer: string, proof?: string) {
  const response = await fetch(`${issuer}/token`, {
    method: "POST",
    headers: proof === undefined ? {} : { DPoP: proof },
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: "app",
      client_secret: SECRET,
      resource,
      scope: "notes:read",
    }),
  });
  return { body: await response.json(), nonce: readDPoPNonce(response) };
}

function createAPI(issuer: string, nonceSecrets?: readonly string[]) {
  const api = createResourceServer({
    name: "notes",
    resource,
    issuers: [{ issuer }],
    scopes: ["notes:read"],
    verify: ({ sub }) => ({ id: sub }),
    allowInsecureLoopback: true,
    dpop: createDPoPVerifier({
      store: createMemorySessionStore(),
      nonceSecrets,
    }),
  });
  const router = createRouter({
    middleware: [api.metadata, auth({ schemes: [api.scheme] })],
  });
  router.get(
    "/notes",
    api.requireScope("notes:read"),
    (context) => new Response(String(context.get(Auth).id)),
  );
  return async (authorization: string, proof?: string) => {
    const headers = new Headers({ Authorization: authorization });
    if (proof !== undefined) headers.set("DPoP", proof);
    const response = await router.fetch(resource, { headers });
    return { response, status: response.status, body: await response.text() };
  };
}

Deno.test("createResourceServer() accepts tokens that oidc-provider bound to the proofs of dpop", async () => {
  await using provider = await serveProvider(false);
  const { issuer } = provider;
  const send = createAPI(issuer);
  for (const alg of ["ES256", "RS256", "PS256", "Ed25519"] as const) {
    const keys = await generateDPoPKeyPair(alg);
    const { body } = await requestToken(
      issuer,
      await generateProof(keys, `${issuer}/token`, "POST"),
    );
    assertEquals(body.token_type, "DPoP");
    const token = body.access_token;
    const prove = (url = resource, method = "GET", accessToken = token) =>
      generateProof(keys, url, method, undefined, accessToken);

    const proof = await prove();
    const first = await send(`DPoP ${token}`, proof);
    assertEquals([first.status, first.body], [200, "app"]);
    assertEquals((await send(`DPoP ${token}`, proof)).status, 401);
    assertEquals((await send(`Bearer ${token}`)).status, 401);
    assertEquals((await send(`DPoP ${token}`)).status, 401);
    for (
      const other of [
        await prove(`${resource}/1`),
        await prove(resource, "POST"),
        await prove(resource, "GET", "another"),
        await generateProof(keys, resource, "GET"),
        await generateProof(
          await generateDPoPKeyPair(alg),
          resource,
          "GET",
          undefined,
          token,
        ),
      ]
    ) {
      assertEquals((await send(`DPoP ${token}`, other)).status, 401);
    }
  }
});

Deno.test("createResourceServer() accepts plain tokens of oidc-provider as bearer tokens only", async () => {
  await using provider = await serveProvider(false);
  const { issuer } = provider;
  const send = createAPI(issuer);
  const { body } = await requestToken(issuer);
  assertEquals(body.token_type, "Bearer");
  const token = body.access_token;
  assertEquals((await send(`Bearer ${token}`)).status, 200);
  const keys = await generateDPoPKeyPair("ES256");
  const proof = await generateProof(keys, resource, "GET", undefined, token);
  assertEquals((await send(`DPoP ${token}`, proof)).status, 401);
});

Deno.test("createDPoPProof() gets a bound token from oidc-provider, with its nonce, and calls an API with another nonce", async () => {
  await using provider = await serveProvider(true);
  const { issuer } = provider;
  const key = await createDPoPKey();
  const url = `${issuer}/token`;
  const refused = await requestToken(
    issuer,
    await createDPoPProof(key, { method: "POST", url }),
  );
  assertEquals(refused.body.error, "use_dpop_nonce");
  assert(refused.nonce !== null);
  const { body } = await requestToken(
    issuer,
    await createDPoPProof(key, { method: "POST", url, nonce: refused.nonce }),
  );
  assertEquals(body.token_type, "DPoP");

  const token = body.access_token;
  const send = createAPI(issuer, ["4pZx8Qm2Lw9Vt6Rk1Yd5Nf3Hs7Jb0Gc8"]);
  const request = { method: "GET", url: resource, token };
  const first = await send(
    `DPoP ${token}`,
    await createDPoPProof(key, request),
  );
  assertEquals(first.status, 401);
  assertStringIncludes(
    first.response.headers.get("WWW-Authenticate") ?? "",
    'error="use_dpop_nonce"',
  );
  const nonce = readDPoPNonce(first.response);
  const proof = await createDPoPProof(key, { ...request, nonce });
  assertEquals((await send(`DPoP ${token}`, proof)).status, 200);
});
