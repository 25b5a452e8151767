import { assert, assertEquals, assertMatch } from "@std/assert";
import { errorOf, Login, logIn } from "../_login.ts";
import { TestProvider } from "../_test_provider.ts";
import { refusedWith } from "./_refused.ts";

const secretly = [
  (code: string) => `The code ${code} is used up`,
  (code: string) => `The code ${code.slice(0, 29)}7 is used up`,
  () => "The token 1/fFAGRNJru1FTz70BzhT3Zg is not valid",
  () => "The token fFAGRNJruFTzBzhTZgfFAGRNJruFTzBzhTZg is not valid",
];

for (const [i, describe] of secretly.entries()) {
  Deno.test(`the description of an error hides possible secrets (${i})`, async () => {
    const error = await refusedWith((code) =>
      Response.json(
        { error: "invalid_grant", error_description: describe(code) },
        { status: 400 },
      )
    );
    assertMatch(error.providerErrorDescription!, /^The \w+ … is /);
  });
}

for (const length of [301, 9_999, 10_001]) {
  Deno.test(`a description of ${length} characters is cut off`, async () => {
    const error = await refusedWith(() =>
      Response.json({
        error: "invalid_grant",
        error_description: "no ".repeat(length / 3),
      }, { status: 400 })
    );
    assert((error.providerErrorDescription ?? "").length <= 300);
  });
}

const codes = [
  "4/0AdQt8qgV3xT9",
  "SplxlOBeZQQYbYS6WxSbIA",
  "9f86d081884c7d65",
  "abcdefghijklmnopqrstuvwx",
  "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
  "AbCdEfGhIjKlMnOpQrStUvWx",
  "code-1-0b1c",
];

for (const secret of codes) {
  Deno.test(`providerError is never the code ${secret}`, async () => {
    const error = await refusedWith(() =>
      Response.json({ error: secret }, { status: 400 })
    );
    assertEquals(error.providerError, "unknown");
    assert(!error.message.includes(secret));

    const provider = await TestProvider.create();
    provider.faults = {
      callback: (params) => params.set("error", secret),
    };
    assertEquals(errorOf(await logIn(provider)).providerError, "unknown");
  });
}

Deno.test("providerError is never the code of the same callback", async () => {
  const provider = await TestProvider.create();
  provider.faults = {
    callback: (params) => {
      params.set("code", "open_sesame");
      params.set("error", "open_sesame");
      params.set("error_description", "open_sesame");
    },
  };
  const error = errorOf(await logIn(provider));
  assertEquals(error.providerError, "unknown");
  assertEquals(error.providerErrorDescription, "…");
});

for (
  const code of [
    "invalid_grant",
    "bad_verification_code",
    "unmet_authentication_requirements",
    "OAuthException",
    "GraphMethodException",
    "access denied",
    "unauthorized",
  ]
) {
  Deno.test(`providerError is ${code}`, async () => {
    const error = await refusedWith(() =>
      Response.json({ error: code }, { status: 400 })
    );
    assertEquals(error.providerError, code);
  });
}

Deno.test("onError gets the reason why a login can't start", async () => {
  const provider = await TestProvider.create();
  provider.faults = {
    respond: () =>
      Promise.reject(
        new TypeError("fetch failed", { cause: new Error("no such host") }),
      ),
  };
  const messages: string[] = [];
  const login = new Login(provider, {
    onError: ({ message }) => messages.push(message),
  });
  await login.visit("/login");
  assertMatch(messages.join(), /discovery|metadata|provider.*no such host/);
});
