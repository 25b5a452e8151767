import { assertEquals, assertThrows } from "@std/assert";
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  secureHeaders,
  type SecureHeadersOptions,
} from "@gatehouse/web/secure-headers-middleware";

const policy =
  "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'";

/** The headers that are added, by option and by default. */
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
  Deno.test(`secureHeaders() sets ${name} to ${value}, to a value of yours, or not at all`, async () => {
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

Deno.test("secureHeaders() throws for form targets beside a policy of its caller", () => {
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
