import { readDPoPNonce } from "@gatehouse/web/auth/access-tokens";
import { assert, assertEquals } from "@std/assert";
import {
  createClientKey,
  createVerifier,
  now,
  seconds,
  signProof,
} from "../_dpop.ts";

const key = await createClientKey();

const ok = { ok: true } as const;

const nonceSecrets = ["4pZx8Qm2Lw9Vt6Rk1Yd5Nf3Hs7Jb0Gc8"];

Deno.test("createDPoPVerifier() with nonceSecrets sends a nonce and requires it (RFC 9449, 9)", async () => {
  const { verify } = createVerifier({ nonceSecrets });
  const first = await verify(await signProof(key), key.thumbprint);
  assert(!first.ok && first.error === "use_dpop_nonce" && first.nonce);
  const { nonce } = first;
  assertEquals(
    readDPoPNonce(new Response(null, { headers: { "DPoP-Nonce": nonce } })),
    nonce,
  );
  for (let request = 0; request < 3; request++) {
    const proof = await signProof(key, { nonce });
    assertEquals(await verify(proof, key.thumbprint), ok);
  }
});

Deno.test("createDPoPVerifier() accepts the nonces of machines with the same secrets, and of old secrets", async () => {
  const next = "9dKw2Zr5Ty8Ui1Op4As7Df0Gh3Jk6Lz9";
  const other = createVerifier({ nonceSecrets });
  const first = await other.verify(await signProof(key), key.thumbprint);
  assert(!first.ok && first.nonce);
  const secrets: [string[], boolean][] = [
    [nonceSecrets, true],
    [[next, ...nonceSecrets], true],
    [[next], false],
  ];
  for (const [nonceSecrets, isAccepted] of secrets) {
    const { verify } = createVerifier({ nonceSecrets });
    const proof = await signProof(key, { nonce: first.nonce });
    const { ok } = await verify(proof, key.thumbprint);
    assertEquals(ok, isAccepted);
  }
});

Deno.test("createDPoPVerifier() replaces a nonce after half of its five minutes", async () => {
  let time = now;
  const { verify } = createVerifier({ nonceSecrets, now: () => time });
  const first = await verify(await signProof(key), key.thumbprint);
  assert(!first.ok && first.nonce);
  const send = async (age: number) => {
    time = now + age * 1000;
    const claims = { nonce: first.nonce, iat: seconds + age };
    return await verify(await signProof(key, claims), key.thumbprint);
  };
  assertEquals(await send(150), ok);
  const aging = await send(151);
  assert(aging.ok && aging.nonce && aging.nonce !== first.nonce);
  assertEquals((await send(300)).ok, true);
  const late = await send(301);
  assert(!late.ok && late.error === "use_dpop_nonce" && late.nonce);
});

for (
  const nonce of [
    "",
    "x",
    "a.b",
    `${"a".repeat(8)}.${"b".repeat(80)}`,
    "n".repeat(4_000),
    1,
    null,
    {},
    [],
    true,
  ]
) {
  Deno.test(`createDPoPVerifier() refuses the nonce ${JSON.stringify(nonce).slice(0, 20)} with a new one`, async () => {
    const { verify } = createVerifier({ nonceSecrets });
    const proof = await signProof(key, { nonce });
    const result = await verify(proof, key.thumbprint);
    assert(!result.ok && result.error === "use_dpop_nonce" && result.nonce);
  });
}
