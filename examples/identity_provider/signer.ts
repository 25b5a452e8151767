import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  type JWK,
  SignJWT,
} from "jose";
import type { Grant } from "./grants.ts";

/** Signs ID tokens with a key that ends with the process. */
export interface Signer {
  /** The public half of the key. */
  readonly publicJwk: JWK;
  /** Makes the ID token of a grant. */
  sign(grant: Grant): Promise<string>;
}

/** Makes a key pair, and what signs with it. */
export async function createSigner(issuer: string): Promise<Signer> {
  const { publicKey, privateKey } = await generateKeyPair("RS256");
  const jwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  const sign = ({ request, person, authenticatedAt }: Grant) =>
    new SignJWT({
      nonce: request.nonce ?? undefined,
      auth_time: Math.floor(authenticatedAt / 1000),
    })
      .setProtectedHeader({ alg: "RS256", kid, typ: "JWT" })
      .setIssuer(issuer)
      .setSubject(person.sub)
      .setAudience(request.client.id)
      .setIssuedAt()
      .setExpirationTime("5 minutes")
      .sign(privateKey);
  return { publicJwk: { ...jwk, kid, alg: "RS256", use: "sig" }, sign };
}
