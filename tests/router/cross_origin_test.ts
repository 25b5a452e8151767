import { assertEquals, assertThrows } from "@std/assert";
import {
  crossOriginProtection,
  type CrossOriginProtectionOptions,
} from "@gatehouse/web/cross-origin-middleware";
import { createRouter } from "@gatehouse/web/fetch-router";
import { formData } from "@gatehouse/web/form-data-middleware";
import { methodOverride } from "@gatehouse/web/method-override-middleware";

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
    "a safe method from anywhere",
    "GET",
    { "Sec-Fetch-Site": "cross-site", Origin: evil },
    {},
    true,
  ],
  ["HEAD", "HEAD", { "Sec-Fetch-Site": "cross-site" }, {}, true],
  ["OPTIONS", "OPTIONS", { Origin: evil }, {}, true],
  ["same-origin", "POST", { "Sec-Fetch-Site": "same-origin" }, {}, true],
  ["typed by the user", "POST", { "Sec-Fetch-Site": "none" }, {}, true],
  ["same-site", "POST", { "Sec-Fetch-Site": "same-site" }, {}, false],
  ["cross-site", "POST", { "Sec-Fetch-Site": "cross-site" }, {}, false],
  [
    "an unknown site value",
    "POST",
    { "Sec-Fetch-Site": "SAME-ORIGIN" },
    {},
    false,
  ],
  [
    "cross-site with the own Origin",
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
    "an Origin that only begins alike",
    "POST",
    { Origin: `${own}.evil.example` },
    {},
    false,
  ],
  ["another port", "POST", { Origin: `${own}:8443` }, {}, false],
  ["the null origin", "POST", { Origin: "null" }, {}, false],
  ["an Origin that is none", "POST", { Origin: "app.example" }, {}, false],
  ["neither header", "POST", {}, {}, true],
  ["neither header, strict", "POST", {}, { strict: true }, false],
  ["typed by the user, strict", "POST", { "Sec-Fetch-Site": "none" }, {
    strict: true,
  }, true],
  [
    "the null origin of a page of our own",
    "POST",
    { "Sec-Fetch-Site": "same-origin", Origin: "null" },
    {},
    true,
  ],
  [
    "the null origin of a page elsewhere",
    "POST",
    { "Sec-Fetch-Site": "cross-site", Origin: "null" },
    {},
    false,
  ],
  [
    "the Host that the browser has sent",
    "POST",
    { Origin: "https://www.example", Host: "WWW.example" },
    {},
    true,
  ],
  [
    "another name than the Host",
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
  ["the Host, where another origin is configured", "POST", { Origin: own }, {
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
    "a WebSocket upgrade from elsewhere",
    "GET",
    { Upgrade: "WebSocket", Origin: evil },
    {},
    false,
  ],
  [
    "a WebSocket upgrade that a browser marks as from elsewhere",
    "GET",
    { Upgrade: "h2c, websocket", "Sec-Fetch-Site": "same-site" },
    {},
    false,
  ],
  [
    "a WebSocket upgrade without any mark, strict",
    "GET",
    { Upgrade: "websocket" },
    { strict: true },
    false,
  ],
  [
    "a WebSocket upgrade of our own",
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
  Deno.test(`crossOriginProtection() ${passes ? "passes" : "refuses"} ${name}`, async () => {
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
  Deno.test(`crossOriginProtection() refuses a ${method} that middleware made a ${set}`, async () => {
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
  Deno.test(`crossOriginProtection() covers an overridden method when it stands ${name} methodOverride()`, async () => {
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
