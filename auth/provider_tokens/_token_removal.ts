import { inTime } from "../../router/internal.ts";
import { inBatches } from "../../session/internal.ts";
import type { ExternalAuthProvider } from "../external/provider.ts";
import { revokeTokens } from "./_refresher.ts";
import type { Connection, StoredTokens, TokenStore } from "./_token_store.ts";

/** The time for which a logout waits for the revocation, in milliseconds. */
const REVOCATION_WAIT = 3_000;

/** Removes connections from the store, and returns their tokens. Never rejects. */
export async function removeAll(
  store: TokenStore,
  keys: readonly string[],
  accept?: (found: Connection) => boolean,
): Promise<StoredTokens[]> {
  // If a removal fails, the store removes the tokens when they expire.
  const removed = await inBatches(
    keys,
    (key) => store.remove(key, accept).catch(() => null),
  );
  return removed.filter((tokens) => tokens !== null);
}

/** Revokes tokens. Waits at most three seconds for all of them. Never rejects. */
export async function revokeAll(
  provider: ExternalAuthProvider,
  all: readonly StoredTokens[],
): Promise<void> {
  if (all.length === 0) return;
  // The handler of errors may throw, and the other tokens are revoked too.
  const revoked = inBatches(
    all,
    (tokens) => revokeTokens(provider, tokens).catch(() => {}),
  );
  await inTime(revoked, REVOCATION_WAIT, () => null).catch(() => {});
}
