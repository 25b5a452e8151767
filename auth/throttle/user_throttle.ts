import { networkOf } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import { type CallStore, sweeper } from "../../session/internal.ts";
import type { SessionStore } from "../../session/mod.ts";
import { sha256Base64Url } from "../../session/secrets.ts";
import {
  DeviceBrowser,
  type KnownDevice,
  knownDevices,
  withCount,
} from "../store/device_browser.ts";
import { AttemptCounts } from "./_attempt_counts.ts";
import type { StoredCount } from "./_stored_count.ts";
import { type FailureCount, FailureCounter, toCount } from "./failure_count.ts";
import { DEVICE_LIMIT, DEVICE_MAX_AGE, resolveLimits } from "./limits.ts";
import { addToAll, longestWait, type ThrottleAttempt } from "./throttle.ts";

/** The failures of a user, and the browsers that are exempt from them. */
export interface UserCounts {
  readonly account?: FailureCount | undefined;
  /** The failures from one address each, the latest at the end. */
  readonly pairs?: readonly Pair[];
  readonly devices?: readonly KnownDevice[];
}

type Pair = readonly [client: string, count: FailureCount];

/**
 * The most addresses whose failures a user has. The account is delayed before
 * more of them have failed within an hour.
 */
const MAX_PAIRS = 60;

/** The milliseconds for which failures of a user matter at most. */
export const USER_COUNTS_TTL = 31 * 86_400_000;

/** The store and the clock of a {@linkcode UserThrottle}. */
export interface UserThrottleOptions {
  /** The name of the throttle. */
  readonly name: string;
  readonly store: SessionStore;
  readonly callStore: CallStore;
  readonly now: () => number;
}

/**
 * A throttle with the default limits, whose counts of an account lie in a record
 * that the caller changes anyway. Only addresses have separate records.
 */
export class UserThrottle {
  readonly #name: string;
  readonly #now: () => number;
  readonly #addresses: AttemptCounts;
  readonly #counters: Record<"account" | "pair" | "device", FailureCounter>;
  readonly #sweep: () => void;

  constructor({ name, store, callStore, now }: UserThrottleOptions) {
    const limits = resolveLimits({});
    const address = (context: RequestContext) => context.remoteAddress;
    this.#name = name;
    this.#now = now;
    this.#addresses = new AttemptCounts(
      { callStore, now },
      { name, limits, address },
    );
    this.#counters = {
      account: new FailureCounter(limits.perAccount, now),
      pair: new FailureCounter(limits.perAccountAndAddress, now),
      device: new FailureCounter(DEVICE_LIMIT, now),
    };
    this.#sweep = sweeper(store, now);
  }

  /** Begins an attempt: reads the counts that accounts share. */
  async begin(context: RequestContext, account: string): Promise<UserAttempt> {
    this.#sweep();
    const shared = await this.#addresses.ofAddress(context);
    return await this.#attempt(context, account, shared);
  }

  /**
   * Begins an attempt that cannot be a guess. No count delays it, and its success
   * clears those of the account.
   */
  async exempt(context: RequestContext, account: string): Promise<UserAttempt> {
    return await this.#attempt(context, account, null);
  }

  async #attempt(
    context: RequestContext,
    account: string,
    shared: readonly StoredCount[] | null,
  ): Promise<UserAttempt> {
    const { remoteAddress } = context;
    const options = {
      cookie: "device",
      maxAge: DEVICE_MAX_AGE,
      now: this.#now,
    };
    const [wait, client, browser] = await Promise.all([
      longestWait(shared ?? []),
      remoteAddress === undefined
        ? null
        : sha256Base64Url(`${networkOf(remoteAddress)} ${account}`),
      DeviceBrowser.of(context, account, options),
    ]);
    return new UserAttempt({
      name: this.#name,
      client,
      browser,
      shared,
      wait,
      counters: this.#counters,
      devicesOf: ({ devices }) => knownDevices(devices, options),
    });
  }
}

/** The parts of a {@linkcode UserAttempt}. */
interface AttemptParts {
  readonly name: string;
  /** The hash of the address and the account; `null` without an address. */
  readonly client: string | null;
  readonly browser: DeviceBrowser;
  /** The counts that accounts share; `null` for an attempt that is exempt. */
  readonly shared: readonly StoredCount[] | null;
  /** The milliseconds to wait by these counts. */
  readonly wait: number;
  readonly counters: Record<"account" | "pair" | "device", FailureCounter>;
  readonly devicesOf: (counts: UserCounts) => readonly KnownDevice[];
}

/** An attempt at an account. Its methods do not change the counts they get. */
export class UserAttempt {
  readonly #parts: AttemptParts;
  #added: Promise<ThrottleAttempt> | undefined;
  #setCookie: () => void = () => {};

  constructor(parts: AttemptParts) {
    this.#parts = parts;
  }

  /** Returns the milliseconds until the attempt may be made. */
  wait(counts: UserCounts): number {
    const { client, counters, shared, wait } = this.#parts;
    if (shared === null || this.#knownIn(counts) !== null) return 0;
    const pair = this.#pairsOf(counts).find(([one]) => one === client);
    return Math.max(
      wait,
      counters.account.waitOf(toCount(counts.account)),
      counters.pair.waitOf(toCount(pair?.[1])),
    );
  }

  /**
   * Adds the attempt to the counts that accounts share, once. A known device is
   * exempt.
   */
  add(counts: UserCounts): Promise<ThrottleAttempt> {
    const isKnown = this.#knownIn(counts) !== null;
    if (isKnown) return addToAll([]);
    return this.#added ??= addToAll(this.#parts.shared ?? []);
  }

  /** Returns the counts after a wrong attempt; `null` if it does not count. */
  fail(counts: UserCounts): UserCounts | null {
    const { client, counters, devicesOf, name, shared } = this.#parts;
    if (shared === null) return null;
    const device = this.#knownIn(counts);
    if (device !== null) {
      const count = counters.device.add(toCount(device[3]?.[name]));
      const devices = withCount(devicesOf(counts), device, name, count);
      return { ...counts, devices };
    }
    const pairs = this.#pairsOf(counts);
    const pair = toCount(pairs.find(([one]) => one === client)?.[1]);
    const others = pairs.filter(([one]) => one !== client);
    const own: Pair[] = client === null
      ? []
      : [[client, counters.pair.add(pair)]];
    return {
      ...counts,
      account: counters.account.add(toCount(counts.account)),
      pairs: [...others, ...own].slice(-MAX_PAIRS),
    };
  }

  /**
   * Returns the counts after a correct attempt. The browser becomes a known
   * device.
   */
  succeed(counts: UserCounts): UserCounts {
    const { browser, client, devicesOf, name, shared } = this.#parts;
    const before = devicesOf(counts);
    const known = shared === null ? null : this.#knownIn(counts);
    const keep = known && known[0];
    this.#setCookie = () => browser.setCookie(before, keep);
    const devices = browser.hasCookie
      ? browser.addTo(before, keep, name)
      : before;
    if (keep !== null) return { ...counts, devices };
    const pairs = this.#pairsOf(counts).filter(([one]) => one !== client);
    return { pairs, devices };
  }

  /** Sets the cookie of the device, after the counts were stored. */
  setCookie(): void {
    this.#setCookie();
  }

  /** Returns the device if it is known, and has not failed too often. */
  #knownIn(counts: UserCounts): KnownDevice | null {
    const { browser, counters, devicesOf, name } = this.#parts;
    const device = browser.find(devicesOf(counts));
    if (device === null) return null;
    const wait = counters.device.waitOf(toCount(device[3]?.[name]));
    return wait > 0 ? null : device;
  }

  /** Returns the pairs that still count. */
  #pairsOf({ pairs }: UserCounts): readonly Pair[] {
    return (Array.isArray(pairs) ? pairs as readonly unknown[] : [])
      .filter((pair) => Array.isArray(pair))
      .map(([client, count]): Pair => [String(client), toCount(count)])
      .filter(([, count]) => !this.#parts.counters.pair.isOver(count));
  }
}
