import { decodeBase64Url } from "../../../session/secrets.ts";
import type { PasskeyAlgorithm } from "../options.ts";
import { type CBORValue, encodeCBOR } from "./cbor.ts";

/** A key pair of a test authenticator. */
export interface TestKey {
  /** The COSE number of the algorithm. */
  readonly alg: number;
  /** The public key in the COSE format. */
  readonly publicKey: Uint8Array<ArrayBuffer>;
  /** Signs data, with the encoding of authenticators. */
  sign(data: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>;
}

const CURVES = {
  ES256: { alg: -7, crv: 1, namedCurve: "P-256", hash: "SHA-256" },
  ES384: { alg: -35, crv: 2, namedCurve: "P-384", hash: "SHA-384" },
  ES512: { alg: -36, crv: 3, namedCurve: "P-521", hash: "SHA-512" },
};

/** Creates a key pair. */
export async function createTestKey(name: PasskeyAlgorithm): Promise<TestKey> {
  switch (name) {
    case "EdDSA": {
      const params = { name: "Ed25519" };
      const { jwk, privateKey } = await generate(params);
      const entries = [[1, 1], [3, -8], [-1, 6], [-2, bytesOf(jwk.x)]] as const;
      return keyOf(-8, entries, (data) => sign(params, privateKey, data));
    }
    case "RS256": {
      const { jwk, privateKey } = await generate({
        name: "RSASSA-PKCS1-v1_5",
        modulusLength: 2048,
        publicExponent: new Uint8Array([1, 0, 1]),
        hash: "SHA-256",
      });
      const [n, e] = [bytesOf(jwk.n), bytesOf(jwk.e)];
      const entries = [[1, 3], [3, -257], [-1, n], [-2, e]] as const;
      const params = { name: "RSASSA-PKCS1-v1_5" };
      return keyOf(-257, entries, (data) => sign(params, privateKey, data));
    }
    default: {
      const { alg, crv, hash, namedCurve } = CURVES[name];
      const { jwk, privateKey } = await generate({ name: "ECDSA", namedCurve });
      const [x, y] = [bytesOf(jwk.x), bytesOf(jwk.y)];
      const entries = [[1, 2], [3, alg], [-1, crv], [-2, x], [-3, y]] as const;
      return keyOf(
        alg,
        entries,
        async (data) =>
          toDER(await sign({ name: "ECDSA", hash }, privateKey, data)),
      );
    }
  }
}

function keyOf(
  alg: number,
  entries: readonly (readonly [number, CBORValue])[],
  sign: TestKey["sign"],
): TestKey {
  return { alg, publicKey: encodeCBOR(new Map(entries)), sign };
}

async function generate(
  params: AlgorithmIdentifier | EcKeyGenParams | RsaHashedKeyGenParams,
): Promise<{ readonly jwk: JsonWebKey; readonly privateKey: CryptoKey }> {
  const { privateKey, publicKey } = await crypto.subtle
    .generateKey(params, true, ["sign", "verify"]) as CryptoKeyPair;
  const jwk = await crypto.subtle.exportKey("jwk", publicKey);
  return { jwk, privateKey };
}

async function sign(
  params: AlgorithmIdentifier | EcdsaParams,
  key: CryptoKey,
  data: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.sign(params, key, data));
}

function bytesOf(base64url: string | undefined): Uint8Array<ArrayBuffer> {
  return decodeBase64Url(base64url ?? "") ?? new Uint8Array();
}

/** Encodes the two numbers of an ECDSA signature in DER. */
function toDER(raw: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const half = raw.length / 2;
  const numbers = [raw.subarray(0, half), raw.subarray(half)].flatMap(
    (part) => {
      const first = part.findIndex((byte) => byte !== 0);
      const digits = [...part.subarray(first)];
      if (digits[0]! > 127) digits.unshift(0);
      return [2, digits.length, ...digits];
    },
  );
  const length = numbers.length > 127
    ? [0x81, numbers.length]
    : [numbers.length];
  return new Uint8Array([0x30, ...length, ...numbers]);
}
