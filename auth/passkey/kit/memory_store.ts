import type { Passkey, PasskeyStore } from "../store.ts";

/** Options for {@linkcode createMemoryPasskeyStore}. */
export interface MemoryPasskeyStoreOptions {
  /**
   * Returns the current version of a user's credentials. Without it, the store
   * compares no versions.
   *
   * @param userId The id of the user.
   * @default {undefined}
   */
  readonly version?: (userId: string | number) => number;
}

/**
 * Creates a store in the memory of this process, for tests and for trying
 * passkeys out. A restart removes all passkeys.
 *
 * @example Rename a passkey
 * ```ts
 * import { createMemoryPasskeyStore } from "@gatehouse/web/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const store = createMemoryPasskeyStore();
 * assertEquals(await store.rename("unknown", 7, "Phone"), false);
 * assertEquals(await store.list(7), []);
 * ```
 *
 * @param options The versions of the users.
 * @returns The store.
 */
export function createMemoryPasskeyStore(
  { version: versionOf }: MemoryPasskeyStoreOptions = {},
): PasskeyStore {
  const passkeys = new Map<string, Passkey>();
  const owned = (id: string, userId: string | number) => {
    const passkey = passkeys.get(id);
    return passkey?.userId === userId ? passkey : undefined;
  };
  return {
    get(id) {
      const passkey = passkeys.get(id);
      if (passkey === undefined || versionOf === undefined) {
        return passkey ?? null;
      }
      return { ...passkey, version: versionOf(passkey.userId) };
    },
    list: (userId) =>
      [...passkeys.values()].filter((passkey) => passkey.userId === userId),
    create(passkey, version) {
      const isOld = versionOf && versionOf(passkey.userId) !== version;
      if (passkeys.has(passkey.id) || isOld) return false;
      passkeys.set(passkey.id, passkey);
      return true;
    },
    update(id, { backedUp, counter, usedAt }, ifCounter) {
      const passkey = passkeys.get(id);
      if (passkey?.counter !== ifCounter) return false;
      passkeys.set(id, { ...passkey, backedUp, counter, usedAt });
      return true;
    },
    rename(id, userId, name) {
      const passkey = owned(id, userId);
      if (passkey !== undefined) passkeys.set(id, { ...passkey, name });
      return passkey !== undefined;
    },
    remove: (id, userId) =>
      owned(id, userId) !== undefined && passkeys.delete(id),
  };
}
