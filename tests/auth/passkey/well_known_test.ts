import { passkeyEndpoints, relatedOrigins } from "@gatehouse/web/auth/passkey";
import { createRouter } from "@gatehouse/web/fetch-router";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { createPasskeyApp } from "../_passkey_app.ts";

Deno.test("relatedOrigins() lists web origins only", async () => {
  const android = `android:apk-key-hash:${"A".repeat(43)}`;
  const origins = ["https://a.example", "https://b.test", android];
  const { passkeys } = createPasskeyApp({ rpId: "a.example", origins });
  const router = createRouter();
  router.get("/.well-known/webauthn", relatedOrigins(passkeys));
  const response = await router.fetch("https://a.example/.well-known/webauthn");
  const type = response.headers.get("Content-Type");
  assert(type?.startsWith("application/json"));
  assertEquals(await response.json(), { origins: origins.slice(0, 2) });
});

Deno.test("passkeyEndpoints() rejects a path", () => {
  const url = "https://a.example/";
  assertThrows(
    () => passkeyEndpoints({ enroll: "/a", manage: url }),
    TypeError,
  );
});
