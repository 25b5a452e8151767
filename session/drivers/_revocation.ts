import type { SessionRecord } from "../record.ts";
import type { SessionConfig } from "./driver.ts";

/**
 * Returns the time of a user's last revocation in epoch milliseconds, or no value
 * if there was none.
 */
export type RevokedBefore = (
  userId: string | number,
) => number | null | undefined | Promise<number | null | undefined>;

/** Returns `true` for logins up to the millisecond of the revocation. */
export async function isRevoked(
  { createdAt, userId }: SessionRecord,
  revokedBefore: RevokedBefore,
  config: SessionConfig,
): Promise<boolean> {
  const time = await revocationOf(userId, revokedBefore, config);
  // The login counts. The authentication at a provider may be much older.
  return time !== null && createdAt <= time;
}

/**
 * Moves a login to the next millisecond if a revocation precedes it in the same
 * one, as in a request that resets a password and then logs the user in.
 */
export async function outlastRevocation(
  record: SessionRecord,
  revokedBefore: RevokedBefore,
  config: SessionConfig,
): Promise<void> {
  const time = await revocationOf(record.userId, revokedBefore, config);
  if (time === record.createdAt) record.createdAt++;
}

async function revocationOf(
  userId: string | number | undefined,
  revokedBefore: RevokedBefore,
  config: SessionConfig,
): Promise<number | null> {
  if (userId === undefined) return null;
  return await config.callStore("check", () => revokedBefore(userId)) ?? null;
}
