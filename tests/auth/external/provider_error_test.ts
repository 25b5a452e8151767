// The reports about a provider that rejects or fails, which must contain no
// secrets.
import type { ExternalAuthError } from "@gatehouse/web/auth";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { errorOf, Login, logIn } from "../_login.ts";
import { TestProvider } from "../_test_provider.ts";

/** Returns the error of a login with this response of the token endpoint. */
async function refusedWith(
  answer: (code: string) => Response | Promise<Response>,
): Promise<ExternalAuthError> {
  const provider = await TestProvider.create();
  provider.faults = {
    respond: ({ form, path }) =>
      path === "/token" ? answer(form.get("code")!) : undefined,
  };
  return errorOf(await logIn(provider));
}

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

const failures: [string, unknown, string][] = [
  [
    "the cause",
    new TypeError("fetch failed", { cause: new Error("unknown issuer") }),
    "fetch failed: unknown issuer",
  ],
  [
    "the cause of the cause",
    new TypeError("fetch failed", {
      cause: new Error("client error", { cause: new Error("no route") }),
    }),
    "fetch failed: client error: no route",
  ],
  [
    "the code of a cause without a message",
    new TypeError("fetch failed", {
      cause: Object.assign(new Error(), { code: "ECONNREFUSED" }),
    }),
    "fetch failed: ECONNREFUSED",
  ],
  [
    "the first of several causes",
    new TypeError("fetch failed", {
      cause: new AggregateError([new Error("refused")]),
    }),
    "fetch failed: refused",
  ],
  ["an empty array of causes", new AggregateError([]), "fetch failed"],
  ["no error at all", "secret", "fetch failed"],
];

for (const [name, thrown, reason] of failures) {
  Deno.test(`the message of a network error contains the reason: ${name}`, async () => {
    const error = await refusedWith(() => Promise.reject(thrown));
    assertEquals(error.code, "token_request_failed");
    assert(error.message.endsWith(`/token": ${reason}`), error.message);
    assert(!error.message.includes("secret"));
  });
}

Deno.test("a cause that is its own cause does not loop", async () => {
  const error = new TypeError("fetch failed");
  error.cause = error;
  const { message } = await refusedWith(() => Promise.reject(error));
  assertMatch(message, /fetch failed$/);
});

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
