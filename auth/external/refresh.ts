import { checkIdToken } from "./_identity.ts";
import { isIssuerOf, type ProviderEngine } from "./_engine.ts";
import type { JSONObject } from "./_bounded_fetch.ts";
import { claimsOf } from "./_id_token.ts";
import { report } from "./_report.ts";
import { SharedWork } from "./_shared_work.ts";
import { requestTokens, type TokenResponse } from "./_token_request.ts";
import { ExternalAuthError } from "./errors.ts";
import type { ExternalAuthFailure } from "./finish.ts";
import {
  engineOf,
  type ExternalAuthProvider,
  type ExternalAuthTokens,
} from "./provider.ts";

/** What can be refreshed: the tokens of a login, or what was kept of them. */
export type RefreshableTokens =
  & Partial<ExternalAuthTokens>
  & Pick<ExternalAuthTokens, "refreshToken">;

/** How a refresh ended. */
export type ExternalAuthRefresh = ExternalAuthFailure | {
  /** Tells it from a failure. */
  readonly ok: true;
  /** The tokens from now on: keep these, the old ones may be void. */
  readonly tokens: ExternalAuthTokens;
};

/**
 * Gets new tokens with a refresh token.
 *
 * Where the provider gives a new refresh token the old one is void: keep the
 * tokens that are returned. Two calls at once with the same refresh token make
 * one request. A new ID token must be about the same user, from the same issuer,
 * for the same client.
 *
 * The refresh token is not sent where the tokens are another provider's, nor
 * while the keys for a new ID token can't be had.
 *
 * With `error.code` `"token_request_refused"` and `providerError`
 * `"invalid_grant"` the user has to log in again; after other failures the
 * refresh token may still be good.
 *
 * @example Asking before an access token ends
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createOIDCAuthProvider, refreshExternalAuth } from "@gatehouse/web/auth";
 *
 * const provider = createOIDCAuthProvider({
 *   name: "example",
 *   issuer: "https://id.example",
 *   clientId: "app",
 *   clientSecret: "s3cret",
 *   redirectUri: "https://app.example/callback",
 * });
 * const result = await refreshExternalAuth(provider, {
 *   accessToken: "from the login",
 *   issuer: "https://id.example",
 *   subject: "248289761001",
 * });
 * assertEquals(!result.ok && result.error.code, "refresh_token_missing");
 * ```
 *
 * @param provider The provider that issued the tokens.
 * @param tokens The tokens of the login: the refresh token, and for OpenID
 * Connect `issuer` and `subject`.
 * @returns The new tokens, or why there are none.
 * @throws {TypeError} If `issuer` or `subject` is missing where it is needed.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-6 | RFC 6749, section 6}
 * @see {@link https://openid.net/specs/openid-connect-core-1_0.html#RefreshTokens | OpenID Connect Core 1.0, section 12}
 */
export async function refreshExternalAuth(
  provider: ExternalAuthProvider,
  tokens: RefreshableTokens,
): Promise<ExternalAuthRefresh> {
  const engine = engineOf(provider);
  const { issuer, refreshToken, subject } = tokens;
  const isKnown = issuer !== undefined && subject !== undefined;
  if (engine.definition.openid !== undefined && !isKnown) {
    throw new TypeError(
      "Cannot refresh tokens: issuer and subject of the login are missing",
    );
  }
  try {
    if (!refreshToken) {
      throw new ExternalAuthError(
        "refresh_token_missing",
        "Cannot refresh tokens: there is no refresh token",
      );
    }
    return {
      ok: true,
      tokens: await refreshOnce(engine, tokens, refreshToken),
    };
  } catch (error) {
    if (!(error instanceof ExternalAuthError)) throw error;
    report(engine, error);
    return { ok: false, error };
  }
}

const pending = /* @__PURE__ */ new WeakMap<
  object,
  Map<string, SharedWork<ExternalAuthTokens>>
>();

/** A token that is used twice looks stolen to a provider that rotates them. */
async function refreshOnce(
  engine: ProviderEngine<unknown>,
  tokens: RefreshableTokens,
  refreshToken: string,
): Promise<ExternalAuthTokens> {
  await checkBeforehand(engine, tokens);
  let ofEngine = pending.get(engine);
  if (ofEngine === undefined) pending.set(engine, ofEngine = new Map());
  const key = JSON.stringify([refreshToken, tokens.issuer, tokens.subject]);
  // The keys may be asked for once more.
  const patience = 2 * engine.transport.timeout;
  const work = ofEngine.get(key) ??
    new SharedWork<ExternalAuthTokens>(patience);
  ofEngine.set(key, work);
  try {
    return await work.run(() => refresh(engine, tokens, refreshToken));
  } finally {
    if (ofEngine.get(key) === work) ofEngine.delete(key);
  }
}

async function refresh(
  engine: ProviderEngine<unknown>,
  tokens: RefreshableTokens,
  refreshToken: string,
): Promise<ExternalAuthTokens> {
  const renewed = await requestTokens(engine, {
    grant_type: "refresh_token",
    refresh_token: refreshToken,
  });
  if (renewed.idToken !== undefined) {
    await checkSameUser(engine, tokens, renewed, renewed.idToken);
  }
  const { idToken, issuer, scope, subject } = tokens;
  return {
    refreshToken,
    ...idToken !== undefined && { idToken },
    ...scope !== undefined && { scope },
    ...renewed,
    ...subject !== undefined && { subject },
    ...issuer !== undefined && { issuer },
  };
}

/** What can go wrong without the refresh token, which may work only once. */
async function checkBeforehand(
  engine: ProviderEngine<unknown>,
  { issuer }: RefreshableTokens,
): Promise<void> {
  if (issuer !== undefined && !await isIssuerOf(engine, issuer)) {
    throw new ExternalAuthError(
      "provider_mismatch",
      "Cannot refresh tokens: they are another provider's",
    );
  }
  if (engine.definition.openid === undefined) return;
  // For the new ID token: keys are fetched once in a while, and that may fail.
  const keys = await engine.keys();
  await keys.get();
}

/** Core 1.0, section 12.2. */
async function checkSameUser(
  engine: ProviderEngine<unknown>,
  tokens: RefreshableTokens,
  { accessToken }: TokenResponse,
  idToken: string,
): Promise<void> {
  const { openid } = engine.definition;
  if (openid === undefined) return;
  const claims = await checkIdToken(engine, openid, idToken, { accessToken });
  const issuer = openid.canonicalIssuer?.(claims.iss) ?? claims.iss;
  const before: JSONObject = tokens.idToken === undefined
    ? {}
    : claimsOf(tokens.idToken);
  const isSame = issuer === tokens.issuer && claims.sub === tokens.subject &&
    ["azp", "auth_time", "nonce"].every((name) =>
      claims[name] === undefined || before[name] === undefined ||
      claims[name] === before[name]
    );
  if (isSame) return;
  throw new ExternalAuthError(
    "id_token_invalid",
    "Cannot believe the ID token: it is about another login",
  );
}
