import {
  createDPoPVerifier,
  type DPoPVerification,
  type DPoPVerifierOptions,
} from "@gatehouse/web/auth/access-tokens";
import { RequestContext } from "@gatehouse/web/fetch-router";
import { createMemorySessionStore } from "@gatehouse/web/session";
import {
  base64url,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  SignJWT,
} from "jose";

export const now = 1_700_000_000_000;
export const seconds = now / 1000;
export const url = "https://api.example/notes";
export const token = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU";

export type Changes = Record<string, unknown>;

/** The key of a client, and its public part. */
export interface ClientKey {
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly jwk: Changes;
  readonly privateJWK: Changes;
  readonly thumbprint: string;
}

/** Creates the key of a client. */
export async function createClientKey(
  alg = "ES256",
  modulusLength = 2048,
): Promise<ClientKey> {
  const options = { extractable: true, modulusLength };
  const { privateKey, publicKey } = await generateKeyPair(alg, options);
  const jwk = await exportJWK(publicKey);
  const thumbprint = await calculateJwkThumbprint(jwk);
  const privateJWK = await exportJWK(privateKey);
  return {
    alg,
    privateKey,
    jwk: { ...jwk },
    privateJWK: { ...privateJWK },
    thumbprint,
  };
}

/** Returns the claim `ath` of a token. */
export async function hashOf(token: string): Promise<string> {
  const bytes = new TextEncoder().encode(token);
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return base64url.encode(new Uint8Array(digest));
}

let count = 0;

/**
 * Signs a proof for {@linkcode url} and {@linkcode token} with changed claims and
 * header; `undefined` removes a member.
 */
export async function signProof(
  key: ClientKey,
  claims: Changes = {},
  header: Changes = {},
): Promise<string> {
  return await new SignJWT({
    jti: `proof-${++count}`,
    htm: "GET",
    htu: url,
    iat: seconds,
    ath: await hashOf(token),
    ...claims,
  }).setProtectedHeader({
    alg: key.alg,
    typ: "dpop+jwt",
    jwk: key.jwk,
    ...header,
  }).sign(key.privateKey);
}

/** Creates a verifier whose clock does not move. */
export function createVerifier(options: Partial<DPoPVerifierOptions> = {}) {
  const clock = () => now;
  const verifier = createDPoPVerifier({
    store: createMemorySessionStore({ now: clock }),
    now: clock,
    ...options,
  });

  /** Sends a request with a header `DPoP`, or without one for `null`. */
  async function verify(
    proof: string | null,
    thumbprint: string,
    request: RequestInit & { url?: string; token?: string } = {},
  ): Promise<DPoPVerification> {
    const { token: sent = token, url: target = url, ...init } = request;
    const headers = new Headers(proof === null ? {} : { DPoP: proof });
    const context = new RequestContext(
      new Request(target, { ...init, headers }),
    );
    return await verifier.verify(context, { token: sent, thumbprint });
  }

  return { verifier, verify };
}

export const refused = { ok: false, error: "invalid_dpop_proof" } as const;
