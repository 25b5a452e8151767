import { base64url, exportJWK, generateKeyPair } from "jose";
import { type Changes, resource, seconds } from "./_resource.ts";
import { signingKey } from "./_test_provider.ts";

export const issuer = "https://id.example";

/** The header of a valid token. */
export const header = { alg: "ES256", typ: "at+jwt" };
/** The claims of a valid token. */
export const claims = {
  iss: issuer,
  sub: "user-1",
  aud: resource,
  iat: seconds,
  exp: seconds + 300,
  client_id: "app",
  jti: "t1",
};

/** A header or claims, as JSON or as any text. */
export type Part = Changes | string;

/** Encodes a part. */
export const encode = (part: Part): string =>
  base64url.encode(typeof part === "string" ? part : JSON.stringify(part));

/** Signs any text with the key of the issuer, or with the attacker's. */
export async function sign(
  header: Part,
  claims: Part,
  key?: CryptoKey,
): Promise<string> {
  const { privateKey } = await signingKey("ES256");
  const signed = `${encode(header)}.${encode(claims)}`;
  const signature = await crypto.subtle.sign(
    { name: "ECDSA", hash: "SHA-256" },
    key ?? privateKey,
    new TextEncoder().encode(signed),
  );
  return `${signed}.${base64url.encode(new Uint8Array(signature))}`;
}

async function signHMAC(header: Part, secret: string): Promise<string> {
  const key = await crypto.subtle.importKey(
    "raw",
    new TextEncoder().encode(secret),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const signed = `${encode(header)}.${encode(claims)}`;
  const data = new TextEncoder().encode(signed);
  const signature = await crypto.subtle.sign("HMAC", key, data);
  return `${signed}.${base64url.encode(new Uint8Array(signature))}`;
}

/** Signs a valid token with another header. */
export const withHeader = (changes: Changes) => () =>
  sign({ ...header, ...changes }, claims);
/** Signs a valid token with other claims. */
export const withClaims = (changes: Changes) => () =>
  sign(header, { ...claims, ...changes });

/** Signs with a key of the attacker, and says so in the header. */
export const byAttacker =
  (changes: (jwk: Changes, kid: unknown) => Changes = () => ({})) =>
  async (): Promise<string> => {
    const pair = await generateKeyPair("ES256", { extractable: true });
    const jwk = await exportJWK(pair.publicKey) as Changes;
    const { jwk: { kid } } = await signingKey("ES256");
    const all = { ...header, ...changes(jwk, kid) };
    return await sign(all, claims, pair.privateKey);
  };

/** Signs with a form of the issuer's public key as the secret of an HMAC. */
export const withSecret =
  (form: (jwk: Changes) => string, alg = "HS256") => async () => {
    const { jwk } = await signingKey("ES256");
    const token = await signHMAC(
      { ...header, alg: "HS256", kid: jwk.kid },
      form(jwk),
    );
    const [, payload, signature] = token.split(".");
    return `${
      encode({ ...header, alg, kid: jwk.kid })
    }.${payload}.${signature}`;
  };

/** Returns the parts of a valid token. */
export const parts = async () => (await sign(header, claims)).split(".");

/** Claims of about 12,000 characters in a token. */
export const large = Object.fromEntries(
  Array.from({ length: 600 }, (_, index) => [`claim${index}`, index]),
);
