import type { RequestContext } from "../../router/mod.ts";
import type { Session } from "../../session/mod.ts";
import { type AuthMethod, checkMethods } from "../login/auth_method.ts";
import { completeAuth } from "../login/complete_auth.ts";
import { FinishedLogin } from "../login/login_names.ts";
import { ownSession } from "../login/own_account.ts";
import { accountsOfDevices } from "../store/new_devices.ts";
import type { CodeCheck, UsedCode } from "./_code_check.ts";
import type { FactorStore, StoredLogin } from "./_factor_store.ts";
import type { CompleteProvedLogin } from "./proved_login.ts";
import type { PendingLogins } from "./_pending_logins.ts";
import type { RememberedDevices } from "./_remembered_devices.ts";
import type {
  FirstFactorOptions,
  PendingLogin,
  SecondFactorResult,
  SecondFactorsOptions,
  VerifyCodeOptions,
} from "./options.ts";

type UserId = string | number;

const MISSING = { ok: false, reason: "missing" } as const;

/** The parts that a login needs. */
interface FactorLoginParts {
  readonly factors: FactorStore;
  readonly devices: RememberedDevices;
  readonly codes: CodeCheck;
  readonly pending: PendingLogins;
}

type FactorLoginOptions = Pick<
  SecondFactorsOptions,
  "hasOtherFactor" | "loginThrottle" | "version"
>;

/** Logs users in after their second factor, or at once if they need none. */
export class FactorLogin {
  readonly #parts: FactorLoginParts;
  readonly #options: FactorLoginOptions;
  readonly #completeProved: CompleteProvedLogin;
  #isWarned = false;

  constructor(
    parts: FactorLoginParts,
    options: FactorLoginOptions,
    complete: CompleteProvedLogin,
  ) {
    this.#parts = parts;
    this.#options = options;
    this.#completeProved = complete;
  }

  /** Completes a login, or returns `null` after it was saved as pending. */
  async completeFirstFactor(
    context: RequestContext,
    userId: UserId,
    { data, ...login }: FirstFactorOptions = {},
  ): Promise<Session | null> {
    const { devices, factors, pending } = this.#parts;
    const { methods = [], version } = login;
    checkMethods(methods);
    if (this.#options.version !== undefined && version === undefined) {
      throw new TypeError(
        "Cannot complete the first factor: the version of the user is missing",
      );
    }
    const found = await factors.read(userId);
    const record = found?.value ?? null;
    const isNeeded = !methods.includes("mfa") &&
      (record?.totp !== undefined ||
        await this.#options.hasOtherFactor?.(userId));
    if (!isNeeded) {
      return await this.#completeProved(context, userId, { ...login, data });
    }
    const known = await devices.find(context, { userId, record, version });
    if (known !== null) {
      const [, mfa] = known.device;
      const all = [...methods, "device"];
      // The user typed the code when the device was remembered, not today.
      const options = { ...login, methods: all, earlier: { mfa }, data };
      return await this.#completeProved(context, userId, options);
    }
    const origin = context.get(FinishedLogin) ?? undefined;
    const accounts = accountsOfDevices(context);
    this.#checkThrottle(accounts);
    const waiting = { ...login, methods, origin, devices: accounts, data };
    await pending.save(context, userId, waiting, found);
    return null;
  }

  /** Prints a warning once if devices can never become known. */
  #checkThrottle(accounts: readonly string[]): void {
    if (accounts.length === 0 || this.#isWarned) return;
    if (this.#options.loginThrottle !== undefined) return;
    this.#isWarned = true;
    console.warn(
      'Cannot remember the devices of users with a second factor: createSecondFactors has no "loginThrottle", pass the one of the passwords',
    );
  }

  /** Returns the pending login of a request. */
  async pendingLogin(context: RequestContext): Promise<PendingLogin | null> {
    const { factors, pending } = this.#parts;
    const claim = await pending.claimOf(context);
    if (claim === null) return null;
    const { userId } = claim;
    const login = pending.find(await factors.load(userId), claim);
    if (login === null) return null;
    const { methods, data } = login;
    return { userId, methods, ...data !== undefined && { data } };
  }

  /** Completes the pending login with a code. */
  async verifyCode(
    context: RequestContext,
    code: unknown,
    { rememberDevice = false }: VerifyCodeOptions = {},
  ): Promise<SecondFactorResult> {
    const { codes, devices, pending } = this.#parts;
    const claim = await pending.claimOf(context);
    if (claim === null) return MISSING;
    const { userId } = claim;
    const used = await codes.use(context, { userId, code, claim });
    if (!used.ok) return used;
    const login = used.login!;
    const session = await both(
      this.#complete(context, userId, login, [used.method]),
      used.succeed(),
    );
    if (rememberDevice) {
      const { record } = used;
      const { version } = login;
      await devices.add(context, { userId, record, version });
    }
    return resultOf(used, session, login.data);
  }

  /** Completes the pending login with a factor of the application. */
  async completeSecondFactor(
    context: RequestContext,
    methods: readonly AuthMethod[],
  ): Promise<Session | null> {
    const { pending } = this.#parts;
    const claim = await pending.claimOf(context);
    const login = claim && await pending.take(claim);
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
    const { authenticatedAt, data, devices, origin, timeouts, version } = login;
    return await this.#completeProved(context, userId, {
      authenticatedAt,
      methods: [...login.methods, ...methods, "mfa"],
      timeouts,
      version,
      devices,
      origin,
      data,
    });
  }

  /** Verifies a code of the current user. */
  async confirmCode(
    context: RequestContext,
    code: unknown,
  ): Promise<SecondFactorResult> {
    const { userId } = await ownSession(context, "confirm the code");
    if (userId === undefined) return MISSING;
    const use = { userId, code, claim: null };
    const used = await this.#parts.codes.use(context, use);
    if (!used.ok) return used;
    const methods = [used.method, "mfa"];
    const session = await both(
      completeAuth(context, userId, { methods }),
      used.succeed(),
    );
    return resultOf(used, session, undefined);
  }
}

/**
 * Waits for a login and for the counts of its code. If one fails, the other still
 * ends before the response: Workers end later work.
 */
async function both(
  login: Promise<Session>,
  counts: Promise<void>,
): Promise<Session> {
  await Promise.allSettled([login, counts]);
  const [session] = await Promise.all([login, counts]);
  return session;
}

function resultOf(
  { method, record }: UsedCode,
  session: Session,
  data: string | undefined,
): SecondFactorResult {
  const recoveryCodes = record.recovery.length;
  return { ok: true, session, method, recoveryCodes, data };
}
