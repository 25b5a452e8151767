// The only module that imports jose.
import {
  createLocalJWKSet,
  errors,
  jwtVerify,
  type JWTVerifyOptions,
} from "jose";
import type { JSONObject } from "./_bounded_fetch.ts";

/** Keys to verify with; each is imported once. */
export type KeySet = ReturnType<typeof createLocalJWKSet>;

/** What a token must say to be believed. */
export interface JWTExpectation {
  /** The signature algorithms that are allowed, all of them asymmetric. */
  readonly algorithms: readonly string[];
  /** The client id, which `aud` must contain. */
  readonly audience: string;
  /** What `typ` may be, as `mediaType` writes it; `""` where it may be absent. */
  readonly types: readonly string[];
  /** The claims that must be there. */
  readonly requiredClaims: readonly string[];
  /** In seconds. */
  readonly clockTolerance: number;
  /** The time now, in epoch milliseconds. */
  readonly now: number;
}

/** What became of a verification. */
export type JWTVerification =
  | {
    readonly ok: true;
    readonly claims: JSONObject;
    readonly algorithm: string;
  }
  | {
    readonly ok: false;
    /** What is wrong, without a value of the token. */
    readonly reason: string;
    /** Whether newer keys could change the outcome. */
    readonly keysMayBeOld: boolean;
  };

/** The most keys that are tried for a token that does not name its key. */
const MAX_CANDIDATES = 10;

/** Makes a set of keys that imports each at its first use. */
export function createKeySet(keys: readonly JsonWebKey[]): KeySet {
  return createLocalJWKSet({ keys: [...keys] as { kty: string }[] });
}

/**
 * Verifies the signature of a token and what every JWT carries. It never
 * throws: token and keys both come from the network.
 */
export async function verifyJWT(
  token: string,
  keys: KeySet,
  expectation: JWTExpectation,
): Promise<JWTVerification> {
  const { algorithms, audience, clockTolerance, now, types } = expectation;
  const options: JWTVerifyOptions = {
    algorithms: [...algorithms],
    audience,
    clockTolerance,
    currentDate: new Date(now),
    requiredClaims: [...expectation.requiredClaims],
  };
  try {
    const { payload, protectedHeader } = await verify(token, keys, options);
    if (!types.includes(mediaType(protectedHeader.typ))) {
      return refuse("it is of another type");
    }
    // An own member of this name would become a prototype where it is assigned.
    delete payload["__proto__"];
    return { ok: true, claims: payload, algorithm: protectedHeader.alg };
  } catch (error) {
    return refuse(reasonOf(error), isAboutKeys(error));
  }
}

async function verify(token: string, keys: KeySet, options: JWTVerifyOptions) {
  try {
    return await jwtVerify(token, keys, options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    // The token does not say which key, and several fit: one of them must.
    let tried = 0;
    for await (const key of error) {
      if (++tried > MAX_CANDIDATES) break;
      try {
        return await jwtVerify(token, key, options);
      } catch (failure) {
        if (!(failure instanceof errors.JWSSignatureVerificationFailed)) {
          throw failure;
        }
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

/** The type that `typ` names, of which there is one spelling left. */
export function mediaType(typ: unknown): string {
  return typeof typ === "string"
    ? typ.toLowerCase().replace(/^application\//, "")
    : "";
}

function isAboutKeys(error: unknown): boolean {
  return error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWSSignatureVerificationFailed;
}

/** A text of our own: jose's errors carry the claims. */
function reasonOf(error: unknown): string {
  if (
    error instanceof errors.JWTClaimValidationFailed ||
    error instanceof errors.JWTExpired
  ) {
    return `claim "${error.claim}": ${error.reason.replaceAll("_", " ")}`;
  }
  if (error instanceof errors.JOSEError) {
    return error.code.replace(/^ERR_/, "").toLowerCase().replaceAll("_", " ");
  }
  return "the key is not usable";
}

function refuse(reason: string, keysMayBeOld = false): JWTVerification {
  return { ok: false, reason, keysMayBeOld };
}
