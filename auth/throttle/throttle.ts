import { reportSecurityEvent } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import { isStoreShared, sweeper } from "../../session/internal.ts";
import {
  createMemorySessionStore,
  Session,
  type SessionStore,
} from "../../session/mod.ts";
import { canonicalName } from "../store/account_name.ts";
import { checkedCaller } from "../store/checked_caller.ts";
import { KnownDevices } from "../store/known_devices.ts";
import { rememberAtLogin } from "../store/new_devices.ts";
import { AttemptCounts } from "./_attempt_counts.ts";
import type { StoredCount, ThrottleConfig } from "./_stored_count.ts";
import { FailureCounter, toCount } from "./failure_count.ts";
import {
  DEVICE_LIMIT,
  DEVICE_MAX_AGE,
  resolveLimits,
  type ThrottleLimits,
} from "./limits.ts";

/** Options for {@linkcode createThrottle}. */
export interface ThrottleOptions extends ThrottleLimits {
  /**
   * The name of this throttle. Throttles that share a store need different
   * names, but share the known devices.
   *
   * @default {"login"}
   */
  readonly name?: string;

  /**
   * The store of the counts and of the known devices. Machines that share it
   * count together. Without it, each process counts for itself, and the throttle
   * prints a warning once if the sessions are in a shared store.
   *
   * @default {createMemorySessionStore()}
   */
  readonly store?: SessionStore;

  /**
   * The timeout of each call to the store, in milliseconds.
   *
   * @default {5_000}
   */
  readonly storeTimeout?: number;

  /**
   * The name of the device cookie, without the prefix `__Host-Http-`, which it has
   * if the session's cookie is secure.
   *
   * @default {"device"}
   */
  readonly deviceCookie?: string;

  /**
   * Returns the client's address.
   *
   * @default {(context) => context.remoteAddress}
   */
  readonly address?: (context: RequestContext) => string | undefined;

  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/** The decision about an attempt. */
export type ThrottleAttempt =
  | {
    readonly allowed: true;
    /**
     * Takes the attempt back out of the counts because it succeeded. The
     * browser becomes a known device of the account when the login is complete:
     * as soon as `completeAuth` was called in this request, after the session
     * middleware.
     */
    readonly succeed: () => Promise<void>;
    /**
     * Takes only this attempt back out of the counts, because the application
     * could not check the credentials.
     */
    readonly cancel: () => Promise<void>;
  }
  | {
    readonly allowed: false;
    /** The seconds to wait before the next attempt. */
    readonly retryAfter: number;
  };

/** Slows down guessing. */
export interface Throttle {
  /**
   * Counts an attempt as failed before it is made, so that concurrent attempts
   * all count. Call `succeed` if the credentials were correct, or `cancel` if
   * they could not be checked.
   *
   * @param context The context of the request.
   * @param account The account of the attempt, such as an email address; `null`
   * counts by address only.
   * @returns The decision, with `allowed: true` if the attempt may be made.
   * @throws {SessionStoreError} If the store fails: the attempt must not be made.
   */
  attempt(
    context: RequestContext,
    account: string | null,
  ): Promise<ThrottleAttempt>;

  /**
   * Makes the browser a known device of the account and forgets the account's
   * failures. Call it if users prove their identity in another way, such as with
   * the link in a reset email.
   *
   * Trust: only call it for the account's owner.
   *
   * @param context The context of the request, with a session.
   * @param account The account, as passed to `attempt`.
   * @throws {SessionStoreError} If the store fails.
   */
  trustDevice(context: RequestContext, account: string): Promise<void>;

  /**
   * Makes the browser a known device of the account, and forgets no failures. The
   * second factors of a user call it when the login is complete.
   *
   * Trust: only call it for the account's owner.
   *
   * @param context The context of the request, with a session.
   * @param account The account, as passed to `attempt`.
   * @throws {SessionStoreError} If the store fails.
   */
  rememberDevice(context: RequestContext, account: string): Promise<void>;
}

/**
 * Creates a throttle, which delays attempts after a few have failed. It counts
 * failures by account and address, by address, by IPv6 network, and slowly by
 * account.
 *
 * The count by account stops guessers with many addresses. To keep them from
 * locking the owner out, a browser that logged in before is exempt from all of
 * these counts. A cookie identifies it, which a complete login sets through the
 * session middleware and which is valid for this account only. After ten failures in a
 * row the device counts as unknown again, because it may be stolen. An account
 * has up to ten known devices, each for a year from its last login.
 *
 * Trust: the client's address must be authentic. Behind a proxy, set the
 * router's `trustedProxies`. If the router does not know the proxy in front, the
 * limit by address is ten times as high, because all clients share it. Without
 * an address, the throttle only counts by account. Both print a warning once.
 *
 * @example Five guesses, then a delay of one second
 * ```ts
 * import { assert, assertEquals, assertFalse } from "@std/assert";
 * import { createThrottle } from "@gatehouse/web/auth";
 * import { RequestContext } from "@gatehouse/web/fetch-router";
 *
 * const throttle = createThrottle();
 * const context = new RequestContext(new Request("https://example.com/login"), {
 *   remoteAddress: "203.0.113.7",
 * });
 * for (let guess = 1; guess <= 5; guess++) {
 *   const { allowed } = await throttle.attempt(context, "ada@example.com");
 *   assert(allowed);
 * }
 * const sixth = await throttle.attempt(context, "ada@example.com");
 * assertFalse(sixth.allowed);
 * if (!sixth.allowed) assertEquals(sixth.retryAfter, 1);
 * ```
 *
 * @param options The limits and the store.
 * @returns The throttle, for `createCredentialsAuthProvider` or to call directly.
 * @throws {RangeError} If a limit or a timeout is not a positive number.
 * @see {@link https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies | OWASP, Device Cookies}
 * @see {@link https://pages.nist.gov/800-63-3/sp800-63b.html | NIST SP 800-63B, 5.2.2}
 */
export function createThrottle(options: ThrottleOptions = {}): Throttle {
  return new AccountThrottle(options);
}

class AccountThrottle implements Throttle {
  readonly #counts: AttemptCounts;
  readonly #devices: KnownDevices;
  readonly #deviceCounter: FailureCounter;
  readonly #sweep: () => void;
  readonly #name: string;
  #isStoreChecked: boolean;

  constructor(options: ThrottleOptions) {
    const {
      name = "login",
      deviceCookie = "device",
      now = Date.now,
      store = createMemorySessionStore({ now }),
      storeTimeout,
      address = (context) => context.remoteAddress,
    } = options;
    const callStore = checkedCaller(store, { owner: "throttle", storeTimeout });
    const config: ThrottleConfig = { callStore, now };
    const limits = resolveLimits(options);
    this.#counts = new AttemptCounts(config, { name, limits, address });
    this.#deviceCounter = new FailureCounter(DEVICE_LIMIT, now);
    this.#devices = new KnownDevices({
      ...config,
      sharedStore: store,
      cookie: deviceCookie,
      keyPrefix: "throttle:device",
      maxAge: DEVICE_MAX_AGE,
      verb: "throttle",
    });
    this.#sweep = sweeper(store, now);
    this.#name = name;
    this.#isStoreChecked = options.store !== undefined;
  }

  async attempt(
    context: RequestContext,
    account: string | null,
  ): Promise<ThrottleAttempt> {
    const attempt = await this.#decide(context, account);
    if (!attempt.allowed) {
      reportSecurityEvent(context, {
        action: "lockout",
        outcome: "failure",
        reason: this.#name,
      });
    }
    return attempt;
  }

  async #decide(
    context: RequestContext,
    account: string | null,
  ): Promise<ThrottleAttempt> {
    this.#sweep();
    this.#checkStore(context);
    const name = account === null ? null : canonicalName(account);
    const known = name === null ? null : await this.#fromDevice(context, name);
    if (known !== null) return known;
    const counts = await this.#counts.ofRequest(context, name);
    const wait = await longestWait(counts);
    if (wait > 0) return denied(wait);
    return await addToAll(counts, async () => {
      if (name === null) return;
      const remember = await this.#devices.prepare(context, name);
      await rememberAtLogin(context, { account: name, remember });
    });
  }

  async trustDevice(context: RequestContext, account: string): Promise<void> {
    const name = canonicalName(account);
    const counts = await this.#counts.ofAccount(context, name);
    await Promise.all([
      ...counts.map((count) => count.clear()),
      this.#devices.add(context, name),
    ]);
  }

  async rememberDevice(
    context: RequestContext,
    account: string,
  ): Promise<void> {
    const name = canonicalName(account);
    const found = await this.#devices.find(context, name);
    const { device: keep, devices: from } = found ?? {};
    await this.#devices.add(context, name, { keep, from });
  }

  /** Prints a warning once if only the sessions are shared between processes. */
  #checkStore(context: RequestContext): void {
    if (this.#isStoreChecked || !context.has(Session)) return;
    this.#isStoreChecked = true;
    if (!isStoreShared(context.get(Session))) return;
    console.warn(
      `Cannot throttle "${this.#name}" across processes: it has no "store", pass the one of the sessions`,
    );
  }

  /**
   * Counts an attempt from a known device of the account, which is exempt from
   * all other counts. Returns `null` for any other device.
   */
  async #fromDevice(
    context: RequestContext,
    account: string,
  ): Promise<ThrottleAttempt | null> {
    const found = await this.#devices.find(context, account);
    if (found === null) return null;
    const counter = this.#deviceCounter;
    const clear = this.#name;
    const added = await this.#devices.count(account, found, clear, (value) => {
      const count = toCount(value);
      return counter.waitOf(count) > 0 ? null : counter.add(count);
    });
    if (added === null) return null;
    const keep = found.device;
    return {
      allowed: true,
      // The device was known before, so it does not have to wait for the login.
      succeed: () => this.#devices.add(context, account, { keep, clear }),
      cancel: async () => {
        await this.#devices.count(
          account,
          { device: keep },
          clear,
          (count) => counter.subtract(toCount(count), added),
        );
      },
    };
  }
}

/** Returns the longest wait that the counts demand. */
export async function longestWait(
  counts: readonly StoredCount[],
): Promise<number> {
  return Math.max(0, ...await Promise.all(counts.map((count) => count.wait())));
}

/** Adds an attempt to all counts, or to none if one of them denies it. */
export async function addToAll(
  counts: readonly StoredCount[],
  remember?: () => Promise<void>,
): Promise<ThrottleAttempt> {
  const results = await Promise.all(counts.map((count) => count.add()));
  const allowed = results.filter((result) => result.allowed);
  const cancel = async () => {
    await Promise.all(allowed.map((result) => result.cancel()));
  };
  if (allowed.length < results.length) {
    // Concurrent attempts have used up the rest.
    await cancel();
    const waits = results.map((result) => result.allowed ? 0 : result.wait);
    return denied(Math.max(...waits));
  }
  const succeed = async () => {
    const ends = allowed.map((result) => result.succeed());
    await Promise.all([...ends, remember?.()]);
  };
  return { allowed: true, succeed, cancel };
}

function denied(wait: number): ThrottleAttempt {
  return { allowed: false, retryAfter: Math.ceil(wait / 1000) };
}
