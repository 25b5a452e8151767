import { assert, assertEquals } from "@std/assert";
import { logIn } from "../../_login.ts";
import { TestProvider, USER } from "../../_test_provider.ts";

Deno.test("finishExternalAuth() returns the profile of an OpenID Connect login (spec 2.6, 5.2)", async () => {
  const provider = await TestProvider.create();
  const { profile, result } = await logIn(provider);

  assertEquals(profile, USER);
  assert(result.ok);
  assertEquals(result.issuer, "https://id.example");
  assertEquals(result.subject, USER.sub);
  assertEquals(result.returnTo, "/");
  assertEquals(provider.requests.map(({ path }) => path), [
    "/.well-known/openid-configuration",
    "/token",
    "/keys",
    "/userinfo",
  ]);
});
