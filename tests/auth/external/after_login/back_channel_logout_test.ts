// OpenID Connect Back-Channel Logout 1.0, with the modules of the conformance
// suite by name.
import {
  backChannelLogout,
  completeAuth,
  type ExternalAuthError,
} from "@gatehouse/web/auth";
import { createRouter } from "@gatehouse/web/fetch-router";
import { crossOriginProtection } from "@gatehouse/web/middleware";
import {
  createMemorySessionStore,
  Session,
  type SessionStore,
} from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { createTestClient } from "@gatehouse/web/testing";
import {
  assert,
  assertEquals,
  assertInstanceOf,
  assertLess,
  assertStringIncludes,
} from "@std/assert";
import { SignJWT, UnsecuredJWT } from "jose";
import { clientOf, Login } from "../../_login.ts";
import { TestProvider, USER } from "../../_test_provider.ts";

const EVENT = "http://schemas.openid.net/event/backchannel-logout";

type Claims = Record<string, unknown>;

Deno.test("backChannelLogout() ends only the sessions of the user (section 2.7)", async () => {
  const { app, provider } = await setUp();
  const browsers = [await app.logIn(1), await app.logIn(1), await app.logIn(2)];
  const response = await app.send(await logoutToken(provider));
  assertEquals(response.status, 200);
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  const users = await Promise.all(
    browsers.map(async (browser) => await (await browser.fetch("/")).text()),
  );
  assertEquals(users, ["anonymous", "anonymous", "2"]);
});

Deno.test("backChannelLogout() passes the subject and session to the application", async () => {
  const { app, provider } = await setUp();
  await app.send(await logoutToken(provider, (c) => ({ ...c, sid: "s1" })));
  await app.send(
    await logoutToken(provider, ({ sub: _, ...c }) => ({ ...c, sid: "s2" })),
  );
  assertEquals(app.logouts, [
    { issuer: provider.issuer, subject: USER.sub, sessionId: "s1" },
    { issuer: provider.issuer, sessionId: "s2" },
  ]);
});

Deno.test("backChannelLogout() responds with 200 if the user is not logged in (section 2.7)", async () => {
  const { app, provider } = await setUp();
  const token = await logoutToken(provider, (c) => ({ ...c, sub: "unknown" }));
  assertEquals((await app.send(token)).status, 200);
});

Deno.test("backChannelLogout() accepts a token once (section 2.6)", async () => {
  const { app, provider } = await setUp();
  const token = await logoutToken(provider);
  const statuses = await Promise.all([app.send(token), app.send(token)]);
  assertEquals(statuses.map(({ status }) => status).sort(), [200, 400]);
  assertEquals((await app.send(token)).status, 400);
});

Deno.test("backChannelLogout() accepts a token again after a failure", async () => {
  const faults: Faults = {};
  const { app, provider } = await setUp(faults);
  const browser = await app.logIn(1);
  const token = await logoutToken(provider);
  const fail = () => {
    throw new Error("the database is unavailable");
  };
  faults.find = fail;
  assertEquals((await app.send(token)).status, 400);
  faults.find = undefined;
  faults.list = fail;
  assertEquals((await app.send(token)).status, 400);
  assertEquals(await (await browser.fetch("/")).text(), "1");
  faults.list = undefined;
  assertEquals((await app.send(token)).status, 200);
  assertEquals(await (await browser.fetch("/")).text(), "anonymous");
  assertEquals((await app.send(token)).status, 400, "and then it is used up");
});

Deno.test("backChannelLogout() ends a session whose id changes between list and end", async () => {
  const faults: Faults = {};
  const { app, provider } = await setUp(faults);
  const browser = await app.logIn(1);
  faults.list = async () => {
    faults.list = undefined;
    await browser.fetch("/renew", { method: "POST" });
  };
  assertEquals((await app.send(await logoutToken(provider))).status, 200);
  assertEquals(await (await browser.fetch("/")).text(), "anonymous");
});

const refused: [string, (claims: Claims) => Claims][] = [
  ["oidcc-client-test-backchannel-logout-no-event", ({ events: _, ...c }) => c],
  [
    "oidcc-client-test-backchannel-logout-wrong-event",
    (c) => ({ ...c, events: { other: {} } }),
  ],
  [
    "oidcc-client-test-backchannel-logout-with-nonce",
    (c) => ({ ...c, nonce: "n" }),
  ],
  [
    "oidcc-client-test-backchannel-logout-wrong-aud",
    (c) => ({ ...c, aud: "other" }),
  ],
  [
    "oidcc-client-test-backchannel-logout-wrong-iss",
    (c) => ({ ...c, iss: "https://evil.example" }),
  ],
  [
    "an event that is not an object",
    (c) => ({ ...c, events: { [EVENT]: true } }),
  ],
  ["an event that is null", (c) => ({ ...c, events: { [EVENT]: null } })],
  ["events that are an array", (c) => ({ ...c, events: [EVENT] })],
  ["no jti", ({ jti: _, ...c }) => c],
  ["a jti that is a number", (c) => ({ ...c, jti: 1 })],
  ["a giant jti", (c) => ({ ...c, jti: "j".repeat(300) })],
  ["neither sub nor sid", ({ sub: _, ...c }) => c],
  ["a sub that is a number", (c) => ({ ...c, sub: 1 })],
  ["an empty sid", (c) => ({ ...c, sid: "" })],
  ["no iat", ({ iat: _, ...c }) => c],
  ["no exp", ({ exp: _, ...c }) => c],
  ["an exp in the past", (c) => ({ ...c, exp: Number(c.iat) - 60 })],
  ["an iat of an hour ago", (c) => ({ ...c, iat: Number(c.iat) - 3600 })],
  ["an iat in an hour", (c) => ({ ...c, iat: Number(c.iat) + 3600 })],
  ["an aud that is not trusted", (c) => ({ ...c, aud: ["app", "other"] })],
];

for (const [name, change] of refused) {
  Deno.test(`${name}: backChannelLogout() responds with 400 and ends no session (section 2.6)`, async () => {
    const { app, provider } = await setUp();
    const browser = await app.logIn(1);
    const response = await app.send(await logoutToken(provider, change));
    assertEquals(response.status, 400);
    assertEquals(await response.json(), { error: "invalid_request" });
    assertEquals(await (await browser.fetch("/")).text(), "1");
    assertEquals(app.codes, ["logout_token_invalid"]);
  });
}

Deno.test("oidcc-client-test-backchannel-logout-alg-none: backChannelLogout() responds with 400", async () => {
  const { app, provider } = await setUp();
  const claims = claimsOf(provider);
  assertEquals((await app.send(new UnsecuredJWT(claims).encode())).status, 400);
});

Deno.test("oidcc-client-test-backchannel-logout-wrong-alg: backChannelLogout() responds with 400", async () => {
  const { app, provider } = await setUp();
  const token = await new SignJWT(claimsOf(provider))
    .setProtectedHeader({ alg: "HS256", typ: "logout+jwt" })
    .sign(new TextEncoder().encode(provider.clientSecret.padEnd(32)));
  assertEquals((await app.send(token)).status, 400);
});

Deno.test("backChannelLogout() rejects an ID token (section 2.4)", async () => {
  const { app, provider } = await setUp();
  const token = await provider.idToken({ nonce: undefined, jti: "j" });
  assertEquals((await app.send(token)).status, 400);
});

for (const typ of ["logout+jwt", "JWT", ""]) {
  Deno.test(`backChannelLogout() accepts a token of the type "${typ}" (section 2.4)`, async () => {
    const { app, provider } = await setUp();
    const token = await logoutToken(provider, (c) => c, typ);
    assertEquals((await app.send(token)).status, 200);
  });
}

Deno.test("backChannelLogout() rejects a token of another type", async () => {
  const { app, provider } = await setUp();
  const token = await logoutToken(provider, (c) => c, "at+jwt");
  assertEquals((await app.send(token)).status, 400);
});

const bodies: [string, RequestInit][] = [
  ["no body", {}],
  ["a form without a token", { body: new URLSearchParams({ a: "b" }) }],
  ["two texts", {
    body: new URLSearchParams([["logout_token", "a.b.c"], [
      "logout_token",
      "a.b.c",
    ]]),
  }],
  ["an invalid token", { body: new URLSearchParams({ logout_token: "%00" }) }],
  ["JSON", { body: "{}", headers: { "Content-Type": "application/json" } }],
  ["100 kB", {
    body: new URLSearchParams({ logout_token: "a".repeat(100_000) }),
  }],
];

for (const [name, init] of bodies) {
  Deno.test(`backChannelLogout() responds to ${name} with 400`, async () => {
    const { app } = await setUp();
    assertEquals((await app.send("", init)).status, 400);
  });
}

Deno.test("backChannelLogout() responds to two tokens with 400", async () => {
  const { app, provider } = await setUp();
  const body = new URLSearchParams();
  body.append("logout_token", await logoutToken(provider));
  body.append("logout_token", await logoutToken(provider));
  assertEquals((await app.send("", { body })).status, 400);
});

Deno.test("backChannelLogout() stops reading a body that is too large", async () => {
  const { app } = await setUp();
  let chunks = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(new Uint8Array(16_384).fill(0x61));
      if (++chunks === 1000) controller.close();
    },
  });
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  const init = { body, headers, duplex: "half" };
  assertEquals((await app.send("", init)).status, 400);
  assertLess(chunks, 20);
});

Deno.test("backChannelLogout() fetches keys for unknown key ids only once in 30 s", async () => {
  const { app, provider } = await setUp();
  const stranger = await TestProvider.create();
  await stranger.rotate();
  for (let i = 0; i < 20; i++) {
    assertEquals((await app.send(await logoutToken(stranger))).status, 400);
  }
  assertEquals(provider.count("/keys"), 2);
});

Deno.test("backChannelLogout() throws a TypeError for a store without an index", async () => {
  const provider = await TestProvider.create();
  const { get, put, delete: remove } = createMemorySessionStore();
  const errors: unknown[] = [];
  const router = createRouter({
    onError: (error) => {
      errors.push(error);
      return new Response(null, { status: 500 });
    },
  });
  router.post(
    "/logout",
    (context) =>
      backChannelLogout(clientOf(provider), context, {
        store: { get, put, delete: remove },
      }),
  );
  await router.fetch("https://app.example/logout", { method: "POST" });
  assertInstanceOf(errors[0], TypeError);
  assertStringIncludes(errors[0].message, "byIndex");
});

Deno.test("backChannelLogout() responds if a store does not answer for five seconds", async () => {
  const never = new Promise<void>(() => {});
  const faults = [{ list: () => never }, { get: () => never }];
  const answers = faults.map(async (fault) => {
    const { app, provider } = await setUp(fault);
    await app.logIn(1);
    return await app.send(await logoutToken(provider));
  });
  for (const { status } of await Promise.all(answers)) {
    assertEquals(status, 400);
  }
});

Deno.test("a logout token with an unknown key does not block new keys for a login", async () => {
  const provider = await TestProvider.create();
  const login = new Login(provider);
  const client = clientOf(provider, {
    redirectUri: "https://app.example/own/callback",
  });
  login.add("/own/login", "/own/callback", client);
  const store = createMemorySessionStore();
  login.router.post(
    "/logout",
    (context) => backChannelLogout(client, context, { store }),
  );
  assertEquals((await login.run("/own/login")).code, "");

  const stranger = await TestProvider.create();
  await stranger.rotate();
  const body = new URLSearchParams({
    logout_token: await logoutToken(stranger),
  });
  const junk = await login.visit("/logout", { method: "POST", body });
  assertEquals(junk.status, 400);

  await provider.rotate();
  assertEquals((await login.run("/own/login")).code, "");
});

Deno.test("backChannelLogout() does not end a later login if the token is replayed", async () => {
  const { app, provider } = await setUp();
  const old = await logoutToken(provider, (c) => ({
    ...c,
    iat: Number(c.iat) - 60,
  }));
  const browser = await app.logIn(1);
  assertEquals((await app.send(old)).status, 200);
  assertEquals(await (await browser.fetch("/")).text(), "1");
  const now = await logoutToken(provider);
  assertEquals((await app.send(now)).status, 200);
  assertEquals(await (await browser.fetch("/")).text(), "anonymous");
});

Deno.test("backChannelLogout() responds with an uncacheable 400 and reports the error if the store fails (section 2.8)", async () => {
  const faults: Faults = {};
  const { app, provider } = await setUp(faults);
  await app.logIn(1);
  faults.list = () => {
    throw Object.assign(new Error("the database is unavailable"), {
      code: "ECONNREFUSED",
      arguments: ["a secret"],
    });
  };
  const response = await app.send(await logoutToken(provider));
  assertEquals(response.status, 400);
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  assertEquals(await response.json(), { error: "server_error" });
  assertEquals(app.codes, ["logout_failed"]);
  const [{ cause }] = app.errors;
  assertEquals((cause as Error).name, "SessionStoreError");
  assertEquals(JSON.stringify(cause).includes("a secret"), false);
});

Deno.test("backChannelLogout() waits for its store once if that hangs after a failure", async () => {
  const faults: Faults = {};
  const { app, provider } = await setUp(faults, 20);
  faults.list = () => {
    throw new Error("the database is unavailable");
  };
  let deletions = 0;
  faults.delete = () => {
    deletions++;
    return new Promise(() => {});
  };
  assertEquals((await app.send(await logoutToken(provider))).status, 400);
  assertEquals(deletions, 1);
  assertEquals(app.codes, ["logout_failed"]);
});

/** Creates a store that can run code during a lookup and after byIndex(). */
interface Faults {
  delete?: () => Promise<void>;
  find?: () => void;
  get?: () => Promise<void>;
  list?: () => void | Promise<void>;
}

async function setUp(faults: Faults = {}, storeTimeout?: number) {
  const provider = await TestProvider.create();
  return { provider, app: createApp(provider, faults, storeTimeout) };
}

function createApp(
  provider: TestProvider,
  faults: Faults,
  storeTimeout?: number,
) {
  const memory = createMemorySessionStore();
  const store: SessionStore = {
    async get(key) {
      await faults.get?.();
      return memory.get(key);
    },
    put: (...args) => memory.put(...args),
    async delete(key) {
      await faults.delete?.();
      memory.delete(key);
    },
    async byIndex(name) {
      const found = await memory.byIndex!(name);
      await faults.list?.();
      return found;
    },
  };
  const codes: string[] = [];
  const errors: ExternalAuthError[] = [];
  const logouts: unknown[] = [];
  const client = clientOf(provider, {
    onError: (error) => {
      codes.push(error.code);
      errors.push(error);
    },
  });
  const router = createRouter({
    middleware: [crossOriginProtection(), session({ store })],
    onError: () => new Response(null, { status: 500 }),
  });
  router.post("/logout", (context) =>
    backChannelLogout(client, context, {
      store,
      storeTimeout,
      findUserId: (logout) => {
        faults.find?.();
        logouts.push(logout);
        return logout.subject === USER.sub ? 1 : null;
      },
    }));
  router.post("/login/:id", async (context) => {
    await completeAuth(context, Number(context.params.id));
    return new Response();
  });
  router.post("/renew", (context) => {
    context.get(Session).regenerateId();
    return new Response();
  });
  router.get("/", (context) => {
    return new Response(String(context.get(Session).userId ?? "anonymous"));
  });
  return {
    codes,
    errors,
    logouts,
    async logIn(id: number) {
      const browser = createTestClient(router);
      await browser.fetch(`/login/${id}`, { method: "POST" });
      return browser;
    },
    send(token: string, init?: RequestInit): Promise<Response> {
      return router.fetch("https://app.example/logout", {
        method: "POST",
        ...init ?? { body: new URLSearchParams({ logout_token: token }) },
      });
    },
  };
}

function claimsOf(provider: TestProvider): Claims {
  const iat = Math.floor(Date.now() / 1000);
  return {
    iss: provider.issuer,
    aud: provider.clientId,
    sub: USER.sub,
    iat,
    exp: iat + 120,
    jti: crypto.randomUUID(),
    events: { [EVENT]: {} },
  };
}

async function logoutToken(
  provider: TestProvider,
  change: (claims: Claims) => Claims = (claims) => claims,
  typ = "logout+jwt",
): Promise<string> {
  const [{ alg, jwk, privateKey }] = provider.keys;
  assert(privateKey);
  return await new SignJWT(change(claimsOf(provider)))
    .setProtectedHeader({ alg, kid: String(jwk.kid), ...typ !== "" && { typ } })
    .sign(privateKey);
}
