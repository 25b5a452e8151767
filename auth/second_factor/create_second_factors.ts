import { reportSecurityEvent } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import type { Session } from "../../session/mod.ts";
import { encodeBase64Url } from "../../session/secrets.ts";
import { type AuthMethod, checkMethods } from "../login/auth_method.ts";
import { completeAuth, completeLogin } from "../login/complete_auth.ts";
import { FinishedLogin } from "../login/login_names.ts";
import { ownSession } from "../login/own_account.ts";
import { checkedCaller } from "../store/checked_caller.ts";
import { KnownDevices } from "../store/known_devices.ts";
import { accountsOfDevices } from "../store/new_devices.ts";
import { UserThrottle } from "../throttle/user_throttle.ts";
import { CodeCheck, type UsedCode } from "./_code_check.ts";
import {
  type FactorRecord,
  FactorStore,
  NO_FACTORS,
  type StoredLogin,
} from "./_factor_store.ts";
import { PendingLogins } from "./_pending_logins.ts";
import { hashRecoveryCode, newRecoveryCodes } from "./_recovery_codes.ts";
import { TOTPSetups } from "./_totp_setup.ts";
import type {
  EnableTOTPResult,
  FirstFactorOptions,
  PendingLogin,
  RememberedDevice,
  SecondFactorResult,
  SecondFactorsOptions,
  SecondFactorStatus,
  TOTPConfirmation,
  TOTPSetup,
  VerifyCodeOptions,
} from "./options.ts";
import type { SecondFactors } from "./second_factors.ts";

type UserId = string | number;

const MISSING = { ok: false, reason: "missing" } as const;
const ENDED = { ok: false, reason: "ended" } as const;

/**
 * Creates the second factors of an application: codes of authenticator apps
 * (TOTP), recovery codes and remembered devices.
 *
 * A code works once, even if a hundred requests send it at the same time. The
 * codes of the previous and the next step work too. Secrets are encrypted in
 * the store, and recovery codes hashed.
 *
 * @example A login with a code
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import {
 *   createSecondFactors,
 *   generateTOTP,
 * } from "@gatehouse/web/auth/second-factor";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { createMemorySessionStore } from "@gatehouse/web/session";
 * import { session } from "@gatehouse/web/session-middleware";
 * import { createTestClient } from "@gatehouse/web/testing";
 *
 * const factors = createSecondFactors({
 *   issuer: "Example",
 *   store: createMemorySessionStore(),
 *   secrets: ["from the environment: 32 random characters or more"],
 * });
 * const router = createRouter({ middleware: [session()] });
 * router.post("/login", async (context) => {
 *   // After the password was verified:
 *   const methods = ["pwd"];
 *   const user = await factors.completeFirstFactor(context, 7, { methods });
 *   return new Response(user === null ? "Your code?" : "Welcome");
 * });
 * router.post("/login/:code", async (context) => {
 *   const { ok } = await factors.verifyCode(context, context.params.code);
 *   return new Response(ok ? "Welcome" : "Wrong code");
 * });
 * router.post("/account/app", async (context) => {
 *   const form = await context.request.json();
 *   const { ok } = await factors.enableTOTP(context, form);
 *   return new Response(null, { status: ok ? 204 : 422 });
 * });
 *
 * const { fetch } = createTestClient(router);
 * const post = { method: "POST" };
 * await fetch("/login", post);
 * const { secret, setup } = await factors.createTOTP(7, "ada@example.com");
 * const time = Date.now() - 30_000;
 * const code = await generateTOTP(secret, { time });
 * const body = JSON.stringify({ setup, code });
 * await fetch("/account/app", { ...post, body });
 *
 * assertEquals(await (await fetch("/login", post)).text(), "Your code?");
 * const login = await fetch(`/login/${await generateTOTP(secret)}`, post);
 * assertEquals(await login.text(), "Welcome");
 * ```
 *
 * @param options The name of the application, the store and the secrets.
 * @returns The second factors.
 * @throws {TypeError} If the issuer is empty or contains a colon, the secrets are
 * not an array of strings, or the store is only eventually consistent.
 * @throws {RangeError} If a secret is too short or easy to guess, or a time is not
 * within its limits.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6238 | RFC 6238, TOTP}
 * @see {@link https://pages.nist.gov/800-63-4/sp800-63b.html | NIST SP 800-63B-4, 3.1.4}
 */
export function createSecondFactors(
  options: SecondFactorsOptions,
): SecondFactors {
  return new SecondFactorEngine(options);
}

/** The second factors of an application. */
class SecondFactorEngine implements SecondFactors {
  readonly #factors: FactorStore;
  readonly #setups: TOTPSetups;
  readonly #devices: KnownDevices;
  readonly #codes: CodeCheck;
  readonly #pending: PendingLogins;
  readonly #loginThrottle: SecondFactorsOptions["loginThrottle"];
  #isWarned = false;
  readonly #rememberFor: number;
  readonly #hasOther: NonNullable<SecondFactorsOptions["hasOtherFactor"]>;
  readonly #version: SecondFactorsOptions["version"];

  constructor(options: SecondFactorsOptions) {
    const {
      issuer,
      store,
      secrets,
      now = Date.now,
      storeTimeout,
      pendingTimeout = 600_000,
      rememberFor = 30 * 86_400_000,
      deviceCookie = "trusted-device",
      hasOtherFactor = () => false,
    } = options;
    assertTime("pendingTimeout", pendingTimeout, 3_600_000);
    assertTime("rememberFor", rememberFor, 400 * 86_400_000);
    const owner = "second factors";
    const race = "who uses a code first";
    const callStore = checkedCaller(store, { owner, race, storeTimeout });
    this.#factors = new FactorStore(callStore, secrets);
    this.#setups = new TOTPSetups(issuer, this.#factors, now);
    this.#devices = new KnownDevices({
      callStore,
      now,
      cookie: deviceCookie,
      keyPrefix: "second-factor:device",
      maxAge: rememberFor / 1000,
      verb: "remember device in",
      hasLabels: true,
    });
    this.#pending = new PendingLogins(this.#factors, now, pendingTimeout);
    const {
      throttle = new UserThrottle({
        name: "second-factor",
        store,
        callStore,
        now,
      }),
    } = options;
    this.#codes = new CodeCheck(this.#factors, this.#pending, throttle, now);
    this.#loginThrottle = options.loginThrottle;
    this.#rememberFor = rememberFor;
    this.#hasOther = hasOtherFactor;
    this.#version = options.version;
  }

  async completeFirstFactor(
    context: RequestContext,
    userId: UserId,
    { data, ...login }: FirstFactorOptions = {},
  ): Promise<Session | null> {
    const { methods = [], version } = login;
    checkMethods(methods);
    if (this.#version !== undefined && version === undefined) {
      throw new TypeError(
        "Cannot complete the first factor: the version of the user is missing",
      );
    }
    const found = await this.#factors.read(userId);
    const record = found?.value ?? null;
    const isNeeded = !methods.includes("mfa") &&
      (record?.totp !== undefined || await this.#hasOther(userId));
    if (!isNeeded) return await completeAuth(context, userId, login);
    const account = this.#accountOf(userId, record, version);
    const known = await this.#devices.find(context, account);
    if (known !== null) {
      const [, mfa] = known.device;
      const all = [...methods, "device"];
      // The user typed the code when the device was remembered, not today.
      const options = { ...login, methods: all, earlier: { mfa } };
      return await completeLogin(context, userId, options);
    }
    const origin = context.get(FinishedLogin) ?? undefined;
    const devices = accountsOfDevices(context);
    this.#checkThrottle(devices);
    const waiting = { ...login, methods, origin, devices, data };
    await this.#pending.save(context, userId, waiting, found);
    return null;
  }

  /** Prints a warning once if devices can never become known. */
  #checkThrottle(devices: readonly string[]): void {
    if (devices.length === 0 || this.#loginThrottle !== undefined) return;
    if (this.#isWarned) return;
    this.#isWarned = true;
    console.warn(
      'Cannot remember the devices of users with a second factor: createSecondFactors has no "loginThrottle", pass the one of the passwords',
    );
  }

  async pendingLogin(context: RequestContext): Promise<PendingLogin | null> {
    const claim = await this.#pending.claimOf(context);
    if (claim === null) return null;
    const { userId } = claim;
    const login = this.#pending.find(await this.#factors.load(userId), claim);
    if (login === null) return null;
    const { methods, data } = login;
    return { userId, methods, ...data !== undefined && { data } };
  }

  async verifyCode(
    context: RequestContext,
    code: unknown,
    { rememberDevice = false }: VerifyCodeOptions = {},
  ): Promise<SecondFactorResult> {
    const claim = await this.#pending.claimOf(context);
    if (claim === null) return MISSING;
    const { userId } = claim;
    const used = await this.#codes.use(context, { userId, code, claim });
    if (!used.ok) return used;
    const login = used.login!;
    const [session] = await Promise.all([
      this.#complete(context, userId, login, [used.method]),
      used.succeed(),
    ]);
    if (rememberDevice) {
      const account = this.#accountOf(userId, used.record, login.version);
      await this.#devices.add(context, account);
    }
    return resultOf(used, session, login.data);
  }

  async completeSecondFactor(
    context: RequestContext,
    methods: readonly AuthMethod[],
  ): Promise<Session | null> {
    const claim = await this.#pending.claimOf(context);
    const login = claim && await this.#pending.take(claim);
    return claim && login &&
      await this.#complete(context, claim.userId, login, methods);
  }

  /** Completes a login that waited for its second factor. */
  async #complete(
    context: RequestContext,
    userId: UserId,
    login: StoredLogin,
    methods: readonly AuthMethod[],
  ): Promise<Session> {
    // A logout at the first factor's provider finds the session by this name.
    if (login.origin !== undefined) context.set(FinishedLogin, login.origin);
    const { authenticatedAt, timeouts, version } = login;
    const all = [...login.methods, ...methods, "mfa"];
    const options = { authenticatedAt, methods: all, timeouts, version };
    const session = await completeAuth(context, userId, options);
    for (const account of login.devices ?? []) {
      await this.#loginThrottle?.rememberDevice(context, account);
    }
    return session;
  }

  async confirmCode(
    context: RequestContext,
    code: unknown,
  ): Promise<SecondFactorResult> {
    const { userId } = await ownSession(context, "confirm the code");
    if (userId === undefined) return MISSING;
    const use = { userId, code, claim: null };
    const used = await this.#codes.use(context, use);
    if (!used.ok) return used;
    const methods = [used.method, "mfa"];
    const [session] = await Promise.all([
      completeAuth(context, userId, { methods }),
      used.succeed(),
    ]);
    return resultOf(used, session, undefined);
  }

  async status(userId: UserId): Promise<SecondFactorStatus> {
    const record = await this.#factors.load(userId);
    return {
      totp: record?.totp !== undefined,
      totpSince: record?.totp?.since,
      recoveryCodes: record?.recovery.length ?? 0,
    };
  }

  createTOTP(userId: UserId, account: string): Promise<TOTPSetup> {
    return this.#setups.create(userId, account);
  }

  async enableTOTP(
    context: RequestContext,
    form: TOTPConfirmation,
  ): Promise<EnableTOTPResult> {
    const session = await ownSession(context, "enable the authenticator app");
    const { userId } = session;
    if (userId === undefined) return ENDED;
    const checked = await this.#setups.check(userId, form);
    if (!checked.ok) return checked;
    const { totp } = checked;
    const codes = newRecoveryCodes();
    const recovery = await hashesOf(userId, codes);
    const id = newId();
    const isStored = await this.#change(
      session,
      (record) => ({ ...record, id, totp, recovery }),
    );
    if (!isStored) return ENDED;
    reportSecurityEvent(context, { action: "factor-add", userId });
    return { ok: true, recoveryCodes: codes };
  }

  async createRecoveryCodes(
    context: RequestContext,
  ): Promise<readonly string[] | null> {
    const session = await ownSession(context, "create recovery codes");
    const { userId } = session;
    if (userId === undefined) return null;
    const codes = newRecoveryCodes();
    const recovery = await hashesOf(userId, codes);
    const id = newId();
    const isStored = await this.#change(
      session,
      (record) => ({ ...record, id, recovery }),
    );
    return isStored ? codes : null;
  }

  async disable(context: RequestContext): Promise<boolean> {
    const session = await ownSession(context, "disable the second factor");
    const { userId } = session;
    if (userId === undefined) return false;
    const id = newId();
    const isStored = await this.#change(
      session,
      ({ counts }) => ({ ...NO_FACTORS, id, counts }),
    );
    if (!isStored) return false;
    reportSecurityEvent(context, { action: "factor-remove", userId });
    return true;
  }

  /** Changes the factors of a session's user while their version is the same. */
  #change(
    { userId = "", version }: Session,
    change: (record: FactorRecord) => FactorRecord,
  ): Promise<boolean> {
    const isCurrent = async () =>
      this.#version === undefined ||
      version !== undefined && await this.#version(userId) === version;
    return this.#factors.updateWhile(userId, isCurrent, change);
  }

  async remove(userId: UserId): Promise<void> {
    await this.revoke(userId);
    await this.#factors.remove(userId);
  }

  async devices(
    context: RequestContext,
    userId: UserId,
  ): Promise<readonly RememberedDevice[]> {
    const account = await this.#deviceAccount(userId);
    const devices = await this.#devices.list(account);
    const [current] = (await this.#devices.find(context, account))?.device ??
      [];
    return devices.map(([id, since, label]) => ({
      id,
      current: id === current,
      since,
      expiresAt: since + this.#rememberFor,
      userAgent: label?.userAgent,
      address: label?.address,
    }));
  }

  async removeDevice(context: RequestContext, id: string): Promise<void> {
    const { userId } = await ownSession(context, "forget the device");
    if (userId === undefined) return;
    await this.#devices.remove(await this.#deviceAccount(userId), id);
  }

  async revoke(userId: UserId): Promise<void> {
    await this.#devices.remove(await this.#deviceAccount(userId));
    await this.#pending.revoke(userId);
  }

  async #deviceAccount(userId: UserId): Promise<string> {
    const record = await this.#factors.load(userId);
    const version = await this.#version?.(userId) ?? undefined;
    return this.#accountOf(userId, record, version);
  }

  /**
   * Returns the account of remembered devices. It changes with each setup, and
   * with the version of the credentials. Without the option `version`, it does
   * not have the version of a login: `revoke` could not find the devices.
   */
  #accountOf(
    userId: UserId,
    record: FactorRecord | null,
    version: number | undefined,
  ): string {
    const known = this.#version && version;
    return JSON.stringify([String(userId), record?.id ?? "", known]);
  }

  async reencrypt(userId: UserId): Promise<void> {
    await this.#factors.update(userId, async (record) => {
      if (record?.totp === undefined) return null;
      const totp = await this.#factors.reencrypt(userId, record.totp);
      return { value: { ...record, totp }, result: true };
    });
  }
}

function resultOf(
  { method, record }: UsedCode,
  session: Session,
  data: string | undefined,
): SecondFactorResult {
  const recoveryCodes = record.recovery.length;
  return { ok: true, session, method, recoveryCodes, data };
}

function hashesOf(userId: UserId, codes: readonly string[]): Promise<string[]> {
  return Promise.all(codes.map((code) => hashRecoveryCode(userId, code)));
}

function newId(): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(12)));
}

function assertTime(name: string, value: number, most: number): void {
  if (value >= 1 && value <= most) return;
  throw new RangeError(
    `Cannot create second factors: ${name} "${value}" is not from 1 to ${most} milliseconds`,
  );
}
