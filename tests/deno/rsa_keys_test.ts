import { assert, assertEquals } from "@std/assert";

const RSA = {
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
  hash: "SHA-256",
};

for (const name of ["RSASSA-PKCS1-v1_5", "RSA-PSS"]) {
  Deno.test(`${name} keys of tests differ, and their signatures are valid`, async () => {
    const keys = new Set<string | undefined>();
    const data = crypto.getRandomValues(new Uint8Array(99));
    const params = { name, saltLength: 32 };
    for (const extractable of [true, false, true]) {
      const { privateKey, publicKey } = await crypto.subtle
        .generateKey({ ...RSA, name }, extractable, ["sign", "verify"]);
      assertEquals(privateKey.extractable, extractable);
      assertEquals(privateKey.usages, ["sign"]);
      const signature = await crypto.subtle.sign(params, privateKey, data);
      assert(await crypto.subtle.verify(params, publicKey, signature, data));
      keys.add((await crypto.subtle.exportKey("jwk", publicKey)).n);
    }
    assertEquals(keys.size, 3);
  });
}
