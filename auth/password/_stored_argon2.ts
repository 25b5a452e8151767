import {
  decodeBase64,
  encodeBase64,
  isWithin,
  parseDecimal,
  parsePhcString,
} from "./_phc_string.ts";
import type { Argon2Inputs } from "./argon2_engine.ts";

/** The highest parameters of a hash. RFC 9106 allows terabytes of memory. */
export const ARGON2_LIMITS = { memory: 1_048_576, passes: 20, parallelism: 16 };

/** A stored Argon2 hash, within the limits. */
export interface Argon2Hash {
  readonly variant: Argon2Inputs["variant"];
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  /** The id of the pepper, or `null` for a hash without a pepper. */
  readonly keyId: string | null;
  readonly salt: Uint8Array<ArrayBuffer>;
  readonly tag: Uint8Array;
}

/**
 * Parses a stored hash. Returns `null` if it is not an Argon2 hash or exceeds
 * the limits, so that nothing is computed from unchecked parameters.
 */
export function parseArgon2Hash(hash: string): Argon2Hash | null {
  const phc = parsePhcString(hash);
  // Version 0x10 is the algorithm before RFC 9106.
  if (phc === null || phc.version !== 0x13) return null;
  const { id, parameters, salt, hash: tag } = phc;
  if (id !== "argon2id" && id !== "argon2i" && id !== "argon2d") return null;
  // Argon2 of npm writes the parallelism before the passes since version 0.45.
  if (!/^m,(?:t,p|p,t)(?:,keyid)?$/.test([...parameters.keys()].join())) {
    return null;
  }

  const memory = parseDecimal(parameters.get("m"));
  const passes = parseDecimal(parameters.get("t"));
  const parallelism = parseDecimal(parameters.get("p"));
  if (!isWithin(parallelism, 1, ARGON2_LIMITS.parallelism)) return null;
  if (!isWithin(passes, 1, ARGON2_LIMITS.passes)) return null;
  if (!isWithin(memory, 8 * parallelism, ARGON2_LIMITS.memory)) return null;
  if (!isWithin(salt.length, 8, 64)) return null;
  if (!isWithin(tag.length, 12, 64)) return null;

  const encodedKeyId = parameters.get("keyid");
  const keyId = encodedKeyId === undefined ? null : parseKeyId(encodedKeyId);
  if (keyId === undefined) return null;
  return { variant: id, memory, passes, parallelism, keyId, salt, tag };
}

/** Returns a hash as a PHC string. */
export function formatArgon2Hash(hash: Argon2Hash): string {
  const { variant, memory, passes, parallelism, keyId, salt, tag } = hash;
  const key = keyId === null
    ? ""
    : `,keyid=${encodeBase64(new TextEncoder().encode(keyId))}`;
  return `$${variant}$v=19$m=${memory},t=${passes},p=${parallelism}${key}` +
    `$${encodeBase64(salt)}$${encodeBase64(tag)}`;
}

function parseKeyId(encoded: string): string | undefined {
  const bytes = decodeBase64(encoded);
  return bytes === null ? undefined : new TextDecoder().decode(bytes);
}
