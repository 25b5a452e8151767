// Signed userinfo (OpenID Connect Core 1.0, section 5.3.2), and the callback
// parameter `user` of one provider.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { SignJWT, UnsecuredJWT } from "jose";
import { errorOf, Login, logIn } from "../../_login.ts";
import { signingKey, TestProvider, USER } from "../../_test_provider.ts";

type Body = Record<string, unknown>;

/** Creates a provider that signs its userinfo, with changed claims. */
async function signingProvider(
  change: (claims: Body) => Body = (claims) => claims,
  header: Body = {},
): Promise<TestProvider> {
  const provider = await TestProvider.create();
  return answering(provider, async () => {
    const [{ alg, jwk, privateKey }] = provider.keys as [
      Awaited<ReturnType<typeof signingKey>>,
    ];
    const { clientId, issuer } = provider;
    return await new SignJWT(change({ ...USER, iss: issuer, aud: clientId }))
      .setProtectedHeader({ alg, kid: String(jwk.kid), ...header })
      .sign(privateKey);
  });
}

/** Makes the userinfo endpoint respond with a token. */
function answering(
  provider: TestProvider,
  token: () => string | Promise<string>,
): TestProvider {
  const answer = async () =>
    new Response(await token(), {
      headers: { "Content-Type": "application/jwt; charset=utf-8" },
    });
  provider.faults = {
    respond: ({ path }) => path === "/userinfo" ? answer() : undefined,
  };
  return provider;
}

Deno.test("finishExternalAuth() reads signed userinfo (OpenID Connect Core 1.0, section 5.3.2)", async () => {
  const provider = await signingProvider((c) => ({ ...c, name: "Signed" }));
  const { profile, result } = await logIn(provider);
  assertEquals(profile, { ...USER, name: "Signed" });
  assert(result.ok);
  assertEquals(result.claims.iss, provider.issuer);
  assertEquals(typeof result.claims.nonce, "string", "of the ID token");
});

const forged: [string, () => Promise<TestProvider>, string, RegExp][] = [
  [
    "another user",
    () => signingProvider((c) => ({ ...c, sub: "other" })),
    "userinfo_mismatch",
    /another user/,
  ],
  [
    "another issuer",
    () => signingProvider((c) => ({ ...c, iss: "https://evil.example" })),
    "userinfo_failed",
    /claim "iss"/,
  ],
  [
    "no issuer",
    () => signingProvider(({ iss: _, ...c }) => c),
    "userinfo_failed",
    /claim "iss"/,
  ],
  [
    "another audience",
    () => signingProvider((c) => ({ ...c, aud: "other" })),
    "userinfo_failed",
    /claim "aud"/,
  ],
  [
    "no audience",
    () => signingProvider(({ aud: _, ...c }) => c),
    "userinfo_failed",
    /claim "aud"/,
  ],
  [
    "an end in the past",
    () => signingProvider((c) => ({ ...c, exp: 1 })),
    "userinfo_failed",
    /claim "exp"/,
  ],
  [
    "the type of a logout token",
    () => signingProvider((c) => c, { typ: "logout+jwt" }),
    "userinfo_failed",
    /another type/,
  ],
  [
    "no signature",
    () =>
      TestProvider.create().then((provider) =>
        answering(
          provider,
          () =>
            new UnsecuredJWT({ ...USER, iss: provider.issuer, aud: "app" })
              .encode(),
        )
      ),
    "userinfo_failed",
    /Cannot accept the signed profile/,
  ],
  [
    "a symmetric signature",
    () =>
      TestProvider.create().then((provider) =>
        answering(
          provider,
          () =>
            new SignJWT({ ...USER, iss: provider.issuer, aud: "app" })
              .setProtectedHeader({ alg: "HS256" })
              .sign(new TextEncoder().encode(provider.clientSecret)),
        )
      ),
    "userinfo_failed",
    /Cannot accept the signed profile/,
  ],
  [
    "the key of another issuer",
    () =>
      Promise.all([TestProvider.create(), signingKey("RS256", true)])
        .then(([provider, { privateKey }]) =>
          answering(
            provider,
            () =>
              new SignJWT({ ...USER, iss: provider.issuer, aud: "app" })
                .setProtectedHeader({ alg: "RS256" }).sign(privateKey),
          )
        ),
    "userinfo_failed",
    /Cannot accept the signed profile/,
  ],
  [
    "no JWT",
    () =>
      TestProvider.create().then((provider) => answering(provider, () => "{}")),
    "userinfo_failed",
    /Cannot accept the signed profile/,
  ],
  [
    "300,000 characters",
    () =>
      TestProvider.create().then((provider) =>
        answering(provider, () => "a".repeat(300_000))
      ),
    "userinfo_failed",
    /more than 262144 bytes/,
  ],
];

for (const [name, provider, code, message] of forged) {
  Deno.test(`finishExternalAuth() rejects signed userinfo with ${name}`, async () => {
    const error = errorOf(await logIn(await provider()));
    assertEquals(error.code, code);
    assertMatch(error.message, message);
  });
}

Deno.test("finishExternalAuth() reads the algorithms of userinfo from the metadata", async () => {
  const provider = await signingProvider();
  const faults = provider.faults;
  provider.faults = {
    ...faults,
    metadata: (metadata) => ({
      ...metadata,
      userinfo_signing_alg_values_supported: ["ES256"],
    }),
  };
  assertEquals((await logIn(provider)).code, "userinfo_failed");
});

Deno.test("finishExternalAuth() rejects a JWT as a token response", async () => {
  const provider = await TestProvider.create();
  provider.faults = {
    respond: ({ path }) =>
      path === "/token"
        ? new Response("a.b.c", {
          headers: { "Content-Type": "application/jwt" },
        })
        : undefined,
  };
  assertEquals((await logIn(provider)).code, "token_request_failed");
});

const apple = {
  name: { firstName: "Jané", lastName: "Doe" },
  email: "jane@example.com",
};

/** Logs in at a provider with these values of `user` in the callback. */
async function withUser(
  responseMode: "query" | "form_post",
  ...users: string[]
) {
  const provider = await TestProvider.create();
  provider.faults = {
    callback: (params) => {
      for (const user of users) params.append("user", user);
    },
  };
  const { result } = await new Login(provider, { responseMode }).run();
  assert(result.ok);
  return result;
}

for (const mode of ["query", "form_post"] as const) {
  Deno.test(`externalAuthResult() has the user of Apple's first callback, with ${mode}`, async () => {
    const result = await withUser(mode, JSON.stringify(apple));
    assertEquals(result.callbackUser, apple);
    assertEquals(
      result.profile.email,
      USER.email,
      "the second value is not signed",
    );
    assertEquals(result.claims.email, USER.email);
  });

  const hostile: [string, string[]][] = [
    ["none", []],
    ["an empty one", [""]],
    ["two", ["{}", "{}"]],
    ["a broken one", ["{"]],
    ["an array", ["[]"]],
    ["a string", ['"jane"']],
    ["null", ["null"]],
    ["one that is too long", [JSON.stringify({ name: "a".repeat(1024) })]],
  ];
  for (const [name, users] of hostile) {
    Deno.test(`externalAuthResult() has no callbackUser for ${name}, with ${mode}, and the login succeeds`, async () => {
      const result = await withUser(mode, ...users);
      assertEquals("callbackUser" in result, false);
    });
  }

  Deno.test(`externalAuthResult() ignores a prototype in the user of a callback, with ${mode}`, async () => {
    const { callbackUser } = await withUser(
      mode,
      '{"__proto__":{"isAdmin":true},"name":1}',
    );
    assertEquals(Object.keys(callbackUser!), ["name"]);
    const copy = Object.assign({}, callbackUser) as { isAdmin?: unknown };
    assertEquals(copy.isAdmin, undefined);
  });
}

Deno.test("form_post: a user that does not fit with a long code is dropped, and the login works", async () => {
  const provider = await TestProvider.create();
  const login = new Login(provider, { responseMode: "form_post" });
  provider.faults = {
    callback: (params) => {
      params.set("code", "c".repeat(2300));
      params.set("user", JSON.stringify({ name: "a".repeat(900) }));
    },
  };
  const callback = await login.begin();
  const outcome = await login.end(callback);
  // The login fails because the long code arrived complete but is invalid.
  assertEquals(outcome.code, "token_request_refused");
  assertEquals(provider.last("/token").form.get("code")!.length, 2300);
});
