import { SessionStoreError } from "../errors.ts";
import { sha256Base64Url } from "../secrets.ts";
import type { CallStore } from "./_id_rotation.ts";

/**
 * The milliseconds for which the version of a user is kept: far longer than a
 * login takes after it has read the user's password.
 */
const VERSION_TTL = 3_600_000;

/** The maximum number of attempts to store a version against other writers. */
const MAX_ATTEMPTS = 20;

/**
 * Checks the version of a user's credentials.
 *
 * @throws {RangeError} If it is not an integer.
 */
export function checkVersion(version: number): void {
  if (Number.isSafeInteger(version)) return;
  throw new RangeError(
    `Cannot use the version "${version}" of credentials: it is not an integer`,
  );
}

/**
 * Stores the least version that a login of a user may have, unless a later one is
 * stored.
 *
 * @throws {SessionStoreError} If the store fails.
 */
export async function requireVersion(
  callStore: CallStore,
  userId: string | number,
  version: number,
): Promise<void> {
  const key = await keyOf(userId);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const found = await callStore("read", (store) => store.get(key));
    if (found !== null && Number(found.value) > version) return;
    const options = { ttl: VERSION_TTL, ifVersion: found?.version ?? null };
    const value = String(version);
    if (await callStore("end", (store) => store.put(key, value, options))) {
      return;
    }
  }
  throw new SessionStoreError("end", {
    cause: new Error("The version of the user always changes"),
  });
}

/**
 * Returns `true` if a login of this version is too old.
 *
 * @throws {SessionStoreError} If the store fails.
 */
export async function isOutdated(
  callStore: CallStore,
  userId: string | number,
  version: number,
): Promise<boolean> {
  const key = await keyOf(userId);
  const found = await callStore("read", (store) => store.get(key));
  return found !== null && version < Number(found.value);
}

/** Returns the key of a user's version, of a length that any store accepts. */
async function keyOf(userId: string | number): Promise<string> {
  return `version:${await sha256Base64Url(String(userId))}`;
}
