import { addressBlockOf, networkOf } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import { sha256Base64Url } from "../../session/secrets.ts";
import { isUndeclaredProxy } from "./_undeclared_proxy.ts";
import {
  type FailureCount,
  FailureCounter,
  type ThrottleConfig,
} from "./_failure_counter.ts";
import { DEVICE_LIMIT, type ResolvedLimits } from "./limits.ts";

/** The kinds of counts. */
type Kind = "pair" | "account" | "address" | "proxy" | "network" | "known";

/**
 * The effect of a success on each kind of count. A count that accounts share is
 * only decremented: one correct password must not excuse the guesses at other
 * accounts.
 */
const ON_SUCCESS: Record<Kind, "clear" | "decrement"> = {
  pair: "clear",
  account: "clear",
  known: "clear",
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
  readonly #counters: Record<Kind, FailureCounter>;
  readonly #options: AttemptCountsOptions;
  #warned = false;

  constructor(config: ThrottleConfig, options: AttemptCountsOptions) {
    const { limits } = options;
    this.#options = options;
    this.#counters = {
      pair: new FailureCounter(config, limits.perAccountAndAddress),
      account: new FailureCounter(config, limits.perAccount),
      address: new FailureCounter(config, limits.perAddress),
      proxy: new FailureCounter(config, limits.perProxy),
      network: new FailureCounter(config, limits.perNetwork),
      known: new FailureCounter(config, DEVICE_LIMIT),
    };
  }

  /** Returns the counts of a request from an unknown device. */
  async ofRequest(
    context: RequestContext,
    account: string | null,
  ): Promise<FailureCount[]> {
    const address = this.#options.address(context);
    const counts: Promise<FailureCount>[] = [];
    // Without an address, all attempts without an account share one count.
    if (account !== null || address === undefined) {
      counts.push(this.#count("account", account ?? ""));
    }
    if (address === undefined) {
      this.#warn("the client's address is not known");
      return await Promise.all(counts);
    }
    // Counts by the peer's address, never by a forwarding header: the client
    // could forge it and start a new count with each guess.
    const isProxy = isUndeclaredProxy(context, address);
    if (isProxy) {
      this.#warn("a proxy is in front, but trustedProxies is not set");
    }
    const kind = isProxy ? "proxy" : "address";
    counts.push(this.#count(kind, networkOf(address)));
    const block = isProxy ? null : addressBlockOf(address);
    if (block !== null) counts.push(this.#count("network", block));
    if (account !== null) counts.push(this.#pair(address, account));
    return await Promise.all(counts);
  }

  /** Returns the counts of an account that its owner may clear. */
  async ofAccount(
    context: RequestContext,
    account: string,
  ): Promise<FailureCount[]> {
    const address = this.#options.address(context);
    const counts = [this.#count("account", account)];
    if (address !== undefined) counts.push(this.#pair(address, account));
    return await Promise.all(counts);
  }

  /** Returns the count of a known device of an account. */
  ofDevice(account: string, device: string): Promise<FailureCount> {
    return this.#count("known", `${account} ${device}`);
  }

  #pair(address: string, account: string): Promise<FailureCount> {
    return this.#count("pair", `${networkOf(address)} ${account}`);
  }

  /** Returns a count, whose key does not reveal the account or the address. */
  async #count(kind: Kind, subject: string): Promise<FailureCount> {
    const hash = await sha256Base64Url(
      `${this.#options.name} ${kind} ${subject}`,
    );
    const key = `throttle:${kind}:${hash}`;
    return this.#counters[kind].at(key, ON_SUCCESS[kind]);
  }

  #warn(reason: string): void {
    if (this.#warned) return;
    this.#warned = true;
    console.warn(
      `Cannot throttle "${this.#options.name}" by address: ${reason}`,
    );
  }
}
