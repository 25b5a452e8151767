import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { Login } from "../../_login.ts";
import { TestProvider } from "../../_test_provider.ts";

Deno.test("startExternalAuth() sends state, nonce and an S256 challenge, with new values each time (spec 5.2.1)", async () => {
  const login = new Login(await TestProvider.create());
  const urls = [];
  for (let i = 0; i < 2; i++) {
    const response = await login.visit("/login");
    assertEquals(response.status, 302);
    assertMatch(response.headers.get("Cache-Control")!, /no-store/);
    urls.push(new URL(response.headers.get("Location")!));
  }
  const [first, second] = urls;
  assertEquals(first!.origin + first!.pathname, "https://id.example/authorize");
  const params = Object.fromEntries(first!.searchParams);
  assertEquals(Object.keys(params).sort(), [
    "client_id",
    "code_challenge",
    "code_challenge_method",
    "nonce",
    "redirect_uri",
    "response_type",
    "scope",
    "state",
  ]);
  assertEquals(params.client_id, "app");
  assertEquals(params.code_challenge_method, "S256");
  assertEquals(params.redirect_uri, "https://app.example/callback");
  assertEquals(params.response_type, "code");
  assertEquals(params.scope, "openid email profile");
  for (const name of ["state", "nonce", "code_challenge"]) {
    assertEquals(params[name]!.length, 43, name);
    assertNotEquals(params[name], second!.searchParams.get(name), name);
  }
});
