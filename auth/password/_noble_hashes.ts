// Runtimes may lack these algorithms. This module is only loaded if needed.
import {
  argon2dAsync,
  argon2iAsync,
  argon2idAsync,
} from "@noble/hashes/argon2.js";
import { pbkdf2Async } from "@noble/hashes/pbkdf2.js";
import { scryptAsync } from "@noble/hashes/scrypt.js";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import type { Argon2Inputs } from "./argon2_engine.ts";

const VARIANTS = {
  argon2d: argon2dAsync,
  argon2i: argon2iAsync,
  argon2id: argon2idAsync,
} as const;

/** Computes Argon2, and yields to the event loop every 10 ms. */
export function deriveArgon2(inputs: Argon2Inputs): Promise<Uint8Array> {
  return VARIANTS[inputs.variant](inputs.password, inputs.salt, {
    m: inputs.memory,
    t: inputs.passes,
    p: inputs.parallelism,
    dkLen: inputs.tagLength,
    key: inputs.secret,
    personalization: inputs.associatedData,
    maxmem: 2 ** 31,
  });
}

/** The inputs of scrypt (RFC 7914, section 6). */
export interface ScryptInputs {
  readonly password: Uint8Array;
  readonly salt: Uint8Array;
  /** The binary logarithm of the cost N. */
  readonly logCost: number;
  /** The block size r. */
  readonly blockSize: number;
  /** The parallelization p. */
  readonly parallelization: number;
  /** The length of the derived key, in bytes. */
  readonly length: number;
}

/** Computes scrypt. */
export function deriveScrypt(inputs: ScryptInputs): Promise<Uint8Array> {
  return scryptAsync(inputs.password, inputs.salt, {
    N: 2 ** inputs.logCost,
    r: inputs.blockSize,
    p: inputs.parallelization,
    dkLen: inputs.length,
    maxmem: 2 ** 31,
  });
}

/** The inputs of PBKDF2 (RFC 8018, section 5.2). */
export interface Pbkdf2Inputs {
  readonly password: Uint8Array<ArrayBuffer>;
  readonly salt: Uint8Array<ArrayBuffer>;
  readonly hash: "SHA-256" | "SHA-512";
  readonly iterations: number;
  /** The length of the derived key, in bytes. */
  readonly length: number;
}

/** Computes PBKDF2. */
export function derivePbkdf2(inputs: Pbkdf2Inputs): Promise<Uint8Array> {
  const hash = inputs.hash === "SHA-256" ? sha256 : sha512;
  return pbkdf2Async(hash, inputs.password, inputs.salt, {
    c: inputs.iterations,
    dkLen: inputs.length,
  });
}
