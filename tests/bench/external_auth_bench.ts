/**
 * External login: what verifying an ID token costs beside jose's own jwtVerify
 * with the same key (bound: 1.3).
 */
import {
  exportJWK,
  generateKeyPair,
  importJWK,
  jwtVerify,
  SignJWT,
} from "jose";
import { createCachedDocument } from "../../auth/external/_cached_document.ts";
import { verifyIdToken } from "../../auth/external/_id_token.ts";
import { parseKeys } from "../../auth/external/_keys.ts";
import { measure, printTable } from "./_measure.ts";

/** How many times jose's cost a verification may have. */
const BOUND = 1.3;
/** What fails the gate, on machines that do other things as well. */
const TOLERANCE = 1.5;

const quick = Deno.args.includes("--quick");
const effort = quick ? { rounds: 21, turns: 50 } : { rounds: 101, turns: 200 };

const ISSUER = "https://id.example";

let worst = 0;
for (const alg of ["RS256", "PS256", "ES256", "EdDSA"]) {
  worst = Math.max(worst, await compare(alg));
}
console.log(
  `\nverifying an ID token: worst ratio ${worst.toFixed(3)}, bound ${BOUND}`,
);
if (worst > BOUND * TOLERANCE) Deno.exit(1);

async function compare(alg: string): Promise<number> {
  const { privateKey, publicKey } = await generateKeyPair(
    alg === "EdDSA" ? "Ed25519" : alg,
  );
  const now = Date.now();
  const seconds = Math.floor(now / 1000);
  const token = await new SignJWT({
    iss: ISSUER,
    aud: "app",
    sub: "248289761001",
    iat: seconds,
    exp: seconds + 3600,
    nonce: "n-0S6_WzA2Mj",
    name: "Jane Doe",
    email: "jane@example.com",
    email_verified: true,
  }).setProtectedHeader({ alg, kid: "k1" }).sign(privateKey);
  const jwk = { ...await exportJWK(publicKey), kid: "k1", alg, use: "sig" };
  const key = await importJWK(jwk, alg);
  const keys = createCachedDocument({
    key: "keys",
    ttl: Infinity,
    cooldown: 0,
    load: () => Promise.resolve({ keys: [jwk] }),
    parse: parseKeys,
    now: () => now,
  });
  const expectation = {
    clientId: "app",
    trustedAudiences: [],
    isIssuer: (issuer: string) => issuer === ISSUER,
    algorithms: [alg],
    nonce: "n-0S6_WzA2Mj",
    clockTolerance: 30,
    now,
  };
  const options = {
    issuer: ISSUER,
    audience: "app",
    algorithms: [alg],
    clockTolerance: 30,
    requiredClaims: ["sub", "exp", "iat"],
  };
  const jose = "jose jwtVerify";
  const ours = "verifyIdToken";
  const medians = await measure([
    { name: jose, run: () => jwtVerify(token, key, options) },
    { name: ours, run: () => verifyIdToken(token, keys, expectation) },
  ], effort);
  printTable(`An ID token with ${alg}`, medians);
  return medians.get(ours)! / medians.get(jose)!;
}
