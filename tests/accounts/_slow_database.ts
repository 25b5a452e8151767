import {
  type AccountStore,
  createMemoryAccountStore,
} from "@gatehouse/web/accounts/store";
import { turns } from "../_wait.ts";

/**
 * The calls of a database that takes its time. A function that does not wait for one
 * of its calls is still in the middle of it when it makes the next one, or returns.
 */
export class SlowDatabase {
  readonly store: AccountStore;
  /** The calls that began before the end of another one. */
  readonly overlaps: string[] = [];
  #running: string[] = [];

  readonly #inner: AccountStore;

  constructor(now: () => number) {
    this.#inner = createMemoryAccountStore({ now });
    this.store = this.#wrap(this.#inner, 3);
  }

  /** Replaces methods of the database. */
  change(methods: Partial<AccountStore>): void {
    Object.assign(this.#inner, methods);
  }

  /** Waits for a result, and remembers the calls that have not ended then. */
  async run<Result>(result: Promise<Result>): Promise<Result> {
    const value = await result;
    this.overlaps.push(...this.#running.map((call) => `${call} at the end`));
    return value;
  }

  #wrap<Target extends object>(target: Target, latency: number): Target {
    return new Proxy(target, {
      get: (_, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member === "object" && member !== null) {
          // A call of an account must not end before the next one of a throttle.
          return this.#wrap(member, name === "values" ? 1 : latency);
        }
        if (typeof member !== "function") return member;
        // It starts at a random time, and no request waits for it.
        if (name === "sweep") return member.bind(target);
        return (...args: unknown[]) => {
          const title = `${String(name)} ${String(args[0])}`;
          const call = () => Reflect.apply(member, target, args);
          return this.#call(title, latency, call);
        };
      },
    });
  }

  async #call(
    name: string,
    latency: number,
    call: () => unknown,
  ): Promise<unknown> {
    const others = this.#running.filter((one) => !isParallel(one, name));
    this.overlaps.push(...others.map((one) => `${name} during ${one}`));
    this.#running.push(name);
    try {
      await turns(latency);
      return await call();
    } finally {
      this.#running.splice(this.#running.indexOf(name), 1);
    }
  }
}

/** Returns `true` if calls may run at the same time, as those of throttles do. */
function isParallel(...calls: readonly string[]): boolean {
  return calls.some((call) => call.includes(" throttle:"));
}
