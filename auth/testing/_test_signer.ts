import { encodeBase64Url, randomToken } from "../../session/secrets.ts";

/** A key pair that signs tokens. It is generated at the first use. */
export class TestSigner {
  readonly #keyId: string = randomToken();
  #pair: Promise<CryptoKeyPair> | undefined;

  /** The algorithm of the signatures. */
  readonly algorithm = "ES256";

  /** Returns the public key for a key set. */
  async publicKey(): Promise<JsonWebKey> {
    const { publicKey } = await this.#keys();
    const { kty, crv, x, y } = await crypto.subtle.exportKey("jwk", publicKey);
    const named = { kid: this.#keyId, use: "sig", alg: this.algorithm };
    return { kty, crv, x, y, ...named };
  }

  /** Signs claims. */
  async sign(
    claims: Readonly<Record<string, unknown>>,
    typ: string,
  ): Promise<string> {
    const { privateKey } = await this.#keys();
    const header = { alg: this.algorithm, kid: this.#keyId, typ };
    const signed = `${encodeJSON(header)}.${encodeJSON(claims)}`;
    const signature = await crypto.subtle.sign(
      { name: "ECDSA", hash: "SHA-256" },
      privateKey,
      new TextEncoder().encode(signed),
    );
    return `${signed}.${encodeBase64Url(new Uint8Array(signature))}`;
  }

  #keys(): Promise<CryptoKeyPair> {
    const algorithm = { name: "ECDSA", namedCurve: "P-256" };
    return this.#pair ??= crypto.subtle.generateKey(
      algorithm,
      true,
      ["sign", "verify"],
    );
  }
}

function encodeJSON(value: unknown): string {
  return encodeBase64Url(new TextEncoder().encode(JSON.stringify(value)));
}
