import type { RequestContext } from "../../router/mod.ts";
import type { Account, FieldsOf, Names } from "../definition/names.ts";
import type { Keys } from "../keys/keys.ts";
import type { Teams } from "../teams/teams.ts";
import type { Users } from "../admin/user_records.ts";

/** A refusal of a hook. */
export interface Refusal {
  /** The text that the user sees. Scripts get it in a 422. */
  readonly refuse: string;
}

/** An own step of a login. */
export interface LoginStep {
  /** The path of the page that the login waits for, such as `/terms`. */
  readonly step: string;
}

/**
 * The parts of the accounts that the functions of options get. They cannot name the
 * accounts whose options they are.
 *
 * @typeParam N The names of the application.
 */
export interface AccountServices<N extends Names = Names> {
  /** Aborts when the time of the function is over. Pass it to `fetch`. */
  readonly signal: AbortSignal;
  /** The accounts. */
  readonly users: Users<N>;
  /** The teams. */
  readonly teams: Teams<N>;
  /** The API keys. */
  readonly keys: Keys<N>;
}

/**
 * The parts that each hook gets.
 *
 * @typeParam N The names of the application.
 */
export interface HookParts<N extends Names = Names> extends AccountServices<N> {
  /** The context of the request. */
  readonly context: RequestContext;
}

/**
 * Returns `true` if an account must have a second factor.
 *
 * @typeParam N The names of the application.
 */
export type SecondFactorRequired<N extends Names = Names> = (
  account: Account<N>,
  services: AccountServices<N>,
) => boolean | Promise<boolean>;

/**
 * A registration that has begun. The account does not exist yet, and an email may
 * still have to verify the address.
 *
 * @typeParam N The names of the application.
 */
export interface RegistrationAttempt<N extends Names = Names>
  extends HookParts<N> {
  /** The address. */
  readonly email: string;
  /** The name. */
  readonly name: string;
  /** The values of the additional fields. A provider has none of them. */
  readonly fields: FieldsOf<N>;
  /**
   * The name of the provider that the user comes from.
   *
   * @default {undefined}
   */
  readonly provider?: string;
}

/**
 * A request that concerns an account.
 *
 * @typeParam N The names of the application.
 */
export interface AccountRequest<N extends Names = Names> extends HookParts<N> {
  /** The account. */
  readonly account: Account<N>;
}

/**
 * A login whose user has proved all factors, and is not logged in yet.
 *
 * @typeParam N The names of the application.
 */
export interface LoginAttempt<N extends Names = Names>
  extends AccountRequest<N> {
  /** The methods of the login, such as `["pwd", "otp", "mfa"]`. */
  readonly methods: readonly string[];
}

/**
 * The hooks of an application. A hook that throws, or takes longer than
 * `hookTimeout`, fails the request: no account is created, logged in or deleted.
 *
 * @typeParam N The names of the application.
 */
export interface AccountHooks<N extends Names = Names> {
  /**
   * Decides about a registration, before any email is sent. It is asked once for
   * each registration, by form, invitation or provider, and not by
   * `users.create()`. Its result must not depend on an existing account.
   *
   * @default {allows all}
   */
  readonly beforeRegister?: (
    attempt: RegistrationAttempt<N>,
  ) => Refusal | void | Promise<Refusal | void>;
  /**
   * Prepares a new account, before its first login. If it fails, the account
   * exists, and its next login calls the hook again: it must be idempotent.
   *
   * @default {does nothing}
   */
  readonly afterRegister?: (
    request: AccountRequest<N>,
  ) => void | Promise<void>;
  /**
   * Decides about a login, in all ways, after the second factor. It may name an
   * own step, whose page calls `accounts.finishStep(context)`. The hook is then
   * asked again. `adoptSessions` does not ask it about sessions of an old system.
   *
   * @default {allows all}
   */
  readonly beforeLogin?: (
    attempt: LoginAttempt<N>,
  ) => Refusal | LoginStep | void | Promise<Refusal | LoginStep | void>;
  /**
   * Decides about a deletion, when its user asks for it or an administrator
   * removes the account. `users.remove()` does not ask.
   *
   * @default {allows all}
   */
  readonly beforeDelete?: (
    request: AccountRequest<N>,
  ) => Refusal | void | Promise<Refusal | void>;
}
