import type { AuthOutcome } from "@gatehouse/web/auth-middleware";
import {
  type AccessTokenClaims,
  createJWTAuthScheme,
  type JWTAuthSchemeOptions,
} from "@gatehouse/web/auth/access-tokens";
import { RequestContext } from "@gatehouse/web/fetch-router";
import { SignJWT } from "jose";
import { TestProvider } from "./_test_provider.ts";

export interface User {
  readonly id: string;
  readonly claims: AccessTokenClaims;
}

export const audience = "https://api.example";
export const now = 1_700_000_000_000;
export const seconds = now / 1000;

export type Changes = Record<string, unknown>;

/** Creates an issuer and a scheme that trusts it. */
export async function createIssuer(
  options: Partial<JWTAuthSchemeOptions<User>> = {},
  algorithms: ("RS256" | "PS256" | "ES256" | "EdDSA")[] = ["RS256"],
) {
  const provider = await TestProvider.create("https://id.example", algorithms);
  const scheme = createJWTAuthScheme<User>({
    name: "api",
    issuer: provider.issuer,
    audience,
    verify: (claims) => ({ id: claims.sub, claims }),
    fetch: provider.fetch,
    now: () => now,
    ...options,
  });

  /** Signs a token with changed claims and header; `undefined` removes a member. */
  async function sign(claims: Changes = {}, header: Changes = {}) {
    const { alg, jwk, privateKey } = provider.keys[0]!;
    return await new SignJWT({
      iss: provider.issuer,
      sub: "user-1",
      aud: audience,
      iat: seconds,
      exp: seconds + 300,
      client_id: "app",
      jti: "t1",
      ...claims,
    }).setProtectedHeader({
      alg,
      kid: jwk.kid as string,
      typ: "at+jwt",
      ...header,
    }).sign(privateKey);
  }

  async function authenticate(token: string): Promise<AuthOutcome<User>> {
    const request = new Request("https://api.example/", {
      headers: { Authorization: `Bearer ${token}` },
    });
    return await scheme.authenticate(new RequestContext(request));
  }

  return { provider, scheme, sign, authenticate };
}
