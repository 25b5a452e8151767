import {
  fetchJSON,
  type JSONObject,
  type Transport,
} from "./_bounded_fetch.ts";
import { unanswered } from "./_provider_error.ts";
import { ExternalAuthError } from "./errors.ts";
import { createKeySet, type KeySet } from "./_jwt.ts";

/** The keys of a provider, made ready to verify with. */
export interface ProviderKeys {
  /** All of them. */
  readonly all: KeySet;
  /** Those that may sign for an issuer: some providers bind keys to one. */
  forIssuer(isAllowed: (issuer: string) => boolean): KeySet;
}

/** The most keys that are read of a set. */
const MAX_KEYS = 100;

/** Members of private and symmetric keys: who publishes them has lost them. */
const PRIVATE_MEMBERS = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/** Characters of base64url that a modulus of 2,048 and of 8,192 bits has. */
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
  let answer;
  try {
    answer = await fetchJSON(transport, { url });
  } catch (cause) {
    throw unanswered(
      "keys_failed",
      "Cannot use the keys of the provider",
      cause,
    );
  }
  const { status } = answer;
  if (status !== 200) throw failure(`they come with status ${status}`, status);
  return answer.body as JSONObject;
}

/**
 * Reads a key set. Keys that can't verify a signature here are left out, as RFC
 * 7517, section 5 asks; so are private and symmetric ones.
 *
 * @throws {ExternalAuthError} If no key is usable.
 */
export function parseKeys(body: JSONObject): ProviderKeys {
  const list = Object.hasOwn(body, "keys") ? body.keys : undefined;
  if (!Array.isArray(list)) throw failure("the answer is no key set");
  const keys = list.slice(0, MAX_KEYS).filter(isUsable).map(normalize);
  if (keys.length === 0) throw failure("none of them is usable");
  const all = createKeySet(keys);
  const bound = keys.filter(({ issuer }) => typeof issuer === "string");
  // One set for each choice of keys, so that each key is imported once.
  const sets = new Map<string, KeySet>([["", all]]);
  return {
    all,
    forIssuer(isAllowed) {
      const refused = bound.filter(({ issuer }) =>
        !isAllowed(issuer as string)
      );
      const choice = refused.map((key) => keys.indexOf(key)).join();
      let set = sets.get(choice);
      if (set === undefined) {
        set = createKeySet(keys.filter((key) => !refused.includes(key)));
        sets.set(choice, set);
      }
      return set;
    },
  };
}

type PublicKey = JsonWebKey & {
  readonly issuer?: unknown;
  readonly kid?: unknown;
};

/** The members that are used, all of them texts. */
const TEXT_MEMBERS = [
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

/** The most operations that a key can name (RFC 7517, section 4.3). */
const MAX_OPERATIONS = 8;

function isUsable(key: unknown): key is PublicKey {
  if (typeof key !== "object" || key === null) return false;
  const { kty, crv, n } = key as PublicKey;
  if (PRIVATE_MEMBERS.some((member) => Object.hasOwn(key, member))) {
    return false;
  }
  const isText = (name: keyof PublicKey) =>
    !Object.hasOwn(key, name) || typeof (key as PublicKey)[name] === "string";
  if (!TEXT_MEMBERS.every(isText) || !hasOperations(key)) return false;
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
 * The key with nothing but what is used of it: jose clones it whole, and a
 * member nested deep enough would overflow the stack. "EdDSA" and "Ed25519" name
 * one algorithm: the key must fit either.
 */
function normalize(key: PublicKey): PublicKey {
  const kept: Record<string, unknown> = {};
  for (const member of TEXT_MEMBERS) {
    if (Object.hasOwn(key, member)) kept[member] = key[member];
  }
  if (Array.isArray(key.key_ops)) kept.key_ops = [...key.key_ops];
  if (key.kty === "OKP") delete kept.alg;
  return kept as PublicKey;
}

function failure(state: string, status?: number) {
  return new ExternalAuthError(
    "keys_failed",
    `Cannot use the keys of the provider: ${state}`,
    { status },
  );
}
