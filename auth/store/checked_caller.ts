import { checkPositive, MAX_TIMEOUT } from "../../router/internal.ts";
import {
  type CallStore,
  STORE_TIMEOUT,
  storeCaller,
} from "../../session/internal.ts";
import type { SessionStore } from "../../session/mod.ts";

/** The use of a store, for its error messages. */
export interface StoreUse {
  /** The user of the store. */
  readonly owner: string;
  /**
   * The question that a store with eventual consistency cannot answer, such as
   * "who uses a code first".
   *
   * @default {any store will do}
   */
  readonly race?: string;
  /**
   * The timeout of each call, in milliseconds.
   *
   * @default {5_000}
   */
  readonly storeTimeout?: number | undefined;
}

/**
 * Returns a function that calls a store with a timeout.
 *
 * @throws {TypeError} If the store is only eventually consistent.
 * @throws {RangeError} If the timeout is not a positive number.
 */
export function checkedCaller(
  store: SessionStore,
  { owner, race, storeTimeout = STORE_TIMEOUT }: StoreUse,
): CallStore {
  if (race !== undefined && store.consistency === "eventual") {
    throw new TypeError(
      `Cannot create ${owner}: the store can't tell ${race}`,
    );
  }
  checkPositive(owner, "storeTimeout", storeTimeout, MAX_TIMEOUT);
  return storeCaller(store, storeTimeout);
}
