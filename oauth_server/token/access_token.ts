import type { AccessTokenClaims } from "../../auth/access_tokens/mod.ts";
import { expiryOf, type GrantRow } from "../grants/grant_store.ts";
import type { TokenContents } from "../grants/tokens.ts";
import type { Settings } from "../settings.ts";

/** An access token, and the time at which it expires. */
export interface IssuedToken {
  readonly token: string;
  /** Epoch seconds. */
  readonly expiry: number;
}

/**
 * Creates the access token of the current generation of a grant, in the format of its
 * resource. All of it comes from the row, so two requests get the same token.
 *
 * @param key The key of the grant.
 * @param scopes The scopes of the token, all of them in the grant.
 */
export async function createAccessToken(
  { jwt, issuer, lifetimes, resources, tokens }: Settings,
  key: string,
  row: GrantRow,
  scopes: readonly string[],
): Promise<IssuedToken> {
  const { generation, resource, rotatedAt } = row;
  const end = Math.min(rotatedAt + lifetimes.access, expiryOf(row, lifetimes));
  const expiry = Math.floor(end / 1000);
  const numbers = [generation, expiry, maskOf(row.scopes, scopes)];
  const contents = { key, numbers };
  const token = jwt !== null && resources.get(resource)?.isJWT
    ? await jwt.sign(contents, {
      ...claimsOf(issuer, row, contents),
      iat: Math.floor(rotatedAt / 1000),
    })
    : await tokens.derive("access", key, ...numbers);
  return { token, expiry };
}

/**
 * Returns the contents of an access token of either format, or `null` for any other
 * string. The token may have expired, and its grant may have ended.
 */
export async function readAccessToken(
  { jwt, tokens }: Settings,
  token: string,
): Promise<TokenContents | null> {
  return await tokens.read("access", token) ?? await jwt?.read(token) ?? null;
}

/** Returns the claims of an access token (RFC 9068, section 2.2). */
export function claimsOf(
  issuer: string,
  { authenticatedAt, client, resource, scopes, thumbprint, userId }: GrantRow,
  { numbers: [, exp, mask] }: TokenContents,
): AccessTokenClaims {
  return {
    iss: issuer,
    sub: userId,
    aud: resource,
    client_id: client.id,
    scope: scopes.filter((_, index) => (mask! & (1 << index)) !== 0).join(" "),
    exp,
    ...authenticatedAt !== null &&
      { auth_time: Math.floor(authenticatedAt / 1000) },
    ...thumbprint !== undefined && { cnf: { jkt: thumbprint } },
  };
}

/** Returns the scopes of an access token as a number with a bit for each. */
function maskOf(all: readonly string[], some: readonly string[]): number {
  let mask = 0;
  for (const [index, scope] of all.entries()) {
    if (some.includes(scope)) mask |= 1 << index;
  }
  return mask >>> 0;
}
