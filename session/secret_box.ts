import {
  decodeBase64Url,
  encodeBase64Url,
  importKeyMaterial,
} from "./secrets.ts";

/** The minimum length of a secret, in characters. */
const MIN_SECRET = 32;

/** The length of a salt and of an initialization vector: bytes, and base64url. */
const RANDOM_BYTES = 12;
const RANDOM_LENGTH = 16;

/** The maximum length of a cookie value. Longer ones are not decoded. */
const MAX_LENGTH = 8192;

/**
 * The maximum number of encryptions with a key: far fewer than the 2^32 that
 * NIST SP 800-38D, section 8.3, allows with random vectors.
 */
const MAX_ENCRYPTIONS = 2 ** 24;

/**
 * The maximum number of cached keys. Each process encrypts with a different
 * key.
 */
const MAX_KEYS = 1_000;

/** A secret that keys are derived from. */
interface Secret {
  readonly id: string;
  readonly material: CryptoKey;
}

/** A key and the beginning of its cookie values: `id.salt`. */
interface EncryptionKey {
  readonly prefix: string;
  readonly key: CryptoKey;
}

/** The kind of data that a cipher encrypts. Each kind has its own keys. */
export interface CipherKind {
  /** The plural, for error messages. */
  readonly name: string;
  /** The context of the derived keys (RFC 5869, `info`). */
  readonly info: string;
  /** The maximum length of an encrypted string, if it is not a cookie. */
  readonly maxLength?: number;
}

const COOKIES: CipherKind = {
  name: "cookies",
  info: "gatehouse session cookie",
};

const encoder = /* @__PURE__ */ new TextEncoder();
/**
 * The decoder is not fatal, which would be slower: decrypted bytes are always
 * valid UTF-8.
 */
const decoder = /* @__PURE__ */ new TextDecoder();

/**
 * Encrypts and authenticates cookie values, or other strings. A value is only
 * valid under the name of its cookie.
 *
 * The form is `id.base64url(salt || iv || ciphertext || tag)`: The algorithm is
 * AES-256-GCM, with the name as additional data. The id identifies the secret,
 * so that decryption takes one attempt for any number of secrets. Each cipher
 * derives its own keys with random salts, so that the number of cookies per
 * secret is unlimited.
 */
export class SecretBox {
  readonly #secrets: readonly string[];
  readonly #maxEncryptions: number;
  readonly #kind: CipherKind;
  #imported: Promise<readonly Secret[]> | undefined;
  #current: Promise<EncryptionKey> | undefined;
  #encryptions = 0;
  /** The keys of decrypted cookies by prefix, oldest first. */
  readonly #keys = new Map<string, CryptoKey>();
  /** The last name and its bytes: almost every cookie has the same name. */
  #name = "";
  #nameBytes = new Uint8Array();

  /**
   * @param secrets The secrets: the first one encrypts, and all of them
   * decrypt.
   * @param maxEncryptions The limit of encryptions with a key, for tests.
   * @param kind The kind of data.
   * @throws {TypeError} If the secrets are not an array of strings.
   * @throws {RangeError} If the array is empty, or a secret is too short or easy to
   * guess.
   */
  constructor(
    secrets: readonly string[],
    maxEncryptions: number = MAX_ENCRYPTIONS,
    kind: CipherKind = COOKIES,
  ) {
    checkSecrets(secrets, kind.name);
    this.#secrets = [...secrets];
    this.#maxEncryptions = maxEncryptions;
    this.#kind = kind;
  }

  /** Encrypts a string under a name. */
  async encrypt(name: string, text: string): Promise<string> {
    const { key, prefix } = await this.#encryptionKey();
    const iv = randomBytes();
    const encrypted = await crypto.subtle.encrypt(
      { name: "AES-GCM", iv, additionalData: this.#encode(name) },
      key,
      encoder.encode(text),
    );
    const rest = encodeBase64Url(new Uint8Array(encrypted));
    return `${prefix}${encodeBase64Url(iv)}${rest}`;
  }

  /** Decrypts a cookie value of this name, or returns `null` if it is invalid. */
  async decrypt(name: string, encrypted: string): Promise<string | null> {
    if (encrypted.length > (this.#kind.maxLength ?? MAX_LENGTH)) return null;
    const vector = encrypted.indexOf(".") + 1 + RANDOM_LENGTH;
    const rest = vector + RANDOM_LENGTH;
    // Both parts are decoded separately: on Bun, views of one array take 4
    // times longer.
    const iv = decodeBase64Url(encrypted.slice(vector, rest));
    const bytes = decodeBase64Url(encrypted.slice(rest));
    if (!iv || !bytes) return null;
    const prefix = encrypted.slice(0, vector);
    const known = this.#keys.get(prefix);
    const key = known ?? await this.#deriveKey(prefix);
    if (key === null) return null;
    const algorithm = {
      name: "AES-GCM",
      iv,
      additionalData: this.#encode(name),
    };
    try {
      const text = await crypto.subtle.decrypt(algorithm, key, bytes);
      // Only keys that work are cached, because anyone can invent salts.
      if (known === undefined) this.#remember(prefix, key);
      return decoder.decode(text);
    } catch {
      return null;
    }
  }

  #encode(name: string): Uint8Array<ArrayBuffer> {
    if (name !== this.#name) {
      this.#name = name;
      this.#nameBytes = encoder.encode(name);
    }
    return this.#nameBytes;
  }

  /** Returns the key to encrypt with. It changes after a number of uses. */
  #encryptionKey(): Promise<EncryptionKey> {
    if (
      this.#current === undefined || this.#encryptions >= this.#maxEncryptions
    ) {
      this.#current = this.#createKey();
      this.#encryptions = 0;
    }
    this.#encryptions++;
    return this.#current;
  }

  async #createKey(): Promise<EncryptionKey> {
    const [{ id, material }] = await this.#importSecrets() as [Secret];
    const salt = randomBytes();
    const key = await deriveKey(material, salt, this.#kind);
    const prefix = `${id}.${encodeBase64Url(salt)}`;
    this.#remember(prefix, key);
    return { prefix, key };
  }

  /** Derives a key from a prefix, or returns `null` for an unknown secret. */
  async #deriveKey(prefix: string): Promise<CryptoKey | null> {
    const [id, encoded = ""] = prefix.split(".");
    const secret = (await this.#importSecrets()).find((secret) =>
      secret.id === id
    );
    const salt = decodeBase64Url(encoded);
    return !secret || !salt
      ? null
      : await deriveKey(secret.material, salt, this.#kind);
  }

  #remember(prefix: string, key: CryptoKey): void {
    if (this.#keys.size >= MAX_KEYS) {
      const [oldest] = this.#keys.keys();
      this.#keys.delete(oldest!);
    }
    this.#keys.set(prefix, key);
  }

  #importSecrets(): Promise<readonly Secret[]> {
    return this.#imported ??= Promise.all(
      this.#secrets.map((secret) => importSecret(secret, this.#kind)),
    );
  }
}

/** Returns random bytes. Workers have none during startup. */
function randomBytes(): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(RANDOM_BYTES));
}

/** Imports a secret and derives its id, which does not reveal it (RFC 5869). */
async function importSecret(secret: string, kind: CipherKind): Promise<Secret> {
  const material = await importKeyMaterial(secret);
  const id = await crypto.subtle
    .deriveBits(hkdf(kind, "key id", new Uint8Array()), material, 48);
  return { id: encodeBase64Url(new Uint8Array(id)), material };
}

function deriveKey(
  material: CryptoKey,
  salt: Uint8Array<ArrayBuffer>,
  kind: CipherKind,
): Promise<CryptoKey> {
  return crypto.subtle.deriveKey(
    hkdf(kind, "encryption", salt),
    material,
    { name: "AES-GCM", length: 256 },
    false,
    ["encrypt", "decrypt"],
  );
}

function hkdf(
  kind: CipherKind,
  purpose: string,
  salt: Uint8Array<ArrayBuffer>,
): HkdfParams {
  return {
    name: "HKDF",
    hash: "SHA-256",
    salt,
    info: encoder.encode(`${kind.info}, ${purpose}`),
  };
}

/**
 * Checks the secrets that keys are derived from.
 *
 * @param name The plural of the protected things, for error messages.
 * @param verb The use of the keys, for error messages.
 * @throws {TypeError} If the secrets are not an array of strings.
 * @throws {RangeError} If the array is empty, or a secret is too short or easy to
 * guess.
 */
export function checkSecrets(
  secrets: readonly string[],
  name: string,
  verb = "encrypt",
): void {
  const isArray = Array.isArray(secrets);
  if (!isArray || secrets.some((secret) => typeof secret !== "string")) {
    throw new TypeError(
      `Cannot ${verb} ${name}: secrets is not an array of strings`,
    );
  }
  if (secrets.length === 0) {
    throw new RangeError(`Cannot ${verb} ${name}: secrets is empty`);
  }
  const position = secrets.findIndex(({ length }) => length < MIN_SECRET);
  if (position >= 0) {
    throw new RangeError(
      `Cannot ${verb} ${name}: secrets[${position}] has fewer than ${MIN_SECRET} characters`,
    );
  }
  const weak = secrets.findIndex(isWeakSecret);
  if (weak >= 0) {
    throw new RangeError(
      `Cannot ${verb} ${name}: secrets[${weak}] is too easy to guess, create one with "openssl rand -base64 32"`,
    );
  }
}

/**
 * The minimum of estimated bits. 32 random hexadecimal digits have about 117 and
 * 32 random decimal digits about 100.
 */
const MIN_BITS = 70;

/**
 * Returns `true` if a secret is easy to guess: a repetition, a sequence, or only
 * a few different characters. It accepts a sentence, because only a dictionary
 * could find its words.
 */
function isWeakSecret(secret: string): boolean {
  const codes = Array.from(secret, (character) => character.codePointAt(0)!);
  const unit = codes.slice(0, periodOf(codes));
  const steps = unit.slice(1).map((code, index) => code - unit[index]!);
  return Math.min(bitsOf(unit), bitsOf(steps)) < MIN_BITS;
}

/** Returns the Shannon entropy of the numbers in bits. */
function bitsOf(numbers: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const number of numbers) {
    counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  let bits = 0;
  for (const count of counts.values()) {
    bits += count * Math.log2(numbers.length / count);
  }
  return bits;
}

/** Returns the length of the repeated part. The last repetition may be shorter. */
function periodOf(codes: readonly number[]): number {
  // This is the prefix function of Knuth, Morris and Pratt.
  const borders = [0];
  for (let at = 1, border = 0; at < codes.length; at++) {
    while (border > 0 && codes[at] !== codes[border]) {
      border = borders[border - 1]!;
    }
    if (codes[at] === codes[border]) border++;
    borders.push(border);
  }
  return codes.length - borders.at(-1)!;
}
