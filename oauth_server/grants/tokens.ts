import {
  decodeBase64Url,
  encodeBase64Url,
  importKeyMaterial,
} from "../../session/secrets.ts";

/** A kind of token, which has its own keys. */
export type TokenKind = "code" | "device" | "refresh" | "access";

/** A use of MACs that are not those of a token. */
export type TokenUse = "user-code" | "jti" | "jti-stream";

/**
 * The beginning of each kind, for scanners that look for leaked secrets, and the
 * number of its numbers. No token contains a dot, which only JWTs have.
 */
const KINDS: Readonly<
  Record<TokenKind, { readonly prefix: string; readonly numbers: number }>
> = {
  code: { prefix: "oac_", numbers: 0 },
  device: { prefix: "oad_", numbers: 0 },
  refresh: { prefix: "oar_", numbers: 1 },
  access: { prefix: "oat_", numbers: 3 },
};

/** The version of the form, which is the first byte. */
const VERSION = 1;

/** The number of bytes of a grant's key. */
const KEY_BYTES = 16;

/** The number of bytes of a MAC: HMAC with SHA-256. */
const MAC_BYTES = 32;

const encoder = /* @__PURE__ */ new TextEncoder();

/** The contents of a token. */
export interface TokenContents {
  /** The key of the grant: 22 characters of base64url. */
  readonly key: string;
  /**
   * Integers of 32 bits: the generation of a refresh token; the generation, the
   * expiry in epoch seconds and the scopes of an access token.
   */
  readonly numbers: readonly number[];
}

/** Creates the random key of a grant. */
export function randomGrantKey(): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(KEY_BYTES)));
}

/**
 * Derives tokens from the secrets and the key of a grant, so that no store has
 * them, and requests of a race get the same one.
 *
 * The form is a prefix and `base64url(version || key || numbers || MAC)`. Each kind
 * has its own key, by HKDF (RFC 5869), so no kind passes for another. The first
 * secret creates tokens, and all of them verify tokens.
 */
export class Tokens {
  readonly #secrets: readonly string[];
  readonly #issuer: string;
  readonly #keys = new Map<string, readonly CryptoKey[]>();

  constructor(secrets: readonly string[], issuer: string) {
    this.#secrets = [...secrets];
    this.#issuer = issuer;
  }

  /** Derives a token. The number of numbers is that of its kind. */
  async derive(
    kind: TokenKind,
    key: string,
    ...numbers: readonly number[]
  ): Promise<string> {
    const payload = encodeContents(key, numbers);
    const [first] = await this.#keysOf(kind);
    const mac = await crypto.subtle.sign("HMAC", first!, payload);
    const bytes = new Uint8Array(payload.length + MAC_BYTES);
    bytes.set(payload);
    bytes.set(new Uint8Array(mac), payload.length);
    return KINDS[kind].prefix + encodeBase64Url(bytes);
  }

  /** Returns the contents of a token, or `null` for any other string. */
  async read(
    kind: TokenKind,
    token: string | undefined,
  ): Promise<TokenContents | null> {
    const { numbers, prefix } = KINDS[kind];
    const size = 1 + KEY_BYTES + 4 * numbers;
    const length = prefix.length + Math.ceil((size + MAC_BYTES) * 4 / 3);
    if (token?.length !== length || !token.startsWith(prefix)) return null;
    const bytes = decodeBase64Url(token.slice(prefix.length));
    if (bytes === null || bytes[0] !== VERSION) return null;
    const payload = bytes.subarray(0, size);
    const mac = bytes.subarray(size);
    for (const key of await this.#keysOf(kind)) {
      // The function compares in constant time.
      const isValid = await crypto.subtle.verify("HMAC", key, mac, payload);
      if (isValid) return decodeContents(payload, numbers);
    }
    return null;
  }

  /**
   * Returns the MACs of bytes that are not a token, one with each secret. The first
   * one is that of new values.
   */
  async macs(
    use: TokenUse,
    bytes: Uint8Array<ArrayBuffer>,
  ): Promise<Uint8Array<ArrayBuffer>[]> {
    const keys = await this.#keysOf(use);
    return await Promise.all(
      keys.map(async (key) =>
        new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes))
      ),
    );
  }

  /**
   * Returns the keys of a kind. Each request derives them until one has succeeded:
   * on Workers, a promise of another request may never settle.
   */
  async #keysOf(kind: TokenKind | TokenUse): Promise<readonly CryptoKey[]> {
    const known = this.#keys.get(kind);
    if (known !== undefined) return known;
    const info = encoder.encode(`gatehouse oauth ${kind} ${this.#issuer}`);
    const derived = await Promise.all(
      this.#secrets.map((secret) => deriveKey(secret, info)),
    );
    this.#keys.set(kind, derived);
    return derived;
  }
}

async function deriveKey(
  secret: string,
  info: Uint8Array<ArrayBuffer>,
): Promise<CryptoKey> {
  return await crypto.subtle.deriveKey(
    { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info },
    await importKeyMaterial(secret),
    { name: "HMAC", hash: "SHA-256", length: 256 },
    false,
    ["sign", "verify"],
  );
}

/** Encodes the contents of a token: `version || key || numbers`. */
export function encodeContents(
  key: string,
  numbers: readonly number[],
): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(1 + KEY_BYTES + 4 * numbers.length);
  bytes[0] = VERSION;
  bytes.set(decodeBase64Url(key)!, 1);
  const view = new DataView(bytes.buffer);
  for (const [index, number] of numbers.entries()) {
    view.setUint32(1 + KEY_BYTES + 4 * index, number);
  }
  return bytes;
}

/** Decodes the result of {@linkcode encodeContents}, with its number of numbers. */
export function decodeContents(
  bytes: Uint8Array<ArrayBuffer>,
  count: number,
): TokenContents {
  const start = 1 + KEY_BYTES;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return {
    key: encodeBase64Url(bytes.slice(1, start)),
    numbers: Array.from(
      { length: count },
      (_, index) => view.getUint32(start + 4 * index),
    ),
  };
}
