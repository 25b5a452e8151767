import type { RequestContext } from "../../router/mod.ts";
import { STORE_TIMEOUT, storeCaller } from "../../session/internal.ts";
import type { Session } from "../../session/mod.ts";
import { encodeBase64Url } from "../../session/secrets.ts";
import { type AuthMethod, checkMethods } from "../auth_method.ts";
import { completeAuth } from "../complete_auth.ts";
import { currentSession } from "../current_session.ts";
import {
  loginOriginOf,
  setLoginOrigin,
} from "../external/after_login/login_names.ts";
import { KnownDevices } from "../known_devices.ts";
import { accountsOfDevices } from "../new_devices.ts";
import { createThrottle } from "../throttle/throttle.ts";
import { type FactorRecord, FactorStore } from "./_factor_store.ts";
import { CodeCheck } from "./_code_check.ts";
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
  }

  async completeFirstFactor(
    context: RequestContext,
    userId: UserId,
    options: FirstFactorOptions = {},
  ): Promise<Session | null> {
    const { authenticatedAt, methods = [], data } = options;
    checkMethods(methods);
    const record = await this.#factors.load(userId);
    const isNeeded = record?.totp !== undefined || await this.#hasOther(userId);
    if (!isNeeded) {
      return await completeAuth(context, userId, { authenticatedAt, methods });
    }
    const account = deviceAccount(userId, record);
    if (await this.#devices.find(context, account) !== null) {
      const all = [...methods, "device", "mfa"];
      return await completeAuth(context, userId, {
        authenticatedAt,
        methods: all,
      });
    }
    const origin = loginOriginOf(context);
    const devices = accountsOfDevices(context);
    this.#checkThrottle(devices);
    const login = { userId, methods, authenticatedAt, origin, devices };
    await savePendingLogin(
      context,
      data === undefined ? login : { ...login, data },
      this.#pending,
    );
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
      const record = await this.#factors.load(login.userId);
      const account = deviceAccount(login.userId, record);
      await this.#devices.add(context, account, null);
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
    const session = await completeAuth(context, login.userId, {
      authenticatedAt: login.authenticatedAt,
      methods: [...login.methods, ...methods, "mfa"],
    });
    for (const account of login.devices ?? []) {
      await this.#loginThrottle?.rememberDevice(context, account);
    }
    return session;
  }

  async confirmCode(
    context: RequestContext,
    code: unknown,
  ): Promise<SecondFactorResult> {
    const { userId } = await currentSession(context, "confirm the code").load();
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
    userId: UserId,
    form: TOTPConfirmation,
  ): Promise<EnableTOTPResult> {
    const checked = await this.#setups.check(userId, form);
    if (!checked.ok) return checked;
    const codes = newRecoveryCodes();
    const recovery = await hashesOf(userId, codes);
    const record = { id: newId(), totp: checked.totp, recovery };
    const change = () => Promise.resolve({ record, result: true });
    await this.#factors.update(userId, change);
    return { ok: true, recoveryCodes: codes };
  }

  async createRecoveryCodes(userId: UserId): Promise<readonly string[]> {
    const codes = newRecoveryCodes();
    const recovery = await hashesOf(userId, codes);
    const id = newId();
    await this.#factors.update(userId, (record) => {
      return Promise.resolve({
        record: { id, ...record, recovery },
        result: 0,
      });
    });
    return codes;
  }

  async disable(userId: UserId): Promise<void> {
    await this.revoke(userId);
    await this.#factors.remove(userId);
  }

  async devices(
    context: RequestContext,
    userId: UserId,
  ): Promise<readonly RememberedDevice[]> {
    const record = await this.#factors.load(userId);
    const account = deviceAccount(userId, record);
    const devices = await this.#devices.list(account);
    const current = await this.#devices.find(context, account);
    return devices.map(([id, since, label]) => ({
      id,
      current: id === current,
      since,
      expiresAt: since + this.#rememberFor,
      userAgent: label?.userAgent,
      address: label?.address,
    }));
  }

  async forgetDevice(userId: UserId, id: string): Promise<void> {
    const record = await this.#factors.load(userId);
    await this.#devices.remove(deviceAccount(userId, record), id);
  }

  async revoke(userId: UserId): Promise<void> {
    const record = await this.#factors.load(userId);
    await this.#devices.remove(deviceAccount(userId, record));
    await revokePendingLogins(userId, this.#pending);
  }

  async reencrypt(userId: UserId): Promise<void> {
    await this.#factors.update(userId, async (record) => {
      if (record?.totp === undefined) return null;
      const totp = await this.#factors.reencrypt(userId, record.totp);
      return { record: { ...record, totp }, result: true };
    });
  }
}

/** Returns the account of remembered devices. It changes with each set-up. */
function deviceAccount(userId: UserId, record: FactorRecord | null): string {
  return JSON.stringify([String(userId), record?.id ?? ""]);
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
