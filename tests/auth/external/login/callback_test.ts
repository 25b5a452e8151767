import {
  externalAuthCallbacks,
  externalAuthResult,
  finishExternalAuth,
  startExternalAuth,
} from "@gatehouse/web/auth";
import { createRouter, RequestContext } from "@gatehouse/web/fetch-router";
import { session } from "@gatehouse/web/session-middleware";
import { createTestClient } from "@gatehouse/web/testing";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { clientOf, errorOf, Login, logIn } from "../../_login.ts";
import { TestProvider, USER } from "../../_test_provider.ts";

Deno.test("finishExternalAuth() finishes two tabs in any order (RFC 9700, section 4.7)", async () => {
  const login = new Login(await TestProvider.create());
  const first = await login.begin("/login?returnTo=/first");
  const second = await login.begin("/login?returnTo=/second");
  const outcomes = [await login.end(second), await login.end(first)];
  assertEquals(
    outcomes.map(({ result }) => result.ok && result.returnTo),
    ["/second", "/first"],
  );
});

Deno.test("finishExternalAuth() finishes logins of two tabs if the clocks of two servers differ by 30 s", async () => {
  const provider = await TestProvider.create();
  let time = Date.now();
  provider.now = () => time;
  const login = new Login(provider);
  const first = await login.begin();
  time -= 30_000;
  const second = await login.begin();
  assertEquals((await login.end(first)).code, "");
  time += 30_000;
  assertEquals((await login.end(second)).code, "");
});

Deno.test("startExternalAuth() keeps two concurrent logins", async () => {
  const login = new Login(await TestProvider.create());
  await login.begin();
  const callbacks = await Promise.all([login.begin(), login.begin()]);
  for (const callback of callbacks) {
    assertEquals((await login.end(callback)).code, "");
  }
});

Deno.test("startExternalAuth() keeps eight logins and forgets the oldest", async () => {
  const login = new Login(await TestProvider.create());
  const callbacks: string[] = [];
  for (let i = 0; i < 9; i++) callbacks.push(await login.begin());
  const codes: string[] = [];
  for (const callback of callbacks) {
    codes.push((await login.end(callback)).code);
  }
  assertEquals(codes, ["state_unknown", "", "", "", "", "", "", "", ""]);
});

for (const site of ["cross-site", "same-site"]) {
  for (const store of ["memory", "cookies"]) {
    Deno.test(`a ${site} page with twenty popups can't evict a login of the user, sessions in ${store}`, async () => {
      const provider = await TestProvider.create();
      const { begin, end } = createPopupApp(provider, store === "cookies");
      const own = await begin();
      const returnTo = `/${"a".repeat(1000)}`;
      for (let i = 0; i < 20; i++) await begin(site, returnTo);
      assertEquals(await end(own), USER.sub);
    });
  }

  Deno.test(`startExternalAuth() accepts one or two logins from a ${site} link`, async () => {
    const provider = await TestProvider.create();
    const { begin, end } = createPopupApp(provider, false);
    const callbacks = [await begin(site), await begin(site), await begin(site)];
    const subjects: string[] = [];
    for (const callback of callbacks) subjects.push(await end(callback));
    assertEquals(subjects, ["state_unknown", USER.sub, USER.sub]);
  });
}

/** Creates an application whose logins start on its page or on another site. */
function createPopupApp(provider: TestProvider, inCookies: boolean) {
  const client = clientOf(provider);
  const secrets = ["a secret of more than thirty-two characters"];
  const router = createRouter({
    middleware: [
      externalAuthCallbacks([client]),
      inCookies ? session({ secrets }) : session(),
    ],
  });
  router.get("/login", (context) =>
    startExternalAuth(client, context, {
      returnTo: context.url.searchParams.get("returnTo"),
    }));
  router.get("/callback", async (context) => {
    const result = await externalAuthResult(client, context);
    return new Response(result.ok ? result.subject : result.error.code);
  });
  const browser = createTestClient(router, { origin: "https://app.example" });
  return {
    async begin(site = "same-origin", returnTo = "/"): Promise<string> {
      const { headers } = await browser.fetch(
        `/login?${new URLSearchParams({ returnTo })}`,
        { headers: { "Sec-Fetch-Site": site } },
      );
      return provider.authorize(headers.get("Location"));
    },
    end: async (callback: string) =>
      await (await browser.fetch(callback)).text(),
  };
}

Deno.test("startExternalAuth() throws for a session cookie with SameSite=Strict, which the callback would lack", async () => {
  const status = async (redirectUri: string, sameSite: "Strict" | "Lax") => {
    const provider = await TestProvider.create("https://id.company.example");
    const client = clientOf(provider, { redirectUri });
    const errors: string[] = [];
    const router = createRouter({
      middleware: [session({ cookie: { sameSite } })],
      onError(error) {
        errors.push(String(error));
        return new Response(null, { status: 500 });
      },
    });
    router.get("/login", (context) => startExternalAuth(client, context));
    const response = await router.fetch(new URL("/login", redirectUri).href);
    assertEquals(response.headers.getSetCookie().length, errors.length ? 0 : 1);
    return [response.status, ...errors.map((error) => error.slice(0, 60))];
  };
  assertEquals(await status("https://app.example/callback", "Strict"), [
    500,
    "TypeError: Cannot start the external login: the session cook",
  ]);
  assertEquals(await status("https://app.example/callback", "Lax"), [302]);
  const sameSite = "https://app.company.example/callback";
  assertEquals(await status(sameSite, "Strict"), [302]);
});

Deno.test("finishExternalAuth() accepts a state once, against the back button and replay (RFC 9700, section 4.2.4)", async () => {
  const login = new Login(await TestProvider.create());
  const callback = await login.begin();
  assertEquals((await login.end(callback)).code, "");
  assertEquals((await login.end(callback)).code, "state_unknown");
  assertEquals(login.provider.count("/token"), 1);
});

Deno.test("finishExternalAuth() accepts one of twenty concurrent callbacks", async () => {
  const login = new Login(await TestProvider.create());
  const callback = await login.begin();
  await Promise.all(Array.from({ length: 20 }, () => login.visit(callback)));
  const codes = login.outcomes.map(({ code }) => code);
  assertEquals(codes.filter((code) => code === "").length, 1);
  assertEquals(codes.filter((code) => code === "state_unknown").length, 19);
  assertEquals(login.provider.count("/token"), 1);
});

Deno.test("finishExternalAuth() uses up the state even if the login fails later", async () => {
  const login = new Login(await TestProvider.create());
  const callback = await login.begin();
  login.provider.faults = {
    respond: () => new Response(null, { status: 503 }),
  };
  assertEquals((await login.end(callback)).code, "token_request_failed");
  login.provider.faults = {};
  assertEquals((await login.end(callback)).code, "state_unknown");
});

Deno.test("finishExternalAuth() forgets a login after ten minutes", async () => {
  const provider = await TestProvider.create();
  let time = Date.now();
  provider.now = () => time;
  const login = new Login(provider);
  const early = await login.begin();
  time += 300_000;
  const late = await login.begin();
  time += 300_000;
  assertEquals((await login.end(early)).code, "state_expired");
  assertEquals((await login.end(late)).code, "");
});

Deno.test("finishExternalAuth() rejects the callback of another browser's login (RFC 6749, section 10.12)", async () => {
  const login = new Login(await TestProvider.create());
  const callback = await login.begin();
  login.newBrowser();
  assertEquals((await login.end(callback)).code, "state_unknown");
  await login.begin();
  assertEquals((await login.end(callback)).code, "state_unknown");
  assertEquals(login.provider.count("/token"), 0);
});

Deno.test("finishExternalAuth() rejects a login of another provider at a callback (RFC 9700, section 4.4)", async () => {
  const honest = await TestProvider.create();
  const evil = await TestProvider.create("https://evil.example");
  const login = new Login(honest);
  login.add(
    "/evil",
    "/evil/callback",
    clientOf(evil, { redirectUri: "https://app.example/evil/callback" }),
  );
  const state = new URL(await login.begin()).searchParams.get("state");
  const mixed = await login.end(`/evil/callback?code=stolen&state=${state}`);
  assertEquals(mixed.code, "provider_mismatch");
  assertEquals(evil.count("/token"), 0);
});

Deno.test("finishExternalAuth() finishes concurrent logins at two providers", async () => {
  const one = await TestProvider.create();
  const two = await TestProvider.create("https://two.example");
  const login = new Login(one);
  login.add(
    "/two",
    "/two/callback",
    clientOf(two, { redirectUri: "https://app.example/two/callback" }),
  );
  const first = await login.begin();
  const second = await login.begin("/two", two);
  for (
    const [callback, issuer] of [[second, two.issuer], [first, one.issuer]]
  ) {
    const { result } = await login.end(callback!);
    assert(result.ok);
    assertEquals(result.issuer, issuer);
  }
});

const strayErrors = [
  { query: "error=access_denied", code: "state_missing" },
  { query: "error=access_denied&state=", code: "state_unknown" },
  {
    query: `error=access_denied&state=${"A".repeat(43)}`,
    code: "state_unknown",
  },
  { query: "code=1&state=__proto__", code: "state_unknown" },
  { query: "code=1&state=constructor", code: "state_unknown" },
  {
    query: `code=1&state=${"%F0%9F%92%A9".repeat(100)}`,
    code: "state_unknown",
  },
  { query: "code=1&state=%E0%A4%A", code: "state_unknown" },
  { query: "state=a&state=b&code=1", code: "state_missing" },
  { query: "", code: "state_missing" },
];

for (const { query, code } of strayErrors) {
  Deno.test(`finishExternalAuth() responds to ?${query.slice(0, 60)} with ${code} and keeps a pending login`, async () => {
    const login = new Login(await TestProvider.create());
    const callback = await login.begin();
    assertEquals((await login.end(`/callback?${query}`)).code, code);
    assertEquals((await login.end(callback)).profile, USER);
  });
}

const refusals = [
  { error: "access_denied", code: "access_denied" },
  { error: "login_required", code: "authorization_refused" },
  { error: "temporarily_unavailable", code: "authorization_refused" },
];

for (const { error, code } of refusals) {
  Deno.test(`externalAuthResult() returns ${code} for error=${error} (RFC 6749, section 4.1.2.1)`, async () => {
    const provider = await TestProvider.create();
    provider.faults = {
      callback: (params) => {
        params.delete("code");
        params.set("error", error);
        params.set("error_description", "<script>");
      },
    };
    const failure = errorOf(await logIn(provider));
    assertEquals([failure.code, failure.providerError], [code, error]);
    assertEquals(provider.count("/token"), 0);
  });
}

Deno.test("externalAuthResult() does not repeat an invalid error code", async () => {
  const provider = await TestProvider.create();
  provider.faults = {
    callback: (params) => params.set("error", "<b>\n\u001b[31m".repeat(99)),
  };
  const failure = errorOf(await logIn(provider));
  assertEquals(failure.providerError, "unknown");
});

const malformed: [string, (params: URLSearchParams) => void][] = [
  ["no code", (params) => params.delete("code")],
  ["an empty code", (params) => params.set("code", "")],
  ["two codes", (params) => params.append("code", "second")],
  ["two issuers", (params) => {
    params.append("iss", "https://id.example");
    params.append("iss", "https://id.example");
  }],
  [
    "a code of 10,000 characters",
    (params) => params.set("code", "a".repeat(10_000)),
  ],
  ["a code that is not ASCII", (params) => params.set("code", "kód")],
];

for (const [name, callback] of malformed) {
  Deno.test(`finishExternalAuth() rejects a callback with ${name} (RFC 6749, sections 3.1 and 4.1.2)`, async () => {
    const provider = await TestProvider.create();
    provider.faults = { callback };
    assertEquals((await logIn(provider)).code, "callback_invalid");
    assertEquals(provider.count("/token"), 0);
  });
}

Deno.test("finishExternalAuth() accepts a correct iss that the metadata does not announce (RFC 9207, section 2.4)", async () => {
  const provider = await TestProvider.create();
  provider.faults = {
    callback: (params) => params.set("iss", "https://id.example"),
  };
  assertEquals((await logIn(provider)).profile, USER);
});

for (const iss of ["https://id.example/", "https://ID.example", "", "null"]) {
  Deno.test(`finishExternalAuth() rejects iss=${iss}, which must be identical (RFC 9207, section 2.4)`, async () => {
    const provider = await TestProvider.create();
    provider.faults = { callback: (params) => params.set("iss", iss) };
    assertEquals((await logIn(provider)).code, "issuer_mismatch");
    assertEquals(provider.count("/token"), 0);
  });
}

Deno.test("finishExternalAuth() ignores unknown parameters (RFC 6749, section 4.1.2)", async () => {
  const provider = await TestProvider.create();
  provider.faults = {
    callback: (params) => {
      params.append("session_state", "1");
      params.append("session_state", "2");
      params.set("scope", "openid");
    },
  };
  assertEquals((await logIn(provider)).profile, USER);
});

Deno.test("finishExternalAuth() rejects a request to a URL that is not the redirectUri (RFC 9700, section 4.4.2)", async () => {
  const provider = await TestProvider.create();
  const client = clientOf(provider);
  const login = new Login(provider);
  login.add("/login2", "/elsewhere", client);
  const callback = await login.begin();
  const { search } = new URL(callback);
  assertEquals((await login.end(`/elsewhere${search}`)).code, "wrong_callback");
  assertEquals((await login.end(callback)).profile, USER);
});

Deno.test("finishExternalAuth() distinguishes callbacks by the query of the redirectUri", async () => {
  const provider = await TestProvider.create();
  const login = new Login(provider, {
    redirectUri: "https://app.example/callback?provider=test",
  });
  const callback = new URL(await login.begin());
  const other = new URL(callback);
  other.searchParams.set("provider", "other");
  assertEquals((await login.end(other.href)).code, "wrong_callback");
  assertEquals((await login.end(callback.href)).profile, USER);
});

Deno.test("finishExternalAuth() finishes a login once per request, and externalAuthResult() returns the result", async () => {
  const provider = await TestProvider.create();
  const { profile, result } = await logIn(provider);
  assert(result.ok);
  assertEquals(result.profile, profile);
  assertEquals(provider.count("/token"), 1);
});

Deno.test("startExternalAuth() and finishExternalAuth() name the order of the middleware if there is no session", async () => {
  const client = clientOf(await TestProvider.create());
  const context = new RequestContext(
    new Request("https://app.example/callback"),
  );
  for (
    const call of [startExternalAuth, finishExternalAuth, externalAuthResult]
  ) {
    await assertRejects(
      async () => await call(client, context),
      TypeError,
      "session middleware",
    );
  }
});

const targets = [
  ["/account?tab=keys#top", "/account?tab=keys#top"],
  ["//evil.example", "/"],
  ["https://evil.example/", "/"],
  ["/.//evil.example", "/"],
  ["javascript:alert(1)", "/"],
  ["/" + "a".repeat(2048), "/"],
  ["/" + "a".repeat(5000), "/"],
];

for (const [returnTo, expected] of targets) {
  Deno.test(`startExternalAuth() uses ${expected} for returnTo ${returnTo!.slice(0, 40)} (RFC 9700, section 4.11)`, async () => {
    const provider = await TestProvider.create();
    const login = new Login(provider);
    const { result } = await login.run(
      `/login?returnTo=${encodeURIComponent(returnTo!)}`,
    );
    assert(result.ok);
    assertEquals(result.returnTo, expected);
  });
}

Deno.test("finishExternalAuth() keeps the callback URL out of Referer for any response (RFC 9700, section 4.2.4)", async () => {
  const client = clientOf(await TestProvider.create());
  const router = createRouter({ middleware: [session()] });
  router.get("/callback", async (context) => {
    await finishExternalAuth(client, context);
    return Response.redirect("https://app.example/");
  });
  router.get("/", () => new Response("home"));
  for (const query of ["", "?code=1", "?code=1&state=2"]) {
    const url = `https://app.example/callback${query}`;
    const { headers, status } = await router.fetch(url);
    assertEquals([status, headers.get("Referrer-Policy")], [
      302,
      "no-referrer",
    ]);
  }
  const home = await router.fetch("https://app.example/");
  assertEquals(home.headers.get("Referrer-Policy"), null);
});
