import { addressBlockOf, networkOf } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import { isUndeclaredProxy } from "./_undeclared_proxy.ts";
import {
  type StoredCount,
  StoredCounts,
  type ThrottleConfig,
} from "./_stored_count.ts";
import type { ResolvedLimits, ThrottleLimit } from "./limits.ts";

/** The kinds of counts. */
type Kind = "pair" | "account" | "address" | "proxy" | "network";

/**
 * The effect of a success on each kind of count. A count that accounts share is
 * only decremented, because one correct password must not clear the guesses at
 * other accounts.
 */
const ON_SUCCESS: Record<Kind, "clear" | "decrement"> = {
  pair: "clear",
  account: "clear",
  address: "decrement",
  proxy: "decrement",
  network: "decrement",
};

/** Options for {@linkcode AttemptCounts}. */
export interface AttemptCountsOptions {
  /** The name of the throttle. */
  readonly name: string;
  readonly limits: ResolvedLimits;
  /** Returns the client's address. */
  readonly address: (context: RequestContext) => string | undefined;
}

/** Selects the counts that an attempt belongs to. */
export class AttemptCounts {
  readonly #counts: Record<Kind, StoredCounts>;
  readonly #options: AttemptCountsOptions;
  #warned = false;

  constructor(config: ThrottleConfig, options: AttemptCountsOptions) {
    const { limits } = options;
    const countsOf = (kind: Kind, limit: ThrottleLimit) =>
      new StoredCounts(config, { kind, limit, onSuccess: ON_SUCCESS[kind] });
    this.#options = options;
    this.#counts = {
      pair: countsOf("pair", limits.perAccountAndAddress),
      account: countsOf("account", limits.perAccount),
      address: countsOf("address", limits.perAddress),
      proxy: countsOf("proxy", limits.perProxy),
      network: countsOf("network", limits.perNetwork),
    };
  }

  /** Returns the counts of a request from an unknown device. */
  async ofRequest(
    context: RequestContext,
    account: string | null,
  ): Promise<StoredCount[]> {
    const hasAddress = this.#options.address(context) !== undefined;
    // All attempts without an account share one count if no address is known.
    const own = account === null && hasAddress
      ? []
      : this.ofAccount(context, account ?? "");
    const counts = await Promise.all([own, this.ofAddress(context)]);
    return counts.flat();
  }

  /** Returns the counts of a client, which accounts share. */
  async ofAddress(context: RequestContext): Promise<StoredCount[]> {
    const address = this.#options.address(context);
    if (address === undefined) {
      this.#warn("the client's address is not known");
      return [];
    }
    // The count uses the address of the peer, never a forwarding header: the
    // client could forge one and start a new count with each guess.
    const isProxy = isUndeclaredProxy(context, address);
    if (isProxy) {
      this.#warn("a proxy is in front, but trustedProxies is not set");
    }
    const kind = isProxy ? "proxy" : "address";
    const counts = [this.#count(kind, networkOf(address))];
    const block = isProxy ? null : addressBlockOf(address);
    if (block !== null) counts.push(this.#count("network", block));
    return await Promise.all(counts);
  }

  /** Returns the counts of an account that its owner may clear. */
  async ofAccount(
    context: RequestContext,
    account: string,
  ): Promise<StoredCount[]> {
    const address = this.#options.address(context);
    const counts = [this.#count("account", account)];
    if (address !== undefined) {
      counts.push(this.#count("pair", `${networkOf(address)} ${account}`));
    }
    return await Promise.all(counts);
  }

  #count(kind: Kind, subject: string): Promise<StoredCount> {
    return this.#counts[kind].of(`${this.#options.name} ${kind} ${subject}`);
  }

  #warn(reason: string): void {
    if (this.#warned) return;
    this.#warned = true;
    console.warn(
      `Cannot throttle "${this.#options.name}" by address: ${reason}`,
    );
  }
}
