import { STORE_TIMEOUT, storeCaller } from "../session/internal.ts";
import { encodeBase64Url, sha256 } from "../session/secrets.ts";
import type { SessionStore } from "../session/mod.ts";

/** The stored value of a used token or a lock, until it is deleted. */
export const USED = "used";

/** The calls to a store, each with a timeout. */
export type TimedStore = Required<
  Pick<SessionStore, "get" | "put" | "delete" | "byIndex">
>;

/**
 * Gives each call to a store a timeout.
 *
 * @throws {RangeError} If the timeout is not a positive number.
 */
export function withTimeout(
  store: SessionStore,
  timeout: number = STORE_TIMEOUT,
): TimedStore {
  if (!(Number.isFinite(timeout) && timeout > 0)) {
    throw new RangeError(
      `Cannot use one-time token: storeTimeout "${timeout}" is not a positive number`,
    );
  }
  const call = storeCaller(store, timeout);
  return {
    get: (key) => call("read", (store) => store.get(key)),
    put: (key, value, options) =>
      call("save", (store) => store.put(key, value, options)),
    delete: (key) => call("end", (store) => store.delete(key)),
    byIndex: (name) => call("list", (store) => store.byIndex?.(name) ?? []),
  };
}

/**
 * Marks a token as used or takes a lock. Of several concurrent requests, only
 * one gets `true`. Deleting the record would not reveal the winner.
 */
export async function markUsed(
  store: TimedStore,
  key: string,
  ifVersion: string | null,
): Promise<boolean> {
  return await store.put(key, USED, { ttl: 60_000, ifVersion });
}

/** Returns the key of a token: a hash, so that a leaked store is useless. */
export async function tokenKey(
  purpose: string,
  token: string,
): Promise<string> {
  const hash = await sha256(JSON.stringify([purpose, token]));
  return `one-time:${encodeBase64Url(hash)}`;
}

/** Returns the index name of all tokens of one purpose and account. */
export async function accountIndex(
  purpose: string,
  account: string | number,
): Promise<string> {
  const hash = await sha256(JSON.stringify([purpose, String(account)]));
  return `one-time:${encodeBase64Url(hash)}`;
}
