import {
  fetchJSON,
  type JSONObject,
  type Transport,
} from "./_bounded_fetch.ts";
import { ExternalAuthError } from "./_errors.ts";
import { createKeySet, type KeySet } from "./_jwt.ts";

/** The keys of a provider, ready to verify signatures. */
export interface ProviderKeys {
  /** All keys. */
  readonly all: KeySet;
  /** Returns the keys for an issuer. Some providers bind keys to an issuer. */
  forIssuer(isAllowed: (issuer: string) => boolean): KeySet;
}

const PREFIX = "Cannot use the keys of the provider";

/** The maximum number of keys that are read. */
const MAX_KEYS = 100;

/** Members of private and symmetric keys. A published key must have none. */
const PRIVATE_MEMBERS = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/** The length of a modulus of 2,048 and of 8,192 bits in base64url. */
const MODULUS = { shortest: 342, longest: 1366 };

const CURVES: Readonly<Record<string, readonly string[]>> = {
  EC: ["P-256", "P-384", "P-521"],
  OKP: ["Ed25519"],
};

/** Fetches the key set of a provider. */
export async function fetchKeys(
  transport: Transport,
  url: string,
): Promise<JSONObject> {
  const { body, status } = await fetchJSON(transport, {
    url,
    code: "keys_failed",
    errorPrefix: PREFIX,
  });
  if (status === 200) return body as JSONObject;
  throw keysError(`they have status ${status}`, status);
}

/**
 * Parses a key set. Ignores private and symmetric keys, and keys that cannot
 * verify signatures (RFC 7517, section 5).
 *
 * @throws {ExternalAuthError} If no key is usable.
 */
export function parseKeys(body: JSONObject): ProviderKeys {
  const array = Object.hasOwn(body, "keys") ? body.keys : undefined;
  if (!Array.isArray(array)) throw keysError("the response is not a key set");
  const keys = array.slice(0, MAX_KEYS).filter(isUsable).map(normalize);
  if (keys.length === 0) throw keysError("none of them is usable");
  const all = createKeySet(keys);
  const bound = keys.filter(({ issuer }) => typeof issuer === "string");
  // Each selection of keys has one set, so that each key is imported once.
  const sets = new Map<string, KeySet>([["", all]]);
  return {
    all,
    forIssuer(isAllowed) {
      const excluded = bound.filter(({ issuer }) =>
        !isAllowed(issuer as string)
      );
      const selection = excluded.map((key) => keys.indexOf(key)).join();
      let set = sets.get(selection);
      if (set === undefined) {
        set = createKeySet(keys.filter((key) => !excluded.includes(key)));
        sets.set(selection, set);
      }
      return set;
    },
  };
}

type PublicKey = JsonWebKey & {
  readonly issuer?: unknown;
  readonly kid?: unknown;
};

/** The members that are used. All of them are strings. */
const STRING_MEMBERS = [
  "kty",
  "use",
  "alg",
  "kid",
  "crv",
  "n",
  "e",
  "x",
  "y",
  "issuer",
] as const;

/** The maximum number of operations of a key (RFC 7517, section 4.3). */
const MAX_OPERATIONS = 8;

function isUsable(key: unknown): key is PublicKey {
  if (typeof key !== "object" || key === null) return false;
  const { kty, crv, n } = key as PublicKey;
  if (PRIVATE_MEMBERS.some((member) => Object.hasOwn(key, member))) {
    return false;
  }
  const isString = (name: keyof PublicKey) =>
    !Object.hasOwn(key, name) || typeof (key as PublicKey)[name] === "string";
  if (!STRING_MEMBERS.every(isString) || !hasOperations(key)) return false;
  if (kty === "RSA") {
    return typeof n === "string" && n.length >= MODULUS.shortest &&
      n.length <= MODULUS.longest;
  }
  return typeof kty === "string" && Object.hasOwn(CURVES, kty) &&
    CURVES[kty].includes(crv as string);
}

function hasOperations({ key_ops }: PublicKey): boolean {
  return key_ops === undefined ||
    Array.isArray(key_ops) && key_ops.length <= MAX_OPERATIONS &&
      key_ops.every((operation) => typeof operation === "string");
}

/**
 * Copies only the members that are used. jose clones a key completely, and a
 * deeply nested member would overflow the stack. "EdDSA" and "Ed25519" name the
 * same algorithm, so `alg` of such keys is removed.
 */
function normalize(key: PublicKey): PublicKey {
  const copy: Record<string, unknown> = {};
  for (const member of STRING_MEMBERS) {
    if (Object.hasOwn(key, member)) copy[member] = key[member];
  }
  if (Array.isArray(key.key_ops)) copy.key_ops = [...key.key_ops];
  if (key.kty === "OKP") delete copy.alg;
  return copy as PublicKey;
}

function keysError(reason: string, status?: number) {
  return new ExternalAuthError(
    "keys_failed",
    `${PREFIX}: ${reason}`,
    { status },
  );
}
