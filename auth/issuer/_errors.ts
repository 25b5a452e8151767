/**
 * The reason why an external login failed. Branch on it, never on a message.
 *
 * The first group contains problems with the browser's request. Show the login
 * page, and say that the login has to be started again.
 * - `wrong_callback`: the request is not a GET of the provider's `redirectUri`.
 *   A route uses the wrong provider.
 * - `state_missing`: the callback has no `state`, or several. A user opened the
 *   URL by hand, or the request is forged.
 * - `state_unknown`: no login with this state is pending in this session. The
 *   user went back, opened the page twice, lost the cookie, or logged in in the
 *   meantime. It may also be the response to an attacker's login.
 * - `state_expired`: the user took more than ten minutes.
 * - `provider_mismatch`: the login was started at another provider, or the
 *   tokens to refresh are from another one. It may be an attack (RFC 9700,
 *   section 4.4).
 * - `callback_invalid`: the callback has neither a code nor an error, or a
 *   parameter is repeated or too long.
 *
 * The second group contains responses of the provider to the user.
 * - `access_denied`: the user or the provider's policy declined. Show the login
 *   page without an error.
 * - `authorization_refused`: another error, see `providerError`. After
 *   `prompt: "none"`, start again without it if the error is `login_required`,
 *   `consent_required` or `interaction_required`. Otherwise say that the
 *   provider failed, and offer other ways to log in.
 * - `issuer_mismatch`: the response comes from another issuer, or has no `iss`
 *   although the provider promises it (RFC 9207). It may be an attack. Say that
 *   the login failed.
 * - `authentication_too_old`: the user authenticated longer ago than `maxAge`.
 *   Start again with `prompt: "login"`.
 *
 * The third group contains failures of the provider or the configuration. Say
 * that this login does not work at the moment, offer other ways to log in, and
 * alert the operator.
 * - `discovery_failed`: the provider's metadata is unavailable or invalid.
 * - `keys_failed`: its keys are unavailable, or none is usable.
 * - `pushed_authorization_failed`: it rejected the pushed request.
 * - `client_authentication_unsupported`: it supports no authentication method
 *   that this client can use.
 * - `token_request_failed`: the token endpoint is unavailable, or its response is
 *   malformed.
 * - `token_request_refused`: the token endpoint returned an error, see
 *   `providerError`. `invalid_client` is a wrong secret, `invalid_grant` a code
 *   that is wrong, used or expired.
 * - `token_response_invalid`: a member of the token response is missing or
 *   malformed.
 * - `id_token_invalid`: the ID token is invalid. The message has the reason. It
 *   may be an attack, or a wrong clock.
 * - `introspection_failed`: the issuer of an access token did not introspect it.
 * - `userinfo_failed`: the profile is unavailable or invalid.
 * - `userinfo_mismatch`: the profile is about another user.
 * - `profile_invalid`: the profile does not identify the user.
 *
 * The last group contains failures after the login.
 * - `refresh_token_missing`: there is no refresh token. Show the login page.
 * - `revocation_failed`: the provider did not revoke the token. It expires later.
 *   Link to the provider's page on which the user can revoke it.
 * - `logout_token_invalid`: the logout token is invalid. No user sees it.
 * - `logout_failed`: the logout token is valid, but the session store or
 *   `findUserId` failed. Sessions may still be active. The provider may try again.
 */
export type ExternalAuthErrorCode =
  | "wrong_callback"
  | "state_missing"
  | "state_unknown"
  | "state_expired"
  | "provider_mismatch"
  | "callback_invalid"
  | "access_denied"
  | "authorization_refused"
  | "issuer_mismatch"
  | "discovery_failed"
  | "keys_failed"
  | "pushed_authorization_failed"
  | "client_authentication_unsupported"
  | "token_request_failed"
  | "token_request_refused"
  | "token_response_invalid"
  | "id_token_invalid"
  | "authentication_too_old"
  | "introspection_failed"
  | "userinfo_failed"
  | "userinfo_mismatch"
  | "profile_invalid"
  | "refresh_token_missing"
  | "revocation_failed"
  | "logout_token_invalid"
  | "logout_failed";

/** Details of an {@linkcode ExternalAuthError}. */
export interface ExternalAuthErrorOptions {
  /**
   * The underlying error.
   *
   * @default {undefined}
   */
  readonly cause?: unknown;
  /**
   * The error code in the provider's response.
   *
   * @default {undefined}
   */
  readonly providerError?: string;
  /**
   * The provider's description of the error.
   *
   * @default {undefined}
   */
  readonly providerErrorDescription?: string;
  /**
   * The HTTP status of the provider's response.
   *
   * @default {undefined}
   */
  readonly status?: number | undefined;
}

/**
 * The error of an external login. Operators read its message, applications its
 * code. It contains no code, token, secret or verifier.
 *
 * @example Distinguishing a refusal from a failure
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { ExternalAuthError } from "@gatehouse/web/auth";
 *
 * const error = new ExternalAuthError(
 *   "access_denied",
 *   'Cannot log in with "portal": the user declined',
 * );
 * assertEquals(error.code, "access_denied");
 * ```
 */
export class ExternalAuthError extends Error {
  /** The class name, stable under minification. */
  override readonly name = "ExternalAuthError";

  /** The machine-readable code. Branch on it, never on the message. */
  readonly code: ExternalAuthErrorCode;

  /**
   * The error code in the provider's response, such as `invalid_grant`. Anyone
   * can choose it: escape it before you show it.
   */
  readonly providerError: string | undefined;

  /**
   * The provider's description of the error, for the log: at most 300 ASCII
   * characters, in which `…` replaces possible secrets. Anyone can choose it:
   * never show it to users.
   */
  readonly providerErrorDescription: string | undefined;

  /** The HTTP status of the provider's response, if there was one. */
  readonly status: number | undefined;

  /**
   * Creates the error.
   *
   * @param code The code.
   * @param message The message for the operator.
   * @param options More details.
   */
  constructor(
    code: ExternalAuthErrorCode,
    message: string,
    options: ExternalAuthErrorOptions = {},
  ) {
    const { cause, providerError, providerErrorDescription, status } = options;
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.providerError = providerError;
    this.providerErrorDescription = providerErrorDescription;
    this.status = status;
  }
}
