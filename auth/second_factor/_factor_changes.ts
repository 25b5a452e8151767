import { reportSecurityEvent } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import type { Session } from "../../session/mod.ts";
import { ownSession } from "../login/own_account.ts";
import {
  type FactorRecord,
  type FactorStore,
  NO_FACTORS,
} from "./_factor_store.ts";
import { hashRecoveryCode, newRecoveryCodes } from "./_recovery_codes.ts";
import type { TOTPSetups } from "./_totp_setup.ts";
import type { TOTPLogin } from "./proved_login.ts";
import type {
  EnableTOTPResult,
  SecondFactorsOptions,
  TOTPConfirmation,
} from "./options.ts";

const ENDED = { ok: false, reason: "ended" } as const;

/** The changes that users make to their own factors. */
export class FactorChanges {
  readonly #factors: FactorStore;
  readonly #setups: TOTPSetups;
  readonly #version: SecondFactorsOptions["version"];

  constructor(
    factors: FactorStore,
    setups: TOTPSetups,
    version: SecondFactorsOptions["version"],
  ) {
    this.#factors = factors;
    this.#setups = setups;
    this.#version = version;
  }

  /** Sets the authenticator app of the current user. */
  async enableTOTP(
    context: RequestContext,
    form: TOTPConfirmation,
  ): Promise<EnableTOTPResult> {
    const session = await ownSession(context, "enable the authenticator app");
    const { userId, version } = session;
    if (userId === undefined) return ENDED;
    const checked = await this.#setups.check(userId, form);
    if (!checked.ok) return checked;
    const { totp } = checked;
    const { codes, recovery } = await createCodes(userId);
    const isStored = await this.#change(
      { userId, version },
      (record) => ({ ...record, totp, recovery }),
    );
    if (!isStored) return ENDED;
    reportSecurityEvent(context, { action: "factor-add", userId });
    return { ok: true, recoveryCodes: codes };
  }

  /** Sets the first authenticator app of a user, whose login waits for it. */
  async setUpTOTP(
    context: RequestContext,
    { userId, claim, ...form }: TOTPLogin,
  ): Promise<EnableTOTPResult> {
    const checked = await this.#setups.check(userId, form);
    if (!checked.ok) return checked;
    const version = await claim();
    if (version === null) return ENDED;
    const { totp } = checked;
    const { codes, recovery } = await createCodes(userId);
    let isFirst = false;
    const isStored = await this.#change({ userId, version }, (record) => {
      isFirst = record.totp === undefined;
      return isFirst ? { ...record, totp, recovery } : record;
    });
    if (!isStored || !isFirst) return ENDED;
    reportSecurityEvent(context, { action: "factor-add", userId });
    return { ok: true, recoveryCodes: codes };
  }

  /** Replaces the recovery codes of the current user. */
  async createRecoveryCodes(
    context: RequestContext,
  ): Promise<readonly string[] | null> {
    const session = await ownSession(context, "create recovery codes");
    const { userId } = session;
    if (userId === undefined) return null;
    const { codes, recovery } = await createCodes(userId);
    const isStored = await this.#change(
      session,
      (record) => ({ ...record, recovery }),
    );
    return isStored ? codes : null;
  }

  /** Removes the factors of the current user. */
  async disable(context: RequestContext): Promise<boolean> {
    const session = await ownSession(context, "disable the second factor");
    const { userId } = session;
    if (userId === undefined) return false;
    const isStored = await this.#change(
      session,
      ({ counts }) => ({ ...NO_FACTORS, counts }),
    );
    if (!isStored) return false;
    reportSecurityEvent(context, { action: "factor-remove", userId });
    return true;
  }

  /** Changes the factors of a session's user while their version is the same. */
  #change(
    { userId = "", version }: Pick<Session, "userId" | "version">,
    change: (record: FactorRecord) => FactorRecord,
  ): Promise<boolean> {
    const isCurrent = async () =>
      this.#version === undefined ||
      version !== undefined && await this.#version(userId) === version;
    return this.#factors.updateWhile(userId, isCurrent, change);
  }
}

/** Creates recovery codes, and the hashes that the store contains. */
async function createCodes(userId: string | number) {
  const codes = newRecoveryCodes();
  const hashes = codes.map((code) => hashRecoveryCode(userId, code));
  return { codes, recovery: await Promise.all(hashes) };
}
