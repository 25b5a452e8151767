import { timingSafeEqual } from "../../session/secrets.ts";
import type { PasswordReader } from "./options.ts";
import { isWithin, parseDecimal, parsePhcString } from "./_phc_string.ts";

/**
 * The limit for the memory of a stored hash, in bytes. `ln=17,r=8,p=1`, the
 * highest common recommendation, takes 128 MiB and two seconds in JavaScript.
 */
const MAX_MEMORY = 2 ** 27;

/** Reads scrypt, as `$scrypt$ln=14,r=8,p=5$salt$hash`. */
export const readScrypt: PasswordReader = (stored) => {
  const phc = parsePhcString(stored);
  if (phc === null || phc.id !== "scrypt" || phc.version !== null) return null;
  const { parameters, salt, hash } = phc;
  if ([...parameters.keys()].join() !== "ln,r,p") return null;

  const logCost = parseDecimal(parameters.get("ln"));
  const blockSize = parseDecimal(parameters.get("r"));
  const parallelization = parseDecimal(parameters.get("p"));
  if (!isWithin(logCost, 1, 20)) return null;
  if (!isWithin(blockSize, 1, 32)) return null;
  if (!isWithin(parallelization, 1, 16)) return null;
  // This product determines both time and memory.
  const work = 128 * 2 ** logCost * blockSize * parallelization;
  if (work > MAX_MEMORY) return null;
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
