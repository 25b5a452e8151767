// A certified third-party OpenID provider on loopback.
import { Buffer } from "node:buffer";
import { createServer } from "node:http";
import Provider from "npm:oidc-provider@9.13.3";
import { exportJWK, generateKeyPair } from "jose";
import { captureConsole } from "../_console.ts";

/** The key that the client `es256` authenticates with. */
export interface ClientKey {
  readonly key: JsonWebKey;
  readonly keyId: string;
}

/** The part of the provider's context that its events need. */
interface GrantContext {
  readonly oidc: { readonly params: { readonly grant_type: string } };
}

/** A provider that is running. */
export interface RunningProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly clientKey: ClientKey;
  /** The numbers of requests for tokens, and of grants that were revoked. */
  readonly counts: TokenCounts;
}

/** The events of the token endpoint. */
export interface TokenCounts {
  /** Successful refreshes. */
  refreshes: number;
  /** Refused requests for tokens. */
  refused: number;
  /** Grants that were revoked with all their tokens, as after a reuse. */
  revoked: number;
}

/** Options for {@linkcode serveOIDCProvider}. */
export interface OIDCProviderOptions {
  /**
   * The lifetime of access tokens, in seconds.
   *
   * @default {600}
   */
  readonly accessTokenTTL?: number;
  /**
   * Replaces the refresh token with each use, and revokes all tokens of a login
   * if an old one is used again.
   *
   * @default {true}
   */
  readonly rotate?: boolean;
}

/** The secret of every client that has one. */
export const SECRET = "a-s3cret/of+the:client & more";

/**
 * Serves the provider for an application.
 *
 * @param origin The application's address.
 * @param options The lifetime of tokens.
 */
export async function serveOIDCProvider(
  origin: string,
  options: OIDCProviderOptions = {},
): Promise<RunningProvider> {
  const { privateKey, publicKey } = await generateKeyPair("ES256", {
    extractable: true,
  });
  const key = await exportJWK(privateKey) as JsonWebKey;
  const jwk = { ...await exportJWK(publicKey), kid: "k1", use: "sig" };
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const issuer = `http://localhost:${port}`;
  const counts: TokenCounts = { refreshes: 0, refused: 0, revoked: 0 };
  const clients = clientsOf(origin, jwk);
  server.on("request", await createHandler(issuer, clients, counts, options));
  return {
    issuer,
    counts,
    clientKey: { key, keyId: "k1" },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function createHandler(
  issuer: string,
  clients: object[],
  counts: TokenCounts,
  { accessTokenTTL = 600, rotate = true }: OIDCProviderOptions,
) {
  // It warns of its development pages, which this test uses on purpose.
  using _info = captureConsole("info");
  using _warn = captureConsole("warn");
  const provider = new Provider(issuer, {
    clients,
    jwks: { keys: await signingKeys() },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        name: "Jane Doe",
        picture: "https://id.example/jane.png",
        email: `${id}@example.com`,
        email_verified: true,
      }),
    }),
    claims: {
      openid: ["sub"],
      email: ["email", "email_verified"],
      profile: ["name", "picture"],
    },
    enabledJWA: {
      idTokenSigningAlgValues: ["RS256", "PS256", "ES256", "EdDSA"],
    },
    rotateRefreshToken: rotate,
    scopes: ["openid", "offline_access"],
    features: {
      devInteractions: { enabled: true },
      revocation: { enabled: true },
      backchannelLogout: { enabled: true },
      dPoP: {
        enabled: true,
        nonceSecret: Buffer.alloc(32, 7),
        requireNonce: () => true,
      },
    },
    cookies: { keys: ["of the test"] },
    ttl: {
      AccessToken: accessTokenTTL,
      AuthorizationCode: 60,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
      RefreshToken: 600,
    },
  });
  provider.on("grant.success", ({ oidc }: GrantContext) => {
    if (oidc.params.grant_type === "refresh_token") counts.refreshes++;
  });
  provider.on("grant.error", () => counts.refused++);
  provider.on("grant.revoked", () => counts.revoked++);
  return provider.callback();
}

function clientsOf(origin: string, jwk: object): object[] {
  const base = (id: string) => ({
    client_id: id,
    client_secret: SECRET,
    redirect_uris: [`${origin}/${id}/callback`],
    post_logout_redirect_uris: [`${origin}/bye`],
    response_types: ["code"],
    grant_types: ["authorization_code", "refresh_token"],
  });
  const withoutSecret = ({ client_secret: _, ...client }: ReturnType<
    typeof base
  >) => client;
  return [
    { ...base("basic"), token_endpoint_auth_method: "client_secret_basic" },
    {
      ...base("post"),
      token_endpoint_auth_method: "client_secret_post",
      id_token_signed_response_alg: "PS256",
    },
    {
      ...withoutSecret(base("es256")),
      token_endpoint_auth_method: "private_key_jwt",
      token_endpoint_auth_signing_alg: "ES256",
      id_token_signed_response_alg: "ES256",
      jwks: { keys: [jwk] },
    },
    {
      ...withoutSecret(base("public")),
      token_endpoint_auth_method: "none",
      id_token_signed_response_alg: "EdDSA",
    },
    {
      ...base("par"),
      require_pushed_authorization_requests: true,
    },
    { ...base("posted") },
    { ...base("bound"), dpop_bound_access_tokens: true },
    {
      ...base("logout"),
      backchannel_logout_uri: `${origin}/logout/back-channel`,
    },
    {
      ...base("logout-of-session"),
      backchannel_logout_uri: `${origin}/logout-of-session/back-channel`,
      backchannel_logout_session_required: true,
    },
  ];
}

async function signingKeys(): Promise<object[]> {
  const algorithms = ["RS256", "PS256", "ES256", "Ed25519"];
  return await Promise.all(algorithms.map(async (alg) => {
    const { privateKey } = await generateKeyPair(alg, { extractable: true });
    return { ...await exportJWK(privateKey), kid: alg, use: "sig" };
  }));
}
