import type { GrantRow } from "../grants/grant_store.ts";
import type { Settings } from "../settings.ts";
import { createAccessToken } from "./access_token.ts";

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
  const { now, tokens } = settings;
  const access = await createAccessToken(settings, key, row, scopes);
  const body = {
    access_token: access.token,
    token_type: row.thumbprint === undefined ? "Bearer" : "DPoP",
    expires_in: Math.max(0, access.expiry - Math.floor(now() / 1000)),
    refresh_token: await tokens.derive("refresh", key, row.generation),
    scope: scopes.join(" "),
  };
  return { body };
}
