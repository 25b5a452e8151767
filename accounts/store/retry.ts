import { AccountStoreError } from "./errors.ts";

/** The maximum number of tries of a change that other requests make fail. */
const MAX_TRIES = 20;

/**
 * Tries a change until no other request has changed the same values in between.
 *
 * @param change The change. It returns `undefined` to be tried again.
 * @returns The result of the change.
 * @throws {AccountStoreError} If every try fails.
 */
export async function retry<Result>(
  change: () => Promise<Result | undefined>,
): Promise<Result> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const result = await change();
    if (result !== undefined) return result;
  }
  throw new AccountStoreError();
}
