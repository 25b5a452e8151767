import {
  createDPoPKey,
  createDPoPProof,
  parseDPoPKey,
  thumbprintOfDPoPKey,
} from "@gatehouse/web/auth/access-tokens";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { createVerifier, hashOf, now, seconds, token, url } from "../_dpop.ts";

const ok = { ok: true } as const;

Deno.test("createDPoPProof() creates a proof with a public key (RFC 9449, 4.2)", async () => {
  const key = await createDPoPKey();
  const proof = await createDPoPProof(key, {
    method: "POST",
    url: new URL("https://api.example/notes?a=1#b"),
    token,
    nonce: "n-1",
    now: () => now,
  });
  const { d: _d, ...jwk } = key;
  assertEquals(decodeProtectedHeader(proof), {
    typ: "dpop+jwt",
    alg: "ES256",
    jwk,
  });
  const { jti, ...claims } = decodeJwt(proof);
  assert(/^[\w-]{43}$/.test(jti!));
  assertEquals(claims, {
    htm: "POST",
    htu: url,
    iat: seconds,
    ath: await hashOf(token),
    nonce: "n-1",
  });
});

Deno.test("createDPoPProof() omits the claims of an absent token and nonce", async () => {
  const key = await createDPoPKey();
  const proof = await createDPoPProof(key, { method: "POST", url });
  const names = Object.keys(decodeJwt(proof)).sort();
  assertEquals(names, ["htm", "htu", "iat", "jti"]);
});

Deno.test("createDPoPProof() creates proofs that the verifier accepts, with a stored key", async () => {
  const { verify } = createVerifier();
  const stored = JSON.stringify(await createDPoPKey());
  const key = parseDPoPKey(JSON.parse(stored));
  assert(key !== null);
  const request = { method: "GET", url, token, now: () => now };
  for (let index = 0; index < 2; index++) {
    const proof = await createDPoPProof(key, request);
    assertEquals(await verify(proof, await thumbprintOfDPoPKey(key)), ok);
  }
});

for (const url of ["", "notes", "ftp://a.example/", "https://u:p@a.example/"]) {
  Deno.test(`createDPoPProof() throws for the URL "${url}"`, async () => {
    const key = await createDPoPKey();
    await assertRejects(
      () => createDPoPProof(key, { method: "GET", url }),
      TypeError,
      "Cannot create DPoP proof: the URL",
    );
  });
}

Deno.test("createDPoPProof() rejects with a malformed key", async () => {
  const key = { ...await createDPoPKey(), d: "!" };
  await assertRejects(
    () => createDPoPProof(key, { method: "GET", url }),
    TypeError,
    "Cannot create DPoP proof: the key is malformed",
  );
});
