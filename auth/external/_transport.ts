import type { Transport } from "./_bounded_fetch.ts";

/** What an application may choose of how long, how large and how late. */
export interface Limits {
  /** How far the issuer's clock may be off, in seconds. */
  readonly clockTolerance: number;
  /** How long a request may take, its body included, in milliseconds. */
  readonly timeout: number;
  /** How large an answer may be, decompressed. */
  readonly maxResponseBytes: number;
}

/**
 * Reads the limits of an application's options.
 *
 * @throws {RangeError} If one is no number, or out of range.
 */
export function readLimits(
  options: Partial<Limits>,
  what: string,
): Limits {
  const inRange = (
    name: keyof Limits,
    fallback: number,
    least: number,
    most: number,
  ) => {
    const value = options[name] ?? fallback;
    if (typeof value === "number" && value >= least && value <= most) {
      return value;
    }
    throw new RangeError(
      `Cannot create ${what}: ${name} "${value}" is not between ${least} and ${most}`,
    );
  };
  return {
    clockTolerance: inRange("clockTolerance", 30, 0, 600),
    timeout: inRange("timeout", 10_000, 1, 600_000),
    maxResponseBytes: inRange("maxResponseBytes", 262_144, 1024, 16_777_216),
  };
}

/** Makes what requests go through. */
export function createTransport(
  { allowInsecureLoopback = false, fetch }: Partial<Transport>,
  { maxResponseBytes, timeout }: Limits,
): Transport {
  return {
    // Called as a plain function: workerd refuses fetch with another this.
    fetch: (url, init) => (fetch ?? globalThis.fetch)(url, init),
    timeout,
    maxResponseBytes,
    allowInsecureLoopback,
  };
}
