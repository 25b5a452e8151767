import { externalAuthCallbacks } from "@gatehouse/web/auth";
import { createRouter } from "@gatehouse/web/fetch-router";
import { crossOriginProtection, formData } from "@gatehouse/web/middleware";
import { assert, assertEquals } from "@std/assert";
import { clientOf, Login } from "../../_login.ts";
import { TestProvider, USER } from "../../_test_provider.ts";

const CROSS_SITE = {
  "Origin": "https://id.example",
  "Sec-Fetch-Site": "cross-site",
};

Deno.test("form_post: the response is encrypted in a separate cookie and read by a GET", async () => {
  const provider = await TestProvider.create();
  const login = new Login(provider, { responseMode: "form_post" });
  const start = await login.visit("/login");
  const location = start.headers.get("Location")!;
  assertEquals(
    new URL(location).searchParams.get("response_mode"),
    "form_post",
  );

  const { searchParams } = new URL(provider.authorize(location));
  const posted = await login.visit("/callback", {
    method: "POST",
    headers: CROSS_SITE,
    body: searchParams,
  });
  assertEquals(posted.status, 303);
  const next = posted.headers.get("Location")!;
  assertEquals(next, `/callback?state=${searchParams.get("state")}`);
  const [cookie] = posted.headers.getSetCookie();
  for (
    const part of [
      "__Host-external-auth-",
      "Secure",
      "HttpOnly",
      "SameSite=None",
      "Path=/",
      "Max-Age=60;",
    ]
  ) {
    assert(cookie.includes(part), part);
  }
  assert(!cookie.includes(searchParams.get("code")!));
});

Deno.test("form_post: the GET finishes the login, removes the cookie and sends no referrer", async () => {
  const provider = await TestProvider.create();
  const login = new Login(provider, { responseMode: "form_post" });
  const { cookie, next } = await post(login, await login.begin());
  const response = await login.visit(next);
  const [name] = cookie.split("=");
  assertEquals(await response.text(), USER.sub);
  assertEquals(response.headers.get("Referrer-Policy"), "no-referrer");
  assertEquals(response.headers.get("Cache-Control"), "private, no-store");
  assert(
    response.headers.getSetCookie().some((line) =>
      line.startsWith(`${name}=;`) && line.includes("Max-Age=0")
    ),
  );
  // With the old cookie, the state is used up too.
  const replay = await login.visit(next, { headers: { cookie } });
  assertEquals(replay.status, 401);
  assertEquals(provider.count("/token"), 1);
});

Deno.test("form_post: a response in the query is rejected", async () => {
  const login = new Login(await TestProvider.create(), {
    responseMode: "form_post",
  });
  const callback = await login.begin();
  const response = await login.visit(callback);
  assertEquals(response.status, 401);
  assertEquals(login.outcomes.at(-1)!.code, "state_missing");
  await login.end(callback);
  assertEquals(login.outcomes.at(-1)!.code, "");
});

Deno.test("form_post: a cookie for another login than the one in the URL is rejected", async () => {
  const login = new Login(await TestProvider.create(), {
    responseMode: "form_post",
  });
  const first = await post(login, await login.begin());
  const second = await post(login, await login.begin());
  const [name] = first.cookie.split("=");
  const cookie = second.cookie.replace(/^[^=]*/, name);
  await login.visit(first.next, { headers: { cookie } });
  assertEquals(login.outcomes.at(-1)!.code, "state_missing");
});

Deno.test("form_post: the responses of two tabs do not conflict", async () => {
  const login = new Login(await TestProvider.create(), {
    responseMode: "form_post",
  });
  const callbacks = [await login.begin(), await login.begin()];
  const first = await post(login, callbacks[0]);
  const second = await post(login, callbacks[1]);
  await login.visit(first.next);
  await login.visit(second.next);
  assertEquals(login.outcomes.map(({ code }) => code), ["", ""]);
});

Deno.test("form_post: unread responses take at most 6 kB of cookies, and the oldest are dropped", async () => {
  const provider = await TestProvider.create();
  const login = new Login(provider, { responseMode: "form_post" });
  provider.faults = {
    callback: (params) => params.set("code", "c".repeat(1500)),
  };
  const names: string[] = [];
  const removed: string[] = [];
  for (let time = 0; time < 5; time++) {
    const { cookie, gone } = await post(login, await login.begin());
    assert(cookie.length > 2000 && cookie.length < 3000);
    names.push(cookie.split("=")[0]);
    removed.push(...gone);
  }
  assertEquals(new Set(names).size, 5);
  assertEquals(removed, names.slice(0, 3));
});

Deno.test("form_post: a response that is posted twice is not dropped", async () => {
  const provider = await TestProvider.create();
  const login = new Login(provider, { responseMode: "form_post" });
  const callback = new URL(await login.begin());
  callback.searchParams.set("code", "c".repeat(2400));
  for (let time = 0; time < 2; time++) {
    const { cookie, gone } = await post(login, callback.href);
    assert(cookie.length > 3072);
    assertEquals(gone, []);
  }
});

Deno.test("form_post: unknown cookies are not sent back", async () => {
  const login = new Login(await TestProvider.create(), {
    responseMode: "form_post",
  });
  const body = new URL(await login.begin()).searchParams;
  const cookie = ["", "a b", "é", "a".repeat(12)].map((name) =>
    `__Host-external-auth-${name}=${"x".repeat(7000)}`
  ).join("; ");
  const { headers } = await login.visit("/callback", {
    method: "POST",
    headers: { ...CROSS_SITE, cookie },
    body,
  });
  const [, ...removed] = headers.getSetCookie().map((line) =>
    line.split("=")[0]
  );
  assertEquals(removed, [`__Host-external-auth-${"a".repeat(12)}`]);
});

const cookies: [string, (cookie: string) => string][] = [
  ["changed", (cookie) => cookie.slice(0, -4) + "AAAA"],
  ["cut", (cookie) => cookie.slice(0, 40)],
  ["empty", (cookie) => cookie.replace(/=.*/, "=")],
  ["no base64url", (cookie) => cookie.replace(/=.*/, "=%%%")],
];

for (const [name, change] of cookies) {
  Deno.test(`form_post: a cookie that is ${name} is rejected without an error`, async () => {
    const login = new Login(await TestProvider.create(), {
      responseMode: "form_post",
    });
    const { cookie, next } = await post(login, await login.begin());
    await login.visit(next, { headers: { cookie: change(cookie) } });
    assertEquals(login.outcomes.at(-1)!.code, "state_missing");
  });
}

Deno.test("form_post: a cookie expires after a minute", async () => {
  const provider = await TestProvider.create();
  let time = Date.now();
  provider.now = () => time;
  const login = new Login(provider, { responseMode: "form_post" });
  const { next } = await post(login, await login.begin());
  time += 60_000;
  await login.visit(next);
  assertEquals(login.outcomes.at(-1)!.code, "state_missing");
});

Deno.test("form_post: another provider's cookie is rejected", async () => {
  const provider = await TestProvider.create();
  const login = new Login(provider, { responseMode: "form_post" });
  const other = new Login(provider, {
    responseMode: "form_post",
    formPostSecret: "another secret of 32 characters!!",
  });
  const { cookie, next } = await post(other, await other.begin());
  await login.visit(next, { headers: { cookie } });
  assertEquals(login.outcomes.at(-1)!.code, "state_missing");
});

Deno.test("form_post: the cookie of another callback is rejected, even with the same secret", async () => {
  const provider = await TestProvider.create();
  const login = new Login(provider, { responseMode: "form_post" });
  const client = clientOf(provider, {
    responseMode: "form_post",
    redirectUri: "https://app.example/other",
  });
  login.add("/other/login", "/other", client);
  const { cookie, next } = await post(login, await login.begin());
  const { search } = new URL(next, "https://app.example");
  await login.visit(`/other${search}`, { headers: { cookie } });
  assertEquals(login.outcomes.at(-1)!.code, "state_missing");
});

Deno.test("form_post: an error can be posted (RFC 6749, section 4.1.2.1)", async () => {
  const provider = await TestProvider.create();
  provider.faults = {
    callback: (params) => {
      params.delete("code");
      params.set("error", "access_denied");
    },
  };
  const login = new Login(provider, { responseMode: "form_post" });
  assertEquals((await login.run()).code, "access_denied");
});

const bodies: [string, () => RequestInit][] = [
  [
    "JSON",
    () => ({ body: "{}", headers: { "Content-Type": "application/json" } }),
  ],
  ["nothing", () => ({})],
  [
    "100 kB",
    () => ({ body: new URLSearchParams({ code: "a".repeat(100_000) }) }),
  ],
  [
    "a code that is too long for a cookie",
    () => ({
      body: new URLSearchParams({ code: "a".repeat(4_000), state: "s" }),
    }),
  ],
  ["a multipart form", () => {
    const body = new FormData();
    body.set("code", "c");
    return { body };
  }],
];

for (const [name, init] of bodies) {
  Deno.test(`form_post: a body of ${name} gets a 400`, async () => {
    const login = new Login(await TestProvider.create(), {
      responseMode: "form_post",
    });
    const response = await login.visit("/callback", {
      method: "POST",
      ...init(),
    });
    assertEquals(response.status, 400);
  });
}

for (const isReversed of [false, true]) {
  Deno.test(`externalAuthCallbacks() distinguishes callbacks by their query, with the longer one ${isReversed ? "first" : "last"}`, async () => {
    const one = await TestProvider.create();
    const client = clientOf(one, { responseMode: "form_post" });
    const other = clientOf(one, {
      responseMode: "form_post",
      redirectUri: "https://app.example/callback?provider=two",
    });
    const clients = isReversed ? [other, client] : [client, other];
    const router = createRouter({
      middleware: [externalAuthCallbacks(clients)],
    });
    const post = async (path: string) => {
      const body = new URLSearchParams({ code: "c", state: "s" });
      const url = `https://app.example${path}`;
      const response = await router.fetch(url, { method: "POST", body });
      return response.headers.get("Location");
    };
    assertEquals(await post("/callback"), "/callback?state=s");
    assertEquals(
      await post("/callback?provider=two"),
      "/callback?provider=two&state=s",
    );
  });
}

Deno.test("externalAuthCallbacks() ignores other requests", async () => {
  const client = clientOf(await TestProvider.create());
  const router = createRouter({
    middleware: [externalAuthCallbacks([client]), crossOriginProtection()],
  });
  router.get("/", () => new Response("home"));
  router.post("/callback", () => new Response("own"));
  const home = await router.fetch("https://app.example/");
  assertEquals(home.headers.get("Referrer-Policy"), null);
  const post = { method: "POST", headers: CROSS_SITE };
  const refused = await router.fetch("https://app.example/callback", post);
  assertEquals(refused.status, 403);
});

Deno.test("externalAuthCallbacks() keeps callback URLs out of Referer (RFC 9700, section 4.2.4)", async () => {
  const login = new Login(await TestProvider.create());
  for (const url of [await login.begin(), "/callback?code=1"]) {
    const response = await login.visit(url);
    assertEquals(response.headers.get("Referrer-Policy"), "no-referrer");
    assertEquals(response.headers.get("Cache-Control"), "private, no-store");
  }
});

Deno.test("form_post works after the form-data middleware", async () => {
  const provider = await TestProvider.create();
  const client = clientOf(provider, { responseMode: "form_post" });
  const router = createRouter({
    middleware: [formData(), externalAuthCallbacks([client])],
  });
  const response = await router.fetch("https://app.example/callback", {
    method: "POST",
    body: new URLSearchParams({ code: "c", state: "s" }),
  });
  assertEquals(response.status, 303);
});

/** Posts a response like the provider's page. */
async function post(login: Login, callback: string) {
  const response = await login.visit("/callback", {
    method: "POST",
    headers: CROSS_SITE,
    body: new URL(callback).searchParams,
  });
  const [cookie, ...gone] = response.headers.getSetCookie().map((line) =>
    line.split(";")[0]
  );
  return {
    next: response.headers.get("Location")!,
    cookie,
    gone: gone.map((line) => line.replace(/=$/, "")),
  };
}
