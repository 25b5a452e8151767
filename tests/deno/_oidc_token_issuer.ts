// A certified third-party provider on loopback that issues access tokens.
import { createServer } from "node:http";
import Provider from "npm:oidc-provider@9.13.3";
import { exportJWK, generateKeyPair } from "jose";
import { HTTPBrowser } from "./_http_browser.ts";
import { captureConsole } from "../_console.ts";
import { serveLocally } from "./_serve.ts";

/** The secret of every client. */
const SECRET = "a-s3cret/of+the:client & more";

/** The form of the access tokens of each API. */
export const RESOURCES: Readonly<Record<string, "jwt" | "opaque">> = {
  "https://api.example/jwt": "jwt",
  "https://api.example/opaque": "opaque",
  "https://other.example/opaque": "opaque",
  "https://other.example/jwt": "jwt",
};

/** The client of the API, which introspects tokens. */
export const API_CLIENT = { clientId: "api", clientSecret: SECRET };

/** The tokens of a login. */
export interface IssuedTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly idToken: string;
}

/** An issuer that is running. */
export interface TokenIssuer extends AsyncDisposable {
  readonly issuer: string;
  /** Logs a user in at the provider's pages, and gets tokens for an API. */
  issue(resource: string, scope: string): Promise<IssuedTokens>;
  /** Gets a token for a client without a user. */
  issueToClient(resource: string, scope: string): Promise<string>;
  /** Revokes a token. */
  revoke(token: string): Promise<void>;
}

/** Serves the provider. */
export async function serveTokenIssuer(): Promise<TokenIssuer> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const issuer = `http://localhost:${port}`;
  // The client is a page that shows the URL of its callback.
  const client = serveLocally((request) => new Response(request.url));
  const callback = `http://localhost:${client.addr.port}/callback`;
  server.on("request", await createHandler(issuer, callback));
  const post = (path: string, form: Record<string, string>) =>
    postForm(`${issuer}${path}`, "client", form);
  return {
    issuer,
    async issue(resource, scope) {
      const code = await logIn(issuer, callback, resource, scope);
      const tokens = await post("/token", {
        grant_type: "authorization_code",
        code,
        code_verifier: VERIFIER,
        redirect_uri: callback,
        resource,
      });
      return {
        accessToken: tokens.access_token!,
        refreshToken: tokens.refresh_token!,
        idToken: tokens.id_token!,
      };
    },
    async issueToClient(resource, scope) {
      const form = { grant_type: "client_credentials", resource, scope };
      return (await post("/token", form)).access_token!;
    },
    async revoke(token) {
      await post("/token/revocation", { token });
    },
    async [Symbol.asyncDispose]() {
      await client.shutdown();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

async function logIn(
  issuer: string,
  callback: string,
  resource: string,
  scope: string,
): Promise<string> {
  const query = new URLSearchParams({
    client_id: "client",
    response_type: "code",
    redirect_uri: callback,
    scope: `openid offline_access ${scope}`,
    resource,
    prompt: "consent",
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
  });
  const browser = new HTTPBrowser();
  const page = await browser.open(`${issuer}/auth?${query}`);
  const consent = await browser.submit(page, { login: "jane", password: "x" });
  const url = await browser.submit(consent, {});
  return new URL(url).searchParams.get("code")!;
}

async function postForm(
  url: string,
  client: string,
  form: Record<string, string>,
): Promise<Record<string, string>> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      Authorization: `Basic ${btoa(`${client}:${encodeURIComponent(SECRET)}`)}`,
    },
    body: new URLSearchParams(form),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return text === "" ? {} : JSON.parse(text);
}

async function createHandler(issuer: string, callback: string) {
  // It warns of its development pages, which this test uses on purpose.
  using _info = captureConsole("info");
  using _warn = captureConsole("warn");
  const { privateKey } = await generateKeyPair("ES256", {
    extractable: true,
  });
  const key = { ...await exportJWK(privateKey), kid: "k1", use: "sig" };
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: "client",
        client_secret: SECRET,
        redirect_uris: [callback],
        response_types: ["code"],
        grant_types: [
          "authorization_code",
          "refresh_token",
          "client_credentials",
        ],
        id_token_signed_response_alg: "ES256",
      },
      {
        client_id: "api",
        client_secret: SECRET,
        redirect_uris: [],
        response_types: [],
        grant_types: [],
        id_token_signed_response_alg: "ES256",
      },
    ],
    jwks: { keys: [key] },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id }),
    }),
    scopes: ["openid", "offline_access"],
    features: {
      devInteractions: { enabled: true },
      clientCredentials: { enabled: true },
      introspection: { enabled: true, allowedPolicy: () => true },
      revocation: { enabled: true, allowedPolicy: () => true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_: unknown, resource: string) => ({
          audience: resource,
          scope: "notes:read notes:write",
          accessTokenFormat: RESOURCES[resource],
          accessTokenTTL: 600,
          jwt: { sign: { alg: "ES256" } },
        }),
      },
    },
    cookies: { keys: ["of the test"] },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      ClientCredentials: 600,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      RefreshToken: 600,
      Session: 600,
    },
  });
  return provider.callback();
}
