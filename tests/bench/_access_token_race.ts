import {
  createLocalJWKSet,
  exportJWK,
  generateKeyPair,
  jwtVerify,
  SignJWT,
} from "jose";
import { createResourceServer } from "@gatehouse/web/auth/access-tokens";
import { RequestContext } from "@gatehouse/web/fetch-router";
import { measure, printTable } from "./_measure.ts";

/** The most that one verification may take, as a multiple of jose's time. */
const BOUND = 1.1;

const ISSUER = "https://id.example";
const RESOURCE = "https://api.example/notes";

const runtime = "Bun" in globalThis ? "Bun" : "Deno";

/** Measures access tokens on this runtime; tells whether the bounds hold. */
export async function raceAccessTokens(quick: boolean): Promise<boolean> {
  let holds = true;
  for (const alg of ["RS256", "ES256", "EdDSA"]) {
    holds = await race(alg, quick) && holds;
  }
  return holds;
}

async function race(alg: string, quick: boolean): Promise<boolean> {
  const { privateKey, publicKey } = await generateKeyPair(
    alg === "EdDSA" ? "Ed25519" : alg,
  );
  const keys = {
    keys: [{ ...await exportJWK(publicKey), kid: "k1", alg, use: "sig" }],
  };
  const token = await new SignJWT({ client_id: "app", scope: "notes:read" })
    .setProtectedHeader({ alg, kid: "k1", typ: "at+jwt" })
    .setIssuer(ISSUER).setAudience(RESOURCE).setSubject("248289761001")
    .setIssuedAt().setExpirationTime("1h").setJti(crypto.randomUUID())
    .sign(privateKey);
  const set = createLocalJWKSet(keys);
  const options = {
    issuer: ISSUER,
    audience: RESOURCE,
    algorithms: [alg],
    typ: "at+jwt",
    clockTolerance: 30,
    requiredClaims: ["sub", "exp", "iat", "client_id", "jti"],
  };
  const { scheme } = createResourceServer({
    name: "notes",
    resource: RESOURCE,
    issuers: [{
      issuer: ISSUER,
      algorithms: [alg],
      jwksUri: `${ISSUER}/keys`,
    }],
    verify: ({ sub }) => ({ id: sub }),
    fetch: () => Promise.resolve(Response.json(keys)),
  });
  const context = new RequestContext(
    new Request(RESOURCE, { headers: { Authorization: `Bearer ${token}` } }),
  );
  const jose = "jose, jwtVerify with a key set";
  const ours = "the scheme of createResourceServer";
  const medians = await measure([
    { name: jose, run: () => jwtVerify(token, set, options) },
    {
      name: ours,
      async run() {
        const { status } = await scheme.authenticate(context);
        if (status !== "authenticated") throw new Error("It was refused");
      },
    },
  ], quick ? { rounds: 30, turns: 50 } : { rounds: 300, turns: 100 });
  return printTable(`Access token, ${alg} on ${runtime}`, medians, [
    { of: ours, to: jose, most: BOUND },
  ]);
}
