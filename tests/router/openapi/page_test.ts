import { createRouter } from "@gatehouse/web/fetch-router";
import { secureHeaders } from "@gatehouse/web/middleware";
import { openapiPage } from "@gatehouse/web/openapi";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";

Deno.test("openapiPage() has a policy with the hash of its script, without unsafe-inline", async () => {
  const router = createRouter({ middleware: [secureHeaders()] });
  router.get("/docs", openapiPage({ document: "/openapi.json" }));
  const response = await router.fetch("https://example.com/docs");
  const policy = response.headers.get("Content-Security-Policy") ?? "";
  const [, script = ""] = /<script>([^]*)<\/script>/.exec(
    await response.text(),
  ) ?? [];
  const hash = await crypto.subtle.digest(
    "SHA-256",
    new TextEncoder().encode(script),
  );
  const base64 = btoa(String.fromCharCode(...new Uint8Array(hash)));
  assertStringIncludes(policy, `'sha256-${base64}'`);
  assertEquals(policy.includes("unsafe"), false);
});

Deno.test("openapiPage() escapes its options and takes assets of the same origin", async () => {
  const response = openapiPage({
    document: '/"><script>alert(1)</script>',
    title: "</title><script>alert(2)</script>",
    assets: "/swagger",
  })();
  const text = await response.text();
  assertEquals(text.includes("alert(1)</script>"), false);
  assertEquals(text.includes("alert(2)</script>"), false);
  assertStringIncludes(text, 'src="/swagger/swagger-ui-bundle.js"');
  assertStringIncludes(
    response.headers.get("Content-Security-Policy") ?? "",
    "style-src 'self';",
  );
});

for (const assets of ["/a; script-src *", "/a b", "/a'", "https://a,b"]) {
  Deno.test(`openapiPage() throws for assets at ${assets}`, () => {
    assertThrows(() => openapiPage({ document: "/", assets }), TypeError);
  });
}
