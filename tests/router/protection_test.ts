/** What secureHeaders() and crossOriginProtection() do beyond their tables. */
import { assertEquals, assertThrows } from "@std/assert";
import { crossOriginProtection } from "@gatehouse/web/cross-origin-middleware";
import { createRouter, type Middleware } from "@gatehouse/web/fetch-router";
import {
  secureHeaders,
  type SecureHeadersOptions,
} from "@gatehouse/web/secure-headers-middleware";

const url = "https://app.example/";

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
  ["with all that can be left out left out", {
    contentSecurityPolicy: false,
    crossOriginOpenerPolicy: false,
    crossOriginResourcePolicy: false,
    originAgentCluster: false,
    permissionsPolicy: false,
    referrerPolicy: false,
    strictTransportSecurity: false,
  }, { "x-content-type-options": "nosniff" }],
  ["with values of its own", {
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
  Deno.test(`secureHeaders() adds ${Object.keys(expected).length} headers ${name}, to answers without a route too`, async () => {
    const router = createRouter({ middleware: [secureHeaders(options)] });
    router.get("/", () => new Response(null));
    for (const path of ["", "none"]) {
      const { headers } = await router.fetch(url + path);
      headers.delete("Content-Type");
      assertEquals(Object.fromEntries(headers), expected);
    }
  });
}

Deno.test("secureHeaders() throws when it is made with what no header can hold", () => {
  for (
    const options of [
      { contentSecurityPolicy: "a\r\nSet-Cookie: b=1" },
      { referrerPolicy: "a\0" },
    ]
  ) assertThrows(() => secureHeaders(options), TypeError);
});

Deno.test("crossOriginProtection() covers a method that middleware made unsafe", async () => {
  const destroy: Middleware<readonly []> = (context) =>
    void (context.method = "DELETE");
  const router = createRouter({
    middleware: [destroy, crossOriginProtection()],
  });
  router.delete("/", () => new Response("deleted"));
  const headers = { "Sec-Fetch-Site": "cross-site" };
  assertEquals((await router.fetch(url, { headers })).status, 403);
});

Deno.test("crossOriginProtection() covers a method on the wire that middleware made safe", async () => {
  const soften: Middleware<readonly []> = (context) =>
    void (context.method = "GET");
  const router = createRouter({
    middleware: [soften, crossOriginProtection()],
  });
  router.get("/", () => new Response("done"));
  const headers = { "Sec-Fetch-Site": "cross-site" };
  const response = await router.fetch(url, { method: "POST", headers });
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
  Deno.test(`crossOriginProtection() answers ${status} to Origin "${origin}" at Host "${host}"`, async () => {
    const router = createRouter({ middleware: [crossOriginProtection()] });
    router.post("/", () => new Response("done"));
    const headers = { Host: host, Origin: origin };
    const response = await router.fetch(url, { method: "POST", headers });
    assertEquals(response.status, status);
  });
}

for (const method of ["PROPFIND", "PURGE", "patch"]) {
  Deno.test(`crossOriginProtection() takes ${method} for unsafe`, async () => {
    const router = createRouter({ middleware: [crossOriginProtection()] });
    router.route("ANY", "/", () => new Response("done"));
    const headers = { Origin: "https://evil.example" };
    const response = await router.fetch(url, { method, headers });
    assertEquals(response.status, 403);
  });
}
