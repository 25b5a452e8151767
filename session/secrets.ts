/**
 * Random tokens, hashes, encodings and comparisons for the folders above. They
 * are not part of the public API. They are separate from `internal.ts` because
 * passwords need no session.
 *
 * @module
 */
// No other module imports @std/crypto/timing-safe-equal.
import { timingSafeEqual as equalBytes } from "@std/crypto/timing-safe-equal";

const encoder = /* @__PURE__ */ new TextEncoder();

const BASE64URL = { alphabet: "base64url", omitPadding: true } as const;

// Node 24 lacks the methods of Uint8Array that encode and decode.

/** Encodes bytes as hexadecimal digits. */
export function encodeHex(bytes: Uint8Array): string {
  if (bytes.toHex !== undefined) return bytes.toHex();
  const digits = (byte: number) => byte.toString(16).padStart(2, "0");
  return Array.from(bytes, digits).join("");
}

/** Encodes bytes as base64 with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  if (bytes.toBase64 !== undefined) return bytes.toBase64();
  const character = (byte: number) => String.fromCharCode(byte);
  return btoa(Array.from(bytes, character).join(""));
}

/** Encodes bytes as base64url without padding. */
export function encodeBase64Url(bytes: Uint8Array): string {
  if (bytes.toBase64 !== undefined) return bytes.toBase64(BASE64URL);
  return encodeBase64(bytes)
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * Decodes what {@linkcode encodeBase64Url} returns.
 *
 * @returns The bytes, or `null` for any other string, such as one with padding,
 * white space or spare bits that are not zero.
 */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    const bytes = Uint8Array.fromBase64?.(text, BASE64URL) ??
      Uint8Array.from(
        atob(text.replaceAll("-", "+").replaceAll("_", "/")),
        (byte) => byte.charCodeAt(0),
      );
    return encodeBase64Url(bytes) === text ? bytes : null;
  } catch {
    return null;
  }
}

/** Hashes text or bytes with SHA-256. */
export function sha256(
  data: string | Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  return crypto.subtle.digest("SHA-256", toBytes(data))
    .then((digest) => new Uint8Array(digest));
}

/** Returns the HMAC of text or bytes. */
export async function hmac(
  secret: string | Uint8Array<ArrayBuffer>,
  data: string | Uint8Array<ArrayBuffer>,
  hash: "SHA-256" | "SHA-384" | "SHA-512" = "SHA-256",
): Promise<Uint8Array<ArrayBuffer>> {
  const algorithm = { name: "HMAC", hash };
  const key = await crypto.subtle
    .importKey("raw", toBytes(secret), algorithm, false, ["sign"]);
  const mac = await crypto.subtle.sign("HMAC", key, toBytes(data));
  return new Uint8Array(mac);
}

/** Imports a secret from which HKDF derives keys. */
export function importKeyMaterial(secret: string): Promise<CryptoKey> {
  const usages: KeyUsage[] = ["deriveKey", "deriveBits"];
  return crypto.subtle
    .importKey("raw", encoder.encode(secret), "HKDF", false, usages);
}

function toBytes<Bytes extends Uint8Array>(
  data: string | Bytes,
): Bytes | Uint8Array<ArrayBuffer> {
  return typeof data === "string" ? encoder.encode(data) : data;
}

/** The part of the built-in crypto module of Deno, Bun and Node that is used. */
interface BuiltInCrypto {
  hash?(algorithm: "sha256", data: string, encoding: "base64url"): string;
}

/** Detected, never imported: Workers have it only with `nodejs_compat`. */
let builtIn: BuiltInCrypto | undefined;

/**
 * Hashes text with SHA-256, and encodes the hash as base64url.
 *
 * The built-in crypto module takes 2.3 µs for a token on Deno, and 0.24 on Bun and
 * Node. With `crypto.subtle`, which uses another thread, it takes 31, 4.7 and 32.
 * On Workers, `crypto.subtle` uses no other thread.
 */
export async function sha256Base64Url(text: string): Promise<string> {
  const { process } = globalThis as {
    process?: { getBuiltinModule?(name: string): BuiltInCrypto | undefined };
  };
  // The first hash loads the module, because that takes Deno 30 ms.
  builtIn ??= process?.getBuiltinModule?.("node:crypto") ?? {};
  return builtIn.hash?.("sha256", text, "base64url") ??
    encodeBase64Url(await sha256(text));
}

/** Creates a token: random bytes as base64url. */
export function randomToken(bytes = 32): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(bytes)));
}

/**
 * Compares two secrets in constant time. The time reveals only their lengths.
 */
export function timingSafeEqual(
  a: string | Uint8Array,
  b: string | Uint8Array,
): boolean {
  const [left, right] = [toBytes(a), toBytes(b)];
  return left.length === right.length && equalBytes(left, right);
}
