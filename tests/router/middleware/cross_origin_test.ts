import { createRouter, type Middleware } from "@gatehouse/web/fetch-router";
import {
  crossOriginProtection,
  type CrossOriginProtectionOptions,
  formData,
  methodOverride,
} from "@gatehouse/web/middleware";
import { assertEquals, assertThrows } from "@std/assert";

const own = "https://app.example";
const evil = "https://evil.example";

const cases: [
  string,
  string,
  Record<string, string>,
  CrossOriginProtectionOptions,
  boolean,
][] = [
  [
    "a safe method from any site",
    "GET",
    { "Sec-Fetch-Site": "cross-site", Origin: evil },
    {},
    true,
  ],
  ["HEAD", "HEAD", { "Sec-Fetch-Site": "cross-site" }, {}, true],
  ["OPTIONS", "OPTIONS", { Origin: evil }, {}, true],
  ["same-origin", "POST", { "Sec-Fetch-Site": "same-origin" }, {}, true],
  ["entered by the user", "POST", { "Sec-Fetch-Site": "none" }, {}, true],
  ["same-site", "POST", { "Sec-Fetch-Site": "same-site" }, {}, false],
  ["cross-site", "POST", { "Sec-Fetch-Site": "cross-site" }, {}, false],
  [
    "an unknown value of Sec-Fetch-Site",
    "POST",
    { "Sec-Fetch-Site": "SAME-ORIGIN" },
    {},
    false,
  ],
  [
    "cross-site with the application's Origin",
    "POST",
    { "Sec-Fetch-Site": "cross-site", Origin: own },
    {},
    false,
  ],
  [
    "cross-site from a trusted origin",
    "POST",
    { "Sec-Fetch-Site": "cross-site", Origin: evil },
    { trustedOrigins: [evil] },
    true,
  ],
  ["the own Origin", "POST", { Origin: own }, {}, true],
  ["another Origin", "DELETE", { Origin: evil }, {}, false],
  [
    "an Origin with the same prefix",
    "POST",
    { Origin: `${own}.evil.example` },
    {},
    false,
  ],
  ["another port", "POST", { Origin: `${own}:8443` }, {}, false],
  ["the null origin", "POST", { Origin: "null" }, {}, false],
  ["an invalid Origin", "POST", { Origin: "app.example" }, {}, false],
  ["neither header", "POST", {}, {}, true],
  ["neither header, strict", "POST", {}, { strict: true }, false],
  ["entered by the user, strict", "POST", { "Sec-Fetch-Site": "none" }, {
    strict: true,
  }, true],
  [
    "the null origin of a page of the application",
    "POST",
    { "Sec-Fetch-Site": "same-origin", Origin: "null" },
    {},
    true,
  ],
  [
    "the null origin of a page of another site",
    "POST",
    { "Sec-Fetch-Site": "cross-site", Origin: "null" },
    {},
    false,
  ],
  [
    "the browser's Host header",
    "POST",
    { Origin: "https://www.example", Host: "WWW.example" },
    {},
    true,
  ],
  [
    "a name that differs from the Host",
    "POST",
    { Origin: own, Host: "www.example" },
    {},
    false,
  ],
  [
    "the configured origin behind a proxy",
    "POST",
    { Origin: "https://www.example", Host: "app.example" },
    { origin: "https://www.example" },
    true,
  ],
  ["the Host if another origin is configured", "POST", { Origin: own }, {
    origin: "https://www.example",
  }, false],
  [
    "a trusted origin's subdomain",
    "POST",
    { Origin: "https://a.evil.example" },
    { trustedOrigins: [evil] },
    false,
  ],
  [
    "a WebSocket upgrade from another site",
    "GET",
    { Upgrade: "WebSocket", Origin: evil },
    {},
    false,
  ],
  [
    "a WebSocket upgrade that a browser marks as cross-site",
    "GET",
    { Upgrade: "h2c, websocket", "Sec-Fetch-Site": "same-site" },
    {},
    false,
  ],
  [
    "a WebSocket upgrade without fetch metadata, strict",
    "GET",
    { Upgrade: "websocket" },
    { strict: true },
    false,
  ],
  [
    "a WebSocket upgrade of the application",
    "GET",
    { Upgrade: "websocket", Origin: own },
    {},
    true,
  ],
  ["an exempt path", "POST", { Origin: evil }, {
    exempt: ({ url }) => url.pathname === "/",
  }, true],
];

for (const [name, method, headers, options, passes] of cases) {
  Deno.test(`crossOriginProtection() ${passes ? "accepts" : "rejects"} ${name}`, async () => {
    const router = createRouter({
      middleware: [crossOriginProtection(options)],
    });
    router.route("ANY", "/", () => new Response(null, { status: 204 }));
    const response = await router.fetch(`${own}/`, { method, headers });
    assertEquals(response.status, passes ? 204 : 403);
    assertEquals(response.headers.has("Set-Cookie"), false);
    await response.body?.cancel();
  });
}

for (
  const [method, set] of [["POST", "GET"], ["GET", "DELETE"]] as const
) {
  Deno.test(`crossOriginProtection() rejects a ${method} that middleware changed to ${set}`, async () => {
    const router = createRouter({
      middleware: [
        (context) => {
          context.method = set;
        },
        crossOriginProtection(),
      ],
    });
    router.route("ANY", "/", () => new Response("done"));
    const headers = { Origin: evil };
    const response = await router.fetch(`${own}/`, { method, headers });
    assertEquals(response.status, 403);
  });
}

for (
  const [name, middleware] of [
    ["before", [crossOriginProtection(), formData(), methodOverride()]],
    ["after", [formData(), methodOverride(), crossOriginProtection()]],
  ] as const
) {
  Deno.test(`crossOriginProtection() checks an overridden method if it runs ${name} methodOverride()`, async () => {
    const router = createRouter({ middleware });
    router.delete("/", () => new Response("deleted"));
    const body = new URLSearchParams({ _method: "DELETE" });
    const response = await router.fetch(`${own}/`, {
      method: "POST",
      headers: { Origin: evil },
      body,
    });
    assertEquals(response.status, 403);
  });
}

for (
  const origin of [
    "app.example",
    "https://app.example/",
    "https://app.example/x",
    "null",
    "",
    "*",
  ]
) {
  Deno.test(`crossOriginProtection() throws for the origin "${origin}"`, () => {
    assertThrows(
      () => crossOriginProtection({ origin }),
      TypeError,
      "Cannot trust origin",
    );
    assertThrows(
      () => crossOriginProtection({ trustedOrigins: [origin] }),
      TypeError,
      "Cannot trust origin",
    );
  });
}

Deno.test("crossOriginProtection() checks a method that middleware changed to an unsafe one", async () => {
  const destroy: Middleware<readonly []> = (context) =>
    void (context.method = "DELETE");
  const router = createRouter({
    middleware: [destroy, crossOriginProtection()],
  });
  router.delete("/", () => new Response("deleted"));
  const headers = { "Sec-Fetch-Site": "cross-site" };
  assertEquals((await router.fetch(own, { headers })).status, 403);
});

Deno.test("crossOriginProtection() checks an unsafe request whose method middleware changed to a safe one", async () => {
  const soften: Middleware<readonly []> = (context) =>
    void (context.method = "GET");
  const router = createRouter({
    middleware: [soften, crossOriginProtection()],
  });
  router.get("/", () => new Response("done"));
  const headers = { "Sec-Fetch-Site": "cross-site" };
  const response = await router.fetch(own, { method: "POST", headers });
  assertEquals(response.status, 403);
});

const hosts: [host: string, origin: string, status: number][] = [
  ["public.example", "https://public.example", 200],
  ["PUBLIC.example", "https://public.example", 200],
  ["public.example:8443", "https://public.example:8443", 200],
  ["public.example", "https://app.example", 403],
  ["public.example", "https://public.example:8443", 403],
  ["public.example", "https://a.public.example", 403],
  ["public.example", "https://public.example.evil", 403],
  ["", "null", 403],
  ["", "", 403],
];

for (const [host, origin, status] of hosts) {
  Deno.test(`crossOriginProtection() responds with ${status} to Origin "${origin}" at Host "${host}"`, async () => {
    const router = createRouter({ middleware: [crossOriginProtection()] });
    router.post("/", () => new Response("done"));
    const headers = { Host: host, Origin: origin };
    const response = await router.fetch(own, { method: "POST", headers });
    assertEquals(response.status, status);
  });
}

for (const method of ["PROPFIND", "PURGE", "patch"]) {
  Deno.test(`crossOriginProtection() treats ${method} as unsafe`, async () => {
    const router = createRouter({ middleware: [crossOriginProtection()] });
    router.route("ANY", "/", () => new Response("done"));
    const headers = { Origin: "https://evil.example" };
    const response = await router.fetch(own, { method, headers });
    assertEquals(response.status, 403);
  });
}

/** The bodies that a page of another site sends without a preflight. */
const safelisted = [
  ["a form", "application/x-www-form-urlencoded"],
  ["a form with files", "multipart/form-data; boundary=x"],
  ["plain text", "text/plain"],
  ["no type", undefined],
] as const;

for (const [name, type] of safelisted) {
  Deno.test(`crossOriginProtection() rejects a body of ${name}, which needs no preflight (ASVS 3.5.1, 3.5.2)`, async () => {
    const router = createRouter({ middleware: [crossOriginProtection()] });
    let calls = 0;
    router.post("/", () => new Response(String(++calls)));
    const post = async (site: Record<string, string>) => {
      const headers = new Headers(site);
      if (type !== undefined) headers.set("Content-Type", type);
      const body = new TextEncoder().encode("{}");
      const init = { method: "POST", headers, body };
      return (await router.fetch(`${own}/`, init)).status;
    };
    assertEquals(await post({ "Sec-Fetch-Site": "cross-site" }), 403);
    assertEquals(await post({ Origin: evil }), 403);
    assertEquals(calls, 0);
    assertEquals(await post({ "Sec-Fetch-Site": "same-origin" }), 200);
  });
}
