import { decodeBase64Url, encodeBase64Url } from "./_bytes.ts";
import { isWeakSecret } from "./_secret_strength.ts";

/** The shortest secret, in characters. */
const MIN_SECRET = 32;

/** Bytes of the initialisation vector (NIST SP 800-38D), and its base64url's. */
const IV_BYTES = 12;
const IV_LENGTH = 16;

/** No text is this long: nothing longer is even decoded. */
const MAX_LENGTH = 8192;

interface Key {
  readonly id: string;
  readonly key: CryptoKey;
}

const encoder = /* @__PURE__ */ new TextEncoder();
/** Not a fatal one, which takes longer: what was sealed is well-formed. */
const decoder = /* @__PURE__ */ new TextDecoder();

/**
 * Encrypts texts so that nobody else can read or make them, nor pass one off
 * under another name.
 *
 * The form is `id.base64url(iv || ciphertext || tag)`: AES-256-GCM with the
 * name as additional data. The id says which secret it was, so that opening is
 * one attempt, whatever the number of secrets.
 */
export class Sealer {
  readonly #secrets: readonly string[];
  #keys: readonly Key[] | undefined;
  #deriving: Promise<readonly Key[]> | undefined;
  /** The last name with its bytes: it is the same for almost every cookie. */
  #name = "";
  #nameBytes = new Uint8Array();

  /**
   * @param secrets The secrets: the first seals, all of them open.
   * @throws {TypeError} If they are not a list of strings.
   * @throws {RangeError} If there is none, or one is too short or easy to guess.
   */
  constructor(secrets: readonly string[]) {
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
  }

  /** Encrypts a text under a name. */
  async seal(name: string, text: string): Promise<string> {
    const [{ id, key }] = this.#keys ?? await this.#ready();
    const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
    const sealed = await crypto.subtle.encrypt(
      { name: "AES-GCM", iv, additionalData: this.#encode(name) },
      key,
      encoder.encode(text),
    );
    const rest = encodeBase64Url(new Uint8Array(sealed));
    return `${id}.${encodeBase64Url(iv)}${rest}`;
  }

  /** Decrypts what was sealed under this name; `null` for anything else. */
  async open(name: string, sealed: string): Promise<string | null> {
    if (sealed.length > MAX_LENGTH) return null;
    const keys = this.#keys ?? await this.#ready();
    const dot = sealed.indexOf(".");
    const id = sealed.slice(0, dot);
    const key = keys.find((key) => key.id === id)?.key;
    // In two parts, for views of one array of bytes cost Bun four times as much.
    const rest = dot + 1 + IV_LENGTH;
    const iv = decodeBase64Url(sealed.slice(dot + 1, rest));
    const bytes = decodeBase64Url(sealed.slice(rest));
    if (!key || !iv || !bytes) return null;
    const algorithm = {
      name: "AES-GCM",
      iv,
      additionalData: this.#encode(name),
    };
    try {
      return decoder.decode(await crypto.subtle.decrypt(algorithm, key, bytes));
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

  #ready(): Promise<readonly Key[]> {
    return this.#deriving ??= Promise.all(this.#secrets.map(deriveKey))
      .then((keys) => this.#keys = keys);
  }
}

/** Derives a key and its id, which tells nothing of the secret (RFC 5869). */
async function deriveKey(secret: string): Promise<Key> {
  const material = await crypto.subtle.importKey(
    "raw",
    encoder.encode(secret),
    "HKDF",
    false,
    ["deriveKey", "deriveBits"],
  );
  const id = await crypto.subtle.deriveBits(hkdf("key id"), material, 48);
  const key = await crypto.subtle.deriveKey(
    hkdf("encryption"),
    material,
    { name: "AES-GCM", length: 256 },
    false,
    ["encrypt", "decrypt"],
  );
  return { id: encodeBase64Url(new Uint8Array(id)), key };
}

function hkdf(purpose: string): HkdfParams {
  return {
    name: "HKDF",
    hash: "SHA-256",
    salt: new Uint8Array(),
    info: encoder.encode(`gatehouse session cookie, ${purpose}`),
  };
}
