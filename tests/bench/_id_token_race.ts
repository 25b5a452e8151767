import {
  exportJWK,
  generateKeyPair,
  importJWK,
  jwtVerify,
  SignJWT,
} from "jose";
import { createOIDCAuthProvider } from "@gatehouse/web/auth";
import { verifyIdToken } from "../../auth/external/id_token.ts";
import { engineOf } from "../../auth/external/provider.ts";
import { measure, printTable } from "./_measure.ts";

/** The most that one verification may take, as a multiple of jose's time. */
const BOUND = 1.3;

const ISSUER = "https://id.example";
const NONCE = "n-0S6_WzA2MjVZcGVyRmVjdGx5UmFuZG9tVGV4dDAx";
const ACCESS_TOKEN = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y";

const runtime = "Bun" in globalThis ? "Bun" : "Deno";

/** Measures ID tokens on this runtime; tells whether the bounds hold. */
export async function raceIdTokens(quick: boolean): Promise<boolean> {
  let holds = true;
  for (const alg of ["RS256", "PS256", "ES256", "EdDSA"]) {
    holds = await race(alg, quick) && holds;
  }
  return holds;
}

async function race(alg: string, quick: boolean): Promise<boolean> {
  const { privateKey, publicKey } = await generateKeyPair(
    alg === "EdDSA" ? "Ed25519" : alg,
  );
  const jwk = { ...await exportJWK(publicKey), kid: "k1", alg, use: "sig" };
  const now = Date.now();
  const sign = (claims: Record<string, unknown>) =>
    new SignJWT({ ...claimsAt(now), ...claims })
      .setProtectedHeader({ alg, kid: "k1" }).sign(privateKey);
  const token = await sign({});
  const bound = await sign({ at_hash: await hashOf(ACCESS_TOKEN, alg) });

  const key = await importJWK(jwk, alg);
  const options = {
    issuer: ISSUER,
    audience: "app",
    algorithms: [alg],
    clockTolerance: 30,
    requiredClaims: ["sub", "exp", "iat"],
  };
  const engine = engineOf(createOIDCAuthProvider({
    name: "example",
    issuer: ISSUER,
    clientId: "app",
    clientSecret: "s3cret",
    redirectUri: "https://app.example/callback",
    idTokenAlgorithms: [alg],
    metadata: {
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/authorize`,
      token_endpoint: `${ISSUER}/token`,
      jwks_uri: `${ISSUER}/keys`,
    },
    fetch: () => Promise.resolve(Response.json({ keys: [jwk] })),
    now: () => now,
  }));
  const openid = engine.definition.openid!;
  const expected = { nonce: NONCE, accessToken: ACCESS_TOKEN };
  const jose = "jose, jwtVerify";
  const ours = "verifyIdToken";
  const medians = await measure([
    { name: jose, run: () => jwtVerify(token, key, options) },
    { name: ours, run: () => verifyIdToken(engine, openid, token, expected) },
    {
      name: `${ours}, with at_hash`,
      run: () => verifyIdToken(engine, openid, bound, expected),
    },
  ], quick ? { rounds: 30, turns: 50 } : { rounds: 300, turns: 100 });
  return printTable(`ID token, ${alg} on ${runtime}`, medians, [
    { of: ours, to: jose, most: BOUND },
  ]);
}

function claimsAt(now: number): Record<string, unknown> {
  const seconds = Math.floor(now / 1000);
  return {
    iss: ISSUER,
    aud: "app",
    sub: "248289761001",
    iat: seconds,
    exp: seconds + 3600,
    nonce: NONCE,
    name: "Jane Doe",
    email: "jane@example.com",
    email_verified: true,
  };
}

/**
 * Returns the half hash that binds an access token (OIDC Core 1.0, section
 * 3.1.3.6).
 */
async function hashOf(token: string, alg: string): Promise<string> {
  const name = alg === "EdDSA" ? "SHA-512" : "SHA-256";
  const bytes = new TextEncoder().encode(token);
  const hash = new Uint8Array(await crypto.subtle.digest(name, bytes));
  return hash.subarray(0, hash.length / 2)
    .toBase64({ alphabet: "base64url", omitPadding: true });
}
