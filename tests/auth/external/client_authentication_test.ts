import {
  type ClientAuthentication,
  type OIDCAuthProviderOptions,
  startExternalAuth,
} from "@gatehouse/web/auth";
import { createRouter } from "@gatehouse/web/fetch-router";
import { session } from "@gatehouse/web/session-middleware";
import {
  assert,
  assertEquals,
  assertNotEquals,
  assertThrows,
} from "@std/assert";
import { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify } from "jose";
import { clientOf, errorOf, Login, logIn } from "../_login.ts";
import { TestProvider, USER } from "../_test_provider.ts";

const offers: [
  string[] | undefined,
  Partial<OIDCAuthProviderOptions>,
  string,
][] = [
  [undefined, {}, "basic"],
  [["client_secret_basic", "client_secret_post"], {}, "basic"],
  [["client_secret_post", "client_secret_basic"], {}, "basic"],
  [["client_secret_post"], {}, "post"],
  [["client_secret_post"], { clientAuthentication: "basic" }, "basic"],
  [["client_secret_basic"], { clientAuthentication: "post" }, "post"],
  [["none"], { clientSecret: undefined, clientAuthentication: "none" }, "none"],
  [["tls_client_auth"], {}, ""],
  [["none"], {}, ""],
  [[], {}, ""],
];

for (const [offered, options, method] of offers) {
  Deno.test(`client authentication is "${method}" if the provider supports ${offered} and the options are ${JSON.stringify(options)} (OpenID Connect Core 1.0, section 9)`, async () => {
    const provider = await TestProvider.create();
    provider.faults = {
      metadata: (metadata) => ({
        ...metadata,
        token_endpoint_auth_methods_supported: offered,
      }),
    };
    const outcome = await logIn(provider, options);
    if (method === "") {
      assertEquals(outcome.code, "client_authentication_unsupported");
      assertEquals(provider.count("/token"), 0);
      return;
    }
    const { form, headers } = provider.last("/token");
    const used: ClientAuthentication = headers.has("Authorization")
      ? "basic"
      : form.has("client_secret")
      ? "post"
      : "none";
    assertEquals(used, method);
  });
}

Deno.test("client_secret_post sends id and secret in the body only (RFC 6749, section 2.3.1)", async () => {
  const provider = await TestProvider.create();
  provider.authMethods = ["client_secret_post"];
  assertEquals((await logIn(provider)).profile, USER);
  const { form, headers } = provider.last("/token");
  assertEquals(headers.get("Authorization"), null);
  assertEquals(form.get("client_id"), "app");
  assertEquals(form.get("client_secret"), provider.clientSecret);
});

Deno.test("a public client sends its id and a code verifier (RFC 7636, section 4.5)", async () => {
  const provider = await TestProvider.create();
  provider.authMethods = ["none"];
  const { profile } = await logIn(provider, {
    clientSecret: undefined,
    clientAuthentication: "none",
  });
  assertEquals(profile, USER);
  const { form } = provider.last("/token");
  assertEquals(form.get("client_id"), "app");
  assert(/^[\w-]{43}$/.test(form.get("code_verifier")!));
});

const keys = [
  { alg: "RS256", as: "jwk" },
  { alg: "PS256", as: "jwk" },
  { alg: "ES256", as: "jwk" },
  { alg: "EdDSA", as: "jwk" },
  { alg: "RS256", as: "CryptoKey" },
  { alg: "PS256", as: "CryptoKey" },
  { alg: "ES256", as: "CryptoKey" },
  { alg: "EdDSA", as: "CryptoKey" },
] as const;

for (const { alg, as } of keys) {
  Deno.test(`private_key_jwt signs an assertion with a ${alg} key given as ${as} (RFC 7523, section 3)`, async () => {
    const { privateKey, publicKey } = await generateKeyPair(
      alg === "EdDSA" ? "Ed25519" : alg,
      { extractable: as === "jwk" },
    );
    const key = as === "jwk"
      ? { ...await exportJWK(privateKey), alg, kid: "k1" } as JsonWebKey
      : privateKey;
    const provider = await TestProvider.create();
    provider.authMethods = ["private_key_jwt"];
    const login = new Login(provider, {
      clientSecret: undefined,
      privateKey: { key, keyId: "k1" },
    });
    const assertions: string[] = [];
    for (let i = 0; i < 2; i++) {
      assertEquals((await login.run()).profile, USER);
      const { form, headers } = provider.last("/token");
      assertEquals(headers.get("Authorization"), null);
      assertEquals(form.has("client_secret"), false);
      assertEquals(
        form.get("client_assertion_type"),
        "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      );
      assertions.push(form.get("client_assertion")!);
    }
    const jwk = { ...await exportJWK(publicKey), kid: "k1" };
    const [first, second] = await Promise.all(
      assertions.map((assertion) =>
        jwtVerify(assertion, createLocalJWKSet({ keys: [jwk] }), {
          issuer: "app",
          subject: "app",
          audience: provider.issuer,
          typ: "JWT",
          requiredClaims: ["jti", "exp", "iat"],
        })
      ),
    );
    assertEquals(first!.protectedHeader.alg, alg);
    assertEquals(first!.payload.exp! - first!.payload.iat!, 60);
    assertNotEquals(first!.payload.jti, second!.payload.jti);
  });
}

Deno.test("private_key_jwt can use the token endpoint as audience", async () => {
  const { privateKey: key } = await generateKeyPair("ES256");
  const provider = await TestProvider.create();
  provider.authMethods = ["private_key_jwt"];
  await logIn(provider, {
    clientSecret: undefined,
    privateKey: { key, audience: "token_endpoint" },
  });
  const [, payload] = provider.last("/token").form.get("client_assertion")!
    .split(".");
  const { aud } = JSON.parse(
    atob(payload!.replaceAll("-", "+").replaceAll("_", "/")),
  );
  assertEquals(aud, "https://id.example/token");
});

Deno.test("private_key_jwt signs with a JSON Web Key of any use and key_ops, and does not change it", async () => {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const key = {
    ...await exportJWK(privateKey),
    alg: "ECDH-ES",
    use: "enc",
    key_ops: ["deriveBits"],
  } as JsonWebKey;
  const provider = await TestProvider.create();
  provider.authMethods = ["private_key_jwt"];
  const { profile } = await logIn(provider, {
    clientSecret: undefined,
    privateKey: { key },
  });
  assertEquals(profile, USER);
  assertEquals(Object.isFrozen(key), false);
  assertEquals([key.alg, key.use], ["ECDH-ES", "enc"]);
});

Deno.test("private_key_jwt with an RSA CryptoKey of 1,024 bits throws when the provider is created", async () => {
  const { privateKey: key } = await crypto.subtle.generateKey(
    {
      name: "RSASSA-PKCS1-v1_5",
      hash: "SHA-256",
      modulusLength: 1024,
      publicExponent: new Uint8Array([1, 0, 1]),
    },
    false,
    ["sign", "verify"],
  );
  const provider = await TestProvider.create();
  assertThrows(
    () => clientOf(provider, { clientSecret: undefined, privateKey: { key } }),
    TypeError,
    "2,048 bits",
  );
});

Deno.test("private_key_jwt with a malformed key throws a TypeError", async () => {
  const key = { kty: "EC", crv: "P-256", x: "AA", y: "AA", d: "AA" };
  const provider = await TestProvider.create();
  provider.authMethods = ["private_key_jwt"];
  const errors: unknown[] = [];
  const login = new Login(provider, {
    clientSecret: undefined,
    privateKey: { key },
  });
  login.router.get("/try", async (context) => {
    const client = clientOf(provider, {
      clientSecret: undefined,
      privateKey: { key },
      pushedAuthorization: true,
    });
    await startExternalAuth(client, context)
      .catch((error) => errors.push(error));
    return new Response();
  });
  await login.visit("/try");
  assert(errors[0] instanceof TypeError);
  assert(errors[0].message.includes("privateKey"));
});

Deno.test("startExternalAuth() sends prompt, login_hint, max_age, acr_values and further parameters", async () => {
  const provider = await TestProvider.create();
  const location = await locationOf(provider, {
    prompt: "login",
    loginHint: "jane@example.com",
    maxAge: 60,
    acrValues: ["gold", "silver"],
    authorizationParams: { audience: "https://api.example", ui_locales: "de" },
  });
  const params = Object.fromEntries(location.searchParams);
  assertEquals(params.prompt, "login");
  assertEquals(params.login_hint, "jane@example.com");
  assertEquals(params.max_age, "60");
  assertEquals(params.acr_values, "gold silver");
  assertEquals(params.audience, "https://api.example");
  assertEquals(params.ui_locales, "de");
});

Deno.test("startExternalAuth() accepts options for a single login", async () => {
  const provider = await TestProvider.create();
  const login = new Login(provider, { prompt: "login", maxAge: 60 }, {
    prompt: "none",
    loginHint: undefined,
  });
  const response = await login.visit("/login");
  const { searchParams } = new URL(response.headers.get("Location")!);
  assertEquals(searchParams.get("prompt"), "none");
  assertEquals(searchParams.get("max_age"), "60");
  assertEquals(searchParams.has("login_hint"), false);
});

const tokenAnswers: [
  string,
  (token: Record<string, unknown>) => unknown,
  string,
][] = [
  [
    "without access_token",
    ({ access_token: _, ...t }) => t,
    "token_response_invalid",
  ],
  [
    "with an access_token that is a number",
    (t) => ({ ...t, access_token: 1 }),
    "token_response_invalid",
  ],
  [
    "with an empty access_token",
    (t) => ({ ...t, access_token: "" }),
    "token_response_invalid",
  ],
  [
    "with an access_token of two lines",
    (t) => ({ ...t, access_token: "a\r\nb" }),
    "token_response_invalid",
  ],
  [
    "with a giant access_token",
    (t) => ({ ...t, access_token: "a".repeat(70_000) }),
    "token_response_invalid",
  ],
  [
    "without token_type",
    ({ token_type: _, ...t }) => t,
    "token_response_invalid",
  ],
  [
    "with the token_type mac (section 7.1)",
    (t) => ({ ...t, token_type: "mac" }),
    "token_response_invalid",
  ],
  [
    "with the token_type DPoP (section 7.1)",
    (t) => ({ ...t, token_type: "DPoP" }),
    "token_response_invalid",
  ],
  [
    "with a refresh_token that is an array",
    (t) => ({ ...t, refresh_token: [] }),
    "token_response_invalid",
  ],
  [
    "with an error in addition to the tokens",
    (t) => ({ ...t, error: "slow_down" }),
    "token_request_refused",
  ],
  [
    "with unknown members (section 5.1)",
    (t) => ({ ...t, x: 1, __proto__: 2 }),
    "",
  ],
  ["with expires_in as a string", (t) => ({ ...t, expires_in: "3600" }), ""],
  [
    "with an invalid expires_in",
    (t) => ({ ...t, expires_in: -1 }),
    "",
  ],
  [
    "with null for missing members",
    (t) => ({ ...t, refresh_token: null, scope: null }),
    "",
  ],
  ["that is an array", () => [], "token_response_invalid"],
];

for (const [name, token, code] of tokenAnswers) {
  Deno.test(`a token response ${name} gives "${code}" (RFC 6749, section 5.1)`, async () => {
    const provider = await TestProvider.create();
    provider.faults = { token };
    assertEquals((await logIn(provider)).code, code);
  });
}

const lifetimes: [expiresIn: unknown, milliseconds: number | undefined][] = [
  [0, 0],
  [60, 60_000],
  ["60", 60_000],
  [-5, undefined],
  ["-5", undefined],
  [1e9, 1e12],
  [1e9 + 1, undefined],
  ["1e3", undefined],
  [null, undefined],
  [[60], undefined],
];

for (const [expiresIn, milliseconds] of lifetimes) {
  Deno.test(`externalAuthResult() has ${milliseconds === undefined ? "no" : "an"} expiry if expires_in is ${JSON.stringify(expiresIn)}`, async () => {
    const provider = await TestProvider.create();
    const time = Date.now();
    provider.now = () => time;
    provider.faults = {
      token: (token) => ({ ...token, expires_in: expiresIn }),
    };
    const { result } = await logIn(provider);
    assert(result.ok);
    assertEquals(
      result.tokens.expiresAt,
      milliseconds === undefined ? undefined : time + milliseconds,
    );
  });
}

Deno.test("externalAuthResult() has the tokens and the expiry of the access token", async () => {
  const provider = await TestProvider.create();
  const time = Date.now();
  provider.now = () => time;
  const { result } = await logIn(provider);
  assert(result.ok);
  const { accessToken, expiresAt, idToken, issuer, refreshToken, subject } =
    result.tokens;
  assert(accessToken.startsWith("access-"));
  assert(refreshToken!.startsWith("refresh-"));
  assertEquals(idToken!.split(".").length, 3);
  assertEquals(expiresAt, time + 3_600_000);
  assertEquals([issuer, subject], [provider.issuer, USER.sub]);
});

Deno.test("externalAuthResult() has the provider's error code for a rejected code (RFC 6749, section 5.2)", async () => {
  const provider = await TestProvider.create();
  provider.faults = { callback: (params) => params.set("code", "other") };
  const error = errorOf(await logIn(provider));
  assertEquals([error.code, error.providerError], [
    "token_request_refused",
    "invalid_grant",
  ]);
});

Deno.test("userinfo is not requested if it is disabled or missing", async () => {
  const provider = await TestProvider.create();
  assertEquals((await logIn(provider, { userinfo: false })).profile, USER);
  provider.faults = {
    metadata: ({ userinfo_endpoint: _, ...metadata }) => metadata,
  };
  assertEquals((await logIn(provider)).profile, USER);
  assertEquals(provider.count("/userinfo"), 0);
});

async function locationOf(
  provider: TestProvider,
  options: Partial<OIDCAuthProviderOptions>,
): Promise<URL> {
  const client = clientOf(provider, options);
  const router = createRouter({ middleware: [session()] });
  router.get("/login", (context) => startExternalAuth(client, context));
  const response = await router.fetch("https://app.example/login");
  return new URL(response.headers.get("Location")!);
}
