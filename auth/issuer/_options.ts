/**
 * Stores a provider's metadata and keys outside the process, for runtimes with
 * short-lived processes.
 *
 * Trust: anyone who can write here can log in as any user. Protect it like your
 * code.
 */
export interface ExternalAuthCache {
  /**
   * Reads an entry. After one second without a result the entry counts as
   * missing.
   *
   * @param key The key.
   * @returns The stored value, or `null` or `undefined` if it is missing.
   */
  get(key: string): unknown;
  /**
   * Stores an entry. The library waits for it for at most one second.
   *
   * @param key The key.
   * @param value The value, which is JSON.
   * @param options The time to live, in milliseconds.
   */
  set(key: string, value: unknown, options: { readonly ttl: number }): unknown;
}

/** Options for requests to an identity provider and for checking its tokens. */
export interface IssuerOptions {
  /**
   * The allowed difference between the provider's clock and this one, in
   * seconds.
   *
   * @default {30}
   */
  readonly clockTolerance?: number;
  /**
   * The timeout of a request to the provider, in milliseconds.
   *
   * @default {10_000}
   */
  readonly timeout?: number;
  /**
   * The maximum size of a response of the provider after decompression, in
   * bytes.
   *
   * @default {262_144}
   */
  readonly maxResponseBytes?: number;
  /**
   * Allows `http:` URLs for a provider on localhost.
   *
   * Trust: for development and tests only.
   *
   * @default {false}
   */
  readonly allowInsecureLoopback?: boolean;
  /**
   * Sends the requests to the provider.
   *
   * @default {globalThis.fetch}
   */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /**
   * Returns the current time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
  /**
   * Stores the provider's metadata and keys outside the process.
   *
   * @default {undefined}
   */
  readonly cache?: ExternalAuthCache;
}

/** The options with their defaults. */
export type ResolvedIssuerOptions =
  & Required<Omit<IssuerOptions, "cache">>
  & Pick<IssuerOptions, "cache">;

/**
 * Checks the options and adds the defaults.
 *
 * @throws {RangeError} If a number is out of range.
 */
export function resolveIssuerOptions(
  options: IssuerOptions,
  name: string,
): ResolvedIssuerOptions {
  const inRange = (
    option: "clockTolerance" | "timeout" | "maxResponseBytes",
    fallback: number,
    least: number,
    most: number,
  ) => {
    const value = options[option] ?? fallback;
    if (typeof value === "number" && value >= least && value <= most) {
      return value;
    }
    throw new RangeError(
      `Cannot create ${name}: ${option} "${value}" is not between ${least} and ${most}`,
    );
  };
  const { allowInsecureLoopback = false, cache, fetch, now = Date.now } =
    options;
  return {
    clockTolerance: inRange("clockTolerance", 30, 0, 600),
    timeout: inRange("timeout", 10_000, 1, 600_000),
    maxResponseBytes: inRange("maxResponseBytes", 262_144, 1024, 16_777_216),
    allowInsecureLoopback,
    // It is called as a plain function, because workerd rejects fetch with
    // another `this`.
    fetch: (url, init) => (fetch ?? globalThis.fetch)(url, init),
    now,
    ...cache && { cache },
  };
}
