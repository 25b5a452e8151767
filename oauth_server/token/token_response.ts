import { expiryOf, type GrantRow } from "../grants/grant_store.ts";
import type { Settings } from "../settings.ts";

/** An error of the token endpoint (RFC 6749, section 5.2). */
export interface TokenFailure {
  readonly error: string;
  /** The reason, for the developers of the client. */
  readonly description: string;
  /**
   * The status.
   *
   * @default {400}
   */
  readonly status?: number;
}

/** A successful response of the token endpoint. */
export interface TokenSuccess {
  readonly body: Readonly<Record<string, unknown>>;
}

/** The result of a request to the token endpoint. */
export type TokenResult = TokenSuccess | TokenFailure;

/** The error of every code and refresh token that is not accepted. */
export const INVALID_GRANT: TokenFailure = {
  error: "invalid_grant",
  description: "The code or the refresh token is not valid",
};

/**
 * Creates the tokens of the current generation of a grant. Two requests with the
 * same row get the same tokens.
 *
 * @param scopes The scopes of the access token, all of them in the grant.
 */
export async function tokensOf(
  settings: Settings,
  key: string,
  row: GrantRow,
  scopes: readonly string[],
): Promise<TokenSuccess> {
  const { lifetimes, now, tokens } = settings;
  const { generation, rotatedAt } = row;
  const end = Math.min(rotatedAt + lifetimes.access, expiryOf(row, lifetimes));
  const expiry = Math.floor(end / 1000);
  const mask = maskOf(row.scopes, scopes);
  const body = {
    access_token: await tokens
      .derive("access", key, generation, expiry, mask),
    token_type: "Bearer",
    expires_in: Math.max(0, expiry - Math.floor(now() / 1000)),
    refresh_token: await tokens.derive("refresh", key, generation),
    scope: scopes.join(" "),
  };
  return { body };
}

/** Returns the scopes of an access token as a number with a bit for each. */
function maskOf(all: readonly string[], some: readonly string[]): number {
  let mask = 0;
  for (const [index, scope] of all.entries()) {
    if (some.includes(scope)) mask |= 1 << index;
  }
  return mask >>> 0;
}

/** Returns the scopes of the number that {@linkcode maskOf} returns. */
export function scopesOf(all: readonly string[], mask: number): string[] {
  return all.filter((_, index) => (mask & (1 << index)) !== 0);
}
