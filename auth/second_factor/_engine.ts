import { reportSecurityEvent } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import { STORE_TIMEOUT, storeCaller } from "../../session/internal.ts";
import type { Session } from "../../session/mod.ts";
import { encodeBase64Url } from "../../session/secrets.ts";
import { type AuthMethod, checkMethods } from "../login/auth_method.ts";
import { completeAuth, completeLogin } from "../login/complete_auth.ts";
import { loginOriginOf, setLoginOrigin } from "../login/login_names.ts";
import { ownSession } from "../login/own_account.ts";
import { KnownDevices } from "../store/known_devices.ts";
import { accountsOfDevices } from "../store/new_devices.ts";
import { createThrottle } from "../throttle/throttle.ts";
import { CodeCheck } from "./_code_check.ts";
import { type FactorRecord, FactorStore, NO_FACTORS } from "./_factor_store.ts";
import { hashRecoveryCode, newRecoveryCodes } from "./_recovery_codes.ts";
import { TOTPSetups } from "./_totp_setup.ts";
import type {
  EnableTOTPResult,
  FirstFactorOptions,
  RememberedDevice,
  SecondFactorResult,
  SecondFactorsOptions,
  SecondFactorStatus,
  TOTPConfirmation,
  TOTPSetup,
  VerifyCodeOptions,
} from "./options.ts";
import {
  type PendingLogin,
  type PendingOptions,
  readPendingLogin,
  revokePendingLogins,
  savePendingLogin,
  takePendingLogin,
} from "./pending_login.ts";
import type { SecondFactors } from "./second_factors.ts";

type UserId = string | number;

const MISSING = { ok: false, reason: "missing" } as const;
const ENDED = { ok: false, reason: "ended" } as const;

/** The second factors of an application. */
export class SecondFactorEngine implements SecondFactors {
  readonly #factors: FactorStore;
  readonly #setups: TOTPSetups;
  readonly #devices: KnownDevices;
  readonly #codes: CodeCheck;
  readonly #pending: PendingOptions;
  readonly #loginThrottle: SecondFactorsOptions["loginThrottle"];
  #isWarned = false;
  readonly #rememberFor: number;
  readonly #hasOther: NonNullable<SecondFactorsOptions["otherFactors"]>;
  readonly #version: SecondFactorsOptions["version"];

  constructor(options: SecondFactorsOptions) {
    const {
      issuer,
      store,
      secrets,
      now = Date.now,
      storeTimeout = STORE_TIMEOUT,
      throttle = createThrottle({
        name: "second-factor",
        store,
        storeTimeout,
        now,
      }),
      pendingTimeout = 600_000,
      rememberFor = 30 * 86_400_000,
      deviceCookie = "trusted-device",
      otherFactors = () => false,
    } = options;
    assertTime("pendingTimeout", pendingTimeout, 3_600_000);
    assertTime("rememberFor", rememberFor, 400 * 86_400_000);
    this.#factors = new FactorStore(store, secrets, storeTimeout);
    this.#setups = new TOTPSetups(issuer, this.#factors, now);
    this.#devices = new KnownDevices({
      callStore: storeCaller(store, storeTimeout),
      now,
      cookie: deviceCookie,
      keyPrefix: "second-factor:device",
      maxAge: rememberFor / 1000,
      verb: "remember device in",
      hasLabels: true,
    });
    this.#codes = new CodeCheck(this.#factors, throttle, now);
    this.#pending = { store, storeTimeout, now, ttl: pendingTimeout };
    this.#loginThrottle = options.loginThrottle;
    this.#rememberFor = rememberFor;
    this.#hasOther = otherFactors;
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
    const record = await this.#factors.load(userId);
    const isNeeded = !methods.includes("mfa") &&
      (record?.totp !== undefined || await this.#hasOther(userId));
    if (!isNeeded) return await completeAuth(context, userId, login);
    const account = this.#accountOf(userId, record, version);
    const known = await this.#devices.find(context, account);
    if (known !== null) {
      const [, mfa] = known.device;
      const all = [...methods, "device"];
      // The code was typed when the device was remembered, and not today.
      const options = { ...login, methods: all, earlier: { mfa } };
      return await completeLogin(context, userId, options);
    }
    const origin = loginOriginOf(context);
    const devices = accountsOfDevices(context);
    this.#checkThrottle(devices);
    await savePendingLogin(context, {
      ...login,
      userId,
      methods,
      origin,
      devices,
      ...data !== undefined && { data },
    }, this.#pending);
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
    const login = await readPendingLogin(context, this.#pending);
    if (login === null) return null;
    const { userId, methods, data } = login;
    return { userId, methods, ...data !== undefined && { data } };
  }

  async verifyCode(
    context: RequestContext,
    code: unknown,
    { rememberDevice = false }: VerifyCodeOptions = {},
  ): Promise<SecondFactorResult> {
    const login = await readPendingLogin(context, this.#pending);
    if (login === null) return MISSING;
    const used = await this.#codes.use(context, login.userId, code);
    if (!used.ok) return used;
    const session = await this.completeSecondFactor(context, [used.method]);
    // A concurrent request with another code was faster.
    if (session === null) return MISSING;
    if (rememberDevice) {
      const { userId, version } = login;
      const record = await this.#factors.load(userId);
      const account = this.#accountOf(userId, record, version);
      await this.#devices.add(context, account);
    }
    return { ...used, session, data: login.data };
  }

  async completeSecondFactor(
    context: RequestContext,
    methods: readonly AuthMethod[],
  ): Promise<Session | null> {
    const login = await takePendingLogin(context, this.#pending);
    if (login === null) return null;
    // A logout at the provider of the first factor finds the session by it.
    if (login.origin !== undefined) setLoginOrigin(context, login.origin);
    const { authenticatedAt, timeouts, userId, version } = login;
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
    const used = await this.#codes.use(context, userId, code);
    if (!used.ok) return used;
    const methods = [used.method, "mfa"];
    const session = await completeAuth(context, userId, { methods });
    return { ...used, session, data: undefined };
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
    const record = { id: newId(), totp, recovery };
    if (!await this.#change(session, () => record)) return ENDED;
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
    const none = { ...NO_FACTORS, id: newId() };
    if (userId === undefined || !await this.#change(session, () => none)) {
      return false;
    }
    await revokePendingLogins(userId, this.#pending);
    reportSecurityEvent(context, { action: "factor-remove", userId });
    return true;
  }

  /** Changes the factors of a session's user while their version is the same. */
  #change(
    { userId = "", version }: Session,
    change: (record: FactorRecord | null) => FactorRecord,
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

  async forgetDevice(context: RequestContext, id: string): Promise<void> {
    const { userId } = await ownSession(context, "forget the device");
    if (userId === undefined) return;
    await this.#devices.remove(await this.#deviceAccount(userId), id);
  }

  async revoke(userId: UserId): Promise<void> {
    await this.#devices.remove(await this.#deviceAccount(userId));
    await revokePendingLogins(userId, this.#pending);
  }

  async #deviceAccount(userId: UserId): Promise<string> {
    const record = await this.#factors.load(userId);
    const version = await this.#version?.(userId) ?? undefined;
    return this.#accountOf(userId, record, version);
  }

  /**
   * Returns the account of remembered devices. It changes with each set-up, and
   * with the version of the credentials. Without the option `version`, it does not
   * have the version of a login: `revoke` could not find the devices.
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
      return { record: { ...record, totp }, result: true };
    });
  }
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
