import { ExternalAuthError, fetchStatus } from "../../issuer/mod.ts";
import { authenticateClient } from "../client_authentication.ts";
import type { ProviderEngine } from "../engine.ts";
import type { ExternalAuthFailure } from "../login/finish.ts";
import {
  engineOf,
  type ExternalAuthProvider,
  type ExternalAuthTokens,
} from "../provider.ts";

/** The result of a revocation. */
export type ExternalAuthRevocation = ExternalAuthFailure | {
  /** `true`, unlike that of a failure. */
  readonly ok: true;
};

/**
 * Revokes tokens at the provider: the refresh token, then the access token.
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
 * @returns `ok: true`, or the error if the provider did not revoke them.
 * @see {@link https://www.rfc-editor.org/rfc/rfc7009#section-2 | RFC 7009, section 2}
 */
export async function revokeExternalAuth(
  provider: ExternalAuthProvider,
  tokens: Pick<Partial<ExternalAuthTokens>, "accessToken" | "refreshToken">,
): Promise<ExternalAuthRevocation> {
  const engine = engineOf(provider);
  let failed: ExternalAuthError | undefined;
  for (
    const [token, hint] of [
      [tokens.refreshToken, "refresh_token"],
      [tokens.accessToken, "access_token"],
    ] as const
  ) {
    if (!token) continue;
    try {
      await revoke(engine, token, hint);
    } catch (error) {
      if (!(error instanceof ExternalAuthError)) throw error;
      engine.options.onError?.(error);
      // Some providers revoke access tokens only.
      failed ??= error;
    }
  }
  return failed === undefined ? { ok: true } : { ok: false, error: failed };
}

const CODE = "revocation_failed";
const PREFIX = "Cannot revoke the tokens";

async function revoke(
  engine: ProviderEngine<unknown>,
  token: string,
  hint: string,
): Promise<void> {
  const { client, now } = engine;
  const metadata = await engine.metadata();
  const url = metadata.revocation_endpoint;
  if (url === undefined) {
    throw revocationError("the provider has no endpoint for it");
  }
  const credentials = await authenticateClient(client, metadata, now());
  const params = { token, token_type_hint: hint, ...credentials.params };
  const status = await fetchStatus(engine, {
    url,
    headers: credentials.headers,
    form: new URLSearchParams(params),
    secrets: [token, ...credentials.secrets],
    code: CODE,
    errorPrefix: PREFIX,
  });
  // The status is 200 for an unknown token too (section 2.2).
  if (status === 200) return;
  throw revocationError(`the endpoint answered ${status}`, status);
}

function revocationError(reason: string, status?: number): ExternalAuthError {
  return new ExternalAuthError(CODE, `${PREFIX}: ${reason}`, { status });
}
