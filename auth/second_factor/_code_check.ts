import { reportSecurityEvent } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import type { Throttle } from "../throttle/throttle.ts";
import type { FactorRecord, FactorStore } from "./_factor_store.ts";
import { canonicalRecoveryCode, hashRecoveryCode } from "./_recovery_codes.ts";
import type { SecondFactorResult } from "./options.ts";
import { findStep } from "./totp.ts";

/** A code that was used up. */
export interface UsedCode {
  readonly ok: true;
  readonly method: "otp" | "recovery";
  readonly recoveryCodes: number;
}

/** The longest code that is read, in characters. */
const MAX_CODE = 100;

/** Verifies codes, each of which works once. */
export class CodeCheck {
  readonly #factors: FactorStore;
  readonly #throttle: Pick<Throttle, "attempt" | "trustDevice">;
  readonly #now: () => number;

  constructor(
    factors: FactorStore,
    throttle: Pick<Throttle, "attempt" | "trustDevice">,
    now: () => number,
  ) {
    this.#factors = factors;
    this.#throttle = throttle;
    this.#now = now;
  }

  /**
   * Uses up a code of a user. Too many wrong codes delay further ones, but never a
   * recovery code: its 120 random bits cannot be guessed (NIST SP 800-63B, 5.1.2.2),
   * and an attacker who knows the password must not lock the owner out.
   */
  async use(
    context: RequestContext,
    userId: string | number,
    code: unknown,
  ): Promise<UsedCode | Extract<SecondFactorResult, { ok: false }>> {
    const account = await this.#factors.throttleName(userId);
    const text = typeof code === "string" && code.length <= MAX_CODE
      ? code
      : "";
    if (canonicalRecoveryCode(text) !== null) {
      const used = await this.#take(context, userId, text);
      if (used.ok) await this.#throttle.trustDevice(context, account);
      return used;
    }
    const attempt = await this.#throttle.attempt(context, account);
    if (!attempt.allowed) {
      const { retryAfter } = attempt;
      return { ok: false, reason: "throttled", retryAfter };
    }
    let used: UsedCode | { readonly ok: false; readonly reason: "wrong" };
    try {
      used = await this.#take(context, userId, text);
    } catch (error) {
      // If this fails too, the attempt counts; the first error says more.
      await attempt.cancel().catch(() => {});
      throw error;
    }
    if (used.ok) await attempt.succeed();
    return used;
  }

  /** Removes a code from the record of a user, and reports a wrong one. */
  async #take(
    context: RequestContext,
    userId: string | number,
    code: string,
  ): Promise<UsedCode | { readonly ok: false; readonly reason: "wrong" }> {
    let isReuse = false;
    const used = await this.#factors.update(userId, async (record) => {
      const result = await this.#spend(userId, record, code);
      isReuse = result === "reused";
      return result === "reused" ? null : result;
    });
    if (used !== null) return used;
    const outcome = "failure";
    if (isReuse) {
      const action = "token-reuse";
      reportSecurityEvent(context, { action, outcome, reason: "otp", userId });
    }
    const reason = "second-factor";
    reportSecurityEvent(context, { action: "login", outcome, reason, userId });
    return { ok: false, reason: "wrong" };
  }

  /**
   * Returns the record without a code, `"reused"` for a code of the app that was
   * used before, or `null` if it is not valid.
   */
  async #spend(
    userId: string | number,
    record: FactorRecord | null,
    code: string,
  ) {
    if (record === null) return null;
    const { totp, recovery } = record;
    const digits = code.replace(/[\s-]/g, "");
    if (totp !== undefined && /^\d{6}$/.test(digits)) {
      const secret = await this.#factors.secretOf(userId, totp);
      const now = this.#now();
      const step = await findStep(secret, digits, { now, after: totp.step });
      if (step === null) {
        const used = await findStep(secret, digits, { now, after: -1 });
        return used === null ? null : "reused";
      }
      return usedUp("otp", { ...record, totp: { ...totp, step } });
    }
    if (canonicalRecoveryCode(code) === null) return null;
    const hash = await hashRecoveryCode(userId, code);
    const left = recovery.filter((one) => one !== hash);
    return left.length === recovery.length
      ? null
      : usedUp("recovery", { ...record, recovery: left });
  }
}

function usedUp(method: UsedCode["method"], record: FactorRecord) {
  const recoveryCodes = record.recovery.length;
  const result: UsedCode = { ok: true, method, recoveryCodes };
  return { record, result };
}
