import { reportSecurityEvent } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import type { Throttle, ThrottleAttempt } from "../throttle/throttle.ts";
import { type JudgeAttempt, UserThrottle } from "../throttle/user_throttle.ts";
import {
  type FactorRecord,
  type FactorStore,
  NO_FACTORS,
  type StoredLogin,
} from "./_factor_store.ts";
import type { PendingClaim, PendingLogins } from "./_pending_logins.ts";
import { canonicalRecoveryCode } from "./_recovery_codes.ts";
import type { SecondFactorResult } from "./options.ts";
import { findStep } from "./totp.ts";

/** The throttle of an application, which has all counts. */
type OwnThrottle = Pick<Throttle, "attempt" | "trustDevice">;

/** A code of a user, and the login that it is for. */
export interface CodeUse {
  readonly userId: string | number;
  /** The code, as the client sent it. */
  readonly code: unknown;
  /** The pending login; `null` if the user is logged in. */
  readonly claim: PendingClaim | null;
}

/** A code that was used up. */
export interface UsedCode {
  readonly ok: true;
  readonly method: "otp" | "recovery";
  /** The record of the user without the code. */
  readonly record: FactorRecord;
  /** The login that waited for the code; `null` without a claim. */
  readonly login: StoredLogin | null;
  /** Takes the attempt back, and makes the browser known. */
  readonly succeed: () => Promise<void>;
}

/** A code that was not used up, and the record of the user with one more failure. */
interface Refusal {
  readonly ok: false;
  readonly reason: "missing" | "reused" | "throttled" | "wrong";
  readonly retryAfter?: number;
  readonly record?: FactorRecord;
}

/** An attempt to use a code. */
interface CodeAttempt {
  readonly judge: JudgeAttempt;
  /** The counts outside of the record, as soon as the attempt is added to them. */
  added?: Promise<ThrottleAttempt>;
}

/** The longest code that is read, in characters. */
const MAX_CODE = 100;

/** Verifies codes, each of which works once. */
export class CodeCheck {
  readonly #factors: FactorStore;
  readonly #logins: PendingLogins;
  readonly #throttle: UserThrottle | OwnThrottle;
  readonly #now: () => number;

  constructor(
    factors: FactorStore,
    logins: PendingLogins,
    throttle: UserThrottle | OwnThrottle,
    now: () => number,
  ) {
    this.#factors = factors;
    this.#logins = logins;
    this.#throttle = throttle;
    this.#now = now;
  }

  /**
   * Uses up a code of a user. Too many wrong codes delay further ones, but never a
   * recovery code: its 120 random bits cannot be guessed (NIST SP 800-63B, 5.1.2.2),
   * and an attacker who knows the password must not lock the owner out.
   *
   * The same change of the user's record takes the login that waited for the code.
   */
  async use(
    context: RequestContext,
    use: CodeUse,
  ): Promise<UsedCode | Extract<SecondFactorResult, { ok: false }>> {
    const { userId } = use;
    const code = typeof use.code === "string" && use.code.length <= MAX_CODE
      ? use.code
      : "";
    const reading = this.#factors.read(userId);
    // The promise is awaited later, because an error has to cancel the attempt.
    reading.catch(() => {});
    const attempt = await this.#begin(context, userId, code);
    let verdict: UsedCode | Refusal = { ok: false, reason: "missing" };
    try {
      await this.#factors.update(userId, async (record) => {
        verdict = await this.#judge({ ...use, code }, record, attempt);
        const { record: value } = verdict;
        return value === undefined ? null : { value, result: true };
      }, await reading);
      verdict = await this.#settle(verdict, attempt);
    } catch (error) {
      // If this call fails too, the attempt counts. The first error is the more
      // useful one.
      await cancel(attempt).catch(() => {});
      throw error;
    }
    return verdict.ok ? verdict : this.#refuse(context, userId, verdict);
  }

  async #begin(
    context: RequestContext,
    userId: string | number,
    code: string,
  ): Promise<CodeAttempt> {
    const throttle = this.#throttle;
    const account = await this.#factors.throttleName(userId);
    const isGuess = canonicalRecoveryCode(code) === null;
    if (throttle instanceof UserThrottle) {
      return { judge: await throttle.begin(context, account, isGuess) };
    }
    const attempt: ThrottleAttempt = isGuess
      ? await throttle.attempt(context, account)
      : {
        allowed: true,
        succeed: () => throttle.trustDevice(context, account),
        cancel: () => Promise.resolve(),
      };
    const added = Promise.resolve(attempt);
    const wait = attempt.allowed ? 0 : attempt.retryAfter * 1000;
    const rest = { wait, add: () => added, failed: null, remember: () => {} };
    return { added, judge: (counts) => ({ ...rest, succeeded: counts }) };
  }

  /** Judges a code without a change of the record, which may have to be repeated. */
  async #judge(
    { userId, code, claim }: CodeUse & { readonly code: string },
    record: FactorRecord | null,
    attempt: CodeAttempt,
  ): Promise<UsedCode | Refusal> {
    const login = claim && this.#logins.find(record, claim);
    if (claim !== null && login === null) {
      return { ok: false, reason: "missing" };
    }
    const { counts = {}, waiting = [] } = record ?? NO_FACTORS;
    const { add, failed, remember, succeeded, wait } = attempt.judge(counts);
    if (wait > 0) return throttled(Math.ceil(wait / 1000));
    const spent = await this.#spend(userId, record, code);
    attempt.added = add();
    // The promise may reject before it is awaited.
    attempt.added.catch(() => {});
    if (typeof spent === "string") {
      const next = failed && { ...record ?? NO_FACTORS, counts: failed };
      return { ok: false, reason: spent, ...next && { record: next } };
    }
    // A burst of correct codes must not pass the limit of the address.
    const added = await attempt.added;
    if (!added.allowed) return throttled(added.retryAfter);
    return {
      ok: true,
      method: spent.method,
      login,
      // A completed login ends the others.
      record: {
        ...spent.record,
        waiting: claim === null ? waiting : [],
        counts: succeeded,
      },
      succeed: async () => {
        remember();
        await added.succeed();
      },
    };
  }

  /** Returns the verdict after the counts outside of the record are stored. */
  async #settle(
    verdict: UsedCode | Refusal,
    attempt: CodeAttempt,
  ): Promise<UsedCode | Refusal> {
    if (verdict.ok) return verdict;
    if (verdict.reason === "missing" || verdict.reason === "throttled") {
      await cancel(attempt);
      return verdict;
    }
    const added = await attempt.added;
    return added?.allowed === false ? throttled(added.retryAfter) : verdict;
  }

  #refuse(
    context: RequestContext,
    userId: string | number,
    { reason, retryAfter = 0 }: Refusal,
  ): Extract<SecondFactorResult, { ok: false }> {
    if (reason === "missing") return { ok: false, reason };
    if (reason === "throttled") {
      // Another throttle reports its lockouts itself.
      if (this.#throttle instanceof UserThrottle) {
        reportSecurityEvent(context, {
          action: "lockout",
          outcome: "failure",
          reason: "second-factor",
        });
      }
      return { ok: false, reason, retryAfter };
    }
    if (reason === "reused") {
      reportSecurityEvent(context, {
        action: "token-reuse",
        outcome: "failure",
        reason: "otp",
        userId,
      });
    }
    reportSecurityEvent(context, {
      action: "login",
      outcome: "failure",
      reason: "second-factor",
      userId,
    });
    return { ok: false, reason: "wrong" };
  }

  /** Returns the record without a code, or the reason why it is not valid. */
  async #spend(
    userId: string | number,
    record: FactorRecord | null,
    code: string,
  ): Promise<Pick<UsedCode, "method" | "record"> | "reused" | "wrong"> {
    if (record === null) return "wrong";
    const { totp, recovery } = record;
    const digits = code.replace(/[\s-]/g, "");
    if (totp !== undefined && /^\d{6}$/.test(digits)) {
      const secret = await this.#factors.secretOf(userId, totp);
      const now = this.#now();
      const step = await findStep(secret, digits, { now, after: totp.step });
      if (step === null) {
        const used = await findStep(secret, digits, { now, after: -1 });
        return used === null ? "wrong" : "reused";
      }
      return { method: "otp", record: { ...record, totp: { ...totp, step } } };
    }
    const used = await this.#factors.findRecoveryCode(userId, record, code);
    if (used === undefined) return "wrong";
    const left = recovery.filter((entry) => entry !== used);
    return { method: "recovery", record: { ...record, recovery: left } };
  }
}

function throttled(retryAfter: number): Refusal {
  return { ok: false, reason: "throttled", retryAfter };
}

/** Takes an attempt back whose code was not verified. */
async function cancel({ added }: CodeAttempt): Promise<void> {
  const attempt = await added;
  if (attempt?.allowed) await attempt.cancel();
}
