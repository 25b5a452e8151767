import { inTime, safeRedirectPath } from "../../router/internal.ts";
import {
  STORE_TIMEOUT,
  storeCaller,
  ValueStore,
} from "../../session/internal.ts";
import type { SessionStore } from "../../session/mod.ts";
import type { Account } from "../definition/names.ts";
import { isObject } from "../option_checks.ts";
import { AccountHookError, type HookName } from "./errors.ts";
import type {
  AccountHooks,
  AccountRequest,
  AccountServices,
  HookParts,
  LoginAttempt,
  LoginStep,
  Refusal,
  RegistrationAttempt,
  SecondFactorRequired,
} from "./hooks.ts";

/** The parts that a caller passes to a hook. */
type Given<Event> = Omit<Event, Exclude<keyof HookParts, "context">>;

/** The time after which a new account is no longer prepared: a year. */
const MARK_TTL = 365 * 86_400_000;

/** The options of {@linkcode HookRunner}. */
export interface HookRunnerOptions {
  readonly hooks: AccountHooks;
  readonly secondFactorRequired: SecondFactorRequired | undefined;
  /** The maximum time of a function, in milliseconds. */
  readonly timeout: number;
  /** Returns the parts that each function gets. */
  readonly parts: () => Omit<AccountServices, "signal">;
  readonly store: SessionStore;
}

/** Calls the hooks of the application, and checks their results. */
export class HookRunner {
  readonly #options: HookRunnerOptions;
  readonly #newAccounts: ValueStore<true>;

  constructor(options: HookRunnerOptions) {
    this.#options = options;
    this.#newAccounts = new ValueStore(
      storeCaller(options.store, STORE_TIMEOUT),
      { prefix: "account-new", ttl: MARK_TTL, parse: () => true as const },
    );
  }

  /** `true` if a function decides about logins or prepares new accounts. */
  get concernLogins(): boolean {
    const { hooks, secondFactorRequired } = this.#options;
    return secondFactorRequired !== undefined ||
      hooks.afterRegister !== undefined || hooks.beforeLogin !== undefined;
  }

  /**
   * Returns `true` if an account must have a second factor.
   *
   * @throws {TypeError} If the function returns something else than a boolean: a
   * forgotten `return` must not let the user through.
   */
  async requiresSecondFactor(account: Account): Promise<boolean> {
    const { parts, secondFactorRequired: required } = this.#options;
    if (required === undefined) return false;
    const result: unknown = await this.#inTime(
      "secondFactorRequired",
      (signal) => required(account, { ...parts(), signal }),
    );
    if (typeof result === "boolean") return result;
    throw new TypeError(
      "Cannot use the result of secondFactorRequired: it is neither true nor false",
    );
  }

  /** Returns the text of a refusal, or `null`. */
  async beforeRegister(
    attempt: Given<RegistrationAttempt>,
  ): Promise<string | null> {
    return refusalOf(
      "beforeRegister",
      await this.#run("beforeRegister", attempt),
    );
  }

  /** Returns the text of a refusal, or `null`. */
  async beforeDelete(request: Given<AccountRequest>): Promise<string | null> {
    return refusalOf("beforeDelete", await this.#run("beforeDelete", request));
  }

  /**
   * Prepares a new account, and returns the decision about the login, or `null`.
   *
   * @throws {TypeError} If the hook returns something else.
   */
  async beforeLogin(
    attempt: Given<LoginAttempt>,
  ): Promise<Refusal | LoginStep | null> {
    await this.#prepare(attempt);
    const result = await this.#run("beforeLogin", attempt);
    if (isObject(result) && "step" in result && !("refuse" in result)) {
      const { step } = result;
      if (typeof step === "string" && safeRedirectPath(step, "") === step) {
        return { step };
      }
      throw invalidResult("beforeLogin", "a step without a path");
    }
    const refuse = refusalOf("beforeLogin", result);
    return refuse === null ? null : { refuse };
  }

  /** Marks an account whose registration begins, before it exists. */
  async mark(id: string): Promise<void> {
    if (this.#options.hooks.afterRegister === undefined) return;
    await this.#newAccounts.add(await this.#newAccounts.key(id), true);
  }

  /** Removes the mark of an account that was not created. */
  async unmark(id: string): Promise<void> {
    if (this.#options.hooks.afterRegister === undefined) return;
    await this.#newAccounts.remove(await this.#newAccounts.key(id));
  }

  /** Calls `afterRegister` until it has succeeded once. */
  async #prepare(
    { context, account }: Given<AccountRequest>,
  ): Promise<void> {
    if (this.#options.hooks.afterRegister === undefined) return;
    const key = await this.#newAccounts.key(account.id);
    if (await this.#newAccounts.get(key) === null) return;
    await this.#run("afterRegister", { context, account });
    await this.#newAccounts.remove(key);
  }

  /** Calls a hook, and returns its result. */
  async #run(name: keyof AccountHooks, given: object): Promise<unknown> {
    const { hooks, parts } = this.#options;
    const hook = hooks[name] as ((event: object) => unknown) | undefined;
    if (hook === undefined) return undefined;
    return await this.#inTime(
      name,
      (signal) => hook({ ...parts(), ...given, signal }),
    );
  }

  /** Calls a function of the application, with a limit of time. */
  async #inTime(
    name: HookName,
    call: (signal: AbortSignal) => unknown,
  ): Promise<unknown> {
    const controller = new AbortController();
    const { signal } = controller;
    const late = () => {
      const error = new AccountHookError(name);
      controller.abort(error);
      return error;
    };
    const run = async () => await call(signal);
    return await inTime(run(), this.#options.timeout, late);
  }
}

/**
 * Returns the text of a refusal, or `null`. Any other result is a mistake, such as
 * `false` for a refusal, and must not let the user through.
 */
function refusalOf(name: keyof AccountHooks, result: unknown): string | null {
  if (result === undefined) return null;
  if (isObject(result) && Object.keys(result).join() === "refuse") {
    const { refuse } = result;
    if (typeof refuse === "string" && refuse !== "") return refuse;
  }
  throw invalidResult(
    name,
    "something other than undefined or { refuse: text }",
  );
}

function invalidResult(name: keyof AccountHooks, what: string): TypeError {
  return new TypeError(`Cannot use the result of hooks.${name}: it is ${what}`);
}
