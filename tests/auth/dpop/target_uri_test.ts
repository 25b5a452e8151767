import { createRouter, RequestContext } from "@gatehouse/web/fetch-router";
import { assertEquals } from "@std/assert";
import {
  createClientKey,
  createVerifier,
  refused,
  signProof,
  token,
} from "../_dpop.ts";

const key = await createClientKey();

const ok = { ok: true } as const;

const equalURIs: [htu: string, url: string][] = [
  ["https://api.example/notes", "https://api.example/notes?a=1"],
  ["https://api.example/notes?b=2#c", "https://api.example/notes"],
  ["HTTPS://API.EXAMPLE:443/notes", "https://api.example/notes"],
  ["https://api.example/a/../notes", "https://api.example/notes"],
  ["https://api.example/%7Eada", "https://api.example/~ada"],
  ["https://api.example/a%2fb", "https://api.example/a%2Fb"],
  ["https://api.example", "https://api.example/"],
  ["http://api.example:80/", "http://api.example/"],
];

for (const [htu, url] of equalURIs) {
  Deno.test(`createDPoPVerifier() accepts a proof for ${htu} at ${url} (RFC 3986, 6.2)`, async () => {
    const { verify } = createVerifier();
    const proof = await signProof(key, { htu });
    assertEquals(await verify(proof, key.thumbprint, { url }), ok);
  });
}

Deno.test("createDPoPVerifier() with origin ignores the origin of the request", async () => {
  const { verify } = createVerifier({ origin: "https://api.example" });
  const inside = { url: "http://10.0.0.1:8080/notes" };
  const proof = await signProof(key);
  assertEquals(await verify(proof, key.thumbprint, inside), ok);
  const other = await signProof(key, { htu: inside.url });
  assertEquals(await verify(other, key.thumbprint, inside), refused);
});

for (const path of ["/api/notes", "/api", "/api/"]) {
  Deno.test(`createDPoPVerifier() checks the whole path ${path} behind a mount`, async () => {
    const { verifier } = createVerifier();
    const inner = createRouter();
    inner.get(
      "/*",
      async (context) =>
        Response.json(
          await verifier.verify(context, { token, thumbprint: key.thumbprint }),
        ),
    );
    const router = createRouter();
    router.mount("/api", inner);
    const get = async (htu: string) => {
      const headers = { DPoP: await signProof(key, { htu }) };
      const response = await router
        .fetch(`https://api.example${path}`, { headers });
      return await response.json();
    };
    assertEquals(await get(`https://api.example${path}`), ok);
    const without = path.slice("/api".length);
    assertEquals(await get(`https://api.example${without}`), refused);
    assertEquals(await get("https://api.example/api/other"), refused);
  });
}

Deno.test("createDPoPVerifier() accepts a proof without a mount at the root", async () => {
  const { verifier } = createVerifier();
  const root = "https://api.example/";
  const headers = { DPoP: await signProof(key, { htu: root }) };
  const context = new RequestContext(new Request(root, { headers }));
  assertEquals(
    await verifier.verify(context, { token, thumbprint: key.thumbprint }),
    ok,
  );
});
