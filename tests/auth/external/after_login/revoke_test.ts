import { refreshExternalAuth, revokeExternalAuth } from "@gatehouse/web/auth";
import { assert, assertEquals } from "@std/assert";
import { clientOf } from "../../_login.ts";
import { TestProvider } from "../../_test_provider.ts";
import { loggedIn } from "./_logged_in.ts";

Deno.test("revokeExternalAuth() revokes both tokens (RFC 7009, section 2.1)", async () => {
  const { client, provider, tokens } = await loggedIn();
  assertEquals(await revokeExternalAuth(client, tokens), { ok: true });
  const requests = provider.requests.filter(({ path }) => path === "/revoke");
  assertEquals(
    requests.map((
      { form },
    ) => [form.get("token"), form.get("token_type_hint")]),
    [
      [tokens.refreshToken!, "refresh_token"],
      [tokens.accessToken, "access_token"],
    ],
  );
  assert(requests.every(({ headers }) => headers.has("Authorization")));
  assertEquals((await refreshExternalAuth(client, tokens)).ok, false);
});

const revocations: [string, Response][] = [
  ["400", Response.json({ error: "unsupported_token_type" }, { status: 400 })],
  ["503 (section 2.2.1)", new Response(null, { status: 503 })],
  [
    "a redirect",
    new Response(null, { status: 302, headers: { Location: "/" } }),
  ],
];

for (const [name, answer] of revocations) {
  Deno.test(`revokeExternalAuth() fails if the response is ${name} (RFC 7009, section 2.2)`, async () => {
    const { client, provider, tokens } = await loggedIn();
    provider.faults = {
      respond: ({ path }) => path === "/revoke" ? answer : undefined,
    };
    const result = await revokeExternalAuth(client, tokens);
    assertEquals(!result.ok && result.error.code, "revocation_failed");
  });
}

Deno.test("revokeExternalAuth() fails if the provider has no revocation endpoint", async () => {
  const provider = await TestProvider.create();
  provider.faults = {
    metadata: ({ revocation_endpoint: _, ...metadata }) => metadata,
  };
  const result = await revokeExternalAuth(clientOf(provider), {
    accessToken: "a",
  });
  assertEquals(!result.ok && result.error.code, "revocation_failed");
});
