import { parseJSON } from "../../session/internal.ts";
import {
  decodeBase64Url,
  hmac,
  timingSafeEqual,
} from "../../session/secrets.ts";

/** The encryptions that Auth.js and NextAuth 4 use. */
export type Encryption = "A256CBC-HS512" | "A256GCM";

/** The parts of a token that a key decrypts. */
interface Parts {
  readonly iv: Uint8Array<ArrayBuffer>;
  readonly ciphertext: Uint8Array<ArrayBuffer>;
  readonly tag: Uint8Array<ArrayBuffer>;
  /** The authenticated bytes of the header. */
  readonly header: Uint8Array<ArrayBuffer>;
}

/**
 * Decrypts a token with the algorithm `dir` in the compact serialization.
 *
 * @param token The token, from the network: any string is possible.
 * @param keyOf Returns the key of an encryption: 64 bytes, or 32 for `A256GCM`.
 * @returns The text; `null` if the token is malformed or has another key.
 * @see {@link https://www.rfc-editor.org/rfc/rfc7516#section-5.2 | RFC 7516, section 5.2}
 */
export async function decryptJWE(
  token: string,
  keyOf: (encryption: Encryption) => Promise<Uint8Array<ArrayBuffer>>,
): Promise<string | null> {
  const [first = "", encryptedKey, ...others] = token.split(".");
  const [header, iv, ciphertext, tag] = [first, ...others].map(decodeBase64Url);
  if (encryptedKey !== "" || others.length !== 3) return null;
  if (!header || !iv || !ciphertext || !tag) return null;
  const { alg, crit, enc, zip } = Object(parseJSON(decode(header)));
  if (alg !== "dir" || crit !== undefined || zip !== undefined) return null;
  const decrypt = enc === "A256GCM"
    ? decryptGCM
    : enc === "A256CBC-HS512"
    ? decryptCBC
    : null;
  if (decrypt === null) return null;
  const parts = { iv, ciphertext, tag, header: encode(first) };
  try {
    return decode(await decrypt(await keyOf(enc), parts));
  } catch {
    return null;
  }
}

/** Decrypts with AES-GCM (RFC 7518, section 5.3). */
async function decryptGCM(
  bytes: Uint8Array<ArrayBuffer>,
  { ciphertext, header, iv, tag }: Parts,
): Promise<ArrayBuffer> {
  if (iv.length !== 12 || tag.length !== 16) throw malformed();
  const key = await importKey(bytes, "AES-GCM");
  const algorithm = { name: "AES-GCM", iv, additionalData: header };
  return await crypto.subtle.decrypt(algorithm, key, join(ciphertext, tag));
}

/** Compares the tag, and then decrypts with AES-CBC (RFC 7518, section 5.2.2.2). */
async function decryptCBC(
  bytes: Uint8Array<ArrayBuffer>,
  { ciphertext, header, iv, tag }: Parts,
): Promise<ArrayBuffer> {
  const length = new Uint8Array(8);
  new DataView(length.buffer).setBigUint64(0, BigInt(header.length * 8));
  const signed = join(header, iv, ciphertext, length);
  const expected = await hmac(bytes.slice(0, 32), signed, "SHA-512");
  if (!timingSafeEqual(tag, expected.subarray(0, 32))) throw malformed();
  const key = await importKey(bytes.slice(32), "AES-CBC");
  return await crypto.subtle.decrypt({ name: "AES-CBC", iv }, key, ciphertext);
}

function importKey(
  bytes: Uint8Array<ArrayBuffer>,
  algorithm: string,
): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", bytes, algorithm, false, ["decrypt"]);
}

function malformed(): TypeError {
  return new TypeError("Cannot decrypt: the token is malformed");
}

function join(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const joined = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function decode(bytes: ArrayBuffer | Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
