import { timingSafeEqual } from "../../session/secrets.ts";
import type { PasswordReader } from "./options.ts";
import { isWithin, parseDecimal, parsePhcString } from "./_phc_string.ts";

/**
 * What a stored hash may take, in bytes: 128 MiB, as `ln=17,r=8,p=1` does. That
 * is the most that is commonly recommended, and two seconds in JavaScript.
 */
const MAX_BYTES = 2 ** 27;

/** Reads scrypt, as `$scrypt$ln=14,r=8,p=5$salt$hash`. */
export const readScrypt: PasswordReader = (text) => {
  const phc = parsePhcString(text);
  if (phc === null || phc.id !== "scrypt" || phc.version !== null) return null;
  const { parameters, salt, hash } = phc;
  if ([...parameters.keys()].join() !== "ln,r,p") return null;

  const logCost = parseDecimal(parameters.get("ln"));
  const blockSize = parseDecimal(parameters.get("r"));
  const parallelization = parseDecimal(parameters.get("p"));
  if (!isWithin(logCost, 1, 20)) return null;
  if (!isWithin(blockSize, 1, 32)) return null;
  if (!isWithin(parallelization, 1, 16)) return null;
  // The product is the time as well as the memory.
  const work = 128 * 2 ** logCost * blockSize * parallelization;
  if (work > MAX_BYTES) return null;
  if (!isWithin(salt.length, 8, 64)) return null;
  if (!isWithin(hash.length, 16, 64)) return null;

  return async (password) => {
    const { deriveScrypt } = await import("./_noble_hashes.ts");
    const derived = await deriveScrypt({
      password: new TextEncoder().encode(password),
      salt,
      logCost,
      blockSize,
      parallelization,
      length: hash.length,
    });
    return timingSafeEqual(derived, hash);
  };
};
