/**
 * Why an external login failed. Branch on it, never on a message.
 *
 * What a browser brought. Show: the login page, and that the login has to be
 * begun again.
 * - `wrong_callback`: the request is not one to the provider's `redirectUri`. A
 *   route leads to the wrong provider.
 * - `state_missing`: it has no `state`, or more than one. Somebody opened the
 *   address by hand, or forged the request.
 * - `state_unknown`: no login with this state is pending in this session. The
 *   user went back, opened the page twice, lost the cookie or logged in
 *   meanwhile; or somebody sent them a foreign answer.
 * - `state_expired`: the user took more than ten minutes.
 * - `provider_mismatch`: the login was begun at another provider, or the tokens
 *   to refresh are another's. Possibly an attack (RFC 9700, section 4.4).
 * - `callback_invalid`: neither a code nor an error, or a parameter is repeated
 *   or far too long.
 *
 * What the provider answered to the user.
 * - `access_denied`: the user, or the provider's policy, said no. Show: the
 *   login page, without an error.
 * - `authorization_refused`: another error, see `providerError`. With
 *   `login_required`, `consent_required` or `interaction_required` after
 *   `prompt: "none"`, begin again without it. Show else: that the provider could
 *   not do it, and other ways to log in.
 * - `issuer_mismatch`: the answer comes from another issuer, or does not say
 *   from which although the provider promises it (RFC 9207). Possibly an attack.
 *   Show: that the login failed.
 * - `authentication_too_old`: the user authenticated longer ago than `maxAge`.
 *   Begin again with `prompt: "login"`.
 *
 * The provider is away, or wrong. Show: that the login does not work at the
 * moment, and other ways to log in. Tell the operator.
 * - `discovery_failed`: its metadata can't be had, or is not usable.
 * - `keys_failed`: its keys can't be had, or none is usable.
 * - `pushed_authorization_failed`: it did not take the request.
 * - `client_authentication_unsupported`: it offers no way to authenticate that
 *   this client has.
 * - `token_request_failed`: the token endpoint can't be reached or makes no
 *   sense.
 * - `token_request_refused`: the token endpoint said no, see `providerError`:
 *   `invalid_client` is a wrong secret, `invalid_grant` a code that is wrong,
 *   used or too old.
 * - `token_response_invalid`: its answer lacks something or has it wrong.
 * - `id_token_invalid`: the ID token must not be believed. The message says why;
 *   possibly an attack, or a clock that is wrong.
 * - `userinfo_failed`: the profile can't be had.
 * - `userinfo_mismatch`: the profile is that of someone else.
 * - `profile_invalid`: the profile lacks what identifies the user.
 *
 * After the login.
 * - `refresh_token_missing`: there is nothing to refresh with. Show: the login.
 * - `revocation_failed`: the provider did not take the token back. It ends by
 *   itself; show where the user can end it at the provider.
 * - `logout_token_invalid`: the logout token must not be believed. No user is
 *   there to see it.
 * - `logout_failed`: the logout token is valid, but the session store or
 *   `findUserId` failed. The sessions may live on; the provider may try again.
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
  | "userinfo_failed"
  | "userinfo_mismatch"
  | "profile_invalid"
  | "refresh_token_missing"
  | "revocation_failed"
  | "logout_token_invalid"
  | "logout_failed";

/** What is known of a failure besides its code and message. */
export interface ExternalAuthErrorOptions {
  /**
   * What went wrong beneath.
   *
   * @default {undefined}
   */
  readonly cause?: unknown;
  /**
   * The error code that the provider gave.
   *
   * @default {undefined}
   */
  readonly providerError?: string;
  /**
   * The provider's own description of the error.
   *
   * @default {undefined}
   */
  readonly providerErrorDescription?: string;
  /**
   * The HTTP status of the provider's answer.
   *
   * @default {undefined}
   */
  readonly status?: number | undefined;
}

/**
 * Tells why an external login failed: to the operator by its message, to the
 * application by its code. It holds no code, token, secret or verifier.
 *
 * @example Telling a "no" from a failure
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
   * The error code that the provider gave, such as `invalid_grant`. It is the
   * provider's text, or a stranger's: escape it where you show it.
   */
  readonly providerError: string | undefined;

  /**
   * The provider's own description of the error, for the log: at most 300 ASCII
   * characters, in which `…` replaces what looks like a secret. It is the
   * provider's text, or a stranger's: never show it to users.
   */
  readonly providerErrorDescription: string | undefined;

  /** The HTTP status of the provider's answer, if there was one. */
  readonly status: number | undefined;

  /**
   * Creates the error.
   *
   * @param code The code.
   * @param message The message for the operator.
   * @param options What else is known.
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
