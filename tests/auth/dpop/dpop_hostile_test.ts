/** Proofs of attackers, each with one fault. */
import { assertEquals } from "@std/assert";
import { base64url, CompactSign, SignJWT } from "jose";
import {
  type Changes,
  createClientKey,
  createVerifier,
  hashOf,
  refused,
  seconds,
  signProof,
  token,
  url,
} from "../_dpop.ts";

const key = await createClientKey();
const thief = await createClientKey();
const rsa = await createClientKey("RS256");

const encode = (value: unknown) =>
  base64url.encode(
    typeof value === "string" ? value : JSON.stringify(value),
  );

const good = await signProof(key);
const [header, payload, signature] = good.split(".");

/** Signs any payload, also one that is not JSON. */
const signBytes = (text: string, header: Changes = {}) =>
  new CompactSign(new TextEncoder().encode(text)).setProtectedHeader({
    alg: "ES256",
    typ: "dpop+jwt",
    jwk: key.jwk,
    ...header,
  }).sign(key.privateKey);

/** Signs with a public key as the secret. */
const signWithPublicKey = () =>
  new SignJWT({ jti: "a", htm: "GET", htu: url, iat: seconds })
    .setProtectedHeader({ alg: "HS256", typ: "dpop+jwt", jwk: key.jwk })
    .sign(new TextEncoder().encode(JSON.stringify(key.jwk)));

const signWithSecret = () => {
  const secret = new Uint8Array(32).fill(7);
  const jwk: Changes = { kty: "oct", k: base64url.encode(secret) };
  return new SignJWT({ jti: "a", htm: "GET", htu: url, iat: seconds })
    .setProtectedHeader({
      alg: "HS256",
      typ: "dpop+jwt",
      jwk,
    }).sign(secret);
};

type Proof = () => string | null | Promise<string | null>;

const proofs: Record<string, Proof> = {
  "no header": () => null,
  "an empty header": () => "",
  "two proofs": () => `${good}, ${good}`,
  "two proofs without a space": () => `${good},${good}`,
  "a proof and an empty header": () => `${good}, `,
  "one part": () => header,
  "two parts": () => `${header}.${payload}`,
  "four parts": () => `${good}.${signature}`,
  "five parts": () => `${good}.${signature}.${signature}`,
  "an encrypted token": () =>
    `${encode({ alg: "dir", enc: "A256GCM" })}..a.b.c`,
  "padding": () => `${good}==`,
  "a proof of more than 8,192 characters": () =>
    signProof(key, { padding: "a".repeat(6_000) }),
  "a header that is not JSON": () => `${encode("{")}.${payload}.${signature}`,
  "a header that is an array": () => `${encode([])}.${payload}.${signature}`,
  "a header that is null": () => `${encode("null")}.${payload}.${signature}`,
  "a payload that is not JSON": () => signBytes("{"),
  "a payload that is an array": () => signBytes("[]"),
  "a payload that is null": () => signBytes("null"),
  "a payload that is a string": () => signBytes('"a"'),
  "an empty payload": () => signBytes(" "),
  "a changed payload": () => `${header}.${encode({ jti: "a" })}.${signature}`,
  "a changed signature": () =>
    `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
  "a signature of zeros": () =>
    `${header}.${payload}.${base64url.encode(new Uint8Array(64))}`,
  "a short signature": () => `${header}.${payload}.AA`,
  "alg none": () =>
    `${encode({ alg: "none", typ: "dpop+jwt", jwk: key.jwk })}.${payload}.`,
  "alg none with a signature": () =>
    `${
      encode({ alg: "none", typ: "dpop+jwt", jwk: key.jwk })
    }.${payload}.${signature}`,
  "HS256 with the public key as secret": signWithPublicKey,
  "HS256 with a symmetric key in the header": signWithSecret,
  "alg of another curve": () =>
    `${
      encode({ alg: "ES384", typ: "dpop+jwt", jwk: key.jwk })
    }.${payload}.${signature}`,
  "alg of another type of key": () =>
    `${
      encode({ alg: "RS256", typ: "dpop+jwt", jwk: key.jwk })
    }.${payload}.${signature}`,
  "no alg": () =>
    `${encode({ typ: "dpop+jwt", jwk: key.jwk })}.${payload}.${signature}`,
  "an alg that is an object": () =>
    `${
      encode({ alg: {}, typ: "dpop+jwt", jwk: key.jwk })
    }.${payload}.${signature}`,
  "no typ": () => signProof(key, {}, { typ: undefined }),
  "typ JWT": () => signProof(key, {}, { typ: "JWT" }),
  "typ at+jwt": () => signProof(key, {}, { typ: "at+jwt" }),
  "typ dbsc+jwt": () => signProof(key, {}, { typ: "dbsc+jwt" }),
  "no key": () => signProof(key, {}, { jwk: undefined }),
  "a key that is null": () => signProof(key, {}, { jwk: null }),
  "a key that is a string": () => signProof(key, {}, { jwk: "key" }),
  "a key that is an array": () => signProof(key, {}, { jwk: [key.jwk] }),
  "an empty key": () => signProof(key, {}, { jwk: {} }),
  "a key without a coordinate": () =>
    signProof(key, {}, { jwk: { ...key.jwk, y: undefined } }),
  "a point that is not on the curve": () =>
    signProof(key, {}, { jwk: { ...key.jwk, y: key.jwk.x } }),
  "a key with its private part": () =>
    signProof(key, {}, { jwk: key.privateJWK }),
  "an RSA key with its private part": () =>
    signProof(rsa, {}, { jwk: rsa.privateJWK }),
  "an RSA key with one private member": () =>
    signProof(rsa, {}, { jwk: { ...rsa.jwk, p: rsa.privateJWK.p } }),
  "a key of another client": () => signProof(key, {}, { jwk: thief.jwk }),
  "another client": () => signProof(thief),
  "another client with this kid": () =>
    signProof(thief, {}, { kid: key.thumbprint }),
  "a key by jku": () =>
    signProof(key, {}, { jwk: undefined, jku: "https://evil.example/keys" }),
  "a key by x5u": () =>
    signProof(key, {}, { jwk: undefined, x5u: "https://evil.example/cert" }),
  "a key by x5c": () => signProof(key, {}, { jwk: undefined, x5c: ["AAAA"] }),
  "a key by kid": () =>
    signProof(key, {}, { jwk: undefined, kid: key.thumbprint }),
  "an unknown critical header": () =>
    signBytes(JSON.stringify({ jti: "a" }), { crit: ["x"], x: 1 })
      .catch(() =>
        `${
          encode({ ...JSON.parse(atob(header)), crit: ["x"], x: 1 })
        }.${payload}.${signature}`
      ),
  "an unencoded payload": () =>
    `${
      encode({
        alg: "ES256",
        typ: "dpop+jwt",
        jwk: key.jwk,
        b64: false,
        crit: ["b64"],
      })
    }.${payload}.${signature}`,
  "no jti": () => signProof(key, { jti: undefined }),
  "an empty jti": () => signProof(key, { jti: "" }),
  "a jti that is a number": () => signProof(key, { jti: 1 }),
  "a jti that is an array": () => signProof(key, { jti: ["a"] }),
  "no htm": () => signProof(key, { htm: undefined }),
  "another method": () => signProof(key, { htm: "POST" }),
  "the method in lower case": () => signProof(key, { htm: "get" }),
  "a list of methods": () => signProof(key, { htm: ["GET"] }),
  "no htu": () => signProof(key, { htu: undefined }),
  "an htu that is an array": () => signProof(key, { htu: [url] }),
  "an empty htu": () => signProof(key, { htu: "" }),
  "an htu without origin": () => signProof(key, { htu: "/notes" }),
  "an htu of another host": () =>
    signProof(key, { htu: "https://evil.example/notes" }),
  "an htu of another port": () =>
    signProof(key, { htu: "https://api.example:8443/notes" }),
  "an htu of another protocol": () =>
    signProof(key, { htu: "http://api.example/notes" }),
  "an htu of a protocol without hosts": () =>
    signProof(key, { htu: "data:https://api.example/notes" }),
  "an htu of another path": () =>
    signProof(key, { htu: "https://api.example/notes/1" }),
  "an htu with a slash at the end": () => signProof(key, { htu: `${url}/` }),
  "an htu in another case": () =>
    signProof(key, { htu: "https://api.example/Notes" }),
  "an htu with userinfo": () =>
    signProof(key, { htu: "https://a:b@api.example/notes" }),
  "an htu whose host is userinfo": () =>
    signProof(key, { htu: "https://api.example@evil.example/notes" }),
  "an htu that decodes to a slash": () =>
    signProof(key, { htu: "https://api.example/%2Fnotes" }),
  "no iat": () => signProof(key, { iat: undefined }),
  "an iat that is a string": () => signProof(key, { iat: `${seconds}` }),
  "an iat in milliseconds": () => signProof(key, { iat: seconds * 1000 }),
  "an old iat": () => signProof(key, { iat: seconds - 91 }),
  "an iat of tomorrow": () => signProof(key, { iat: seconds + 86_400 }),
  "a negative iat": () => signProof(key, { iat: -1 }),
  "an exp in the past": () => signProof(key, { exp: seconds - 31 }),
  "an nbf in the future": () => signProof(key, { nbf: seconds + 31 }),
  "no ath": () => signProof(key, { ath: undefined }),
  "an empty ath": () => signProof(key, { ath: "" }),
  "an ath that is null": () => signProof(key, { ath: null }),
  "an ath of another token": async () =>
    signProof(key, { ath: await hashOf("another") }),
  "an ath with padding": async () =>
    signProof(key, { ath: `${await hashOf(token)}=` }),
  "the token as ath": () => signProof(key, { ath: token }),
};

for (const [name, create] of Object.entries(proofs)) {
  Deno.test(`createDPoPVerifier() refuses ${name}`, async () => {
    const { verify } = createVerifier();
    const proof = await create();
    for (const { thumbprint } of [key, rsa]) {
      if (thumbprint === rsa.thumbprint && !name.includes("RSA")) continue;
      assertEquals(await verify(proof, thumbprint), refused);
    }
  });
}

Deno.test("createDPoPVerifier() refuses an algorithm that is not listed", async () => {
  const { verify } = createVerifier({ algorithms: ["PS256"] });
  const proof = await signProof(key);
  assertEquals(await verify(proof, key.thumbprint), refused);
});

Deno.test("createDPoPVerifier() refuses RSA keys of less than 2,048 bits (RFC 7518, 3.3)", async () => {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(
    {
      name: "RSASSA-PKCS1-v1_5",
      hash: "SHA-256",
      modulusLength: 1024,
      publicExponent: new Uint8Array([1, 0, 1]),
    },
    true,
    ["sign", "verify"],
  );
  const { e, kty, n } = await crypto.subtle.exportKey("jwk", publicKey);
  const input = `${
    encode({ alg: "RS256", typ: "dpop+jwt", jwk: { e, kty, n } })
  }.${
    encode({
      jti: "a",
      htm: "GET",
      htu: url,
      iat: seconds,
      ath: await hashOf(token),
    })
  }`;
  const signed = await crypto.subtle.sign(
    "RSASSA-PKCS1-v1_5",
    privateKey,
    new TextEncoder().encode(input),
  );
  const proof = `${input}.${base64url.encode(new Uint8Array(signed))}`;
  const text = JSON.stringify({ e, kty, n });
  const { verify } = createVerifier();
  assertEquals(await verify(proof, await hashOf(text)), refused);
});

Deno.test("createDPoPVerifier() ignores members that restrict a key (RFC 7517, 4.2)", async () => {
  const { verify } = createVerifier();
  const jwk = { ...key.jwk, use: "enc", key_ops: ["encrypt"], alg: "ES384" };
  const proof = await signProof(key, {}, { jwk });
  assertEquals(await verify(proof, key.thumbprint), { ok: true });
});
