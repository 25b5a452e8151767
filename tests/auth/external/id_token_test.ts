// OpenID Connect Core 1.0, sections 2 and 3.1.3.7, claim by claim.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { CompactSign } from "jose";
import { errorOf, logIn } from "../_login.ts";
import { type Faults, hashOf, TestProvider, USER } from "../_test_provider.ts";

type Claims = Record<string, unknown>;
type Change = (claims: Claims) => Claims;

const seconds = () => Math.floor(Date.now() / 1000);

const believed: [string, Change][] = [
  ["exp 20 s ago (clocks differ)", (c) => ({ ...c, exp: seconds() - 20 })],
  ["iat in 20 s", (c) => ({ ...c, iat: seconds() + 20 })],
  ["nbf in 20 s", (c) => ({ ...c, nbf: seconds() + 20 })],
  ["azp of the client", (c) => ({ ...c, azp: "app" })],
  ["a sub of 255 characters", (c) => ({ ...c, sub: "s".repeat(255) })],
  [
    "unknown claims (section 5.1)",
    (c) => ({ ...c, __proto__: 1, x: [{}] }),
  ],
  ["no at_hash (section 3.1.3.8)", ({ at_hash: _, ...c }) => c],
];

for (const [name, claims] of believed) {
  Deno.test(`finishExternalAuth() accepts an ID token with ${name}`, async () => {
    const provider = await TestProvider.create();
    provider.faults = {
      claims,
      userinfo: (info) => ({ ...info, sub: claims({ sub: info.sub }).sub }),
    };
    assertEquals((await logIn(provider)).code, "");
  });
}

const refused: [string, string, Change][] = [
  [
    "an iss that ends in a slash",
    "3.1.3.7 (2)",
    (c) => ({ ...c, iss: `${c.iss}/` }),
  ],
  [
    "an iss in capitals",
    "3.1.3.7 (2)",
    (c) => ({ ...c, iss: "HTTPS://ID.EXAMPLE" }),
  ],
  ["an array of iss", "2", (c) => ({ ...c, iss: [c.iss] })],
  ["an empty sub", "2", (c) => ({ ...c, sub: "" })],
  ["a sub that is a number", "2", (c) => ({ ...c, sub: 248289761001 })],
  ["a sub of 256 characters", "2", (c) => ({ ...c, sub: "s".repeat(256) })],
  ["a sub that is not ASCII", "2", (c) => ({ ...c, sub: "jäne" })],
  ["another aud", "3.1.3.7 (3)", (c) => ({ ...c, aud: "App" })],
  ["an empty array of aud", "3.1.3.7 (3)", (c) => ({ ...c, aud: [] })],
  [
    "an aud that is not trusted",
    "3.1.3.7 (3)",
    (c) => ({ ...c, aud: ["app", "other"], azp: "app" }),
  ],
  [
    "an aud that is not a string",
    "3.1.3.7 (3)",
    (c) => ({ ...c, aud: ["app", 1] }),
  ],
  ["the azp of another client", "3.1.3.7 (5)", (c) => ({ ...c, azp: "other" })],
  [
    "an exp of a minute ago",
    "3.1.3.7 (9)",
    (c) => ({ ...c, exp: seconds() - 60 }),
  ],
  ["an exp that is a string", "2", (c) => ({ ...c, exp: String(c.exp) })],
  [
    "an iat in a minute",
    "3.1.3.7 (10)",
    (c) => ({ ...c, iat: seconds() + 60 }),
  ],
  ["an iat that is a string", "2", (c) => ({ ...c, iat: "now" })],
  [
    "a nbf in a minute (RFC 7519, 4.1.5)",
    "2",
    (c) => ({ ...c, nbf: seconds() + 60 }),
  ],
  [
    "a nonce that is an array",
    "3.1.3.7 (11)",
    (c) => ({ ...c, nonce: [c.nonce] }),
  ],
  ["an empty nonce", "3.1.3.7 (11)", (c) => ({ ...c, nonce: "" })],
  [
    "another at_hash",
    "3.1.3.8",
    (c) => ({ ...c, at_hash: "MTIzNDU2Nzg5MDEyMzQ1Ng" }),
  ],
  ["an at_hash that is null", "3.1.3.8", (c) => ({ ...c, at_hash: null })],
];

for (const [name, section, claims] of refused) {
  Deno.test(`finishExternalAuth() rejects an ID token with ${name} (OpenID Connect Core 1.0, section ${section})`, async () => {
    const provider = await TestProvider.create();
    provider.faults = { claims };
    const outcome = await logIn(provider);
    assertEquals(outcome.code, "id_token_invalid");
    assertEquals(provider.count("/userinfo"), 0);
  });
}

const malformed: [string, Faults][] = [
  ["is missing", { token: ({ id_token: _, ...token }) => token }],
  ["is no JWT", { idToken: () => "not.a.jwt" }],
  ["is a JWE", { idToken: () => "a.b.c.d.e" }],
  ["has five dots", { idToken: (idToken) => `${idToken}..` }],
  ["is an access token (RFC 9068)", {
    header: (h) => ({ ...h, typ: "at+jwt" }),
  }],
  ["is a logout token", { header: (h) => ({ ...h, typ: "logout+jwt" }) }],
  ["has an alg that does not exist", {
    idToken: (idToken) => {
      const [, payload, signature] = idToken.split(".");
      return `${
        btoa('{"alg":"constructor"}').replaceAll("=", "")
      }.${payload}.${signature}`;
    },
  }],
];

for (const [name, faults] of malformed) {
  Deno.test(`finishExternalAuth() rejects an ID token that ${name}`, async () => {
    const provider = await TestProvider.create();
    provider.faults = faults;
    assertEquals((await logIn(provider)).code, "id_token_invalid");
    assertEquals(provider.count("/userinfo"), 0);
  });
}

Deno.test("finishExternalAuth() rejects an ID token that has a critical extension (RFC 7515, section 4.1.11)", async () => {
  const provider = await TestProvider.create();
  const [{ alg, jwk, privateKey }] = provider.keys;
  provider.faults = {
    idToken: (_, claims) =>
      new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
        .setProtectedHeader({ alg, kid: String(jwk.kid), crit: ["x"], x: 1 })
        .sign(privateKey, { crit: { x: true } }),
  };
  assertEquals((await logIn(provider)).code, "id_token_invalid");
});

for (const typ of ["JWT", "jwt", "application/jwt"]) {
  Deno.test(`finishExternalAuth() accepts an ID token of the type ${typ}`, async () => {
    const provider = await TestProvider.create();
    provider.faults = { header: (header) => ({ ...header, typ }) };
    assertEquals((await logIn(provider)).code, "");
  });
}

Deno.test("finishExternalAuth() ignores keys in the token (ASVS 5.0, 9.1.3)", async () => {
  const provider = await TestProvider.create();
  const evil = await TestProvider.create();
  await evil.rotate();
  const [key] = evil.keys;
  evil.faults.header = (header) => ({
    alg: header.alg,
    jwk: key!.jwk,
    jku: "https://evil.example/keys",
    x5u: "https://evil.example/cert",
  });
  provider.faults = { idToken: (_, claims) => evil.idToken(claims) };
  assertEquals((await logIn(provider)).code, "id_token_invalid");
  assertEquals(
    provider.requests.filter(({ path }) => path === "/cert").length,
    0,
  );
});

Deno.test("finishExternalAuth() accepts audiences that are configured as trusted", async () => {
  const provider = await TestProvider.create();
  const options = { trustedAudiences: ["project"] };
  provider.faults = {
    claims: (claims) => ({ ...claims, aud: ["app", "project"], azp: "app" }),
  };
  assertEquals((await logIn(provider, options)).profile, USER);
  provider.faults = {
    claims: (claims) => ({ ...claims, aud: ["app", "project"] }),
  };
  assertEquals((await logIn(provider, options)).code, "id_token_invalid");
  provider.faults = { claims: (claims) => ({ ...claims, aud: ["project"] }) };
  assertEquals((await logIn(provider, options)).code, "id_token_invalid");
});

const ages: [string, Change, string][] = [
  ["fresh", (c) => c, ""],
  ["within the tolerance", (c) => ({ ...c, auth_time: seconds() - 320 }), ""],
  [
    "too old",
    (c) => ({ ...c, auth_time: seconds() - 340 }),
    "authentication_too_old",
  ],
  ["missing", ({ auth_time: _, ...c }) => c, "id_token_invalid"],
  ["a text", (c) => ({ ...c, auth_time: "now" }), "id_token_invalid"],
  ["a little ahead", (c) => ({ ...c, auth_time: seconds() + 20 }), ""],
  [
    "in the future",
    (c) => ({ ...c, auth_time: seconds() + 40 }),
    "id_token_invalid",
  ],
  [
    "in milliseconds",
    (c) => ({ ...c, auth_time: Date.now() }),
    "id_token_invalid",
  ],
];

for (const [name, claims, code] of ages) {
  Deno.test(`finishExternalAuth() with maxAge 300: an auth_time that is ${name} gives "${code}" (OpenID Connect Core 1.0, section 3.1.3.7 (13))`, async () => {
    const provider = await TestProvider.create();
    provider.faults = { claims };
    assertEquals((await logIn(provider, { maxAge: 300 })).code, code);
    assertEquals((await logIn(provider, {}, { maxAge: 300 })).code, code);
  });
}

Deno.test("finishExternalAuth() checks maxAge 0 too", async () => {
  const provider = await TestProvider.create();
  provider.faults = {
    claims: (claims) => ({ ...claims, auth_time: seconds() - 60 }),
  };
  const { code } = await logIn(provider, {}, { maxAge: 0 });
  assertEquals(code, "authentication_too_old");
});

for (const alg of ["RS256", "EdDSA"] as const) {
  Deno.test(`finishExternalAuth() computes at_hash by the algorithm ${alg} (OpenID Connect Core 1.0, section 3.1.3.6)`, async () => {
    const provider = await TestProvider.create("https://id.example", [alg]);
    let accessToken = "";
    let atHash: unknown;
    provider.faults = {
      token: (token) => {
        accessToken = token.access_token as string;
        return token;
      },
      idToken: (idToken, claims) => {
        atHash = claims.at_hash;
        return idToken;
      },
    };
    assertEquals((await logIn(provider)).code, "");
    assertEquals(atHash, await hashOf(accessToken, alg));
  });
}

Deno.test("externalAuthResult() names the invalid claim without its value", async () => {
  const provider = await TestProvider.create();
  provider.faults = { claims: (claims) => ({ ...claims, aud: "someone" }) };
  const { message } = errorOf(await logIn(provider));
  assertStringIncludes(message, '"aud"');
  assert(!message.includes("someone"));
});

Deno.test("finishExternalAuth() does not combine an email with the email_verified of another source", async () => {
  const provider = await TestProvider.create();
  provider.faults = {
    userinfo: ({ email_verified: _, ...info }) => ({
      ...info,
      email: "new@example.com",
    }),
  };
  const { profile } = await logIn(provider);
  assertEquals(profile!.email, "new@example.com");
  assertEquals(profile!.email_verified, undefined);
});

const pairs: [string, Change, Change, Record<string, unknown>][] = [
  [
    "userinfo does not verify the email of the ID token",
    ({ email_verified: _, ...claims }) => ({ ...claims, phone_number: "+1" }),
    ({ sub }) => ({ sub, email_verified: true, phone_number_verified: true }),
    { email: USER.email, phone_number: "+1" },
  ],
  [
    "the ID token does not verify the email of userinfo",
    (claims) => ({
      ...claims,
      phone_number: "+1",
      phone_number_verified: true,
    }),
    ({ sub }) => ({ sub, email: "new@example.com", phone_number: "+2" }),
    { email: "new@example.com", phone_number: "+2" },
  ],
  [
    "each has an email with email_verified",
    (claims) => claims,
    ({ sub }) => ({
      sub,
      email_verified: false,
      phone_number: "+2",
      phone_number_verified: true,
    }),
    {
      email: USER.email,
      email_verified: true,
      phone_number: "+2",
      phone_number_verified: true,
    },
  ],
];

for (const [name, claims, userinfo, expected] of pairs) {
  Deno.test(`externalAuthResult() has the right email_verified if ${name} (OpenID Connect Core 1.0, section 5.1)`, async () => {
    const provider = await TestProvider.create();
    provider.faults = { claims, userinfo };
    const { result } = await logIn(provider);
    assert(result.ok);
    const addresses = Object.entries(result.claims).filter(([name]) =>
      /^(?:email|phone_number)/.test(name)
    );
    assertEquals(Object.fromEntries(addresses), expected);
  });
}

Deno.test("externalAuthResult() ignores claims of userinfo that belong to an ID token", async () => {
  const provider = await TestProvider.create();
  const signedOnly = {
    acr: "gold",
    amr: ["hwk"],
    auth_time: 5,
    azp: "other",
    c_hash: "x",
    jti: "x",
    nbf: 5,
    s_hash: "x",
    sid: "x",
  };
  provider.faults = {
    claims: ({ auth_time: _, ...claims }) => claims,
    userinfo: (info) => ({ ...info, ...signedOnly }),
  };
  const { result } = await logIn(provider);
  assert(result.ok);
  for (const name of Object.keys(signedOnly)) {
    assertEquals(result.claims[name], undefined, name);
  }
});

Deno.test("finishExternalAuth() does not let userinfo change a signed claim", async () => {
  const provider = await TestProvider.create();
  const other = {
    iss: "https://evil.example",
    aud: "other",
    exp: 1,
    iat: 1,
    auth_time: 1,
    nonce: "other",
    acr: "gold",
    amr: ["mfa"],
    azp: "other",
    sid: "other",
  };
  let signed: Record<string, unknown> = {};
  provider.faults = {
    userinfo: (info) => ({ ...info, ...other }),
    claims: (claims) =>
      signed = { ...claims, acr: "bronze", amr: ["pwd"], azp: "app", sid: "s" },
  };
  const { result } = await logIn(provider);
  assert(result.ok);
  for (const name of Object.keys(other)) {
    assertEquals(result.claims[name], signed[name], name);
  }
});
