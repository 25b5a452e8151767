import { encodeBase64Url } from "../../session/secrets.ts";
import { decodeCBORMap } from "./_cbor.ts";
import { toRawSignature } from "./_der_signature.ts";

/** The name of a signature algorithm. */
export type PasskeyAlgorithm = "EdDSA" | "ES256" | "ES384" | "ES512" | "RS256";

/** An algorithm: its COSE numbers and its parameters in Web Crypto. */
interface Algorithm {
  /** The identifier of the algorithm. */
  readonly alg: number;
  /** The key type: 1 for OKP, 2 for EC2, 3 for RSA. */
  readonly kty: number;
  /** The curve, or `undefined` for RSA. */
  readonly crv?: number;
  /** The length of a coordinate, in bytes. */
  readonly size: number;
  /** The parameters for the import of a key and for signatures. */
  readonly params:
    & EcdsaParams
    & EcKeyImportParams
    & RsaHashedImportParams;
}

const algorithm = (
  alg: number,
  kty: number,
  crv: number,
  size: number,
  name: string,
  namedCurve = "",
  hash = "SHA-256",
): Algorithm => ({
  alg,
  kty,
  crv,
  size,
  params: { name, namedCurve, hash },
});

/**
 * The algorithms with their curves (Web Authentication Level 3, section 5.8.5).
 */
const ALGORITHMS: Readonly<Record<PasskeyAlgorithm, Algorithm>> =
  /* @__PURE__ */ (() => ({
    EdDSA: algorithm(-8, 1, 6, 32, "Ed25519"),
    ES256: algorithm(-7, 2, 1, 32, "ECDSA", "P-256"),
    ES384: algorithm(-35, 2, 2, 48, "ECDSA", "P-384", "SHA-384"),
    ES512: algorithm(-36, 2, 3, 66, "ECDSA", "P-521", "SHA-512"),
    RS256: algorithm(-257, 3, 0, 0, "RSASSA-PKCS1-v1_5"),
  }))();

/** Returns the COSE number of an algorithm, or `undefined` for another name. */
export function algorithmNumber(name: PasskeyAlgorithm): number | undefined {
  return Object.hasOwn(ALGORITHMS, name) ? ALGORITHMS[name].alg : undefined;
}

/** A public key that verifies signatures. */
export interface VerifyKey {
  /** The COSE number of its algorithm. */
  readonly alg: number;
  /** Returns `true` if the signature is valid. */
  verify(
    signature: Uint8Array<ArrayBuffer>,
    data: Uint8Array<ArrayBuffer>,
  ): Promise<boolean>;
  /** Returns `true` if the key can verify signatures. */
  isUsable(): Promise<boolean>;
}

/**
 * Imports a public key in the COSE format. Returns `null` if the key is malformed,
 * or its parameters do not belong to its algorithm.
 */
export async function importCOSEKey(
  bytes: Uint8Array<ArrayBuffer>,
): Promise<VerifyKey | null> {
  const cose = decodeCBORMap(bytes);
  const algorithm = Object.values(ALGORITHMS)
    .find(({ alg }) => alg === cose?.get(3));
  if (cose === null || algorithm === undefined) return null;
  const { alg, kty, params, size } = algorithm;
  const material = cose.get(1) === kty ? materialOf(cose, algorithm) : null;
  if (material === null) return null;
  // Most runtimes check the key at its import, while Deno checks it at its
  // first use.
  const key = await importKey(material, params).catch(() => null);
  if (key === null) return null;
  const verify = (signature: BufferSource, data: BufferSource) =>
    crypto.subtle.verify(params, key, signature, data);
  return {
    alg,
    async verify(signature, data) {
      const raw = kty === 2 ? toRawSignature(signature, size) : signature;
      return raw !== null && await verify(raw, data).catch(() => false);
    },
    isUsable: () =>
      verify(new Uint8Array(size * 2), new Uint8Array())
        .then(() => true, () => false),
  };
}

/** The public key in a format of Web Crypto. */
type Material = Uint8Array<ArrayBuffer> | JsonWebKey;

/** Returns the key, or `null` if it is malformed. */
function materialOf(
  cose: Map<unknown, unknown>,
  { crv, kty, size }: Algorithm,
): Material | null {
  const [first, second, third] = [-1, -2, -3].map((label) => cose.get(label));
  // The specification allows no optional parameters (section 6.5.1.1).
  if (cose.size !== (kty === 2 ? 5 : 4)) return null;
  if (kty === 3) return rsaKeyOf(first, second);
  if (first !== crv || !isBytes(second) || second.length !== size) return null;
  if (kty === 1) return second;
  return isBytes(third) && third.length === size
    ? new Uint8Array([4, ...second, ...third])
    : null;
}

function rsaKeyOf(n: unknown, e: unknown): JsonWebKey | null {
  if (!isBytes(n) || !isBytes(e)) return null;
  const isStrong = n.length >= 256 && n.length <= 1024 && n[0] !== 0;
  // Authenticators use exponents of at most 32 bits, which are odd and not 1.
  const isPublic = e.length <= 4 && e[0] !== 0 && e.at(-1)! % 2 === 1 &&
    (e.length > 1 || e[0]! > 1);
  return isStrong && isPublic
    ? { kty: "RSA", n: encodeBase64Url(n), e: encodeBase64Url(e) }
    : null;
}

function importKey(
  material: Material,
  params: Algorithm["params"],
): Promise<CryptoKey> {
  return isBytes(material)
    ? crypto.subtle.importKey("raw", material, params, false, ["verify"])
    : crypto.subtle.importKey("jwk", material, params, false, ["verify"]);
}

function isBytes(value: unknown): value is Uint8Array<ArrayBuffer> {
  return value instanceof Uint8Array;
}
