import { STORE_TIMEOUT, storeCaller } from "../../session/internal.ts";
import type { SessionStore } from "../../session/mod.ts";

/** The calls to a store, each with a timeout. */
export type TimedStore = Required<
  Pick<SessionStore, "get" | "put" | "delete" | "byIndex">
>;

/**
 * Gives each call to a store a timeout.
 *
 * @param owner The user of the store, for the error message.
 * @throws {RangeError} If the timeout is not a positive number.
 */
export function withTimeout(
  store: SessionStore,
  timeout: number = STORE_TIMEOUT,
  owner: string = "one-time token",
): TimedStore {
  if (!(Number.isFinite(timeout) && timeout > 0)) {
    throw new RangeError(
      `Cannot use ${owner}: storeTimeout "${timeout}" is not a positive number`,
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
