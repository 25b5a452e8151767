import {
  createOIDCAuthProvider,
  type OIDCAuthProviderOptions,
} from "@gatehouse/web/auth";
import { assertEquals, assertThrows } from "@std/assert";
import { right } from "./_right_options.ts";

const metadata = {
  issuer: "https://id.example",
  authorization_endpoint: "https://id.example/authorize",
  token_endpoint: "https://id.example/token",
};

const wrong: [string, Record<string, unknown>, string][] = [
  ["no issuer", { issuer: undefined }, "issuer"],
  ["an issuer that is not a URL", { issuer: "id.example" }, "issuer"],
  ["an issuer with HTTP", { issuer: "http://id.example" }, "issuer"],
  ["an issuer with HTTP on loopback that is not allowed", {
    issuer: "http://localhost",
  }, "issuer is http, which allowInsecureLoopback allows on this computer"],
  ["an issuer with HTTP on another host if loopback is allowed", {
    issuer: "http://id.example",
    allowInsecureLoopback: true,
  }, "issuer is not an https URL"],
  ["an issuer with a query", { issuer: "https://id.example/?a" }, "issuer"],
  ["an issuer with a fragment", { issuer: "https://id.example/#a" }, "issuer"],
  ["an issuer with a |", { issuer: "https://id.example/a|b" }, "issuer"],
  [
    "an issuer with credentials",
    { issuer: "https://a:b@id.example" },
    "issuer",
  ],
  ["no name", { name: undefined }, "it has no name"],
  ["an empty name", { name: "" }, "it has no name"],
  ["no clientId", { clientId: "" }, "clientId"],
  ["no clientSecret", { clientSecret: undefined }, "clientSecret"],
  ["an empty clientSecret", { clientSecret: "" }, "clientSecret"],
  ["no clientSecret for client_secret_post", {
    clientSecret: undefined,
    clientAuthentication: "post",
  }, "clientSecret"],
  ["an unknown clientAuthentication", {
    clientAuthentication: "client_secret_jwt",
  }, "clientAuthentication"],
  [
    "private_key_jwt without a key",
    { clientAuthentication: "private_key_jwt" },
    "privateKey",
  ],
  ["a key for another use", {
    clientAuthentication: "basic",
    privateKey: { key: {} },
  }, "privateKey"],
  ["a public key", {
    privateKey: { key: { kty: "EC", crv: "P-256", x: "", y: "" } },
  }, "privateKey"],
  ["an RSA key of 1,024 bits", {
    privateKey: {
      key: { kty: "RSA", e: "AQAB", n: "w".repeat(171), d: "w".repeat(171) },
    },
  }, "2,048 bits"],
  [
    "a symmetric key",
    { privateKey: { key: { kty: "oct", k: "AAAA" } } },
    "privateKey",
  ],
  ["no key in privateKey", { privateKey: {} }, "privateKey"],
  ["a relative redirectUri", { redirectUri: "/callback" }, "redirectUri"],
  [
    "a redirectUri with HTTP",
    { redirectUri: "http://app.example/callback" },
    "redirectUri",
  ],
  [
    "a redirectUri with a fragment",
    { redirectUri: "https://app.example/#" },
    "redirectUri",
  ],
  ["scopes without openid", { scopes: ["email"] }, "openid"],
  ["scopes that are a string", { scopes: "openid email" }, "scopes"],
  ["a scope with a space", { scopes: ["openid email"] }, "scopes"],
  ["a reserved parameter", { authorizationParams: { state: "x" } }, '"state"'],
  [
    "the parameter request_uri",
    { authorizationParams: { request_uri: "x" } },
    '"request_uri"',
  ],
  [
    "a parameter that is not a string",
    { authorizationParams: { a: 1 } },
    '"a"',
  ],
  ["a negative maxAge", { maxAge: -1 }, "maxAge"],
  ["an unknown responseMode", { responseMode: "fragment" }, "responseMode"],
  ["a short formPostSecret", {
    responseMode: "form_post",
    formPostSecret: "short",
  }, "formPostSecret"],
  ["form_post without any secret", {
    responseMode: "form_post",
    clientSecret: undefined,
    clientAuthentication: "none",
  }, "formPostSecret"],
  ["a symmetric idTokenAlgorithms", { idTokenAlgorithms: ["HS256"] }, "HS256"],
  [
    "none in idTokenAlgorithms",
    { idTokenAlgorithms: ["RS256", "none"] },
    "none",
  ],
  [
    "an empty idTokenAlgorithms",
    { idTokenAlgorithms: [] },
    "idTokenAlgorithms",
  ],
  ["metadata of another issuer", {
    metadata: { ...metadata, issuer: "https://x.example" },
  }, "metadata"],
  [
    "metadata without an endpoint",
    { metadata: { issuer: metadata.issuer } },
    "metadata",
  ],
  ["a fetch that is not a function", { fetch: "fetch" }, "fetch"],
];

for (const [name, options, text] of wrong) {
  Deno.test(`createOIDCAuthProvider() throws a TypeError for ${name}`, () => {
    const error = assertThrows(
      () => createOIDCAuthProvider({ ...right, ...options } as never),
      TypeError,
      text,
    );
    assertEquals(error.message.includes("s3cret"), false);
  });
}

const outOfRange: [string, Record<string, unknown>][] = [
  ["timeout 0", { timeout: 0 }],
  ["timeout NaN", { timeout: NaN }],
  ["an endless timeout", { timeout: Infinity }],
  ["clockTolerance -1", { clockTolerance: -1 }],
  ["a clockTolerance that is a string", { clockTolerance: "30" }],
  ["a clockTolerance of an hour", { clockTolerance: 3600 }],
  ["maxResponseBytes 1", { maxResponseBytes: 1 }],
];

for (const [name, options] of outOfRange) {
  Deno.test(`createOIDCAuthProvider() throws a RangeError for ${name}`, () => {
    assertThrows(
      () => createOIDCAuthProvider({ ...right, ...options }),
      RangeError,
    );
  });
}

const fine: [string, Partial<OIDCAuthProviderOptions>][] = [
  ["a redirectUri on localhost", { redirectUri: "http://localhost:8000/cb" }],
  ["a redirectUri on 127.0.0.1", { redirectUri: "http://127.0.0.1:8000/cb" }],
  ["a redirectUri on ::1", { redirectUri: "http://[::1]:8000/cb" }],
  ["metadata", { metadata }],
  ["an issuer on loopback that is allowed", {
    issuer: "http://127.0.0.1:1",
    allowInsecureLoopback: true,
  }],
  ["a public client", {
    clientSecret: undefined,
    clientAuthentication: "none",
  }],
];

for (const [name, options] of fine) {
  Deno.test(`createOIDCAuthProvider() accepts ${name}`, () => {
    const provider = createOIDCAuthProvider({ ...right, ...options });
    assertEquals(
      provider.redirectUri,
      options.redirectUri ?? right.redirectUri,
    );
  });
}

Deno.test("createOIDCAuthProvider() does not change redirectUri (spec 5.2.6)", () => {
  const redirectUri = "https://APP.example:443/a/../callback";
  const provider = createOIDCAuthProvider({ ...right, redirectUri });
  assertEquals(provider.redirectUri, redirectUri);
});
