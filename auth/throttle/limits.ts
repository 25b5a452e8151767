import { checkPositive } from "../../router/internal.ts";

/** The attempts without a delay, and the delays after them. */
export interface ThrottleLimit {
  /** The number of attempts that may fail before there is a delay. */
  readonly attempts: number;
  /** The first delay, in milliseconds. Each failure doubles it. */
  readonly delay: number;
  /** The longest delay, in milliseconds. */
  readonly maxDelay: number;
  /**
   * The time that a failure counts, in milliseconds, or up to a tenth longer. It
   * does not end a delay that has begun.
   */
  readonly window: number;
}

/** The limits of a throttle. Parts that an option leaves out keep the default. */
export interface ThrottleLimits {
  /**
   * The limit for one account from one address.
   *
   * @default {attempts: 5, delay: 1_000, maxDelay: 900_000, window: 3_600_000}
   */
  readonly perAccountAndAddress?: Partial<ThrottleLimit>;

  /**
   * The limit for one account from all unknown devices. With the default, an
   * account has at most 87 failures within 30 days.
   *
   * @default {attempts: 40, delay: 1_000, maxDelay: 86_400_000, window: 2_592_000_000}
   */
  readonly perAccount?: Partial<ThrottleLimit>;

  /**
   * The limit for one address and all accounts. An IPv6 /64 counts as one
   * address. Behind a proxy that `trustedProxies` does not name, all clients
   * share an address, so it has ten times the attempts.
   *
   * @default {attempts: 100, delay: 1_000, maxDelay: 60_000, window: 3_600_000}
   */
  readonly perAddress?: Partial<ThrottleLimit>;

  /**
   * The limit for one IPv6 /48 and all accounts.
   *
   * @default {attempts: 1_000, delay: 1_000, maxDelay: 60_000, window: 3_600_000}
   */
  readonly perNetwork?: Partial<ThrottleLimit>;
}

/** Thirty days, in milliseconds. */
const MONTH = 2_592_000_000;

/**
 * The defaults. An account may have 40 failures without a delay, 17 with delays
 * from 1 s to 18 h, and then one a day. That makes 87 within 30 days. Together
 * with the 10 of a stolen device cookie, these are fewer than 100 (NIST SP
 * 800-63B, 5.2.2).
 */
const DEFAULTS: Record<keyof ThrottleLimits, ThrottleLimit> = {
  perAccountAndAddress: {
    attempts: 5,
    delay: 1_000,
    maxDelay: 900_000,
    window: 3_600_000,
  },
  perAccount: {
    attempts: 40,
    delay: 1_000,
    maxDelay: 86_400_000,
    window: MONTH,
  },
  perAddress: {
    attempts: 100,
    delay: 1_000,
    maxDelay: 60_000,
    window: 3_600_000,
  },
  perNetwork: {
    attempts: 1_000,
    delay: 1_000,
    maxDelay: 60_000,
    window: 3_600_000,
  },
};

/**
 * The limit of a known device: after ten failures it counts as an unknown
 * device, until its owner logs in.
 */
export const DEVICE_LIMIT: ThrottleLimit = {
  attempts: 10,
  delay: MONTH,
  maxDelay: MONTH,
  window: MONTH,
};

/** Seconds for which a browser keeps the device cookie: one year. */
export const DEVICE_MAX_AGE = 31_536_000;

/** The factor by which the limit of a proxy's address is higher. */
const PROXY_FACTOR = 10;

/** The limits with their defaults, and the limit for the address of a proxy. */
export type ResolvedLimits =
  & Readonly<Record<keyof ThrottleLimits, ThrottleLimit>>
  & { readonly perProxy: ThrottleLimit };

/**
 * Returns the limits with their defaults.
 *
 * @throws {RangeError} If a part of a limit is not a positive number.
 */
export function resolveLimits(limits: ThrottleLimits): ResolvedLimits {
  const perAddress = resolve("perAddress");
  return {
    perAccountAndAddress: resolve("perAccountAndAddress"),
    perAccount: resolve("perAccount"),
    perAddress,
    perNetwork: resolve("perNetwork"),
    perProxy: { ...perAddress, attempts: PROXY_FACTOR * perAddress.attempts },
  };

  function resolve(kind: keyof ThrottleLimits): ThrottleLimit {
    const limit = { ...DEFAULTS[kind], ...limits[kind] };
    for (const [part, value] of Object.entries(limit)) {
      checkPositive("throttle", `${kind}.${part}`, value);
    }
    return limit;
  }
}
