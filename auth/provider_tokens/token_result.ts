import type { RequestContext } from "../../router/mod.ts";
import type { DPoPKey } from "../dpop/mod.ts";
import type { ExternalAuthError } from "../issuer/mod.ts";

/** An access token that can be used now. */
export interface AccessToken {
  /** `true`, unlike that of a failure. */
  readonly ok: true;
  /** The token for the API. Never send it to the browser. */
  readonly accessToken: string;
  /** The expiry of the token, in epoch milliseconds, if it is known. */
  readonly expiresAt?: number;
  /**
   * The granted scopes, if the provider named them. A refresh can return fewer
   * than the login.
   */
  readonly scope?: string;
  /**
   * The key that the token is bound to, if it is (RFC 9449). Each request then
   * needs a proof of it.
   */
  readonly dpopKey?: DPoPKey;
}

/** The result if the user has to log in at the provider. */
export interface LoginRequired {
  /** `false`, unlike that of an access token. */
  readonly ok: false;
  /**
   * The reason.
   * - `none`: the user has not logged in at the provider, or has logged out.
   * - `ended`: the provider no longer accepts the refresh token, or the access
   *   token has expired and there is no refresh token.
   */
  readonly reason: "none" | "ended";
  /** Never present. */
  readonly retryAfter?: undefined;
  /**
   * The error of the provider, if this request has seen it. It is for operators,
   * with `providerError`, `providerErrorDescription` and `status`, and contains no
   * secret.
   */
  readonly error?: ExternalAuthError;
}

/** The result if a later attempt may succeed. */
export interface TokenUnavailable {
  /** `false`, unlike that of an access token. */
  readonly ok: false;
  /**
   * The reason: the provider failed, or another process is still refreshing the
   * token.
   */
  readonly reason: "unavailable";
  /** The seconds after which to try again. */
  readonly retryAfter: number;
  /**
   * The error of the provider, if this request has seen it. It is for operators,
   * with `providerError`, `providerErrorDescription` and `status`, and contains no
   * secret.
   */
  readonly error?: ExternalAuthError;
}

/** The result if there is no access token. */
export type TokenFailure = LoginRequired | TokenUnavailable;

/** An access token, or the reason why it is missing. */
export type TokenResult = AccessToken | TokenFailure;

/** Options for `get` of {@linkcode TokenSource}. */
export interface GetTokenOptions {
  /**
   * The milliseconds for which the token must still be valid. A token is refreshed
   * at the earliest after half of its lifetime.
   *
   * @default {30_000}
   */
  readonly minimumValidity?: number;
  /**
   * An access token that the API has rejected with 401. If it is the current one,
   * it is refreshed, but not if it is younger than 30 seconds.
   *
   * @default {undefined}
   */
  readonly rejected?: string | undefined;
  /**
   * Ends the wait for a refresh. The refresh itself continues, because its
   * tokens must be stored. The wait always has a limit.
   *
   * @default {undefined}
   */
  readonly signal?: AbortSignal | undefined;
}

/** Provides access tokens for the user of a request. */
export interface TokenSource {
  /**
   * Returns the access token of the request's user, and refreshes it first if
   * necessary.
   *
   * @param context The context of the request.
   * @param options The required validity.
   * @returns The access token, or the reason why it is missing.
   * @throws {SessionStoreError} If the store fails.
   * @throws {RangeError} If `minimumValidity` is not a number of milliseconds.
   * @throws {TypeError} If no session middleware ran before.
   * @throws The reason of the signal, if it is aborted.
   */
  get(
    context: RequestContext,
    options?: GetTokenOptions,
  ): Promise<TokenResult>;
}
