import { networkOf } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import { type CallStore, sweeper } from "../../session/internal.ts";
import type { SessionStore } from "../../session/mod.ts";
import { sha256Base64Url } from "../../session/secrets.ts";
import {
  DeviceBrowser,
  type DeviceOptions,
  type KnownDevice,
  knownDevices,
  withCount,
} from "../store/device_browser.ts";
import { AttemptCounts } from "./_attempt_counts.ts";
import { type FailureCount, FailureCounter, toCount } from "./failure_count.ts";
import { DEVICE_LIMIT, DEVICE_MAX_AGE, resolveLimits } from "./limits.ts";
import { addToAll, longestWait, type ThrottleAttempt } from "./throttle.ts";

/** The failures of a user, and the browsers that are exempt from them. */
export interface UserCounts {
  readonly account?: FailureCount | undefined;
  /** The failures from one address each, the latest at the end. */
  readonly pairs?: readonly Pair[];
  readonly devices?: readonly KnownDevice[] | undefined;
}

type Pair = readonly [client: string, count: FailureCount];

/**
 * The maximum number of addresses whose failures count for one user. The
 * account is delayed before more of them have failed within an hour.
 */
const MAX_PAIRS = 60;

/** An attempt, judged by the counts of a user. It changes none of them. */
export interface JudgedAttempt {
  /** The milliseconds until the attempt may be made. */
  readonly wait: number;
  /** Adds the attempt to the counts that accounts share, once. */
  readonly add: () => Promise<ThrottleAttempt>;
  /** The counts after a wrong attempt; `null` if it does not count. */
  readonly failed: UserCounts | null;
  /** The counts after a correct attempt, which makes the browser known. */
  readonly succeeded: UserCounts;
  /** Sets the cookie of the browser, after these counts were stored. */
  readonly remember: () => void;
}

/** Judges an attempt by the counts of a user. */
export type JudgeAttempt = (counts: UserCounts) => JudgedAttempt;

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
  readonly #addresses: AttemptCounts;
  readonly #account: FailureCounter;
  readonly #pair: FailureCounter;
  readonly #device: FailureCounter;
  readonly #cookie: DeviceOptions;
  readonly #sweep: () => void;

  constructor({ name, store, callStore, now }: UserThrottleOptions) {
    const limits = resolveLimits({});
    const address = (context: RequestContext) => context.remoteAddress;
    const options = { name, limits, address };
    this.#name = name;
    this.#addresses = new AttemptCounts({ callStore, now }, options);
    this.#account = new FailureCounter(limits.perAccount, now);
    this.#pair = new FailureCounter(limits.perAccountAndAddress, now);
    this.#device = new FailureCounter(DEVICE_LIMIT, now);
    this.#cookie = { cookie: "device", maxAge: DEVICE_MAX_AGE, now };
    this.#sweep = sweeper(store, now);
  }

  /**
   * Begins an attempt: reads the counts that accounts share.
   *
   * @param isGuess `false` for a proof that cannot be guessed: no count delays it,
   * and its success clears those of the account.
   */
  async begin(
    context: RequestContext,
    account: string,
    isGuess: boolean,
  ): Promise<JudgeAttempt> {
    this.#sweep();
    const { remoteAddress } = context;
    const shared = isGuess ? await this.#addresses.ofAddress(context) : [];
    const [wait, client, browser] = await Promise.all([
      longestWait(shared),
      // Only the account counts if the address is not known.
      remoteAddress &&
      sha256Base64Url(`${networkOf(remoteAddress)} ${account}`),
      DeviceBrowser.of(context, account, this.#cookie),
    ]);
    let added: Promise<ThrottleAttempt> | undefined;
    const add = () => added ??= addToAll(shared);
    return (counts) => {
      const unknown = this.#ofUnknown(browser, client, counts);
      if (!isGuess) return { ...unknown, add, wait: 0, failed: null };
      return this.#ofKnown(browser, counts) ??
        { ...unknown, add, wait: Math.max(wait, unknown.wait) };
    };
  }

  /** Judges an attempt from a known device that has not failed too often. */
  #ofKnown(browser: DeviceBrowser, counts: UserCounts): JudgedAttempt | null {
    const devices = knownDevices(counts.devices, this.#cookie);
    const known = browser.find(devices);
    const count = toCount(known?.[3]?.[this.#name]);
    if (known === null || this.#device.waitOf(count) > 0) return null;
    const next = this.#device.add(count);
    return {
      wait: 0,
      add: () => addToAll([]),
      failed: {
        ...counts,
        devices: withCount(devices, known, this.#name, next),
      },
      ...this.#succeed(browser, known[0], counts),
    };
  }

  #ofUnknown(
    browser: DeviceBrowser,
    client: string | undefined,
    counts: UserCounts,
  ): Omit<JudgedAttempt, "add"> {
    const account = toCount(counts.account);
    const pairs = toPairs(counts.pairs)
      .filter(([, count]) => !this.#pair.isOver(count));
    const others = pairs.filter(([one]) => one !== client);
    const pair = toCount(pairs.find(([one]) => one === client)?.[1]);
    const next: Pair[] = client ? [[client, this.#pair.add(pair)]] : [];
    return {
      wait: Math.max(this.#account.waitOf(account), this.#pair.waitOf(pair)),
      failed: {
        ...counts,
        account: this.#account.add(account),
        pairs: [...others, ...next].slice(-MAX_PAIRS),
      },
      ...this.#succeed(browser, null, {
        devices: counts.devices,
        pairs: others,
      }),
    };
  }

  /** Makes a browser known. */
  #succeed(
    browser: DeviceBrowser,
    keep: string | null,
    counts: UserCounts,
  ): Pick<JudgedAttempt, "succeeded" | "remember"> {
    const before = knownDevices(counts.devices, this.#cookie);
    const devices = browser.hasCookie
      ? browser.addTo(before, keep, this.#name)
      : before;
    return {
      succeeded: { ...counts, devices },
      remember: () => browser.setCookie(before, keep),
    };
  }
}

/** Returns stored counts of addresses, without malformed ones. */
function toPairs(stored: unknown): readonly Pair[] {
  return (Array.isArray(stored) ? stored : [])
    .filter((pair) => Array.isArray(pair))
    .map(([client, count]) => [String(client), toCount(count)]);
}
