import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv, createHash } from "node:crypto";

/** The beginning of a value that names the version of its secret. */
const ENVELOPE = /^\$ba\$\d+\$/;

/**
 * Decrypts a value of better-auth: XChaCha20-Poly1305 in hexadecimal, with the hash of
 * its secret as the key and 24 bytes of nonce before it.
 *
 * @throws {Error} If the secret is another one, or the value is malformed.
 */
export function decryptBetterAuth(value: string, secret: string): string {
  const bytes = Buffer.from(value.replace(ENVELOPE, ""), "hex");
  const key = createHash("sha256").update(secret).digest();
  const nonce = Buffer.concat([Buffer.alloc(4), bytes.subarray(16, 24)]);
  const cipher = createDecipheriv(
    "chacha20-poly1305",
    deriveKey(key, bytes.subarray(0, 16)),
    nonce,
    { authTagLength: 16 },
  );
  cipher.setAuthTag(bytes.subarray(-16));
  const text = cipher.update(bytes.subarray(24, -16));
  return Buffer.concat([text, cipher.final()]).toString("utf8");
}

/** The words "expand 32-byte k" of ChaCha20 (RFC 8439, section 2.3). */
const CONSTANTS = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574];

/**
 * Derives the key of XChaCha20 with HChaCha20. Its result is a block of ChaCha20
 * without the addition at the end, so this subtracts it from the key stream
 * (draft-irtf-cfrg-xchacha-03, section 2.2).
 */
function deriveKey(key: Uint8Array, nonce: Uint8Array): Buffer {
  const stream = createCipheriv("chacha20", key, nonce).update(
    Buffer.alloc(64),
  );
  const input = Buffer.from(nonce);
  const derived = Buffer.alloc(32);
  for (let index = 0; index < 4; index++) {
    const first = stream.readUInt32LE(index * 4) - CONSTANTS[index]!;
    const last = stream.readUInt32LE(48 + index * 4) -
      input.readUInt32LE(index * 4);
    derived.writeUInt32LE(first >>> 0, index * 4);
    derived.writeUInt32LE(last >>> 0, 16 + index * 4);
  }
  return derived;
}
