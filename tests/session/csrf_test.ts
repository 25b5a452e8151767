import { base64url } from "jose";
import {
  assert,
  assertEquals,
  assertFalse,
  assertNotEquals,
  assertRejects,
  assertThrows,
} from "@std/assert";
import { completeAuth } from "@gatehouse/web/auth";
import {
  createRouter,
  type Middleware,
  MissingContextValueError,
  RequestContext,
  type Router,
} from "@gatehouse/web/fetch-router";
import { formData, methodOverride } from "@gatehouse/web/middleware";
import { createMemorySessionStore, Session } from "@gatehouse/web/session";
import {
  csrfProtection,
  type CSRFProtectionOptions,
  csrfToken,
  session,
} from "@gatehouse/web/session-middleware";

const ALPHABET =
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

Deno.test("csrfProtection() accepts a form with a token of the page", async () => {
  const client = new Client();
  const token = await client.token();
  assertEquals(await client.postForm({ csrfToken: token }), 200);
  // All tokens are valid until the session ends.
  await client.token();
  assertEquals(await client.postForm({ csrfToken: token }), 200);
});

Deno.test("csrfProtection() accepts a token in the header of a script", async () => {
  const client = new Client();
  const token = await client.token();
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    const headers = { "X-CSRF-Token": token };
    assertEquals(await client.status("/", { method, headers }), 200);
  }
});

Deno.test("csrfProtection() rejects a missing or invalid token (ASVS 3.5.1)", async () => {
  const client = new Client();
  const token = await client.token();
  const hostile = [
    "",
    "x",
    token.slice(1),
    `${token}A`,
    token.slice(0, -1),
    "A".repeat(86),
    // The same bytes in another encoding.
    `${token.slice(0, 85)}${ALPHABET[ALPHABET.indexOf(token[85]) + 1]}`,
    `${token[0] === "A" ? "B" : "A"}${token.slice(1)}`,
    "é".repeat(86),
    "x".repeat(100_000),
    "__proto__",
  ];
  for (const csrfToken of hostile) {
    assertEquals(await client.postForm({ csrfToken }), 403, csrfToken);
  }
  assertEquals(await client.postForm({}), 403);
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    assertEquals(await client.status("/", { method }), 403, method);
  }
  assertEquals(await client.postForm({ csrfToken: token }), 200);
});

Deno.test("csrfProtection() ignores a token in the query", async () => {
  const client = new Client();
  const query = new URLSearchParams({ csrfToken: await client.token() });
  assertEquals(await client.status(`/?${query}`, { method: "POST" }), 403);
});

Deno.test("csrfProtection() rejects a form with several tokens", async () => {
  const client = new Client();
  const token = await client.token();
  const body = new URLSearchParams([["csrfToken", token], ["csrfToken", "x"]]);
  assertEquals(await client.status("/", { method: "POST", body }), 403);
  const file = new FormData();
  file.set("csrfToken", new File([token], "token.txt"));
  assertEquals(
    await client.status("/", { method: "POST", body: file }),
    403,
  );
});

Deno.test("csrfProtection() rejects a token of another browser", async () => {
  const [client, attacker] = [new Client(), new Client()];
  await client.token();
  const csrfToken = await attacker.token();
  assertEquals(await client.postForm({ csrfToken }), 403);
  assertEquals(await attacker.postForm({ csrfToken }), 200);
});

Deno.test("csrfProtection() uses the first cookie of its name, not a planted one after it", async () => {
  const [client, attacker] = [new Client(), new Client()];
  await client.token();
  const token = await attacker.token();
  const headers = {
    Cookie: [client, attacker].map(({ cookies }) =>
      `__Host-Http-csrf=${cookies.get("__Host-Http-csrf")}`
    ).join("; "),
    "X-CSRF-Token": token,
  };
  assertEquals(await client.status("/", { method: "POST", headers }), 403);
});

Deno.test("csrfProtection() rejects a token of another user in the same browser", async () => {
  const client = new Client();
  const anonymous = await client.token();
  await client.status("/login/7");
  assertEquals(await client.postForm({ csrfToken: anonymous }), 403);
  const first = await client.token();
  assertEquals(await client.postForm({ csrfToken: first }), 200);
  await client.status("/login/7");
  assertEquals(await client.postForm({ csrfToken: first }), 403);
  await client.status("/login/8");
  assertEquals(await client.postForm({ csrfToken: first }), 403);
  const second = await client.token();
  await client.status("/logout");
  assertEquals(await client.postForm({ csrfToken: second }), 403);
  assertEquals(
    await client.postForm({ csrfToken: await client.token() }),
    200,
  );
});

Deno.test("csrfProtection() rejects a login posted by another site (login CSRF)", async () => {
  const client = new Client();
  assertEquals(await client.postForm({ email: "a@b.example" }), 403);
  const cookie = { method: "POST", headers: { Cookie: "__Host-Http-csrf=x" } };
  assertEquals(await client.status("/", cookie), 403);
});

Deno.test("csrfProtection() also checks an overridden method", async () => {
  const client = new Client({}, methodOverride());
  const csrfToken = await client.token();
  const _method = "DELETE";
  assertEquals(await client.postForm({ _method }), 403);
  assertEquals(await client.postForm({ _method, csrfToken }), 200);
});

Deno.test("csrfProtection() checks a GET if middleware sets an unsafe method", async () => {
  const client = new Client({}, (context) => {
    if (context.url.search === "?delete") context.method = "DELETE";
  });
  assertEquals(await client.status("/?delete"), 403);
  assertEquals(await client.status("/"), 200);
});

Deno.test("csrfProtection() checks a POST even if middleware sets a safe method", async () => {
  const client = new Client({}, (context) => {
    context.method = "GET";
  });
  assertEquals(await client.status("/", { method: "POST" }), 403);
});

Deno.test("csrfToken() returns a new token each time, so that compression does not reveal it", async () => {
  const client = new Client();
  const tokens = new Set<string>();
  for (let count = 0; count < 20; count++) tokens.add(await client.token());
  assertEquals(tokens.size, 20);
  const bytes = [...tokens].map((token) => base64url.decode(token));
  for (let at = 0; at < 64; at++) {
    assertNotEquals(new Set(bytes.map((token) => token[at])).size, 1);
  }
});

Deno.test("csrfProtection() stores nothing and sets no cookie for an anonymous GET", async () => {
  let puts = 0;
  const memory = createMemorySessionStore();
  const client = new Client({}, undefined, {
    get: (key) => memory.get(key),
    put: (...args) => {
      puts++;
      return memory.put(...args);
    },
    delete: (key) => memory.delete(key),
  });
  await client.status("/");
  assertEquals(client.response.headers.getSetCookie(), []);
  await client.token();
  assertEquals(client.response.headers.getSetCookie().length, 1);
  await client.token();
  assertEquals(client.response.headers.getSetCookie(), []);
  assertEquals(puts, 0);
});

Deno.test("csrfProtection() sets a __Host-Http- cookie that scripts cannot read", async () => {
  const client = new Client();
  await client.token();
  const [cookie] = client.response.headers.getSetCookie();
  assert(/^__Host-Http-csrf=[\w-]{43};/.test(cookie), cookie);
  for (const part of ["Secure", "HttpOnly", "SameSite=Lax", "Path=/"]) {
    assert(cookie.includes(part), part);
  }
  assertFalse(/Max-Age|Expires|Domain/i.test(cookie), cookie);
  const cacheControl = () => client.response.headers.get("Cache-Control");
  assertEquals(cacheControl(), "private, no-store");
  await client.token();
  assertEquals(cacheControl(), "private");
});

for (const cookie of [{ domain: "example.com" }, { path: "/app" }]) {
  const [[option, value]] = Object.entries(cookie);
  Deno.test(`csrfProtection() rejects the cookie option ${option}, because a sibling host could plant a token`, () => {
    const error = assertThrows(
      () => csrfProtection({ cookie } as CSRFProtectionOptions),
      TypeError,
      `Cannot create CSRF cookie with ${option} "${value}"`,
    );
    assert(error.message.includes("__Host-"), error.message);
  });
}

Deno.test("csrfProtection() rejects a cookie and a token planted by a sibling host", async () => {
  const attacker = new Client();
  const csrfToken = await attacker.token();
  const secret = attacker.cookies.get("__Host-Http-csrf")!;
  // evil.example.com can set any cookie for example.com except with __Host-Http-.
  for (const name of ["csrf", "__Secure-csrf", "__host-csrf"]) {
    const victim = new Client();
    victim.cookies.set(name, secret);
    assertEquals(await victim.postForm({ csrfToken }), 403);
  }
  assertEquals(await attacker.postForm({ csrfToken }), 200);
});

Deno.test("csrfProtection() uses custom names of the header, the field and the cookie", async () => {
  const client = new Client({
    field: "token",
    header: "X-Token",
    cookie: { name: "secret", sameSite: "Strict" },
  });
  const token = await client.token();
  assert(client.cookies.has("__Host-Http-secret"));
  assertEquals(await client.postForm({ token }), 200);
  assertEquals(await client.postForm({ csrfToken: token }), 403);
  const headers = { "X-Token": token };
  assertEquals(await client.status("/", { method: "POST", headers }), 200);
  assertThrows(() => csrfProtection({ cookie: { name: "a b" } }), TypeError);
});

Deno.test("csrfToken() creates tokens for two forms on a visitor's first page", async () => {
  const client = new Client();
  const tokens = (await client.token("/two-tokens")).split(" ");
  assertNotEquals(tokens[0], tokens[1]);
  for (const csrfToken of tokens) {
    assertEquals(await client.postForm({ csrfToken }), 200);
  }
});

Deno.test("csrfProtection() replaces a cookie without a valid secret", async () => {
  for (const value of ["x", "", "x".repeat(44), "\xe9".repeat(43)]) {
    const client = new Client();
    client.cookies.set("__Host-Http-csrf", value);
    const csrfToken = await client.token();
    assertNotEquals(client.cookies.get("__Host-Http-csrf"), value);
    assertEquals(await client.postForm({ csrfToken }), 200);
  }
});

Deno.test("csrfToken() after a login is valid in the next request", async () => {
  const client = new Client();
  const csrfToken = await client.token("/login-with-token");
  assertEquals(await client.postForm({ csrfToken }), 200);
});

Deno.test("csrfToken() throws after the response, unless the browser has the cookie", async () => {
  const contexts: RequestContext[] = [];
  const router = createRouter({ middleware: [session(), csrfProtection()] });
  router.get("/:page", async (context) => {
    contexts.push(context);
    const isLate = context.params.page === "late";
    return new Response(isLate ? "" : await csrfToken(context));
  });
  await router.fetch("https://example.com/late");
  await assertRejects(
    () => csrfToken(contexts[0]),
    TypeError,
    "the response was already created",
  );

  const page = await router.fetch("https://example.com/page");
  assertEquals((await csrfToken(contexts[1])).length, 86);
  const [cookie] = page.headers.getSetCookie()[0].split(";");
  await router.fetch("https://example.com/late", { headers: { cookie } });
  assertEquals((await csrfToken(contexts[2])).length, 86);
});

Deno.test("csrfToken() throws without the middleware", async () => {
  const context = new RequestContext(new Request("https://example.com/"));
  await assertRejects(
    () => Promise.try(() => csrfToken(context)),
    MissingContextValueError,
    "csrfProtection",
  );
});

/** A browser of a server with forms. It keeps cookies. */
class Client {
  readonly cookies: Map<string, string> = new Map();
  response: Response = new Response();
  readonly #router: Router;

  constructor(
    options?: CSRFProtectionOptions,
    extra: Middleware<readonly []> = methodOverride(),
    store = createMemorySessionStore(),
  ) {
    const router = createRouter({
      middleware: [
        formData(),
        extra,
        session({ store }),
        csrfProtection(options),
      ],
    });
    const done = () => new Response("Done");
    for (const method of ["POST", "PUT", "PATCH", "DELETE"] as const) {
      router.route(method, "/", done);
    }
    router.get("/", done);
    router.get(
      "/token",
      async (context) => new Response(await csrfToken(context)),
    );
    router.get("/two-tokens", async (context) => {
      const tokens = await Promise.all([
        csrfToken(context),
        csrfToken(context),
      ]);
      return new Response(tokens.join(" "));
    });
    router.get("/login/:id", async (context) => {
      await completeAuth(context, Number(context.params.id));
      return done();
    });
    router.get("/login-with-token", async (context) => {
      context.get(Session).set("userId", 7);
      return new Response(await csrfToken(context));
    });
    router.get("/logout", (context) => {
      context.get(Session).destroy();
      return done();
    });
    this.#router = router as unknown as Router;
  }

  async status(path: string, init: RequestInit = {}): Promise<number> {
    const headers = new Headers(init.headers);
    const cookies = [...this.cookies].map((pair) => pair.join("="));
    if (cookies.length > 0 && !headers.has("Cookie")) {
      headers.set("Cookie", cookies.join("; "));
    }
    const request = new Request(`https://example.com${path}`, {
      ...init,
      headers,
    });
    this.response = await this.#router.fetch(request);
    for (const header of this.response.headers.getSetCookie()) {
      const [name, value] = header.split(";")[0].split("=");
      this.cookies.set(name, value);
    }
    return this.response.status;
  }

  async token(path = "/token"): Promise<string> {
    await this.status(path);
    const token = await this.response.text();
    assertFalse(this.cookies.get("__Host-Http-csrf") === token);
    return token;
  }

  async postForm(fields: Record<string, string>): Promise<number> {
    const body = new URLSearchParams(fields);
    return await this.status("/", { method: "POST", body });
  }
}
