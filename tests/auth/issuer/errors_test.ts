import { assertEquals, assertMatch } from "@std/assert";
import { errorOf, logIn } from "../_login.ts";
import { TestProvider } from "../_test_provider.ts";
import { refusedWith } from "../external/_refused.ts";

Deno.test("ExternalAuthError has the status and the description of a provider's error", async () => {
  const error = await refusedWith(() =>
    Response.json({
      error: "invalid_grant",
      error_description: "The code is wrong.\nLook at https://id.example/?a=b",
    }, { status: 400 })
  );
  assertEquals(error.providerError, "invalid_grant");
  assertEquals(error.status, 400);
  assertEquals(
    error.providerErrorDescription,
    "The code is wrong. Look at https://id.example/?…",
  );
});

Deno.test("ExternalAuthError has the description of an error object", async () => {
  const error = await refusedWith(() =>
    Response.json({
      error: { type: "OAuthException", message: "Expired", code: 100 },
    }, { status: 400 })
  );
  assertEquals(
    [error.providerError, error.providerErrorDescription],
    ["OAuthException", "Expired"],
  );
});

for (const responseMode of ["query", "form_post"] as const) {
  Deno.test(`ExternalAuthError has the description of a callback's error, with ${responseMode}`, async () => {
    const provider = await TestProvider.create();
    provider.faults = {
      callback: (params) => {
        params.set("error", "temporarily_unavailable");
        params.set("error_description", "We are back in an hour");
      },
    };
    const error = errorOf(await logIn(provider, { responseMode }));
    assertEquals(error.providerError, "temporarily_unavailable");
    assertEquals(error.providerErrorDescription, "We are back in an hour");
  });
}

Deno.test("ExternalAuthError has the status of an HTML response", async () => {
  const error = await refusedWith(() =>
    new Response("<h1>Bad Gateway</h1>", { status: 502 })
  );
  assertEquals([error.code, error.status], ["token_request_failed", 502]);
  assertMatch(error.message, /"https:\/\/id\.example\/token": status 502/);
});

const endpoints: [string, string][] = [
  ["/keys", "keys_failed"],
  ["/userinfo", "userinfo_failed"],
  ["/token", "token_request_refused"],
];

for (const [path, code] of endpoints) {
  Deno.test(`ExternalAuthError has the status if ${path} responds with 418`, async () => {
    const provider = await TestProvider.create();
    provider.faults = {
      respond: (request) =>
        request.path === path ? Response.json({}, { status: 418 }) : undefined,
    };
    const error = errorOf(await logIn(provider));
    assertEquals([error.code, error.status], [code, 418]);
  });
}

Deno.test("ExternalAuthError has the message of a userinfo endpoint without the access token", async () => {
  const provider = await TestProvider.create();
  provider.faults = {
    respond: ({ headers, path }) =>
      path === "/userinfo"
        ? Response.json({
          error: "invalid_token",
          error_description: `No user for ${headers.get("Authorization")}`,
        }, { status: 401 })
        : undefined,
  };
  const error = errorOf(await logIn(provider));
  assertEquals(error.providerError, "invalid_token");
  assertEquals(error.providerErrorDescription, "No user for Bearer …");
});
