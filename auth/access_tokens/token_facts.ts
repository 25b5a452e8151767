import type { AccessTokenClaims } from "../issuer/mod.ts";
import type { AuthFacts } from "../middleware/scheme.ts";

/** Returns the facts that the claims of an access token contain. */
export function factsOf(
  claims: AccessTokenClaims,
  tokenScopes: (claims: AccessTokenClaims) => readonly string[] = scopesOf,
): {
  readonly [Fact in keyof AuthFacts]: AuthFacts[Fact] | undefined;
} {
  const { acr, auth_time } = claims;
  return {
    // A token without the claim has no scopes, rather than unknown ones.
    scopes: tokenScopes(claims) ?? [],
    acr: typeof acr === "string" ? acr : undefined,
    authenticatedAt: typeof auth_time === "number"
      ? auth_time * 1000
      : undefined,
  };
}

/**
 * Reads the scopes: a string with spaces (RFC 9068, section 2.2.3), or the `scp`
 * of some issuers, which may be an array.
 */
function scopesOf({ scope, scp }: AccessTokenClaims): readonly string[] {
  const value = scope ?? scp;
  if (typeof value === "string") {
    return value.split(" ").filter((scope) => scope !== "");
  }
  return Array.isArray(value)
    ? value.filter((scope) => typeof scope === "string")
    : [];
}
