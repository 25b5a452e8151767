import { sha256Base64Url } from "../../session/secrets.ts";
import type { TimedStore } from "../store/timed_store.ts";

/** The stored value of a used token or a lock, until it is deleted. */
export const USED = "used";

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
  const hash = await sha256Base64Url(JSON.stringify([purpose, token]));
  return `one-time:${hash}`;
}

/** Returns the index name of all tokens of one purpose and account. */
export async function accountIndex(
  purpose: string,
  account: string | number,
): Promise<string> {
  const hash = await sha256Base64Url(
    JSON.stringify([purpose, String(account)]),
  );
  return `one-time:${hash}`;
}
