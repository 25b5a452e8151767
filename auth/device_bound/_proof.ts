import type { DeviceKey } from "../../session/internal.ts";
import {
  type JSONObject,
  normalizeType,
  verifyMessage,
} from "../issuer/mod.ts";

/** The supported algorithms (DBSC, section 9.1). `none` proves nothing. */
export const ALGORITHMS = ["ES256", "RS256"] as const;

/** A proof of a key. */
export interface DeviceProof {
  /** The challenge that the device signed. */
  readonly challenge: string;
  /** The key that signed it. */
  readonly key: DeviceKey;
}

/** The longest accepted header, in characters: an RSA key of 4,096 bits fits. */
const MAX_PROOF = 4_096;

/** A compact JWS, as a string of a structured field or without quotes. */
const PROOF = /^ *("?)([\w-]+\.[\w-]+\.[\w-]+)\1 *(?:;.*)?$/;

/** A coordinate of P-256: 32 bytes as base64url. */
const COORDINATE = /^[\w-]{43}$/;

/** A modulus of 2,048 to 4,096 bits as base64url. */
const MODULUS = /^[\w-]{342,683}$/;

/**
 * Verifies a DBSC proof. Returns `null` for an invalid one. The caller checks the
 * challenge.
 *
 * @param header The header `Secure-Session-Response`.
 * @param known The key of the session. Without it, the proof contains its key.
 * @see {@link https://w3c.github.io/webappsec-dbsc/#format-jwt | DBSC, DBSC Proof JWT Syntax}
 */
export async function verifyProof(
  header: string,
  known?: DeviceKey,
): Promise<DeviceProof | null> {
  const [, , message] = header.length > MAX_PROOF
    ? []
    : PROOF.exec(header) ?? [];
  if (message === undefined) return null;
  let key = known;
  const verified = await verifyMessage(message, ALGORITHMS, ({ alg, jwk }) => {
    key ??= parseKey(jwk);
    if (key === undefined || alg !== algorithmOf(key)) throw new TypeError();
    return key;
  });
  if (verified === null || key === undefined) return null;
  // Tokens of other types must not count as proofs (RFC 8725, section 3.11).
  if (normalizeType(verified.header["typ"]) !== "dbsc+jwt") return null;
  const challenge = challengeOf(verified.payload);
  return challenge === null ? null : { challenge, key };
}

function algorithmOf({ kty }: DeviceKey): string {
  return kty === "EC" ? "ES256" : "RS256";
}

/** Returns a public key without the members that the session need not store. */
function parseKey(jwk: unknown): DeviceKey | undefined {
  if (Object(jwk) !== jwk) return undefined;
  const { crv, d, e, kty, n, x, y } = jwk as JSONObject;
  // A device that sends a private key does not protect it.
  if (d !== undefined) return undefined;
  if (kty === "EC" && crv === "P-256" && matches(COORDINATE, x, y)) {
    return { kty, crv, x: x as string, y: y as string };
  }
  // Other exponents only serve to slow down the verification.
  if (kty === "RSA" && e === "AQAB" && matches(MODULUS, n)) {
    return { kty, n: n as string, e };
  }
  return undefined;
}

function matches(pattern: RegExp, ...values: readonly unknown[]): boolean {
  return values.every((value) =>
    typeof value === "string" && pattern.test(value)
  );
}

function challengeOf(payload: string): string | null {
  try {
    const jti = JSON.parse(payload)?.jti;
    return typeof jti === "string" ? jti : null;
  } catch {
    return null;
  }
}
