import { assertEquals } from "@std/assert";
import { Browser, Server } from "../_browser.ts";

const caching: [sent: string | null, read: string, set: string][] = [
  [null, "private", "private, no-store"],
  ["public, max-age=60", "private, max-age=60", "private, no-store"],
  ["max-age=60, s-maxage=600", "private, max-age=60", "private, no-store"],
  [
    'max-age=60, private="X-A, X-B"',
    "private, max-age=60",
    "private, no-store",
  ],
  ['public, community="private"', "private", "private, no-store"],
  ["PUBLIC", "private", "private, no-store"],
  // Caches that support must-understand ignore no-store (RFC 9111, 5.2.2.3).
  ["must-understand, no-store", "no-store", "private, no-store"],
  ["Must-Understand, max-age=60", "private, max-age=60", "private, no-store"],
  // A quoted string contains no directives (RFC 9111, 5.2).
  ['public, ext="x, private"', "private", "private, no-store"],
  ['public, ext="x, \\", no-store"', "private", "private, no-store"],
  ['public, ext="x, private', "private", "private, no-store"],
  ["public, private", "private", "private, no-store"],
  ["private, s-maxage=600", "private", "private, no-store"],
  ["public, no-store", "no-store", "private, no-store"],
  ["private, max-age=60", "private, max-age=60", "private, no-store"],
  ["no-store", "no-store", "private, no-store"],
  ["no-cache", "private, no-cache", "private, no-store"],
];

for (const [sent, read, set] of caching) {
  Deno.test(`session() makes Cache-Control "${sent}" private (ASVS 14.3.2)`, async () => {
    const browser = new Browser(new Server());
    const headers: HeadersInit = sent === null ? {} : { "Cache-Control": sent };
    const response = () => new Response("page", { headers });
    const cacheControl = () => browser.response.headers.get("Cache-Control");

    await browser.visit(response);
    assertEquals(cacheControl(), sent);
    await browser.visit((session) => {
      session.get("a");
      return response();
    });
    assertEquals(cacheControl(), read);
    await browser.visit((session) => {
      session.set("a", 1);
      return response();
    });
    assertEquals(cacheControl(), set);
    await browser.visit(response);
    assertEquals(cacheControl(), sent);
    await browser.visit((session) => {
      session.destroy();
      return response();
    });
    assertEquals(cacheControl(), set);
  });
}

const targeted = [
  "CDN-Cache-Control",
  "Cloudflare-CDN-Cache-Control",
  "Netlify-CDN-Cache-Control",
  "Vercel-CDN-Cache-Control",
  "Surrogate-Control",
  "Akamai-Cache-Control",
  "Deno-CDN-Cache-Control",
  "Edge-Control",
  "X-Accel-Expires",
  "X-LiteSpeed-Cache-Control",
];

Deno.test("session() removes the cache headers of every CDN", async () => {
  const browser = new Browser(new Server());
  for (const name of targeted) {
    const headers = { "Cache-Control": "private", [name]: "max-age=600" };
    await browser.visit((session) => {
      session.get("a");
      return new Response("page", { headers });
    });
    assertEquals(browser.response.headers.get(name), null, name);
  }
});

for (const sent of ["public, max-age=60", "private"]) {
  Deno.test(`session() removes the cache headers of CDNs next to Cache-Control "${sent}" (RFC 9213, 2.2)`, async () => {
    const browser = new Browser(new Server());
    const headers = new Headers({ "Cache-Control": sent, ETag: '"a"' });
    for (const name of targeted) headers.set(name, "max-age=600");
    const response = () => new Response("page", { headers });
    const left = () =>
      targeted.filter((name) => browser.response.headers.has(name));

    await browser.visit((session) => {
      session.get("a");
      return response();
    });
    assertEquals(left(), []);
    await browser.visit((session) => {
      session.set("a", 1);
      return response();
    });
    assertEquals(left(), []);
    assertEquals(browser.response.headers.get("ETag"), '"a"');
    // A handler that does not use the session keeps the response public.
    await browser.visit(response);
    assertEquals(left(), targeted);
  });
}

Deno.test("session() adds its cookie to an upgrade, which cannot be copied", async () => {
  // Servers create such a response. Its status is not allowed in applications.
  const upgrade = new Response(null);
  Object.defineProperty(upgrade, "status", { value: 101 });
  const browser = new Browser(new Server());
  await browser.visit((session) => {
    session.set("a", 1);
    return upgrade;
  });
  assertEquals(browser.response, upgrade);
  assertEquals(upgrade.headers.getSetCookie().length, 1);
});
