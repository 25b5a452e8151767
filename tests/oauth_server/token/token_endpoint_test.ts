import { assert, assertEquals } from "@std/assert";
import { createMemorySessionStore } from "@gatehouse/web/session";
import {
  browserOf,
  callAPI,
  connect,
  exchange,
  getCode,
  ORIGIN,
  post,
  refresh,
  startServer,
  tamper,
  type TokenBody,
} from "../_server.ts";

/** Requests that no endpoint reads, with the status. */
const MALFORMED: readonly (readonly [string, number, RequestInit])[] = [
  ["a GET", 405, {}],
  ["a PUT", 405, { method: "PUT", body: "grant_type=x" }],
  ["no body", 400, { method: "POST" }],
  ["no media type", 400, raw("grant_type=refresh_token", "")],
  ["JSON", 400, raw('{"grant_type":"refresh_token"}', "application/json")],
  ["text", 400, raw("grant_type=refresh_token", "text/plain")],
  ["another form", 400, raw("x", "multipart/form-data; boundary=x")],
  ["a similar type", 400, raw("a=b", "application/x-www-form-urlencodedx")],
  ["17 kB", 413, form(`a=${"b".repeat(17_000)}`)],
  ["invalid UTF-8", 400, raw(new Uint8Array([0x61, 0x3d, 0xff]))],
  ["no grant type", 400, form("a=b")],
  ["an empty grant type", 400, form("grant_type=")],
  ["two grant types", 400, form("grant_type=a&grant_type=a")],
  ["an encoded repetition", 400, form("grant_type=a&grant%5Ftype=a")],
  ["another grant type", 400, form("grant_type=password&username=a")],
  ["a grant type of objects", 400, form("grant_type=__proto__")],
  ["a code without a value", 400, form("grant_type=authorization_code")],
  ["a refresh without a token", 400, form("grant_type=refresh_token")],
];

function raw(
  body: string | Uint8Array<ArrayBuffer>,
  type = "application/x-www-form-urlencoded",
): RequestInit {
  const blob = new Blob([body]);
  return { method: "POST", headers: { "Content-Type": type }, body: blob };
}

function form(body: string): RequestInit {
  return raw(body, "application/x-www-form-urlencoded; charset=UTF-8");
}

Deno.test("the token endpoint refuses malformed requests and other grants as JSON (ASVS 10.4.4)", async () => {
  const { router } = startServer();
  for (const [name, status, init] of MALFORMED) {
    const response = await router.fetch(new Request(`${ORIGIN}/token`, init));
    assertEquals(response.status, status, name);
    assertEquals(response.headers.get("Cache-Control"), "no-store", name);
    assertEquals(response.headers.get("Access-Control-Allow-Origin"), "*");
    const body = await response.json();
    assert(typeof body.error === "string", name);
    assertEquals(response.headers.get("Set-Cookie"), null);
  }
});

Deno.test("the token endpoint is for scripts of all origins, or for those of cors", async () => {
  const preflight = {
    method: "OPTIONS",
    headers: {
      Origin: "https://client.example",
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": "authorization",
    },
  };
  const all = startServer().router;
  const some = startServer({ cors: ["https://client.example"] }).router;
  const none = startServer({ cors: [] }).router;
  const allowed: (string | null)[] = [];
  for (const router of [all, some, none]) {
    const response = await router
      .fetch(new Request(`${ORIGIN}/token`, preflight));
    assertEquals(response.status, 204);
    allowed.push(response.headers.get("Access-Control-Allow-Origin"));
    assertEquals(
      response.headers.get("Access-Control-Allow-Credentials"),
      null,
    );
  }
  assertEquals(allowed, ["*", "https://client.example", null]);
});

Deno.test("changed, foreign and expired codes and tokens are not valid (ASVS 10.4.3)", async () => {
  const app = startServer();
  const code = await getCode(await browserOf(app));
  const { access_token, refresh_token } = await connect(app);
  const others = startServer({ secrets: ["z8Yb1eVxqT7oZ2cKp4wRh6sLd8fGj0nQ"] });
  const foreign = await connect(others);
  const wrong = [
    ...Array.from({ length: 66 }, (_, at) => tamper(code, at + 4)),
    code.slice(0, -1),
    `${code}A`,
    `${code}=`,
    code.replace("oac_", "oar_"),
    access_token,
    refresh_token,
    "",
    "\u0000",
    "a".repeat(10_000),
  ];
  for (const one of wrong) {
    // The last character has two spare bits, which must be zero.
    if (one === code) continue;
    assertEquals((await exchange(app, one)).status, 400, one);
    assertEquals(
      (await refresh(app, one.replace("oac_", "oar_"))).status,
      one === refresh_token ? 200 : 400,
      one,
    );
  }
  assertEquals((await refresh(app, foreign.refresh_token)).status, 400);
  assertEquals(await callAPI(app, foreign.access_token), 401);
  for (let at = 4; at < access_token.length; at++) {
    assertEquals(await callAPI(app, tamper(access_token, at)), 401, `${at}`);
  }
  app.clock.now += 60_000;
  assertEquals((await exchange(app, code)).status, 400);
});

Deno.test("only the client of a grant refreshes and revokes it", async () => {
  const app = startServer();
  const { access_token, refresh_token: token } = await connect(app);
  const response = await refresh(app, token, { client_id: "other" });
  assertEquals((await response.json()).error, "invalid_grant");
  const forms: Record<string, string>[] = [
    { token, client_id: "other" },
    { token },
    { token, client_id: "web", client_secret: "x" },
  ];
  for (const form of forms) {
    assert((await post(app, "/revoke", form)).status >= 400);
  }
  assertEquals((await post(app, "/revoke", { client_id: "web" })).status, 400);
  assertEquals(await callAPI(app, access_token), 200);
});

Deno.test("a client that the application no longer knows has no access", async () => {
  const clients = new Set(["web"]);
  const redirectUris = ["https://client.example/callback"];
  const app = startServer({
    clients: (id) => clients.has(id) ? { id, name: "Web", redirectUris } : null,
  });
  const { access_token, refresh_token } = await connect(app);
  assertEquals(await callAPI(app, access_token), 200);
  clients.clear();
  assertEquals(await callAPI(app, access_token), 401);
  assertEquals((await refresh(app, refresh_token)).status, 400);
});

Deno.test("a grant ends after 30 days without a refresh, and after a year (ASVS 10.4.8)", async () => {
  const day = 86_400_000;
  const app = startServer();
  let { refresh_token } = await connect(app);
  for (let days = 29; days < 365; days += 29) {
    app.clock.now += 29 * day;
    const response = await refresh(app, refresh_token);
    assertEquals(response.status, 200, `${days} days`);
    refresh_token = (await response.json()).refresh_token;
  }
  app.clock.now += 17 * day;
  assertEquals((await refresh(app, refresh_token)).status, 400);
  const idle = await connect(app);
  app.clock.now += 30 * day;
  assertEquals((await refresh(app, idle.refresh_token)).status, 400);
});

Deno.test("a dump of the store, the events and the log contain no token", async () => {
  const inner = createMemorySessionStore();
  const dump: string[] = [];
  const store = {
    get: (key: string) => inner.get(key),
    put: (...args: Parameters<typeof inner.put>) => {
      dump.push(JSON.stringify(args));
      return inner.put(...args);
    },
    delete: (key: string) => inner.delete(key),
    byIndex: (name: string) => inner.byIndex!(name),
  };
  const app = startServer({ store, sessions: store, hasAudit: true });
  const code = await getCode(await browserOf(app));
  const first: TokenBody = await (await exchange(app, code)).json();
  const second: TokenBody = await (await refresh(app, first.refresh_token))
    .json();
  await post(app, "/revoke", {
    token: second.access_token,
    client_id: "web",
  });
  await app.audit.flush();
  const text = dump.join("\n") +
    JSON.stringify([app.events, app.security]);
  for (
    const token of [
      code,
      first.access_token,
      first.refresh_token,
      second.access_token,
      second.refresh_token,
    ]
  ) {
    assert(token.length > 65);
    // The key of the grant is a part of the token, and its MAC is not stored.
    assert(!text.includes(token.slice(-40)), token);
  }
});
