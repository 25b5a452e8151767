import type { RequestContext } from "../../router/mod.ts";
import type { Session } from "../../session/mod.ts";
import type { AuthMethod } from "../login/auth_method.ts";
import type {
  EnableTOTPResult,
  FirstFactorOptions,
  PendingLogin,
  RememberedDevice,
  SecondFactorResult,
  SecondFactorStatus,
  TOTPConfirmation,
  TOTPSetup,
  VerifyCodeOptions,
} from "./options.ts";

/** The second factors of an application's users, and their logins. */
export interface SecondFactors {
  /**
   * Completes a login, unless the user needs a second factor. Call it instead of
   * `completeAuth`.
   *
   * If the user needs a second factor, the login waits for it in this browser.
   * Until then no scheme sees a user. A login whose methods contain `mfa` needs no
   * other factor: a passkey that verified its user is two factors.
   *
   * Trust: the user must have proved their identity, and the id must be theirs. Pass
   * `mfa` of a provider only if you trust it to have asked for two factors.
   *
   * @param context The context of the request.
   * @param userId The id of the user.
   * @param options The methods of the first factor, and data to keep.
   * @returns The session of the user; `null` if the login needs a second factor.
   * @throws {TypeError} As `completeAuth`.
   * @throws {SessionStoreError} If the store failed.
   */
  completeFirstFactor(
    context: RequestContext,
    userId: string | number,
    options?: FirstFactorOptions,
  ): Promise<Session | null>;

  /**
   * Returns the login that waits for its second factor in this browser, for the
   * page that asks for the code.
   *
   * @param context The context of the request.
   * @returns The login; `null` if no login waits, or if it has expired.
   * @throws {SessionStoreError} If the store failed.
   */
  pendingLogin(context: RequestContext): Promise<PendingLogin | null>;

  /**
   * Completes the login of this browser with a code of the authenticator app, or
   * with a recovery code. Each code works once. Other logins of the user that wait
   * for a code end. If the store of the sessions fails then, the code and the login
   * are used up, and the user starts again.
   *
   * @param context The context of the request.
   * @param code The code, as the client sent it.
   * @param options `rememberDevice`, if the user chose it.
   * @returns The result.
   * @throws {SessionStoreError} If the store failed.
   */
  verifyCode(
    context: RequestContext,
    code: unknown,
    options?: VerifyCodeOptions,
  ): Promise<SecondFactorResult>;

  /**
   * Completes the login of this browser with a factor that the application keeps,
   * such as a passkey.
   *
   * Trust: the user of the pending login must have proved this factor.
   *
   * @param context The context of the request.
   * @param methods The methods of the second factor, such as `["hwk"]`.
   * @returns The session of the user; `null` if no login waits for a factor.
   * @throws {SessionStoreError} If the store failed.
   */
  completeSecondFactor(
    context: RequestContext,
    methods: readonly AuthMethod[],
  ): Promise<Session | null>;

  /**
   * Confirms the identity of the logged-in user with a code, before a sensitive
   * change: `requireFreshAuth(maxAge, { methods: ["otp", "recovery"] })`.
   *
   * @param context The context of the request.
   * @param code The code, as the client sent it.
   * @returns The result.
   * @throws {HTTPError} If the user acts as another one.
   * @throws {SessionStoreError} If the store failed.
   */
  confirmCode(
    context: RequestContext,
    code: unknown,
  ): Promise<SecondFactorResult>;

  /**
   * Returns the second factors of a user, for an account page.
   *
   * @param userId The id of the user.
   * @returns The factors.
   * @throws {SessionStoreError} If the store failed.
   */
  status(userId: string | number): Promise<SecondFactorStatus>;

  /**
   * Begins to set up an authenticator app. Nothing is stored until
   * `enableTOTP`.
   *
   * @param userId The id of the user.
   * @param account The name of the account in the app, such as an email address.
   * @returns The secret, the URI and the hidden field of the form.
   */
  createTOTP(userId: string | number, account: string): Promise<TOTPSetup>;

  /**
   * Finishes setting up an authenticator app, and creates new recovery codes.
   * It replaces the earlier app, codes and remembered devices of the logged-in
   * user.
   *
   * Trust: require a fresh login first, with a second factor if there is one.
   *
   * @param context The context of the request.
   * @param form The hidden field and the code, as the client sent them.
   * @returns The recovery codes, or the reason of the failure.
   * @throws {HTTPError} If the user acts as another one.
   * @throws {SessionStoreError} If the store failed.
   */
  enableTOTP(
    context: RequestContext,
    form: TOTPConfirmation,
  ): Promise<EnableTOTPResult>;

  /**
   * Replaces the recovery codes and the remembered devices of the logged-in user.
   * Only the hashes of the codes are stored.
   *
   * Trust: require a fresh login first.
   *
   * @param context The context of the request.
   * @returns Ten codes, to show once; `null` if no user is logged in, or all access
   * was ended since the login.
   * @throws {HTTPError} If the user acts as another one.
   * @throws {SessionStoreError} If the store failed.
   */
  createRecoveryCodes(
    context: RequestContext,
  ): Promise<readonly string[] | null>;

  /**
   * Removes the authenticator app, the recovery codes and the remembered devices
   * of the logged-in user.
   *
   * Trust: require a fresh login with a second factor first.
   *
   * @param context The context of the request.
   * @returns `false` if no user is logged in, or all access was ended since the
   * login.
   * @throws {HTTPError} If the user acts as another one.
   * @throws {SessionStoreError} If the store failed.
   */
  disable(context: RequestContext): Promise<boolean>;

  /**
   * Removes the authenticator app, the recovery codes and the remembered devices
   * of any user, for example after a reset of the password or for support.
   *
   * Trust: without them, the password is enough to open the account.
   *
   * @param userId The id of the user.
   * @throws {SessionStoreError} If the store failed.
   */
  remove(userId: string | number): Promise<void>;

  /**
   * Returns the remembered devices of a user, the latest first.
   *
   * @param context The context of the request.
   * @param userId The id of the user.
   * @returns The devices.
   * @throws {SessionStoreError} If the store failed.
   */
  devices(
    context: RequestContext,
    userId: string | number,
  ): Promise<readonly RememberedDevice[]>;

  /**
   * Forgets one remembered device of the logged-in user.
   *
   * @param context The context of the request.
   * @param id The id of the device.
   * @throws {HTTPError} If the user acts as another one.
   * @throws {SessionStoreError} If the store failed.
   */
  removeDevice(context: RequestContext, id: string): Promise<void>;

  /**
   * Forgets all remembered devices of a user, and ends the logins that wait for a
   * code, for example because the password changed.
   *
   * @param userId The id of the user.
   * @throws {SessionStoreError} If the store failed.
   */
  revoke(userId: string | number): Promise<void>;

  /**
   * Encrypts the secret of a user with the first of `secrets`, so that an old one
   * can be removed.
   *
   * @param userId The id of the user.
   * @throws {SessionStoreError} If the store failed.
   */
  reencrypt(userId: string | number): Promise<void>;
}
