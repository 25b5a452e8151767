import {
  calculateJwkThumbprint,
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  SignJWT,
} from "jose";
import { type Grant, TOKEN_LIFETIME } from "./grants.ts";

/** Signs ID tokens and access tokens with a key that ends with the process. */
export interface Signer {
  /** Returns the public half of the key. */
  publicJwk(): Promise<JWK>;
  /** Creates the ID token of a grant. */
  sign(grant: Grant): Promise<string>;
  /** Creates the access token of a grant for an API (RFC 9068). */
  signAccessToken(grant: Grant, resource: string): Promise<string>;
}

interface Keys {
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
  readonly kid: string;
}

/** Milliseconds that an ID token is valid. */
const ID_TOKEN_LIFETIME = 300_000;

/** One key pair for the process, because its creation takes about 100 ms. */
let keys: Promise<Keys> | undefined;

function findKeys(): Promise<Keys> {
  return keys ??= createKeys();
}

/** Creates a signer. The first signature creates the key pair. */
export function createSigner(issuer: string, now: () => number): Signer {
  return {
    publicJwk: async () => (await findKeys()).publicJwk,
    async sign({ request, person, authenticatedAt }) {
      const { privateKey, kid } = await findKeys();
      return await new SignJWT({
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
    },
    async signAccessToken({ request, person, authenticatedAt }, resource) {
      const { privateKey, kid } = await findKeys();
      return await new SignJWT({
        client_id: request.client.id,
        scope: request.scopes.join(" "),
        auth_time: Math.floor(authenticatedAt / 1000),
      })
        .setProtectedHeader({ alg: "RS256", kid, typ: "at+jwt" })
        .setIssuer(issuer)
        .setSubject(person.sub)
        .setAudience(resource)
        .setJti(crypto.randomUUID())
        .setIssuedAt(new Date(now()))
        .setExpirationTime(new Date(now() + TOKEN_LIFETIME))
        .sign(privateKey);
    },
  };
}

async function createKeys(): Promise<Keys> {
  const { publicKey, privateKey } = await generateKeyPair("RS256");
  const jwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  const publicJwk = { ...jwk, kid, alg: "RS256", use: "sig" };
  return { privateKey, publicJwk, kid };
}
