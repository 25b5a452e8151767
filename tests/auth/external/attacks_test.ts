// Attacks by someone who controls a browser, a page or another provider.
import { externalAuthCallbacks, startExternalAuth } from "@gatehouse/web/auth";
import { createRouter } from "@gatehouse/web/fetch-router";
import { session } from "@gatehouse/web/session-middleware";
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { clientOf, Login, logIn, ORIGIN } from "../_login.ts";
import { type Faults, TestProvider, USER } from "../_test_provider.ts";

for (const isPKCEChecked of [true, false]) {
  Deno.test(`a stolen code is useless in a login of the thief if the provider ${isPKCEChecked ? "checks PKCE" : "ignores PKCE"} (RFC 9700, section 4.5; RFC 7636, section 1)`, async () => {
    const provider = await TestProvider.create();
    provider.isPKCEChecked = isPKCEChecked;
    const login = new Login(provider);
    const stolen = new URL(await login.begin()).searchParams.get("code")!;

    login.newBrowser();
    provider.user = { ...USER, sub: "the thief" };
    const own = new URL(await login.begin());
    own.searchParams.set("code", stolen);
    const { code, profile } = await login.end(own.href);
    assertEquals(profile, null);
    assertEquals(
      code,
      isPKCEChecked ? "token_request_refused" : "id_token_invalid",
    );
    assertEquals(provider.count("/userinfo"), 0);
  });
}

Deno.test("opening an attacker's callback causes no login (RFC 6749, section 10.12: login CSRF)", async () => {
  const provider = await TestProvider.create();
  const login = new Login(provider);
  const attackers = await login.begin();
  login.newBrowser();
  const own = await login.begin();
  assertEquals((await login.end(attackers)).code, "state_unknown");
  assertEquals(provider.count("/token"), 0);
  assertEquals(
    (await login.end(own)).code,
    "",
    "and the user's login continues",
  );
});

Deno.test("the code of one provider is never sent to another (RFC 9700, section 4.4.1: mix-up)", async () => {
  const honest = await TestProvider.create();
  const evil = await TestProvider.create("https://evil.example");
  const login = new Login(honest);
  const client = clientOf(evil, { redirectUri: `${ORIGIN}/evil` });
  login.add("/to-evil", "/evil", client);

  // The user chose the evil provider, which redirects to the honest one.
  const response = await login.visit("/to-evil");
  const request = new URL(response.headers.get("Location")!);
  request.searchParams.set("client_id", honest.clientId);
  request.searchParams.set("redirect_uri", `${ORIGIN}/callback`);
  const outcome = await login.end(honest.authorize(request.href));

  assertEquals(outcome.code, "provider_mismatch");
  assertEquals([honest.count("/token"), evil.count("/token")], [0, 0]);
});

const registrations: [
  string,
  { issuer?: string; clientId?: string; redirectUri?: string },
][] = [
  ["issuer", { issuer: "https://other.example" }],
  ["client id", { clientId: "other" }],
  ["redirect URI", { redirectUri: `${ORIGIN}/callback?other=1` }],
];

for (const [name, { issuer, ...changed }] of registrations) {
  Deno.test(`a login that started with another ${name} cannot finish (RFC 9700, section 4.4)`, async () => {
    const provider = await TestProvider.create();
    const other = await TestProvider.create(issuer);
    const login = new Login(provider);
    const client = clientOf(other, changed);
    // The application with its previous configuration and the same sessions.
    const before = createRouter({
      middleware: [session({ store: login.store, now: provider.now })],
    });
    before.get("/other", (context) => startExternalAuth(client, context));
    login.router.get("/other", ({ request }) => before.fetch(request));
    const outcome = await login.end(await login.begin("/other", other));
    assertEquals(outcome.code, "provider_mismatch");
    assertEquals([provider.count("/token"), other.count("/token")], [0, 0]);
  });
}

Deno.test("externalAuthCallbacks() throws a TypeError for two providers with one callback (RFC 9700, section 4.4.2)", async () => {
  const one = clientOf(await TestProvider.create());
  const own = clientOf(await TestProvider.create(), {
    redirectUri: `${ORIGIN}/callback?provider=own`,
  });
  const other = clientOf(await TestProvider.create("https://other.example"));
  const apart = clientOf(await TestProvider.create("https://other.example"), {
    redirectUri: `${ORIGIN}/callback?provider=other`,
  });
  for (const shared of [[one, other], [one, apart], [apart, one]]) {
    assertThrows(
      () => externalAuthCallbacks(shared),
      TypeError,
      'redirectUri "https://app.example/callback',
    );
  }
  externalAuthCallbacks([own, apart]);
  externalAuthCallbacks([one, one]);
});

Deno.test("a callback with a code and an error is an error (RFC 6749, section 4.1.2.1)", async () => {
  const provider = await TestProvider.create();
  provider.faults = { callback: (params) => params.set("error", "denied") };
  assertEquals((await logIn(provider)).code, "authorization_refused");
  assertEquals(provider.count("/token"), 0);
});

Deno.test("HEAD at the callback leaves the login pending", async () => {
  const provider = await TestProvider.create();
  const login = new Login(provider);
  const callback = await login.begin();
  await login.visit(callback, { method: "HEAD" });
  assertEquals(login.outcomes.at(-1)?.code, "wrong_callback");
  assertEquals((await login.end(callback)).code, "");
});

Deno.test("a login from the future is rejected, so that a clock set back does not extend logins", async () => {
  const provider = await TestProvider.create();
  let time = Date.now();
  provider.now = () => time;
  const login = new Login(provider);
  const callback = await login.begin();
  time -= 30_001;
  assertEquals((await login.end(callback)).code, "state_expired");
});

const texts = [
  "access_denied\r\nSet-Cookie: a=b",
  "access_denied\n[error] admin logged in",
  "\u001b[2J",
  "<script>alert(1)</script>",
  "ä",
  "a".repeat(100),
];

for (const text of texts) {
  Deno.test(`no error contains ${JSON.stringify(text).slice(0, 30)} from any source (CWE-117)`, async () => {
    const injected = {
      error: text,
      error_description: text,
      error_uri: text,
      iss: undefined,
    };
    const faults: Faults[] = [
      {
        callback: (params) => {
          params.set("error", text);
          params.set("error_description", text);
          params.set("error_uri", text);
        },
      },
      {
        respond: ({ path }) =>
          path === "/token"
            ? Response.json(injected, { status: 400 })
            : undefined,
      },
      {
        respond: ({ path }) =>
          path === "/userinfo"
            ? Response.json(injected, { status: 401 })
            : undefined,
      },
      { claims: (claims) => ({ ...claims, iss: text }) },
      { header: (header) => ({ ...header, kid: text, typ: text }) },
      { metadata: (metadata) => ({ ...metadata, issuer: text }) },
      { metadata: (metadata) => ({ ...metadata, token_endpoint: text }) },
    ];
    for (const fault of faults) {
      const provider = await TestProvider.create();
      const messages: string[] = [];
      const login = new Login(provider, {
        onError: (error) =>
          messages.push(
            error.message,
            String(error.providerError),
            String(error.cause),
          ),
      });
      provider.faults = fault;
      const response = await login.visit("/login");
      const location = response.headers.get("Location");
      if (location) await login.end(provider.authorize(location));
      assert(messages.length >= 3);
      for (const message of messages) {
        assert(!message.includes(text), message);
        assert(/^[\x20-\x7e…]*$/.test(message), JSON.stringify(message));
      }
    }
  });
}

Deno.test("the message of a failed fetch is one line in an error", async () => {
  for (const text of texts) {
    const provider = await TestProvider.create();
    const causes: string[] = [];
    const login = new Login(provider, {
      onError: ({ cause }) => causes.push(String(cause)),
    });
    provider.faults = {
      respond: () => Promise.reject(new Error(`failed: ${text}`)),
    };
    await login.visit("/login");
    assertMatch(
      causes[0]!,
      /^RequestError: [\x20-\x7e…]*failed: [\x20-\x7e]*$/,
    );
  }
});

Deno.test("a provider that supports only the method plain gets S256 (RFC 7636, sections 4.2 and 7.2)", async () => {
  const provider = await TestProvider.create();
  provider.faults = {
    metadata: (metadata) => ({
      ...metadata,
      code_challenge_methods_supported: ["plain"],
    }),
  };
  const response = await new Login(provider).visit("/login");
  const { searchParams } = new URL(response.headers.get("Location")!);
  assertEquals(searchParams.get("code_challenge_method"), "S256");
});

Deno.test("endpoints may have other HTTPS origins, and only they get the secret", async () => {
  const provider = await TestProvider.create();
  const seen: string[] = [];
  provider.faults = {
    metadata: (metadata) => ({
      ...metadata,
      token_endpoint: "https://tokens.example/token",
      jwks_uri: "https://keys.example/keys",
      userinfo_endpoint: "https://people.example/userinfo",
    }),
  };
  const outcome = await logIn(provider, {
    fetch: (url, init) => {
      seen.push(new URL(url).origin);
      const headers = new Headers(init.headers);
      const hasSecret = headers.get("Authorization")?.startsWith("Basic ");
      assertEquals(hasSecret === true, url === "https://tokens.example/token");
      return provider.fetch(url, init);
    },
  });
  assertEquals(outcome.profile, USER);
  assertEquals(seen, [
    "https://id.example",
    "https://tokens.example",
    "https://keys.example",
    "https://people.example",
  ]);
});
