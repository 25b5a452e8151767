// No other module imports bcryptjs.
import { compare } from "bcryptjs";

/** The cost is a power of two; 15 takes two seconds in JavaScript. */
const SHAPE = /^\$2[aby]\$(?:0[4-9]|1[0-5])\$[./A-Za-z0-9]{53}$/;

/** The bytes that bcrypt uses. */
const MAX_BYTES = 72;

/** Returns `true` for a bcrypt hash with a cost of 4 to 15. */
export function isBcrypt(hash: string): boolean {
  return SHAPE.test(hash);
}

/**
 * Verifies a password with a pepper after it. A pepper may exceed the bytes that
 * bcrypt uses; a password may not, because other passwords would also match.
 */
export async function verifyBcrypt(
  password: string,
  hash: string,
  pepper = "",
): Promise<boolean> {
  // The hash is always computed, so that response time does not reveal the
  // reason.
  const isMatch = await compare(password + pepper, hash);
  return isMatch && !password.includes("\0") &&
    new TextEncoder().encode(password).length <= MAX_BYTES;
}
