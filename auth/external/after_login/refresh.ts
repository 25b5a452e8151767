import { SingleFlight } from "../../../router/internal.ts";
import {
  decodeClaims,
  ExternalAuthError,
  type JSONObject,
} from "../../issuer/mod.ts";
import { isIssuerOf, type ProviderEngine } from "../engine.ts";
import { idTokenError, verifyIdToken } from "../id_token.ts";
import type { ExternalAuthFailure } from "../login/finish.ts";
import {
  engineOf,
  type ExternalAuthProvider,
  type ExternalAuthTokens,
} from "../provider.ts";
import {
  fetchTokens,
  isToken,
  parseTokens,
  type TokenResponse,
} from "../token_request.ts";

/** The tokens of a login, or the part of them that was stored. */
export type RefreshableTokens =
  & Partial<ExternalAuthTokens>
  & Pick<ExternalAuthTokens, "refreshToken">;

/** The result of a refresh that failed. */
export interface ExternalAuthRefreshFailure extends ExternalAuthFailure {
  /**
   * The tokens to store instead of the old ones. They are present if the
   * provider has issued new tokens, but the new ID token could not be verified,
   * or the response is malformed. There is no access token, because it may
   * belong to another user. The refresh token is the new one, because the old
   * one may be invalid now.
   *
   * They are missing if the new ID token names another user or login, even if
   * it could not be verified.
   */
  readonly tokens?: RefreshableTokens;
}

/** The result of a refresh. */
export type ExternalAuthRefresh = ExternalAuthRefreshFailure | {
  /** `true`, unlike that of a failure. */
  readonly ok: true;
  /** The new tokens. Store them: the old ones may be invalid now. */
  readonly tokens: ExternalAuthTokens;
};

/**
 * Gets new tokens with a refresh token.
 *
 * Store the returned tokens: a new refresh token usually invalidates the old one.
 * Concurrent calls with the same refresh token send one request. A new ID token
 * must have the same user, issuer and client.
 *
 * The refresh token is not sent if the tokens are from another provider, or
 * while the keys for a new ID token are unavailable.
 *
 * If `error.code` is `"token_request_refused"` and `providerError` is
 * `"invalid_grant"`, the user has to log in again. After other failures the
 * refresh token may still be valid. If the failure has `tokens`, store them: the
 * provider has replaced the refresh token.
 *
 * @example Refreshing before an access token expires
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
 * @returns The new tokens, or the error.
 * @throws {TypeError} If `issuer` or `subject` is missing for OpenID Connect.
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
    const result = await refreshOnce(engine, tokens, refreshToken);
    if (!result.ok) engine.options.onError?.(result.error);
    return result;
  } catch (error) {
    if (!(error instanceof ExternalAuthError)) throw error;
    engine.options.onError?.(error);
    return { ok: false, error };
  }
}

const pending = /* @__PURE__ */ new WeakMap<
  object,
  Map<string, SingleFlight<ExternalAuthRefresh>>
>();

/** Sends a token only once: a provider that rotates tokens would revoke it. */
async function refreshOnce(
  engine: ProviderEngine<unknown>,
  tokens: RefreshableTokens,
  refreshToken: string,
): Promise<ExternalAuthRefresh> {
  await prepareRefresh(engine, tokens);
  let ofEngine = pending.get(engine);
  if (ofEngine === undefined) pending.set(engine, ofEngine = new Map());
  const key = JSON.stringify([refreshToken, tokens.issuer, tokens.subject]);
  // The limit covers one timeout for the tokens and one for new keys.
  const timeout = 2 * engine.timeout;
  const flight = ofEngine.get(key) ??
    new SingleFlight<ExternalAuthRefresh>(timeout);
  ofEngine.set(key, flight);
  try {
    return await flight.run(() => refresh(engine, tokens, refreshToken));
  } finally {
    if (ofEngine.get(key) === flight) ofEngine.delete(key);
  }
}

async function refresh(
  engine: ProviderEngine<unknown>,
  tokens: RefreshableTokens,
  refreshToken: string,
): Promise<ExternalAuthRefresh> {
  const response = await fetchTokens(engine, {
    grant_type: "refresh_token",
    refresh_token: refreshToken,
  }, tokens.dpopKey);
  const { accessToken: _, expiresAt: __, ...kept } = tokens;
  try {
    const renewed = parseTokens(response);
    await verifyRenewed(engine, tokens, renewed);
    return { ok: true, tokens: { ...kept, ...renewed } };
  } catch (error) {
    if (!(error instanceof ExternalAuthError)) throw error;
    const next = rotatedToken(engine, tokens, response.body, error);
    // The provider has not replaced the refresh token.
    if (next === undefined && error.code !== "id_token_invalid") throw error;
    const changed = { ...kept, refreshToken: next ?? refreshToken };
    return { ok: false, error, tokens: changed };
  }
}

/**
 * Checks everything that may fail before the refresh token is used, because the
 * token may work only once. It can fetch the metadata and the keys.
 *
 * @throws {ExternalAuthError} If the check fails.
 */
export async function prepareRefresh(
  engine: ProviderEngine<unknown>,
  { issuer }: RefreshableTokens,
): Promise<void> {
  if (issuer !== undefined && !await isIssuerOf(engine, issuer)) {
    throw new ExternalAuthError(
      "provider_mismatch",
      "Cannot refresh tokens: they are from another provider",
    );
  }
  if (engine.definition.openid === undefined) return;
  // A new ID token needs the keys, and fetching them may fail.
  const keys = await engine.keys();
  await keys.get();
}

/**
 * Verifies the ID token of a refresh, if there is one (Core 1.0, section 12.2).
 *
 * @throws {ExternalAuthError} If it is invalid, or about another login.
 */
async function verifyRenewed(
  engine: ProviderEngine<unknown>,
  tokens: RefreshableTokens,
  { accessToken, idToken }: TokenResponse,
): Promise<void> {
  const { openid } = engine.definition;
  if (openid === undefined || idToken === undefined) return;
  const claims = await verifyIdToken(engine, openid, idToken, { accessToken });
  if (!isSameLogin(engine, tokens, claims)) throw otherLogin();
}

/**
 * Returns the new refresh token of a response that failed a check, if it has one.
 *
 * @throws {ExternalAuthError} If the ID token is about another login, even if
 * its signature is invalid. The tokens are lost on purpose: they may be those
 * of another user.
 */
function rotatedToken(
  engine: ProviderEngine<unknown>,
  tokens: RefreshableTokens,
  { id_token, refresh_token }: JSONObject,
  error: ExternalAuthError,
): string | undefined {
  const hasIdToken = id_token !== undefined && id_token !== null;
  if (engine.definition.openid !== undefined && hasIdToken) {
    const claims = decodeClaims(typeof id_token === "string" ? id_token : "");
    if (!isSameLogin(engine, tokens, claims)) {
      throw error.code === "id_token_invalid" ? error : otherLogin();
    }
  }
  return isToken(refresh_token) ? refresh_token : undefined;
}

/** Returns `true` if the claims of a new ID token are about the same login. */
function isSameLogin(
  { definition: { openid } }: ProviderEngine<unknown>,
  tokens: RefreshableTokens,
  claims: JSONObject,
): boolean {
  const { iss, sub } = claims;
  if (typeof iss !== "string") return false;
  const issuer = openid?.canonicalIssuer?.(iss) ?? iss;
  const before: JSONObject = decodeClaims(tokens.idToken ?? "");
  return issuer === tokens.issuer && sub === tokens.subject &&
    ["azp", "auth_time", "nonce"].every((name) =>
      claims[name] === undefined || before[name] === undefined ||
      claims[name] === before[name]
    );
}

function otherLogin(): ExternalAuthError {
  return idTokenError("it is about another login");
}
