import { SessionStoreError } from "../errors.ts";
import { ValueStore } from "../value_store.ts";
import type { CallStore } from "./circuit_breaker.ts";

/**
 * The milliseconds for which the version of a user is kept: far longer than a
 * login takes after it has read the user's password.
 */
const VERSION_TTL = 3_600_000;

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
  const versions = versionsIn(callStore);
  const isStored = await versions.update(
    await versions.key(String(userId)),
    (least) => {
      const isLater = least !== null && least > version;
      return isLater ? null : { value: version, result: true };
    },
  );
  if (isStored !== undefined) return;
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
  const versions = versionsIn(callStore);
  const least = await versions.get(await versions.key(String(userId)));
  // A malformed version is not a number, and no login is later.
  return least !== null && !(version >= least);
}

function versionsIn(callStore: CallStore): ValueStore<number> {
  const format = { prefix: "version", ttl: VERSION_TTL, parse: parseFloat };
  return new ValueStore(callStore, format);
}
