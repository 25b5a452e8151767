import type { RequestContext } from "../../router/mod.ts";
import {
  allowNewSession,
  checkLogin,
  type FoundValue,
} from "../../session/internal.ts";
import { randomToken, sha256Base64Url } from "../../session/secrets.ts";
import { currentSession } from "../login/current_session.ts";
import { withinBounds } from "../login/pending_steps.ts";
import {
  type FactorRecord,
  type FactorStore,
  NO_FACTORS,
  type StoredLogin,
  type WaitingLogin,
} from "./_factor_store.ts";

/** The session key of the pending login. `completeAuth` removes this prefix. */
const KEY = "__auth.second-factor";

/**
 * The maximum number of logins of a user that wait, and their size. Another one ends the
 * oldest: if it were refused, or ended all of them, an attacker with the password
 * could keep the user from logging in.
 */
const BOUNDS = { count: 20, bytes: 32_000 };

/** The pending login that a session names. It may have ended. */
export interface PendingClaim {
  readonly userId: string | number;
  /** The hash of the token in the session. */
  readonly hash: string;
}

/**
 * The logins that wait for their second factor.
 *
 * A session contains only the user and a token, while the user's record
 * contains the login. An old copy of a session cookie cannot restore the login,
 * even if sessions are in cookies.
 */
export class PendingLogins {
  readonly #factors: FactorStore;
  readonly #now: () => number;
  readonly #ttl: number;

  constructor(factors: FactorStore, now: () => number, ttl: number) {
    this.#factors = factors;
    this.#now = now;
    this.#ttl = ttl;
  }

  /** Saves the login of a user whose record was read before. */
  async save(
    context: RequestContext,
    userId: string | number,
    login: StoredLogin,
    from: FoundValue<FactorRecord> | null,
  ): Promise<void> {
    const session = await sessionOf(context);
    checkLogin(session, login);
    const token = randomToken(16);
    const hash = await sha256Base64Url(token);
    await this.#factors.update(userId, (record) => {
      const now = this.#now();
      const others = (record?.waiting ?? []).filter(([, { expiresAt }]) =>
        now < expiresAt
      );
      const expiresAt = now + this.#ttl;
      const one: WaitingLogin = [hash, { ...login, expiresAt }];
      const waiting = withinBounds([...others, one], BOUNDS);
      return { value: { ...record ?? NO_FACTORS, waiting }, result: true };
    }, from);
    session.set(KEY, { account: userId, token });
    // An attacker may have planted the id, and must not learn of the first
    // factor.
    session.regenerateId();
    allowNewSession(session, "proved-user");
  }

  /** Returns the claim in the session of a request, or `null`. */
  async claimOf(context: RequestContext): Promise<PendingClaim | null> {
    const value = (await sessionOf(context)).get(KEY);
    const { account, token } = Object(value ?? {});
    return typeof token === "string" &&
        (typeof account === "string" || typeof account === "number")
      ? { userId: account, hash: await sha256Base64Url(token) }
      : null;
  }

  /** Returns the login of a claim, or `null` if it has ended. */
  find(
    record: FactorRecord | null,
    { hash }: PendingClaim,
  ): StoredLogin | null {
    const found = record?.waiting?.find(([one]) => one === hash)?.[1];
    return found !== undefined && this.#now() < found.expiresAt ? found : null;
  }

  /**
   * Takes the login of a claim, and ends the others of its user. If requests
   * are concurrent, one gets it. The session keeps its claim until
   * `completeAuth`: a change would be a conflict in the other requests.
   */
  async take(claim: PendingClaim): Promise<StoredLogin | null> {
    return await this.#factors.update(claim.userId, (record) => {
      const result = this.find(record, claim);
      return record === null || result === null
        ? null
        : { value: { ...record, waiting: [] }, result };
    });
  }

  /** Ends the pending logins of a user. */
  async revoke(userId: string | number): Promise<void> {
    await this.#factors.update(
      userId,
      (record) => record && { value: { ...record, waiting: [] }, result: true },
    );
  }
}

function sessionOf(context: RequestContext) {
  return currentSession(context, "use the second factor").load();
}
