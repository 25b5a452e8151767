/** The origins that `cors()` and `crossOriginProtection()` trust. */
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  cors,
  type CORSOptions,
  crossOriginProtection,
} from "@gatehouse/web/middleware";
import { assertEquals, assertThrows } from "@std/assert";
import { api, app, evil, ok, preflight } from "../_cors.ts";

const subdomains = ["https://*.app.example"];
const origins: [CORSOptions["trustedOrigins"], string, boolean][] = [
  [[app], app, true],
  [[app, evil], evil, true],
  [[], app, false],
  [[app], "", false],
  [[app], "null", false],
  [[app], "*", false],
  [[app], "https://APP.example", false],
  [[app], `${app}/`, false],
  [[app], `${app}:443`, false],
  [[app], `${app}:8443`, false],
  [[app], "http://app.example", false],
  [[app], `${app}.evil.example`, false],
  [[app], "https://evilapp.example", false],
  [[app], "https://app-example", false],
  [[app], `${app}, ${evil}`, false],
  [[app], `${evil} ${app}`, false],
  [[app], `${app}@evil.example`, false],
  [[app], `${app}%00.evil.example`, false],
  [[app], "__proto__", false],
  [[app], "https://app.example\u00e9", false],
  [[app], "x".repeat(100_000), false],
  [subdomains, "https://a.app.example", true],
  [subdomains, "https://a-1_b.app.example", true],
  [subdomains, "https://app.example", false],
  [subdomains, "https://.app.example", false],
  [subdomains, "https://a.b.app.example", false],
  [subdomains, "https://a.app.example.evil.example", false],
  [subdomains, "https://a.app-example", false],
  [subdomains, "https://evil.example/.app.example", false],
  [subdomains, "https://evil.example?.app.example", false],
  [subdomains, "https://evil.example#.app.example", false],
  [subdomains, "https://a:1@b.app.example", false],
  [subdomains, "http://a.app.example", false],
  [subdomains, "https://a.app.example:8443", false],
  [subdomains, `https://${"a".repeat(100_000)}.evil.example`, false],
  [["http://localhost:*"], "http://localhost:5173", true],
  [["http://localhost:*"], "http://localhost", true],
  [["http://localhost:*"], "http://localhost:", false],
  [["http://localhost:*"], "http://localhost1", false],
  [["https://*.app.example:*"], "https://a.app.example", true],
  [["http://localhost:*"], "http://localhost:1.evil.example", false],
  [["http://localhost:*"], "http://localhost:1@evil.example", false],
  [["https://*.localhost:*"], "https://a.localhost:1", true],
  [["http://[::1]:8000"], "http://[::1]:8000", true],
  [["http://[::1]:*"], "http://[::1]:8000", true],
  [["http://[::1]:*"], "http://:8000", false],
  [() => true, app, true],
  [() => true, "capacitor://localhost", true],
  [() => true, "null", false],
  [() => true, "", false],
  [() => true, `${evil}/.app.example`, false],
  [() => true, `${evil}#${app}`, false],
  [() => true, `${app} ${evil}`, false],
  [() => true, `${app},${evil}`, false],
  [() => false, app, false],
  // Programs without types may pass these.
  [() => "yes" as never, app, false],
  [() => Promise.resolve(true) as never, app, false],
  [(origin) => origin.endsWith(".example"), app, true],
  [(_, { url }) => url.pathname === "/notes", evil, true],
  [(_, { url }) => url.pathname === "/other", evil, false],
];

for (const [trustedOrigins, origin, isTrusted] of origins) {
  const shown = `${trustedOrigins}`.slice(0, 60);
  Deno.test(`cors() and crossOriginProtection() ${isTrusted ? "trust" : "reject"} Origin "${origin.slice(0, 60)}" if ${shown} is trusted`, async () => {
    const options = { trustedOrigins, credentials: true } as const;
    const router = createRouter({
      middleware: [
        cors(options),
        crossOriginProtection({
          trustedOrigins: options.trustedOrigins as Exclude<
            typeof trustedOrigins,
            "*"
          >,
        }),
      ],
    });
    router.post("/notes", ok);
    // Some runtimes reject other values in a header.
    const encoded =
      encodeURI(origin) === origin || /^[\x20-\x7e]*$/.test(origin)
        ? origin
        : "\u00e9";
    const init = { method: "POST", headers: { Origin: encoded } };
    const actual = await router.fetch(`${api}/notes`, init);
    const asked = await preflight(router, { origin: encoded, method: "POST" });
    assertEquals(actual.status, isTrusted ? 200 : 403);
    for (const { headers } of [actual, asked]) {
      const name = "Access-Control-Allow-Origin";
      assertEquals(headers.get(name), isTrusted ? origin : null);
      assertEquals(
        headers.get("Access-Control-Allow-Credentials"),
        isTrusted ? "true" : null,
      );
    }
    const methods = asked.headers.get("Access-Control-Allow-Methods");
    assertEquals([asked.status, methods], [204, isTrusted ? "POST" : null]);
  });
}

const invalid = [
  "app.example",
  "https://app.example/",
  "https://app.example/x",
  "https://user@app.example",
  "https://APP.example",
  "https://app.example:443",
  "null",
  "",
  "*",
  "https://*",
  "https://*:*",
  "https://*.example",
  "https://*.com:8443",
  "https://a.*.example",
  "https://a*.app.example",
  "https://*a.app.example",
  "https://*.*.app.example",
  "*://app.example",
  "*.app.example",
  "https://app.example:8*",
];

for (const origin of invalid) {
  Deno.test(`cors() and crossOriginProtection() throw for the origin "${origin}"`, () => {
    const options = { trustedOrigins: [origin] };
    for (const create of [cors, crossOriginProtection]) {
      assertThrows(
        () => create(options),
        TypeError,
        `Cannot trust origin "${origin}"`,
      );
    }
  });
}

Deno.test('crossOriginProtection() throws for the "*" of cors()', () => {
  assertThrows(
    // @ts-expect-error: any origin could send forms
    () => crossOriginProtection({ trustedOrigins: "*" }),
    TypeError,
    "Cannot trust origin",
  );
});

for (
  const origin of [
    "http://[",
    "http://[::1",
    "http://a:b",
    "http://a:99999",
    "http://:1",
    "1://a",
    "https://app.example:443",
    "https://APP.example",
  ]
) {
  Deno.test(`cors() and crossOriginProtection() call no function with ${origin}, which browsers never send`, async () => {
    const asked: string[] = [];
    const trustedOrigins = (origin: string) => {
      asked.push(new URL(origin).origin);
      return true;
    };
    const router = createRouter({
      middleware: [
        cors({ trustedOrigins }),
        crossOriginProtection({ trustedOrigins }),
      ],
    });
    router.post("/", ok);
    const response = await router.fetch(api, {
      method: "POST",
      headers: { Origin: origin },
    });
    assertEquals(response.status, 403);
    assertEquals(response.headers.get("Vary"), "Accept, Origin");
    assertEquals(asked, []);
  });
}
