import { inTime } from "../../router/internal.ts";
import type { ExternalAuthProvider } from "../external/provider.ts";
import { revokeTokens } from "./_refresher.ts";
import type { Connection, StoredTokens, TokenStore } from "./_token_store.ts";

/** The time for which a logout waits for the revocation, in milliseconds. */
const REVOCATION_WAIT = 3_000;

/** The number of connections that are removed or revoked at the same time. */
const BATCH = 20;

/** Removes connections from the store, and returns their tokens. Never rejects. */
export async function removeAll(
  store: TokenStore,
  keys: readonly string[],
  accept?: (found: Connection) => boolean,
): Promise<StoredTokens[]> {
  const results = await inBatches(keys, (key) => store.remove(key, accept));
  // If a removal fails, the store removes the tokens when they expire.
  return results.flatMap((result) =>
    result.status === "fulfilled" ? result.value ?? [] : []
  );
}

/** Revokes tokens. Waits at most three seconds for all of them. Never rejects. */
export async function revokeAll(
  provider: ExternalAuthProvider,
  all: readonly StoredTokens[],
): Promise<void> {
  if (all.length === 0) return;
  const revoked = inBatches(all, (tokens) => revokeTokens(provider, tokens));
  await inTime(revoked, REVOCATION_WAIT, () => null).catch(() => {});
}

async function inBatches<Item, Value>(
  items: readonly Item[],
  run: (item: Item) => Promise<Value>,
): Promise<PromiseSettledResult<Value>[]> {
  const results: PromiseSettledResult<Value>[] = [];
  for (let at = 0; at < items.length; at += BATCH) {
    const batch = items.slice(at, at + BATCH);
    results.push(...await Promise.allSettled(batch.map(run)));
  }
  return results;
}
