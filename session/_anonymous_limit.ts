import { checkPositive } from "../router/internal.ts";
import { SessionLimitError } from "./errors.ts";

/** Limits for anonymous sessions, counted in each process. */
export interface AnonymousLimit {
  /**
   * The anonymous sessions that one address can begin in ten minutes. An IPv6
   * /64 is one address. A private address is often that of a proxy, so it has
   * ten times the limit.
   *
   * @default {1_000}
   */
  readonly perAddress?: number;
  /**
   * The anonymous sessions that all addresses together can begin in ten minutes.
   *
   * @default {100_000}
   */
  readonly total?: number;
}

/** Milliseconds for which sessions are counted together. */
const PERIOD = 600_000;

/** The factor for private addresses. */
const PRIVATE_FACTOR = 10;

/** Addresses that no client on the internet has (RFC 6890). */
const PRIVATE =
  /^(?:127\.|10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|$|f[cd]|fe[89ab])/;

/**
 * Counts the anonymous sessions that begin, so that visitors without an account
 * cannot fill the store. Without a limit, one address stored 16 GB an hour.
 */
export class AnonymousLimiter {
  readonly #perAddress: number;
  readonly #total: number;
  readonly #now: () => number;
  /** At most `total` addresses, because a refused session adds none. */
  readonly #counts = new Map<string, number>();
  #count = 0;
  #endsAt = 0;

  /** @throws {RangeError} If a limit is not a positive number. */
  constructor(
    { perAddress = 1_000, total = 100_000 }: AnonymousLimit,
    now: () => number,
  ) {
    this.#perAddress = checkPositive(
      "session middleware",
      "anonymousLimit perAddress",
      perAddress,
    );
    this.#total = checkPositive(
      "session middleware",
      "anonymousLimit total",
      total,
    );
    this.#now = now;
  }

  /**
   * Counts a session.
   *
   * @param address The client's address, if it is known.
   * @throws {SessionLimitError} If there are too many.
   */
  admit(address: string | undefined): void {
    const now = this.#now();
    // A clock that was set back must not make the period longer.
    if (this.#endsAt <= now || this.#endsAt > now + PERIOD) {
      this.#counts.clear();
      this.#count = 0;
      this.#endsAt = now + PERIOD;
    }
    const retryAfter = Math.ceil((this.#endsAt - now) / 1000);
    if (this.#count >= this.#total) {
      throw new SessionLimitError("total", retryAfter);
    }
    if (address !== undefined) this.#admitAddress(address, retryAfter);
    this.#count++;
  }

  #admitAddress(address: string, retryAfter: number): void {
    const network = networkOf(address);
    const count = this.#counts.get(network) ?? 0;
    const factor = PRIVATE.test(network) ? PRIVATE_FACTOR : 1;
    if (count >= factor * this.#perAddress) {
      throw new SessionLimitError("address", retryAfter);
    }
    this.#counts.set(network, count + 1);
  }
}

/**
 * Returns the /64 of an IPv6 address as RFC 5952 writes it, without zeros at the
 * end, and any other address as it is.
 */
function networkOf(address: string): string {
  if (!address.includes(":")) return address.slice(0, 64);
  const [head = ""] = address.slice(0, 64).toLowerCase().split("::");
  return head.split(":").slice(0, 4).join(":").replace(/(?::0)+$/, "");
}
