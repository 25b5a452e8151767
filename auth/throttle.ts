import type { RequestContext } from "../router/mod.ts";
import { STORE_TIMEOUT, sweeper } from "../session/internal.ts";
import { encodeBase64Url, sha256 } from "../session/secrets.ts";
import { createMemorySessionStore, type SessionStore } from "../session/mod.ts";
import { type Counted, Counter, type CounterLimit } from "./_counter.ts";
import { isUndeclaredProxy, networkOf } from "./_network.ts";

/** When attempts are delayed. */
export interface ThrottleLimit {
  /** How many attempts may fail before there is a delay. */
  readonly attempts: number;
  /** The first delay, in milliseconds. Each failure doubles it. */
  readonly delay: number;
  /** The longest delay, in milliseconds. */
  readonly maxDelay: number;
}

/** Options for {@linkcode createThrottle}. */
export interface ThrottleOptions {
  /**
   * What is throttled, in one store that several throttles share.
   *
   * @default {"login"}
   */
  readonly name?: string;

  /**
   * Where the counts are kept. Machines that share it count together.
   *
   * @default {createMemorySessionStore({ maxRecords: 50_000 })}
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
   * The limit for one account from one address.
   *
   * @default {{ attempts: 5, delay: 1_000, maxDelay: 900_000 }}
   */
  readonly perAccount?: ThrottleLimit;

  /**
   * The limit for one address and all accounts. Of IPv6, a /64 is one address.
   *
   * @default {{ attempts: 100, delay: 1_000, maxDelay: 60_000 }}
   */
  readonly perAddress?: ThrottleLimit;

  /**
   * How long a failure counts, in milliseconds; at most a tenth longer. A delay
   * that is running goes on.
   *
   * @default {3_600_000}
   */
  readonly window?: number;

  /**
   * Tells the client's address.
   *
   * @default {(context) => context.remoteAddress}
   */
  readonly address?: (context: RequestContext) => string | undefined;

  /**
   * Tells the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/** Whether an attempt may be made. */
export type ThrottleAttempt =
  | {
    readonly allowed: true;
    /** Takes the attempt back out of the counts, because it was right. */
    readonly succeed: () => Promise<void>;
    /**
     * Takes the attempt back out of the counts, and nothing else, because nobody
     * could tell whether it was right.
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
   * Counts an attempt as failed, before it is made: a hundred at once are a
   * hundred. Call `succeed` if it was right, `cancel` if nobody could tell.
   *
   * @param context The context of the request.
   * @param account What the attempt is about, such as an e-mail address.
   * @returns Whether the attempt may be made.
   * @throws {SessionStoreError} If the store fails: the attempt must not be made.
   */
  attempt(context: RequestContext, account: string): Promise<ThrottleAttempt>;
}

/**
 * Creates a throttle: it delays attempts ever longer after a few have failed,
 * for one account from one address, and for one address and all accounts.
 *
 * Where it knows an address, it does not count by account alone: a stranger who
 * knows a name could lock its owner out. So it does not stop a guesser with many
 * addresses; good passwords and second factors do.
 *
 * Trust: the client's address must be the client's. Behind a proxy, set the
 * router's `trustedProxies`. Where a proxy shows that was forgotten, attempts
 * are counted by account and the proxy's address, and no longer by address
 * alone; where there is no address, by account alone, with ten times the
 * attempts of `perAccount`. Both print a warning once, and both let a guesser
 * delay the owner of the account.
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
 * @param options The limits, and where the counts are kept.
 * @returns The throttle, for `createCredentialsAuthProvider` or on its own.
 * @throws {RangeError} If a limit or a timeout is not a positive number.
 * @see {@link https://owasp.org/www-project-application-security-verification-standard/ | ASVS 5.0, 6.3.1}
 */
export function createThrottle(options: ThrottleOptions = {}): Throttle {
  return new AddressThrottle(options);
}

/**
 * How many times the attempts of `perAccount` an account has where addresses
 * are not known, since then all its users and guessers share the count.
 */
const ACCOUNT_FACTOR = 10;

class AddressThrottle implements Throttle {
  readonly #name: string;
  readonly #pairs: Counter;
  readonly #addresses: Counter;
  readonly #accounts: Counter;
  readonly #address: (context: RequestContext) => string | undefined;
  readonly #sweep: () => Promise<void>;
  #warned = false;

  constructor(options: ThrottleOptions) {
    const {
      name = "login",
      store = createMemorySessionStore({ maxRecords: 50_000 }),
      storeTimeout = STORE_TIMEOUT,
      window = 3_600_000,
      now = Date.now,
    } = options;
    const pair = { attempts: 5, delay: 1_000, maxDelay: 900_000 };
    const address = { attempts: 100, delay: 1_000, maxDelay: 60_000 };
    this.#name = name;
    const perAccount = { ...pair, ...options.perAccount };
    const attempts = ACCOUNT_FACTOR * perAccount.attempts;
    this.#pairs = counter(perAccount);
    this.#accounts = counter({ ...perAccount, attempts });
    this.#addresses = counter({ ...address, ...options.perAddress });
    this.#address = options.address ?? ((context) => context.remoteAddress);
    checkStoreTimeout(storeTimeout);
    this.#sweep = sweeper(store, { now, storeTimeout });

    function counter(limit: ThrottleLimit): Counter {
      const config = { store, storeTimeout, now };
      return new Counter(config, checkLimit({ ...limit, window }));
    }
  }

  async attempt(
    context: RequestContext,
    account: string,
  ): Promise<ThrottleAttempt> {
    await this.#sweep();
    const counts = await this.#countsOf(context, account);
    const waits = await Promise.all(counts.map((count) => count.wait()));
    const wait = Math.max(0, ...waits);
    if (wait > 0) return refuse(wait);
    const allowed: Extract<Counted, { allowed: true }>[] = [];
    for (const count of counts) {
      const counted = await count.add();
      // Others at the same time were faster, and used up what was left.
      if (!counted.allowed) return refuse(counted.wait);
      allowed.push(counted);
    }
    return {
      allowed: true,
      succeed: async () => {
        await Promise.all(allowed.map((counted) => counted.succeed()));
      },
      cancel: async () => {
        await Promise.all(allowed.map((counted) => counted.cancel()));
      },
    };
  }

  /** What an attempt is counted by. */
  async #countsOf(context: RequestContext, account: string) {
    const address = this.#address(context);
    const name = canonicalName(account);
    if (address === undefined) {
      this.#warn("the client's address is not known");
      const key = await this.#key("account", name);
      return [this.#accounts.at(key, "clear")];
    }
    const network = networkOf(address);
    // Always by the peer's own address. What a header says of the client may be
    // the client's word, and would be a new count with each guess. So behind a
    // proxy that nobody declared, all who try one account share its count: that
    // delays its owner too, but nobody else.
    const pair = await this.#key("pair", `${network} ${name}`);
    const pairCount = this.#pairs.at(pair, "clear");
    if (isUndeclaredProxy(context, address)) {
      this.#warn("a proxy is in front, but trustedProxies is not set");
      return [pairCount];
    }
    const all = await this.#key("address", network);
    return [this.#addresses.at(all, "decrement"), pairCount];
  }

  /** A key that tells nobody who reads the store whose it is. */
  async #key(kind: string, text: string): Promise<string> {
    const hash = await sha256(`${this.#name} ${kind} ${text}`);
    return `throttle:${encodeBase64Url(hash)}`;
  }

  #warn(reason: string): void {
    if (this.#warned) return;
    this.#warned = true;
    console.warn(`Cannot throttle "${this.#name}" by address: ${reason}`);
  }
}

/**
 * As databases compare names: another spelling is no other account.
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

function checkLimit(limit: CounterLimit): CounterLimit {
  for (const [name, value] of Object.entries(limit)) {
    if (!(value > 0)) throw notPositive(name, value);
  }
  return limit;
}

/** A timer takes no `Infinity`. */
function checkStoreTimeout(value: number): void {
  if (Number.isFinite(value) && value > 0) return;
  throw notPositive("storeTimeout", value);
}

function notPositive(name: string, value: number): RangeError {
  return new RangeError(
    `Cannot create throttle: ${name} "${value}" is not a positive number`,
  );
}
