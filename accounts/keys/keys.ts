import { checkTime } from "../check_time.ts";
import type { Names, ScopeOf } from "../definition/names.ts";
import type { Settings } from "../actions/services.ts";
import { retry } from "../store/retry.ts";
import type { StoredKey } from "./api_keys.ts";

/**
 * An API key, without the key itself.
 *
 * @typeParam N The names of the application.
 */
export interface APIKey<N extends Names = Names> extends StoredKey {
  /** The scopes. */
  readonly scopes: readonly ScopeOf<N>[];
}

/**
 * A new API key, for {@linkcode Keys}.
 *
 * @typeParam N The names of the application.
 */
export interface NewAPIKey<N extends Names = Names> {
  /** The name that the user sees. */
  readonly name: string;
  /** The scopes. */
  readonly scopes: readonly ScopeOf<N>[];
  /**
   * The time of its expiry, in epoch milliseconds.
   *
   * @default {null} never
   */
  readonly expiresAt?: number | null;
  /**
   * The id of the team that the key belongs to. It then gives no access to
   * other teams, has no role of the site, and ends with the membership.
   *
   * @default {undefined}
   */
  readonly teamId?: string | undefined;
}

/**
 * The API keys of the accounts, for jobs and tests. Users have a page for them.
 *
 * @typeParam N The names of the application.
 */
export interface Keys<N extends Names = Names> {
  /**
   * Creates a key. Show it once, to its owner: only its hash is stored.
   *
   * @param userId The id of the account.
   * @param key The name, the scopes and the expiry.
   * @returns The key; `null` if there is no such account or membership, or the
   * account has 50 keys.
   * @throws {TypeError} If a scope is unknown, or none is given.
   * @throws {RangeError} If the expiry is not the time of a date.
   */
  issue(
    userId: string,
    key: NewAPIKey<N>,
  ): Promise<
    { readonly token: string; readonly key: APIKey<N> } | null
  >;
  /**
   * Returns the keys of an account, oldest first.
   *
   * @param userId The id of the account.
   */
  list(userId: string): Promise<readonly APIKey<N>[]>;
  /**
   * Revokes a key. It takes effect at the next request.
   *
   * @param userId The id of the account.
   * @param id The id of the key.
   * @returns `false` if the account has no such key.
   */
  revoke(userId: string, id: string): Promise<boolean>;
}

/** Creates the functions of API keys. */
export function createKeys<N extends Names>(
  { keys, names, store }: Settings,
): Keys<N> {
  return {
    async issue(userId, { name, scopes, expiresAt = null, teamId }) {
      checkScopes(names, scopes);
      if (expiresAt !== null) checkTime("expiresAt", expiresAt);
      return await retry(async () => {
        const account = await store.find(userId);
        if (account === null) return null;
        const found = teamId === undefined
          ? undefined
          : await store.teams?.membership(teamId, userId) ?? null;
        if (found === null) return null;
        const values = { name, scopes, expiresAt, member: found?.member };
        const result = await keys.issue(account, values);
        if (result.ok) {
          return { token: result.token, key: result.key as APIKey<N> };
        }
        // If another request has changed the account, this tries its new version.
        return result.reason === "too-many" ? null : undefined;
      });
    },
    async list(userId) {
      return await keys.list(userId) as APIKey<N>[];
    },
    revoke: (userId, id) => keys.revoke(userId, id),
  };
}

function checkScopes(
  { scopes: listed = [] }: Names,
  scopes: readonly string[],
): void {
  if (scopes.length === 0) {
    throw new TypeError("Cannot create API key: it has no scope");
  }
  const unknown = scopes.find((scope) => !listed.includes(scope));
  if (unknown === undefined) return;
  throw new TypeError(
    `Cannot create API key: scope "${unknown}" is not listed`,
  );
}
