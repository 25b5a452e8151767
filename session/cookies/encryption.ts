import { decodeBase64Url, encodeBase64Url } from "../secrets.ts";
import { isWeakSecret } from "./_secret_strength.ts";

/** The shortest secret, in characters. */
const MIN_SECRET = 32;

/** Bytes of a salt and of an initialization vector, and their base64url. */
const RANDOM_BYTES = 12;
const RANDOM_LENGTH = 16;

/** No text is this long: nothing longer is even decoded. */
const MAX_LENGTH = 8192;

/**
 * The most texts that a key seals: far fewer than the 2^32 that NIST SP 800-38D,
 * section 8.3, allows with random vectors.
 */
const MAX_SEALS = 2 ** 24;

/** The most keys that are kept for opening. Each process seals with its own. */
const MAX_KEYS = 1_000;

/** A secret, ready to derive keys from. */
interface Secret {
  readonly id: string;
  readonly material: CryptoKey;
}

/** A key with what its texts begin with: `id.salt`. */
interface SealingKey {
  readonly prefix: string;
  readonly key: CryptoKey;
}

const encoder = /* @__PURE__ */ new TextEncoder();
/** Not a fatal one, which takes longer: what was sealed is well-formed. */
const decoder = /* @__PURE__ */ new TextDecoder();

/**
 * Encrypts texts so that nobody else can read or make them, nor pass one off
 * under another name.
 *
 * The form is `id.base64url(salt || iv || ciphertext || tag)`: AES-256-GCM with
 * the name as additional data. The id says which secret it was, so that opening
 * is one attempt, whatever the number of secrets. Each cipher derives its
 * own keys with random salts, so that no number of cookies wears a secret out.
 */
export class CookieCipher {
  readonly #secrets: readonly string[];
  readonly #maxSeals: number;
  #reading: Promise<readonly Secret[]> | undefined;
  #sealing: Promise<SealingKey> | undefined;
  #seals = 0;
  /** The keys of texts that were opened, by their prefix, oldest first. */
  readonly #keys = new Map<string, CryptoKey>();
  /** The last name with its bytes: it is the same for almost every cookie. */
  #name = "";
  #nameBytes = new Uint8Array();

  /**
   * @param secrets The secrets: the first seals, all of them open.
   * @param maxSeals How many texts a key seals, for tests.
   * @throws {TypeError} If they are not a list of strings.
   * @throws {RangeError} If the array is empty, or a secret is too short or easy to
   * guess.
   */
  constructor(secrets: readonly string[], maxSeals: number = MAX_SEALS) {
    const isList = Array.isArray(secrets);
    if (!isList || secrets.some((secret) => typeof secret !== "string")) {
      throw new TypeError(
        "Cannot seal cookies: secrets is not a list of strings",
      );
    }
    if (secrets.length === 0) {
      throw new RangeError("Cannot seal cookies: there is no secret");
    }
    const position = secrets.findIndex(({ length }) => length < MIN_SECRET);
    if (position >= 0) {
      throw new RangeError(
        `Cannot seal cookies: secret ${position} has fewer than ${MIN_SECRET} characters`,
      );
    }
    const weak = secrets.findIndex(isWeakSecret);
    if (weak >= 0) {
      throw new RangeError(
        `Cannot seal cookies: secret ${weak} is too easy to guess, make one with "openssl rand -base64 32"`,
      );
    }
    this.#secrets = [...secrets];
    this.#maxSeals = maxSeals;
  }

  /** Encrypts a text under a name. */
  async encrypt(name: string, text: string): Promise<string> {
    const { key, prefix } = await this.#sealingKey();
    const iv = randomBytes();
    const sealed = await crypto.subtle.encrypt(
      { name: "AES-GCM", iv, additionalData: this.#encode(name) },
      key,
      encoder.encode(text),
    );
    const rest = encodeBase64Url(new Uint8Array(sealed));
    return `${prefix}${encodeBase64Url(iv)}${rest}`;
  }

  /** Decrypts what was sealed under this name; `null` for anything else. */
  async decrypt(name: string, sealed: string): Promise<string | null> {
    if (sealed.length > MAX_LENGTH) return null;
    const vector = sealed.indexOf(".") + 1 + RANDOM_LENGTH;
    const rest = vector + RANDOM_LENGTH;
    // In parts, for views of one array of bytes cost Bun four times as much.
    const iv = decodeBase64Url(sealed.slice(vector, rest));
    const bytes = decodeBase64Url(sealed.slice(rest));
    if (!iv || !bytes) return null;
    const prefix = sealed.slice(0, vector);
    const known = this.#keys.get(prefix);
    const key = known ?? await this.#keyOf(prefix);
    if (key === null) return null;
    const algorithm = {
      name: "AES-GCM",
      iv,
      additionalData: this.#encode(name),
    };
    try {
      const text = await crypto.subtle.decrypt(algorithm, key, bytes);
      // Not before it has opened something: anyone can make up a salt.
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

  /** Returns the key to seal with, which changes from time to time. */
  #sealingKey(): Promise<SealingKey> {
    if (this.#sealing === undefined || this.#seals >= this.#maxSeals) {
      this.#sealing = this.#createKey();
      this.#seals = 0;
    }
    this.#seals++;
    return this.#sealing;
  }

  async #createKey(): Promise<SealingKey> {
    const [{ id, material }] = await this.#read() as [Secret];
    const salt = randomBytes();
    const key = await deriveKey(material, salt);
    const prefix = `${id}.${encodeBase64Url(salt)}`;
    this.#remember(prefix, key);
    return { prefix, key };
  }

  /** Derives the key of a text from its prefix; `null` for a foreign one. */
  async #keyOf(prefix: string): Promise<CryptoKey | null> {
    const [id, encoded = ""] = prefix.split(".");
    const secret = (await this.#read()).find((secret) => secret.id === id);
    const salt = decodeBase64Url(encoded);
    return !secret || !salt ? null : await deriveKey(secret.material, salt);
  }

  #remember(prefix: string, key: CryptoKey): void {
    if (this.#keys.size >= MAX_KEYS) {
      const [oldest] = this.#keys.keys();
      this.#keys.delete(oldest!);
    }
    this.#keys.set(prefix, key);
  }

  #read(): Promise<readonly Secret[]> {
    return this.#reading ??= Promise.all(this.#secrets.map(readSecret));
  }
}

/** Returns random bytes, which Workers do not have while they start. */
function randomBytes(): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(RANDOM_BYTES));
}

/** Derives the id of a secret, which tells nothing of it (RFC 5869). */
async function readSecret(secret: string): Promise<Secret> {
  const material = await crypto.subtle.importKey(
    "raw",
    encoder.encode(secret),
    "HKDF",
    false,
    ["deriveKey", "deriveBits"],
  );
  const id = await crypto.subtle
    .deriveBits(hkdf("key id", new Uint8Array()), material, 48);
  return { id: encodeBase64Url(new Uint8Array(id)), material };
}

function deriveKey(
  material: CryptoKey,
  salt: Uint8Array<ArrayBuffer>,
): Promise<CryptoKey> {
  return crypto.subtle.deriveKey(
    hkdf("encryption", salt),
    material,
    { name: "AES-GCM", length: 256 },
    false,
    ["encrypt", "decrypt"],
  );
}

function hkdf(purpose: string, salt: Uint8Array<ArrayBuffer>): HkdfParams {
  return {
    name: "HKDF",
    hash: "SHA-256",
    salt,
    info: encoder.encode(`gatehouse session cookie, ${purpose}`),
  };
}
