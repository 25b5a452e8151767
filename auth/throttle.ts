import type { RequestContext } from "../router/mod.ts";
import { STORE_TIMEOUT, sweeper } from "../session/internal.ts";
import { encodeBase64Url, sha256 } from "../session/secrets.ts";
import { createMemorySessionStore, type SessionStore } from "../session/mod.ts";
import { type CountAt, Counter, type CounterConfig } from "./_counter.ts";
import { KnownDevices } from "./_known_devices.ts";
import { addressBlockOf, isUndeclaredProxy, networkOf } from "./_network.ts";
import {
  DEVICE_LIMIT,
  notPositive,
  resolveLimits,
  type ThrottleLimit,
  type ThrottleLimits,
} from "./_throttle_limits.ts";

export type { ThrottleLimit, ThrottleLimits };

/** Options for {@linkcode createThrottle}. */
export interface ThrottleOptions extends ThrottleLimits {
  /**
   * The name of this throttle. Throttles that share a store need different
   * names; they share the known devices.
   *
   * @default {"login"}
   */
  readonly name?: string;

  /**
   * The store of the counts and of the known devices. Machines that share it
   * count together.
   *
   * @default {createMemorySessionStore()}
   */
  readonly store?: SessionStore;

  /**
   * Milliseconds that the store may take for an answer. Beyond it, it counts as
   * failed.
   *
   * @default {5_000}
   */
  readonly storeTimeout?: number;

  /**
   * The name of the device cookie, without the prefix `__Host-`, which it has
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

/** The answer to an attempt. */
export type ThrottleAttempt =
  | {
    readonly allowed: true;
    /**
     * Takes the attempt back out of the counts, because it was right. Makes the
     * browser a known device of the account, if the session middleware ran.
     */
    readonly succeed: () => Promise<void>;
    /**
     * Takes only this attempt back out of the counts, because the application
     * could not find out whether it was right.
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
   * Counts an attempt as failed before it is made, so that a hundred at once are
   * a hundred. Call `succeed` if it was right, `cancel` if it could not be made.
   *
   * @param context The context of the request.
   * @param account The account of the attempt, such as an email address; `null`
   * counts by address only.
   * @returns Whether the attempt may be made.
   * @throws {SessionStoreError} If the store fails: the attempt must not be made.
   */
  attempt(
    context: RequestContext,
    account: string | null,
  ): Promise<ThrottleAttempt>;

  /**
   * Makes the browser a known device of the account and forgets the account's
   * failures. Call it when users prove themselves in another way, such as by the
   * link of a reset email.
   *
   * Trust: only call it for the account's owner.
   *
   * @param context The context of the request, with a session.
   * @param account The account, as `attempt` gets it.
   * @throws {SessionStoreError} If the store fails.
   */
  trustDevice(context: RequestContext, account: string): Promise<void>;
}

/**
 * Creates a throttle, which delays attempts after a few have failed. It counts
 * failures by account and address, by address, by IPv6 network, and slowly by
 * account.
 *
 * The count by account stops guessers with many addresses. So that it locks no
 * owner out, a browser that logged in before is exempt from all of these counts.
 * It is recognized by a cookie that `succeed` sets through the session
 * middleware, and that is good for this account. After ten failures in a row it
 * counts as an unknown device again: it may be stolen. An account has up to ten
 * known devices, each for a year from its last login.
 *
 * Trust: the client's address must be the client's. Behind a proxy, set the
 * router's `trustedProxies`. If a proxy is in front that the router does not
 * know, the limit by address is ten times as high, as all clients share it. If
 * there is no address, the throttle only counts by account. Both print a warning
 * once.
 *
 * @example Five guesses, and then a second's delay
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
 * @param options The limits, and the store.
 * @returns The throttle, for `createCredentialsAuthProvider` or on its own.
 * @throws {RangeError} If a limit or a timeout is not a positive number.
 * @see {@link https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies | OWASP, Device Cookies}
 * @see {@link https://pages.nist.gov/800-63-3/sp800-63b.html | NIST SP 800-63B, 5.2.2}
 */
export function createThrottle(options: ThrottleOptions = {}): Throttle {
  return new AccountThrottle(options);
}

class AccountThrottle implements Throttle {
  readonly #name: string;
  readonly #counters: Record<Kind, Counter>;
  readonly #devices: KnownDevices;
  readonly #address: (context: RequestContext) => string | undefined;
  readonly #sweep: () => void;
  #warned = false;

  constructor(options: ThrottleOptions) {
    const {
      name = "login",
      deviceCookie = "device",
      now = Date.now,
      store = createMemorySessionStore({ now }),
      storeTimeout = STORE_TIMEOUT,
    } = options;
    checkStoreTimeout(storeTimeout);
    const limits = resolveLimits(options);
    const config: CounterConfig = { store, storeTimeout, now };
    this.#name = name;
    this.#counters = {
      pair: new Counter(config, limits.perAccountAndAddress),
      account: new Counter(config, limits.perAccount),
      address: new Counter(config, limits.perAddress),
      proxy: new Counter(config, limits.perProxy),
      network: new Counter(config, limits.perNetwork),
      known: new Counter(config, DEVICE_LIMIT),
    };
    this.#devices = new KnownDevices(config, deviceCookie);
    this.#address = options.address ?? ((context) => context.remoteAddress);
    this.#sweep = sweeper(store, now);
  }

  async attempt(
    context: RequestContext,
    account: string | null,
  ): Promise<ThrottleAttempt> {
    this.#sweep();
    const name = account === null ? null : canonicalName(account);
    const known = name === null ? null : await this.#fromDevice(context, name);
    if (known !== null) return known;
    const counts = await this.#countsOf(context, name);
    const waits = await Promise.all(counts.map((count) => count.wait()));
    const wait = Math.max(0, ...waits);
    if (wait > 0) return refuse(wait);
    return await allow(counts, async () => {
      if (name !== null) await this.#devices.add(context, name, null);
    });
  }

  async trustDevice(context: RequestContext, account: string): Promise<void> {
    const name = canonicalName(account);
    const address = this.#address(context);
    const counts = [this.#count("account", name)];
    if (address !== undefined) counts.push(this.#pair(address, name));
    for (const count of await Promise.all(counts)) await count.clear();
    await this.#devices.add(context, name, null);
  }

  /**
   * Counts an attempt from a known device of the account, which is exempt from
   * all other counts; `null` from any other device.
   */
  async #fromDevice(
    context: RequestContext,
    name: string,
  ): Promise<ThrottleAttempt | null> {
    const device = await this.#devices.find(context, name);
    if (device === null) return null;
    const count = await this.#count("known", `${name} ${device}`);
    const attempt = await allow([count], async () => {
      await this.#devices.add(context, name, device);
    });
    return attempt.allowed ? attempt : null;
  }

  /** Returns the counts of an attempt from an unknown device. */
  async #countsOf(
    context: RequestContext,
    name: string | null,
  ): Promise<CountAt[]> {
    const address = this.#address(context);
    const counts: Promise<CountAt>[] = [];
    // Without an address, all attempts without an account share one count.
    if (name !== null || address === undefined) {
      counts.push(this.#count("account", name ?? ""));
    }
    if (address === undefined) {
      this.#warn("the client's address is not known");
      return await Promise.all(counts);
    }
    // Always by the peer's own address: a forwarding header may be the client's
    // word, and would be a new count with each guess.
    const isProxy = isUndeclaredProxy(context, address);
    if (isProxy) {
      this.#warn("a proxy is in front, but trustedProxies is not set");
    }
    const kind = isProxy ? "proxy" : "address";
    counts.push(this.#count(kind, networkOf(address)));
    const block = isProxy ? null : addressBlockOf(address);
    if (block !== null) counts.push(this.#count("network", block));
    if (name !== null) counts.push(this.#pair(address, name));
    return await Promise.all(counts);
  }

  #pair(address: string, name: string): Promise<CountAt> {
    return this.#count("pair", `${networkOf(address)} ${name}`);
  }

  /** Returns a count, under a key that does not reveal whose it is. */
  async #count(kind: Kind, text: string): Promise<CountAt> {
    const hash = await sha256(`${this.#name} ${kind} ${text}`);
    const key = `throttle:${kind}:${encodeBase64Url(hash)}`;
    return this.#counters[kind].at(key, WHEN_RIGHT[kind]);
  }

  #warn(reason: string): void {
    if (this.#warned) return;
    this.#warned = true;
    console.warn(`Cannot throttle "${this.#name}" by address: ${reason}`);
  }
}

/** What attempts are counted by. */
type Kind = "pair" | "account" | "address" | "proxy" | "network" | "known";

/**
 * One right password must not excuse the guesses at other accounts, so that the
 * counts that accounts share are only decremented.
 */
const WHEN_RIGHT: Record<Kind, "clear" | "decrement"> = {
  pair: "clear",
  account: "clear",
  known: "clear",
  address: "decrement",
  proxy: "decrement",
  network: "decrement",
};

/** Adds an attempt to all counts, or to none if one refuses it. */
async function allow(
  counts: readonly CountAt[],
  remember: () => Promise<void>,
): Promise<ThrottleAttempt> {
  const results = await Promise.all(counts.map((count) => count.add()));
  const allowed = results.filter((counted) => counted.allowed);
  const cancel = async () => {
    await Promise.all(allowed.map((counted) => counted.cancel()));
  };
  if (allowed.length < results.length) {
    // Others at the same time were faster and used up what was left.
    await cancel();
    const waits = results.map((one) => one.allowed ? 0 : one.wait);
    return refuse(Math.max(...waits));
  }
  const succeed = async () => {
    await Promise.all(allowed.map((counted) => counted.succeed()));
    await remember();
  };
  return { allowed: true, succeed, cancel };
}

/**
 * Returns the name as databases compare it: another spelling is no other
 * account.
 *
 * Trimmed before it is cut off, or leading spaces would make other accounts of
 * one. Cut off, because normalizing takes quadratic time: names of this length
 * that begin alike are counted as one, which gives no guess more.
 */
function canonicalName(account: string): string {
  return account.trim().slice(0, 1024).normalize("NFKC").toLowerCase().trim();
}

function refuse(wait: number): ThrottleAttempt {
  return { allowed: false, retryAfter: Math.ceil(wait / 1000) };
}

/** A timer takes no `Infinity`. */
function checkStoreTimeout(value: number): void {
  if (Number.isFinite(value) && value > 0) return;
  throw notPositive("storeTimeout", value);
}
