import { proveClient } from "./_client_authentication.ts";
import { fetchStatus } from "./_bounded_fetch.ts";
import type { ProviderEngine } from "./_engine.ts";
import { unanswered } from "./_provider_error.ts";
import { report } from "./_report.ts";
import { ExternalAuthError } from "./errors.ts";
import type { ExternalAuthFailure } from "./finish.ts";
import {
  engineOf,
  type ExternalAuthProvider,
  type ExternalAuthTokens,
} from "./provider.ts";

/** How a revocation ended. */
export type ExternalAuthRevocation = ExternalAuthFailure | {
  /** Tells it from a failure. */
  readonly ok: true;
};

/**
 * Gives tokens back to the provider, so that they are void: the refresh token,
 * then the access token.
 *
 * @example Disconnecting an account
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createOIDCAuthProvider, revokeExternalAuth } from "@gatehouse/web/auth";
 *
 * const provider = createOIDCAuthProvider({
 *   name: "example",
 *   issuer: "https://id.example",
 *   clientId: "app",
 *   clientSecret: "s3cret",
 *   redirectUri: "https://app.example/callback",
 *   metadata: {
 *     issuer: "https://id.example",
 *     authorization_endpoint: "https://id.example/authorize",
 *     token_endpoint: "https://id.example/token",
 *     revocation_endpoint: "https://id.example/revoke",
 *   },
 *   fetch: () => Promise.resolve(new Response(null)),
 * });
 * const result = await revokeExternalAuth(provider, { accessToken: "token" });
 * assertEquals(result.ok, true);
 * ```
 *
 * @param provider The provider that issued the tokens.
 * @param tokens The tokens of the login.
 * @returns Whether the provider took them back, or why not.
 * @see {@link https://www.rfc-editor.org/rfc/rfc7009#section-2 | RFC 7009, section 2}
 */
export async function revokeExternalAuth(
  provider: ExternalAuthProvider,
  tokens: Pick<Partial<ExternalAuthTokens>, "accessToken" | "refreshToken">,
): Promise<ExternalAuthRevocation> {
  const engine = engineOf(provider);
  try {
    if (tokens.refreshToken) {
      await revoke(engine, tokens.refreshToken, "refresh_token");
    }
    if (tokens.accessToken) {
      await revoke(engine, tokens.accessToken, "access_token");
    }
    return { ok: true };
  } catch (error) {
    if (!(error instanceof ExternalAuthError)) throw error;
    report(engine, error);
    return { ok: false, error };
  }
}

async function revoke(
  { client, metadata, now, transport }: ProviderEngine<unknown>,
  token: string,
  hint: string,
): Promise<void> {
  const known = await metadata();
  const url = known.revocation_endpoint;
  if (url === undefined) throw failure("the provider has no endpoint for it");
  const proof = await proveClient(client, known, now());
  const params = { token, token_type_hint: hint, ...proof.params };
  const secrets = [token, ...proof.secrets];
  let status;
  try {
    status = await fetchStatus(transport, {
      url,
      headers: proof.headers,
      form: new URLSearchParams(params),
      secrets,
    });
  } catch (cause) {
    throw unanswered("revocation_failed", "Cannot revoke the tokens", cause);
  }
  // A token that the provider does not know is 200 too (section 2.2).
  if (status !== 200) throw failure(`the endpoint answered ${status}`, status);
}

function failure(state: string, status?: number): ExternalAuthError {
  return new ExternalAuthError(
    "revocation_failed",
    `Cannot revoke the tokens: ${state}`,
    { status },
  );
}
