import { endSessionUrl } from "@gatehouse/web/auth";
import { assertEquals, assertRejects } from "@std/assert";
import { clientOf } from "../../_login.ts";
import { TestProvider } from "../../_test_provider.ts";

Deno.test("endSessionUrl() returns the URL of the provider's logout (OpenID Connect RP-Initiated Logout 1.0, section 2)", async () => {
  const provider = await TestProvider.create();
  const url = await endSessionUrl(clientOf(provider), {
    idToken: "a.b.c",
    postLogoutRedirectUri: "https://app.example/bye",
    state: "s",
    logoutHint: "jane",
  });
  assertEquals(url!.origin + url!.pathname, "https://id.example/logout");
  assertEquals(Object.fromEntries(url!.searchParams), {
    client_id: "app",
    id_token_hint: "a.b.c",
    post_logout_redirect_uri: "https://app.example/bye",
    state: "s",
    logout_hint: "jane",
  });
});

Deno.test("endSessionUrl() returns null if the provider has none or is unavailable", async () => {
  const provider = await TestProvider.create();
  provider.faults = {
    metadata: ({ end_session_endpoint: _, ...metadata }) => metadata,
  };
  assertEquals(await endSessionUrl(clientOf(provider)), null);
  provider.faults = { respond: () => new Response(null, { status: 500 }) };
  assertEquals(await endSessionUrl(clientOf(provider)), null);
});

Deno.test("endSessionUrl() throws a TypeError for a relative postLogoutRedirectUri", async () => {
  const client = clientOf(await TestProvider.create());
  await assertRejects(
    () => endSessionUrl(client, { postLogoutRedirectUri: "/bye" }),
    TypeError,
    "postLogoutRedirectUri",
  );
});
