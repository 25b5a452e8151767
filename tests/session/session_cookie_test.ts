import {
  session,
  type SessionCookieOptions,
} from "@gatehouse/web/session-middleware";
import {
  assert,
  assertEquals,
  assertFalse,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { Browser, Server } from "./_browser.ts";

Deno.test("session() finds its cookie in any malformed Cookie header", async () => {
  const server = new Server();
  const browser = new Browser(server);
  await browser.visit((session) => session.set("userId", 7));
  const own = browser.header;
  const [name, token] = own.split("=");
  const hostile = [
    "a=1;",
    "a=1;;b=2",
    "=x",
    "=",
    ";",
    " ; ; ",
    "a",
    "a; b; c",
    name,
    `${name}`,
    `${name}=`,
    `${name};`,
    `${name}=short`,
    `${name}=${"x".repeat(43)}`,
    `${name}=${token}x`,
    `${name}="${"y".repeat(43)}"`,
    `${name}=${token.slice(0, -1)}`,
    `${name} = ${"z".repeat(43)}`,
    `${name}x=${token}`,
    `x${name}=${token}`,
    `${name}.x=${token}`,
    `session=${token.split("").reverse().join("")}`,
    "a=%zz; b=%",
    "é=ü; a=\xff",
    "a=\x80\x9b",
    `__proto__=1; constructor=2`,
    `big=${"x".repeat(8_192)}`,
    Array.from({ length: 500 }, (_, n) => `c${n}=${n}`).join("; "),
    `${name}=\u00e9${"x".repeat(42)}`,
  ];
  for (const header of hostile) {
    const answers: unknown[] = [];
    const read = (Cookie: string) =>
      server.request((session) => answers.push(session.userId ?? null), {
        Cookie,
      });
    for (
      const Cookie of [header, `${header}; ${own}`, `${own}; ${header}`]
    ) {
      const { status } = await read(Cookie);
      assertEquals(status, 200, Cookie);
    }
    assertEquals(answers, [null, 7, 7], header);
  }
});

Deno.test("session() reads 5 MB of semicolons in linear time", async () => {
  const server = new Server();
  // A new search for "=" at each semicolon would take minutes.
  await server.request((session) => session.userId, {
    Cookie: `${";".repeat(5_000_000)}__Host-Http-session=x`,
  });
});

Deno.test("session() finds the valid one of several cookies with its name", async () => {
  const server = new Server();
  const [dead, alive] = [new Browser(server), new Browser(server)];
  await dead.visit((session) => session.set("userId", 6));
  const { header } = dead;
  await dead.visit((session) => session.destroy());
  await alive.visit((session) => session.set("userId", 7));
  for (
    const Cookie of [
      `${header}; ${alive.header}`,
      `${alive.header}; ${header}`,
      `${header}; ${header}; ${alive.header}`,
    ]
  ) {
    let userId: unknown;
    await server.request((session) => userId = session.userId, { Cookie });
    assertEquals(userId, 7);
  }
});

for (const space of ["\u00a0", "\f", "\v"]) {
  Deno.test(`session() ignores a cookie with ${JSON.stringify(space)} before its prefix`, async () => {
    const server = new Server();
    const browser = new Browser(server);
    await browser.visit((session) => session.set("userId", 7));
    for (
      const [Cookie, expected] of [
        [`a=1; \t${browser.header}`, 7],
        [browser.header.replace("=", " \t= \t") + " \t; a=1", 7],
        [`${space}${browser.header}`, undefined],
        [`a=1; ${space}${browser.header}`, undefined],
      ] as const
    ) {
      let userId: unknown;
      await server.request((session) => userId = session.userId, { Cookie });
      assertEquals(userId, expected);
    }
  });
}

Deno.test("session() checks at most four cookies with its name", async () => {
  let reads = 0;
  const store = {
    get: () => {
      reads++;
      return null;
    },
    put: () => true,
    delete: () => {},
  };
  const server = new Server({ store });
  const Cookie = Array.from(
    { length: 50 },
    (_, n) => `__Host-Http-session=${String(n).padStart(43, "x")}`,
  ).join("; ");
  const response = await server.request((session) => session.set("a", 1), {
    Cookie,
  });
  assertEquals(reads, 4);
  // With none of them valid, it begins a new session.
  assertEquals(response.headers.getSetCookie().length, 1);
});

const shapes: {
  cookie: SessionCookieOptions;
  name: string;
  has: string[];
  hasNot?: RegExp;
}[] = [
  {
    cookie: {},
    name: "__Host-Http-session",
    has: ["Secure", "HttpOnly", "SameSite=Lax", "Path=/"],
    hasNot: /Domain|Max-Age|Expires|Partitioned/i,
  },
  {
    cookie: { domain: "example.com" },
    name: "__Secure-session",
    has: ["Domain=example.com", "Secure", "Path=/"],
  },
  {
    cookie: { path: "/app", name: "id" },
    name: "__Secure-id",
    has: ["Path=/app", "Secure"],
  },
  {
    cookie: { sameSite: "Strict", maxAge: 3600 },
    name: "__Host-Http-session",
    has: ["SameSite=Strict", "Max-Age=3600"],
  },
  {
    cookie: { sameSite: "None", partitioned: true },
    name: "__Host-Http-session",
    has: ["SameSite=None", "Partitioned", "Secure"],
  },
];

for (const { cookie, name, has, hasNot } of shapes) {
  Deno.test(`session() sets and removes a cookie with ${JSON.stringify(cookie)} (ASVS 3.3.1 to 3.3.4)`, async () => {
    const browser = new Browser(new Server({ cookie }));
    await browser.visit((session) => session.set("a", 1));
    const [set] = browser.response.headers.getSetCookie();
    assert(set.startsWith(`${name}=`), set);
    for (const part of has) assertStringIncludes(set, part);
    if (hasNot) assertFalse(hasNot.test(set));
    assertEquals(await browser.visit((session) => session.get("a")), 1);

    await browser.visit((session) => session.destroy());
    const [expired] = browser.response.headers.getSetCookie();
    assert(expired.startsWith(`${name}=;`), expired);
    for (const part of has.filter((part) => !part.startsWith("Max-Age"))) {
      assertStringIncludes(expired, part);
    }
    assertStringIncludes(expired, "Max-Age=0");
    assertStringIncludes(expired, "1970");
  });
}

Deno.test("session() sets the cookie once, not with every change", async () => {
  const browser = new Browser(new Server({ cookie: { maxAge: 3600 } }));
  await browser.visit((session) => session.set("a", 1));
  assertEquals(browser.response.headers.getSetCookie().length, 1);
  await browser.visit((session) => session.set("a", 2));
  assertEquals(browser.response.headers.getSetCookie(), []);
});

const malformed: SessionCookieOptions[] = [
  { name: "" },
  { name: "n".repeat(257) },
  { name: "a b" },
  { name: "a=b" },
  { name: "a;b" },
  { name: "é" },
  { name: "__Host-Http-session" },
  { name: "__secure-session" },
  { domain: "a;b" },
  { domain: "" },
  { domain: "." },
  { domain: "a..b" },
  { domain: "..a" },
  { domain: "a." },
  { domain: "-a.example" },
  { domain: "a-.example" },
  { domain: "a_b.example" },
  { domain: `${"a".repeat(64)}.example` },
  { path: "app" },
  { path: "/a;b" },
  { path: "/é" },
  { maxAge: 0 },
  { maxAge: -1 },
  { maxAge: NaN },
  { maxAge: Infinity },
  { sameSite: "none" as "None" },
  { sameSite: "" as "Lax" },
];

for (const cookie of malformed) {
  Deno.test(`session() rejects a cookie with ${Object.entries(cookie)}`, () => {
    assertThrows(() => session({ cookie }), TypeError, "session cookie");
  });
}

for (
  const domain of [".app.example", "a-b.app.example", "192.0.2.1", "A.example"]
) {
  Deno.test(`session() sets a cookie of the domain "${domain}"`, async () => {
    const browser = new Browser(new Server({ cookie: { domain } }));
    await browser.visit((session) => session.set("a", 1));
    const [set] = browser.response.headers.getSetCookie();
    assertStringIncludes(set, `Domain=${domain}`);
  });
}

Deno.test("session() rejects an invalid origin", () => {
  for (const origin of ["", "app.example", "https://a b"]) {
    assertThrows(() => session({ origin }), TypeError, "origin");
  }
});

Deno.test("session() does not change other cookies", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => {
    session.set("a", 1);
    return new Response(null, { headers: { "Set-Cookie": "other=1" } });
  });
  assertEquals(browser.response.headers.getSetCookie().length, 2);
  assertEquals(browser.cookies.get("other"), "1");
});

Deno.test("session() adds its cookie to a redirect with immutable headers", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => {
    session.set("a", 1);
    return Response.redirect("https://example.com/");
  });
  assertEquals(browser.response.status, 302);
  assertEquals(await browser.visit((session) => session.get("a")), 1);
});

for (const status of [200, 204, 205, 302, 304]) {
  Deno.test(`session() does not leak a cookie to other visitors through a shared ${status} response`, async () => {
    const shared = new Response(null, {
      status,
      statusText: "Done",
      headers: { "X-A": "1", "Set-Cookie": "other=1" },
    });
    const server = new Server();
    const [alice, stranger] = [new Browser(server), new Browser(server)];
    await alice.visit((session) => {
      session.set("userId", "alice");
      return shared;
    });
    await stranger.visit(() => shared);
    assertEquals([...stranger.cookies], [["other", "1"]]);
    assertEquals(stranger.response.headers.has("Cache-Control"), false);

    const { headers, status: sent, statusText } = alice.response;
    assertEquals([sent, statusText], [status, "Done"]);
    assertEquals([headers.get("X-A"), alice.cookies.size], ["1", 2]);
    assertEquals(await alice.visit((session) => session.userId), "alice");

    // The cookie that ends a session does not leak either.
    await alice.visit((session) => {
      session.destroy();
      return shared;
    });
    assertEquals(alice.cookies.size, 1);
    await stranger.visit(() => shared);
    assertEquals(stranger.response.headers.getSetCookie(), ["other=1"]);
  });
}

Deno.test("session() keeps the body of a response with its cookie", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => {
    session.set("a", 1);
    return new Response("page", { headers: { "Content-Type": "text/html" } });
  });
  assertEquals(browser.response.headers.get("Content-Type"), "text/html");
  assertEquals(await browser.response.text(), "page");
});

Deno.test("session() streams a body without a type in a response with its cookie, until the reader cancels", async () => {
  const browser = new Browser(new Server());
  const cancelled = Promise.withResolvers<unknown>();
  let pulls = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array([++pulls])),
    cancel: cancelled.resolve,
  }, { highWaterMark: 0 });
  await browser.visit((session) => {
    session.set("a", 1);
    return new Response(body);
  });
  const reader = browser.response.body!.getReader();
  assertEquals([...(await reader.read()).value!], [1]);
  await reader.cancel("left");
  await cancelled.promise;
  assert(pulls < 9, String(pulls));
});
