import type { RequestContext } from "../../router/mod.ts";
import type { Throttle, ThrottleAttempt } from "../throttle/throttle.ts";
import {
  type UserAttempt,
  type UserCounts,
  UserThrottle,
} from "../throttle/user_throttle.ts";

/** The throttle of codes. */
export type CodeThrottle =
  | UserThrottle
  | Pick<Throttle, "attempt" | "trustDevice">;

/**
 * An attempt to use a code. By default, the record of the user has its counts,
 * and the throttle those of the address. An application's own throttle has all.
 */
export class CodeAttempt {
  readonly #own: UserAttempt | null;
  /** The counts outside of the record, as soon as the attempt is added to them. */
  added: Promise<ThrottleAttempt> | undefined;
  readonly #wait: number;

  private constructor(own: UserAttempt | null, attempt?: ThrottleAttempt) {
    this.#own = own;
    this.added = attempt && Promise.resolve(attempt);
    this.#wait = attempt?.allowed === false ? attempt.retryAfter * 1000 : 0;
  }

  /** Begins an attempt. An application's own throttle counts it at once. */
  static async begin(
    throttle: CodeThrottle,
    context: RequestContext,
    account: string,
  ): Promise<CodeAttempt> {
    return throttle instanceof UserThrottle
      ? new CodeAttempt(await throttle.begin(context, account))
      : new CodeAttempt(null, await throttle.attempt(context, account));
  }

  /** Begins an attempt that no count delays, and whose success clears them. */
  static async exempt(
    throttle: CodeThrottle,
    context: RequestContext,
    account: string,
  ): Promise<CodeAttempt> {
    if (throttle instanceof UserThrottle) {
      return new CodeAttempt(await throttle.exempt(context, account));
    }
    return new CodeAttempt(null, {
      allowed: true,
      succeed: () => throttle.trustDevice(context, account),
      cancel: () => Promise.resolve(),
    });
  }

  /** Returns the milliseconds until the attempt may be made. */
  wait(counts: UserCounts): number {
    return this.#own?.wait(counts) ?? this.#wait;
  }

  /** Counts the attempt outside of the record. */
  add(counts: UserCounts): Promise<ThrottleAttempt> {
    const added = this.#own?.add(counts) ?? this.added!;
    // The promise may reject before it is awaited.
    added.catch(() => {});
    return this.added = added;
  }

  /** Returns the counts of the record after a wrong code, if it has them. */
  fail(counts: UserCounts): UserCounts | null {
    return this.#own?.fail(counts) ?? null;
  }

  /** Returns the counts of the record after a correct code. */
  succeed(counts: UserCounts): UserCounts {
    return this.#own?.succeed(counts) ?? counts;
  }

  /** Takes the attempt back, and sets the cookie of the device. */
  async end(): Promise<void> {
    this.#own?.setCookie();
    const added = await this.added;
    if (added?.allowed) await added.succeed();
  }

  /** Takes the attempt back, because the code was not verified. */
  async cancel(): Promise<void> {
    const added = await this.added;
    if (added?.allowed) await added.cancel();
  }
}
