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
  /** Creates the ID token of a grant. */
  sign(grant: Grant): Promise<string>;
}

/** Milliseconds that an ID token is valid. */
const ID_TOKEN_LIFETIME = 300_000;

/** Creates a key pair and the function that signs with it. */
export async function createSigner(
  issuer: string,
  now: () => number,
): Promise<Signer> {
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
      .setIssuedAt(new Date(now()))
      .setExpirationTime(new Date(now() + ID_TOKEN_LIFETIME))
      .sign(privateKey);
  return { publicJwk: { ...jwk, kid, alg: "RS256", use: "sig" }, sign };
}
