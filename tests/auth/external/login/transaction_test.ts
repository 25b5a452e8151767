// The data that a login carries from its start to its result.
import {
  externalAuthCallbacks,
  type ExternalAuthData,
  externalAuthResult,
  startExternalAuth,
  type StartExternalAuthOptions,
} from "@gatehouse/web/auth";
import { createRouter } from "@gatehouse/web/fetch-router";
import { createCookieSessionStore, Session } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { createTestClient } from "@gatehouse/web/testing";
import {
  assert,
  assertEquals,
  assertInstanceOf,
  assertMatch,
} from "@std/assert";
import { clientOf, Login, ORIGIN } from "../../_login.ts";
import { TestProvider } from "../../_test_provider.ts";

Deno.test("startExternalAuth() returns the data of each login with its result", async () => {
  const { begin, end } = await setUp();
  const first = await begin({ data: { linkTo: 7, tags: ["a", null] } });
  const second = await begin({ data: { invitation: "i" } });
  const third = await begin();
  assertEquals((await end(second)).data, { invitation: "i" });
  assertEquals((await end(first)).data, { linkTo: 7, tags: ["a", null] });
  assertEquals((await end(third)).data, {});
});

Deno.test("startExternalAuth() keeps data out of the browser and from the provider", async () => {
  const provider = await TestProvider.create();
  const login = new Login(provider, {}, { data: { secret: "d474" } });
  const response = await login.visit("/login");
  const headers = JSON.stringify([...response.headers]);
  assertMatch(headers, /set-cookie/);
  assert(!headers.includes("d474"));
  await login.end(provider.authorize(response.headers.get("Location")));
  assert(!JSON.stringify(provider.requests).includes("d474"));
});

Deno.test("startExternalAuth() returns data if the request is pushed (RFC 9126)", async () => {
  const provider = await TestProvider.create();
  const data = { linkTo: 7 };
  const login = new Login(provider, { pushedAuthorization: true }, { data });
  const { result } = await login.run();
  assert(result.ok);
  assertEquals(result.data, data);
});

Deno.test("startExternalAuth() copies data as JSON when the login starts", async () => {
  const { begin, end } = await setUp();
  const date = new Date(0);
  const data = { at: date as unknown as string, left: undefined };
  const callback = await begin({ data });
  date.setTime(1);
  assertEquals((await end(callback)).data, { at: "1970-01-01T00:00:00.000Z" });
});

Deno.test("externalAuthResult() has data and returnTo of a login that the provider rejected", async () => {
  const provider = await TestProvider.create();
  const login = new Login(provider, {}, { data: { attempt: 1 } });
  provider.faults = {
    callback: (params) => {
      params.delete("code");
      params.set("error", "login_required");
    },
  };
  const { result } = await login.run("/login?returnTo=/account");
  assert(!result.ok);
  assertEquals(result.error.code, "authorization_refused");
  assertEquals([result.returnTo, result.data], ["/account", { attempt: 1 }]);
});

Deno.test("externalAuthResult() has data and returnTo of a login with a rejected code", async () => {
  const provider = await TestProvider.create();
  const login = new Login(provider, {}, { data: { attempt: 1 } });
  provider.faults = { token: () => ({ error: "invalid_grant" }) };
  const { result } = await login.run();
  assert(!result.ok);
  assertEquals([result.returnTo, result.data], ["/", { attempt: 1 }]);
});

Deno.test("externalAuthResult() has data and returnTo of an expired login", async () => {
  const provider = await TestProvider.create();
  let time = Date.now();
  provider.now = () => time;
  const login = new Login(provider, {}, { data: { attempt: 1 } });
  // The session must still exist.
  login.router.post("/session", (context) => {
    context.get(Session).set("userId", 1);
    return new Response();
  });
  await login.visit("/session", { method: "POST" });
  const callback = await login.begin("/login?returnTo=/account");
  time += 600_000;
  const { result } = await login.end(callback);
  assert(!result.ok);
  assertEquals(result.error.code, "state_expired");
  assertEquals([result.returnTo, result.data], ["/account", { attempt: 1 }]);
  assertEquals(provider.count("/token"), 0);
});

Deno.test("externalAuthResult() has neither data nor returnTo without a login of this session", async () => {
  const provider = await TestProvider.create();
  const login = new Login(provider, {}, { data: { linkTo: 7 } });
  const callback = await login.begin();
  login.newBrowser();
  const { result } = await login.end(callback);
  assert(!result.ok);
  assertEquals([result.returnTo, result.data], [undefined, undefined]);
});

Deno.test("externalAuthResult() has neither data nor returnTo of another provider's login (RFC 9700, section 4.4)", async () => {
  const provider = await TestProvider.create();
  const login = new Login(provider);
  const other = clientOf(provider, {
    clientId: "other",
    redirectUri: `${ORIGIN}/other`,
  });
  login.add("/to-other", "/other", other, { data: { linkTo: 7 } });
  const { search } = new URL(await login.begin("/to-other"));
  const { code, result } = await login.end(`${ORIGIN}/callback${search}`);
  assertEquals(code, "provider_mismatch");
  assert(!result.ok);
  assertEquals([result.returnTo, result.data], [undefined, undefined]);
});

const circular: Record<string, unknown> = {};
circular.circular = circular;

const refused: [string, unknown, typeof TypeError | typeof RangeError][] = [
  ["a text", "text", TypeError],
  ["a list", [], TypeError],
  ["a function", () => {}, TypeError],
  ["a bigint", { id: 1n }, TypeError],
  ["a circle", circular, TypeError],
  ["1,025 bytes", { a: "a".repeat(1025 - 8) }, RangeError],
  ["513 characters of 2 bytes", { a: "ä".repeat(513) }, RangeError],
];

for (const [name, data, expected] of refused) {
  Deno.test(`startExternalAuth() throws a ${expected.name} for data that is ${name}`, async () => {
    const { begin, errors, provider } = await setUp();
    await begin({ data: data as ExternalAuthData }).catch(() => {});
    assertInstanceOf(errors[0], expected);
    assertEquals(provider.requests, []);
  });
}

for (const maxAge of [-1, NaN, Infinity, 0.5, "300" as unknown as number]) {
  Deno.test(`startExternalAuth() throws a TypeError for the maxAge ${maxAge}`, async () => {
    const { begin, errors, provider } = await setUp();
    await begin({ maxAge }).catch(() => {});
    assertInstanceOf(errors[0], TypeError);
    assertEquals(provider.requests, []);
  });
}

Deno.test("startExternalAuth() accepts 1,024 bytes of data with a long returnTo in encrypted cookies", async () => {
  const { begin, end } = await setUp(cookieSession());
  const data = { a: "a".repeat(1024 - 8) };
  const returnTo = `/${"a".repeat(1023)}`;
  assertEquals(await end(await begin({ data, returnTo })), { data, returnTo });
});

Deno.test("startExternalAuth() keeps a returnTo of 2,048 characters and 1,024 bytes of data in a store", async () => {
  const { begin, end } = await setUp();
  const data = { a: "a".repeat(1024 - 8) };
  const returnTo = `/${"\\".repeat(2047)}`.replace("\\", "?");
  assertEquals(await end(await begin({ data, returnTo })), { data, returnTo });
  const long = await begin({ data, returnTo: `${returnTo}s` });
  assertEquals(await end(long), { data, returnTo: "/" });
});

// In cookies a login is JSON in JSON, so some characters take four bytes.
const heavy: [string, StartExternalAuthOptions, kept: boolean][] = [
  [
    "a path of 1,022 backslashes",
    { returnTo: "/?" + "\\".repeat(1022) },
    false,
  ],
  ["a path of 400 backslashes", { returnTo: "/?" + "\\".repeat(400) }, true],
  ["data of backslashes", { data: { a: "\\".repeat(508) } }, true],
  ["data of quotes", { data: { a: '"'.repeat(508) } }, true],
  ["data of backslashes and a path of 1,000 characters", {
    data: { a: "\\".repeat(508) },
    returnTo: `/${"a".repeat(999)}`,
  }, false],
  ["data of 92 names and a path of 1,000 characters", {
    data: Object.fromEntries(Array.from({ length: 92 }, (_, i) => [i, "v"])),
    returnTo: `/${"a".repeat(999)}`,
  }, true],
  ["data of lone surrogates", { data: { a: "\ud800".repeat(169) } }, true],
];

for (const [name, options, isKept] of heavy) {
  Deno.test(`a login with ${name} fits in encrypted cookies (RFC 6265, section 6.1)`, async () => {
    const { begin, cookieBytes, end } = await setUp(cookieSession());
    const callback = await begin(options);
    assert(await cookieBytes() <= 4096);
    assertEquals(await end(callback), {
      data: options.data ?? {},
      returnTo: isKept ? options.returnTo ?? "/" : "/",
    });
  });
}

Deno.test("startExternalAuth() leaves room in the session for any length of returnTo", async () => {
  const { begin, browser, end, errors } = await setUp();
  await browser.fetch("/fill", { method: "POST" });
  const data = { pad: "a".repeat(1000) };
  const returnTo = `/${"a".repeat(1000)}`;
  const callbacks = [];
  for (let i = 0; i < 9; i++) callbacks.push(await begin({ data, returnTo }));
  assertEquals(errors, []);
  // The oldest logins were dropped.
  assertEquals((await end(callbacks[0]!)).data, undefined);
  assertEquals((await end(callbacks[7]!)).data, data);
  assertEquals((await end(callbacks[8]!)).data, data);
});

Deno.test("startExternalAuth() drops the oldest logins if encrypted cookies would exceed 4 kB (RFC 6265, section 6.1)", async () => {
  const { begin, cookieBytes, end } = await setUp(cookieSession());
  const callbacks = [];
  for (let attempt = 0; attempt < 8; attempt++) {
    callbacks.push(await begin({ data: { attempt, pad: "a".repeat(200) } }));
  }
  assert(await cookieBytes() < 5000);
  assertEquals((await end(callbacks[0]!)).data, undefined);
  assertEquals((await end(callbacks[7]!)).data?.attempt, 7);
});

function cookieSession() {
  const secrets = ["a secret of more than 32 characters, for tests"];
  return session({ store: createCookieSessionStore({ secrets }) });
}

/** Creates an application whose logins start with different options. */
async function setUp(middleware = session()) {
  const provider = await TestProvider.create();
  const client = clientOf(provider);
  const errors: unknown[] = [];
  let options: StartExternalAuthOptions | undefined;
  let result: { data?: ExternalAuthData; returnTo?: string } = {};
  const router = createRouter({
    middleware: [externalAuthCallbacks([client]), middleware],
    onError(error) {
      errors.push(error);
      return new Response(null, { status: 500 });
    },
  });
  router.get(
    "/login",
    (context) => startExternalAuth(client, context, options),
  );
  router.get("/callback", async (context) => {
    const { data, returnTo } = await externalAuthResult(client, context);
    result = { data, returnTo };
    return new Response();
  });
  router.post("/fill", (context) => {
    context.get(Session).set("cart", "x".repeat(16_384));
    return new Response();
  });
  router.get("/cookies", ({ headers }) => new Response(headers.get("Cookie")));
  const browser = createTestClient(router, { origin: ORIGIN });
  return {
    browser,
    errors,
    provider,
    async begin(start?: StartExternalAuthOptions) {
      options = start;
      const response = await browser.fetch("/login");
      return provider.authorize(response.headers.get("Location"));
    },
    async end(callback: string) {
      await browser.fetch(callback);
      return result;
    },
    async cookieBytes() {
      return (await (await browser.fetch("/cookies")).text()).length;
    },
  };
}
