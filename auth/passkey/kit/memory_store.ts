import type { Passkey, PasskeyStore } from "../store.ts";

/**
 * Creates a store in the memory of this process, for tests and for trying
 * passkeys out. A restart removes all passkeys.
 *
 * @example Rename a passkey
 * ```ts
 * import { createMemoryPasskeyStore } from "@gatehouse/web/auth/passkey/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const store = createMemoryPasskeyStore();
 * assertEquals(await store.rename("unknown", 7, "Phone"), false);
 * assertEquals(await store.list(7), []);
 * ```
 *
 * @returns The store.
 */
export function createMemoryPasskeyStore(): PasskeyStore {
  const passkeys = new Map<string, Passkey>();
  const owned = (id: string, userId: string | number) => {
    const passkey = passkeys.get(id);
    return passkey?.userId === userId ? passkey : undefined;
  };
  return {
    get: (id) => passkeys.get(id) ?? null,
    list: (userId) =>
      [...passkeys.values()].filter((passkey) => passkey.userId === userId),
    create(passkey) {
      if (passkeys.has(passkey.id)) return false;
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
    delete: (id, userId) =>
      owned(id, userId) !== undefined && passkeys.delete(id),
  };
}
