import {
  addressBlocksOf,
  checkPositive,
  isPrivateNetwork,
} from "../../router/internal.ts";
import type { SessionBegin } from "./driver.ts";
import { SessionLimitError } from "../errors.ts";

/** Limits for anonymous sessions, counted in each process. */
export interface AnonymousLimit {
  /**
   * The anonymous sessions that one address can begin in ten minutes. An IPv6
   * /64 is one address. A /56 can begin 4 times as many, and a /48 16 times. A
   * private address is often that of a proxy, so it has ten times the limit.
   *
   * @default {1_000}
   */
  readonly perAddress?: number;
  /**
   * The anonymous sessions that all addresses together can begin in ten minutes.
   * First steps of logins have another limit of the same number. One beyond it
   * ends the oldest one instead of failing.
   *
   * @default {100_000}
   */
  readonly total?: number;
}

/** Milliseconds for which sessions are counted together. */
const PERIOD = 600_000;

/** The factor for private addresses. */
const PRIVATE_FACTOR = 10;

/** The factors for an address, an IPv6 /56 and an IPv6 /48. */
const BLOCK_FACTORS = [1, 4, 16];

/**
 * Counts the anonymous sessions that begin, so that visitors without an account
 * cannot fill the store. Without a limit, one address stored 16 GB an hour.
 */
export class AnonymousLimiter {
  readonly #perAddress: number;
  readonly #total: number;
  readonly #now: () => number;
  /** At most three blocks for each session, because a refused one adds none. */
  readonly #counts = new Map<string, number>();
  /** The ids of the first steps of logins, the oldest first. */
  readonly #steps = new Set<string>();
  #count = 0;
  #endsAt = 0;

  /** @throws {RangeError} If a limit is not a positive number. */
  constructor(
    { perAddress = 1_000, total = 100_000 }: AnonymousLimit,
    now: () => number,
  ) {
    const owner = "session middleware";
    const name = "anonymousLimit";
    this.#perAddress = checkPositive(owner, `${name} perAddress`, perAddress);
    this.#total = checkPositive(owner, `${name} total`, total);
    this.#now = now;
  }

  /**
   * Counts a session. A login that has proved its first factor is exempt.
   *
   * @param address The client's address, if it is known.
   * @param begin The reason why the session begins.
   * @throws {SessionLimitError} If there are too many.
   */
  admit(address: string | undefined, begin: SessionBegin): void {
    if (begin === "proved-user") return;
    const now = this.#now();
    // A clock that was set back must not make the period longer.
    if (this.#endsAt <= now || this.#endsAt > now + PERIOD) {
      this.#counts.clear();
      this.#count = 0;
      this.#endsAt = now + PERIOD;
    }
    const retryAfter = Math.ceil((this.#endsAt - now) / 1000);
    if (begin === false && this.#count >= this.#total) {
      throw new SessionLimitError("total", retryAfter);
    }
    if (address !== undefined) this.#admitAddress(address, retryAfter);
    if (begin === false) this.#count++;
  }

  /**
   * Remembers the first step of a login, whose session has begun.
   *
   * @returns The id of the oldest one, which must end; `undefined` if there are
   * not too many.
   */
  addStep(id: string): string | undefined {
    this.#steps.add(id);
    if (this.#steps.size <= this.#total) return undefined;
    const [oldest] = this.#steps;
    this.#steps.delete(oldest!);
    return oldest;
  }

  /**
   * Follows the session of a first step to a new id, at the end of the queue.
   *
   * @param next The new id; `undefined` if a user is logged in now.
   */
  moveStep(id: string, next: string | undefined): void {
    if (this.#steps.delete(id) && next !== undefined) this.#steps.add(next);
  }

  #admitAddress(address: string, retryAfter: number): void {
    const blocks = addressBlocksOf(address);
    const [network = ""] = blocks;
    const factor = isPrivateNetwork(network) ? PRIVATE_FACTOR : 1;
    const most = (index: number) =>
      factor * this.#perAddress * BLOCK_FACTORS[index]!;
    const counts = blocks.map((block) => this.#counts.get(block) ?? 0);
    if (counts.some((count, index) => count >= most(index))) {
      throw new SessionLimitError("address", retryAfter);
    }
    blocks.forEach((block, index) =>
      this.#counts.set(block, counts[index]! + 1)
    );
  }
}
