import {
  type JSONObject,
  parseKeys,
  signJWT,
  thumbprintOf,
  verifyMessage,
} from "../../auth/internal.ts";
import { parseJSON } from "../../session/internal.ts";

/** A key that signs access tokens, or has signed them: a JWK. */
export interface SigningKey extends JsonWebKey {
  /**
   * The id of the key, which tokens contain.
   *
   * @default {its thumbprint (RFC 7638)}
   */
  readonly kid?: string;
}

/** A public key, as it is published. */
interface PublishedKey extends JsonWebKey {
  readonly kid: string;
  readonly alg: string;
}

/** A type of keys. */
interface KeyType {
  readonly alg: string;
  readonly publicMembers: readonly (keyof JsonWebKey)[];
  readonly privateMembers: readonly (keyof JsonWebKey)[];
}

/**
 * The types of keys, whose signatures are deterministic. Signatures with ECDSA and
 * RSA-PSS contain random numbers, so each request of a race would get another token.
 */
const TYPES: Readonly<Record<string, KeyType>> = {
  RSA: {
    alg: "RS256",
    publicMembers: ["n", "e"],
    privateMembers: ["d", "p", "q", "dp", "dq", "qi"],
  },
  OKP: { alg: "EdDSA", publicMembers: ["crv", "x"], privateMembers: ["d"] },
};

const ALGORITHMS = /* @__PURE__ */ Object.values(TYPES).map(({ alg }) => alg);

/** The maximum number of keys: the current one, the next one and old ones. */
const MAX_KEYS = 10;

/** The longest token that is read, in characters. */
const MAX_TOKEN = 8_192;

const TYPE = "at+jwt";

/** The keys of a server. The first one signs, and all of them are published. */
export class SigningKeys {
  readonly #privateKey: JsonWebKey;
  readonly #keys: readonly SigningKey[];
  #published: readonly PublishedKey[] | undefined;

  /** @throws {TypeError} If a key is missing, malformed or of another type. */
  constructor(keys: readonly SigningKey[]) {
    if (!Array.isArray(keys) || keys.length === 0) fail("there is no key");
    if (keys.length > MAX_KEYS) fail(`there are more than ${MAX_KEYS} keys`);
    this.#keys = keys.map(publicPartOf);
    const ids = this.#keys.map(({ kid }) => kid).filter((kid) => kid);
    if (new Set(ids).size < ids.length) fail("two keys have the same kid");
    this.#privateKey = { ...keys[0] };
    const { privateMembers } = TYPES[this.#privateKey.kty!]!;
    if (privateMembers.some((name) => typeof keys[0]![name] !== "string")) {
      fail("the first key is not private");
    }
  }

  /** Returns the public keys, as the JSON of a key set. */
  async keySet(): Promise<string> {
    return JSON.stringify({ keys: await this.#publish() });
  }

  /**
   * Signs the claims of an access token.
   *
   * @throws {TypeError} If the key is malformed.
   */
  async sign(claims: JSONObject): Promise<string> {
    const [first] = await this.#publish();
    const { alg, kid } = first!;
    const header = { alg, typ: TYPE, kid };
    return await signJWT(claims, header, this.#privateKey).catch((cause) => {
      throw new TypeError(
        "Cannot sign an access token: the first key is malformed",
        { cause },
      );
    });
  }

  /**
   * Returns the claims of an access token that one of the keys has signed, or `null`
   * for any other string. The token may have expired.
   */
  async verify(token: string): Promise<JSONObject | null> {
    if (token.length > MAX_TOKEN) return null;
    const keys = await this.#publish();
    // The result is `null` if there is no key, or if its `alg` is not that of the token.
    const message = await verifyMessage(
      token,
      ALGORITHMS,
      ({ kid }) => keys.find((key) => key.kid === kid)!,
    );
    return message?.header.typ === TYPE
      ? parseJSON(message.payload) as JSONObject
      : null;
  }

  /**
   * Returns the public keys with their ids. Each request computes these until one has
   * succeeded: on Workers, a promise of another request may never settle.
   */
  async #publish(): Promise<readonly PublishedKey[]> {
    return this.#published ??= await Promise.all(
      this.#keys.map(async (key) => ({
        ...key,
        kid: key.kid ?? await thumbprintOf(key),
        alg: TYPES[key.kty!]!.alg,
        use: "sig",
      })),
    );
  }
}

function fail(reason: string): never {
  throw new TypeError(`Cannot create JWT access tokens: ${reason}`);
}

/** Copies the public members of a key, and its id. */
function publicPartOf(key: SigningKey, index: number): SigningKey {
  const { alg, kid, kty = "", use = "sig" } = Object(key) as SigningKey;
  const type = Object.hasOwn(TYPES, kty) ? TYPES[kty]! : null;
  const part: Record<string, unknown> = { kty };
  for (const name of type?.publicMembers ?? []) part[name] = key[name];
  const isAlgorithm = alg === undefined || alg === type?.alg ||
    alg === part.crv;
  if (!isAlgorithm || use !== "sig" || !isUsable(part)) {
    fail(
      `key ${index} is not an RSA key of 2,048 bits or more for RS256, or an Ed25519 key`,
    );
  }
  if (kid !== undefined && (typeof kid !== "string" || kid === "")) {
    fail(`the kid of key ${index} is not a string`);
  }
  return { ...part, kid };
}

/** Returns `true` if APIs with this library could use a key. */
function isUsable(key: JSONObject): boolean {
  try {
    parseKeys({ keys: [key] });
    return true;
  } catch {
    return false;
  }
}
