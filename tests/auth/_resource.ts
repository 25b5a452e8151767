import { Auth, auth, requireAuth } from "@gatehouse/web/auth-middleware";
import {
  type AccessTokenClaims,
  createResourceServer,
  type ResourceServerOptions,
} from "@gatehouse/web/auth/access-tokens";
import { createRouter } from "@gatehouse/web/fetch-router";
import { SignJWT } from "jose";
import { type SigningAlgorithm, TestProvider } from "./_test_provider.ts";

/** A user of the resource. */
export interface ResourceUser {
  readonly id: string;
  readonly claims: AccessTokenClaims;
}

export type Scope = "notes:read" | "notes:write";

export const resource = "https://api.example/notes";
export const metadataUrl =
  "https://api.example/.well-known/oauth-protected-resource/notes";
export const now = 1_700_000_000_000;
export const seconds = now / 1000;

export type Changes = Record<string, unknown>;

/** Signs a token of a provider. `undefined` removes a claim or a member. */
export async function signToken(
  provider: TestProvider,
  claims: Changes = {},
  header: Changes = {},
): Promise<string> {
  const { alg, jwk, privateKey } = provider.keys[0]!;
  return await new SignJWT({
    iss: provider.issuer,
    sub: "user-1",
    aud: resource,
    iat: seconds,
    exp: seconds + 300,
    client_id: "app",
    jti: "t1",
    scope: "notes:read",
    ...claims,
  }).setProtectedHeader({
    alg,
    kid: jwk.kid as string,
    typ: "at+jwt",
    ...header,
  }).sign(privateKey);
}

/** Creates a provider, and an API that accepts its tokens. */
export async function createAPI(
  options: Partial<ResourceServerOptions<ResourceUser, Scope>> = {},
  algorithms: readonly SigningAlgorithm[] = ["ES256"],
) {
  const provider = await TestProvider.create("https://id.example", algorithms);
  const api = createResourceServer({
    name: "notes",
    resource,
    issuers: [{ issuer: provider.issuer }],
    scopes: ["notes:read", "notes:write"],
    verify: (claims): ResourceUser | null => ({
      id: `${claims.iss} ${claims.sub}`,
      claims,
    }),
    fetch: provider.fetch,
    now: () => now,
    ...options,
  });
  const router = createRouter({
    middleware: [api.metadata, auth({ schemes: [api.scheme] })],
  });
  router.get(
    "/notes",
    { middleware: [requireAuth()] },
    (context) => Response.json(context.get(Auth)),
  );
  router.post(
    "/notes",
    { middleware: [api.requireScope("notes:write")] },
    () => new Response(null, { status: 201 }),
  );

  /** Sends a request with a token. */
  async function send(
    token?: string,
    method = "GET",
    accept = "*/*",
  ): Promise<Response> {
    const headers = new Headers({ Accept: accept });
    if (token !== undefined) headers.set("Authorization", `Bearer ${token}`);
    return await router.fetch(resource, { method, headers });
  }
  const sign = (claims: Changes = {}, header: Changes = {}) =>
    signToken(provider, claims, header);
  return { api, provider, router, send, sign };
}
