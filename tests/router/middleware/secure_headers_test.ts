import { createRouter } from "@gatehouse/web/fetch-router";
import {
  secureHeaders,
  type SecureHeadersOptions,
} from "@gatehouse/web/middleware";
import { assert, assertEquals, assertThrows } from "@std/assert";

const origin = "https://example.com";

const policy =
  "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'";

/** The default headers and their options. */
const defaults = [
  ["contentSecurityPolicy", "Content-Security-Policy", policy],
  ["crossOriginOpenerPolicy", "Cross-Origin-Opener-Policy", "same-origin"],
  ["crossOriginResourcePolicy", "Cross-Origin-Resource-Policy", "same-origin"],
  ["originAgentCluster", "Origin-Agent-Cluster", "?1"],
  [
    "permissionsPolicy",
    "Permissions-Policy",
    "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  ],
  ["referrerPolicy", "Referrer-Policy", "same-origin"],
  ["strictTransportSecurity", "Strict-Transport-Security", null],
] as const;

async function headersOf(
  options?: SecureHeadersOptions,
  own: HeadersInit = {},
): Promise<Headers> {
  const router = createRouter({ middleware: [secureHeaders(options)] });
  router.get("/", () => new Response("Hello", { headers: own }));
  return (await router.fetch("https://example.com/")).headers;
}

for (const [option, name, value] of defaults) {
  Deno.test(`secureHeaders() sets ${name} to ${value}, to a custom value, or not at all`, async () => {
    assertEquals((await headersOf()).get(name), value);
    const other = await headersOf({ [option]: "other" });
    assertEquals(other.get(name), "other");
    const none = await headersOf({ [option]: false });
    assertEquals(none.get(name), null);
    const own = await headersOf({}, { [name]: "own" });
    assertEquals(own.get(name), "own");
  });
}

Deno.test("secureHeaders() adds form targets to the default policy", async () => {
  const headers = await headersOf({
    formTargets: ["https://login.example.com", "https://*.example.org:8443"],
  });
  assertEquals(
    headers.get("Content-Security-Policy"),
    policy.replace(
      "form-action 'self'",
      "form-action 'self' https://login.example.com https://*.example.org:8443",
    ),
  );
});

for (
  const target of [
    "",
    "https://a.example; script-src *",
    "https://a.example https://b.example",
    "https://a.example,",
    "https://a.example\r\nSet-Cookie: a=b",
    "'unsafe-inline'",
    "https://é.example",
  ]
) {
  Deno.test(`secureHeaders() throws for the form target ${JSON.stringify(target)}`, () => {
    assertThrows(
      () => secureHeaders({ formTargets: [target] }),
      TypeError,
      "Cannot add form target",
    );
  });
}

Deno.test("secureHeaders() throws for form targets with a custom policy", () => {
  for (const contentSecurityPolicy of ["default-src 'none'", false] as const) {
    assertThrows(
      () =>
        secureHeaders({
          contentSecurityPolicy,
          formTargets: ["https://login.example.com"],
        }),
      TypeError,
      "form-action",
    );
  }
});

Deno.test("secureHeaders() adds missing headers, also to redirects", async () => {
  const router = createRouter({
    middleware: [
      secureHeaders({
        strictTransportSecurity: "max-age=1",
        referrerPolicy: false,
      }),
    ],
  });
  router.get(
    "/",
    () => new Response(null, { headers: { "Content-Security-Policy": "own" } }),
  );
  router.get("/away", () => Response.redirect("https://example.org/"));
  const { headers } = await router.fetch(origin);
  assertEquals(headers.get("Content-Security-Policy"), "own");
  assertEquals(headers.get("X-Content-Type-Options"), "nosniff");
  assertEquals(headers.get("Strict-Transport-Security"), "max-age=1");
  assertEquals(headers.has("Referrer-Policy"), false);
  const away = await router.fetch(`${origin}/away`);
  assertEquals(away.status, 302);
  assert(
    away.headers.get("Content-Security-Policy")?.includes(
      "frame-ancestors 'none'",
    ),
  );
});

const presets: [string, SecureHeadersOptions, Record<string, string>][] = [
  ["by default", {}, {
    "content-security-policy":
      "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "origin-agent-cluster": "?1",
    "permissions-policy":
      "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
  }],
  ["without all optional headers", {
    contentSecurityPolicy: false,
    crossOriginOpenerPolicy: false,
    crossOriginResourcePolicy: false,
    originAgentCluster: false,
    permissionsPolicy: false,
    referrerPolicy: false,
    strictTransportSecurity: false,
  }, { "x-content-type-options": "nosniff" }],
  ["with custom values", {
    contentSecurityPolicy: "default-src 'none'",
    referrerPolicy: "no-referrer",
    strictTransportSecurity: "max-age=31536000",
  }, {
    "content-security-policy": "default-src 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "origin-agent-cluster": "?1",
    "permissions-policy":
      "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "referrer-policy": "no-referrer",
    "strict-transport-security": "max-age=31536000",
    "x-content-type-options": "nosniff",
  }],
];

for (const [name, options, expected] of presets) {
  Deno.test(`secureHeaders() adds ${Object.keys(expected).length} headers ${name}, also to responses without a route (ASVS 3.4.3, 3.4.4, 3.4.5, 3.4.6)`, async () => {
    const router = createRouter({ middleware: [secureHeaders(options)] });
    router.get("/", () => new Response(null));
    for (const path of ["", "none"]) {
      const { headers } = await router.fetch(`${origin}/${path}`);
      headers.delete("Content-Type");
      headers.delete("Vary");
      assertEquals(Object.fromEntries(headers), expected);
    }
  });
}

Deno.test("secureHeaders() requires HTTPS for a year in each response, also in errors (ASVS 3.4.1)", async () => {
  const strictTransportSecurity = "max-age=31536000; includeSubDomains";
  const router = createRouter({
    middleware: [secureHeaders({ strictTransportSecurity })],
    onError: () => new Response("Error", { status: 500 }),
  });
  router.post("/", () => new Response("Saved"));
  router.get("/error", () => Promise.reject(new Error("down")));
  const found: [number, string | null][] = [];
  for (
    const [path, method] of [
      ["/", "POST"],
      ["/", "DELETE"],
      ["/error", "GET"],
      ["/none", "GET"],
    ] as const
  ) {
    const { headers, status } = await router.fetch(`${origin}${path}`, {
      method,
    });
    found.push([status, headers.get("Strict-Transport-Security")]);
  }
  assertEquals(
    found,
    [200, 405, 500, 404].map((status) => [status, strictTransportSecurity]),
  );
});

Deno.test("secureHeaders() throws for a value that no header can have", () => {
  for (
    const options of [
      { contentSecurityPolicy: "a\r\nSet-Cookie: b=1" },
      { referrerPolicy: "a\0" },
    ]
  ) assertThrows(() => secureHeaders(options), TypeError);
});
