/**
 * For any request URL, the router chooses the route by `context.url`, so that
 * middleware, handlers and mounted routers agree about the path.
 */
import {
  createRouter,
  type Middleware,
  MountPrefix,
  type RequestContext,
  RoutePattern,
} from "@gatehouse/web/fetch-router";
import { assert, assertEquals } from "@std/assert";
import { Oracle } from "../_oracle.ts";
import { Random } from "../_random.ts";

const origin = "https://example.com";

/** Parts of raw URLs from the network, including hostile Host headers. */
const STARTS = [
  "https://example.com",
  "http://example.com",
  "https://EXAMPLE.com:443",
  "https://admin.example",
  "https://admin.example:443",
  "https://admin.example@example.com",
  "https://example.com#@admin.example",
  "https://example.com?x=",
  "https://example.com/admin/..",
  "https://example.com/admin",
  "https://example.com\\admin",
  "https://[::1]",
  "https://[::1",
  "https://ex ample",
  "https:example.com",
  "https:\\\\example.com",
  "http://user:password@example.com",
  "http://@example.com",
  "//example.com",
  "file://",
  "blob:https://example.com",
  "",
];
const PIECES = [
  "/",
  "/",
  "//",
  "\\",
  "admin",
  "admin",
  "public",
  "ADMIN",
  "a",
  ".",
  "..",
  "%2e",
  "%2E%2e",
  "%2f",
  "%5c",
  "%00",
  "%",
  "%61dmin",
  "\t",
  "\n",
  " ",
  "é",
  "\ud800",
  "?",
  "#",
  ";",
  "@",
  ":",
  "'",
  '"',
  "|",
];

const PATTERNS = [
  "/admin",
  "/admin/",
  "/admin/*",
  "/admin/:page",
  "/public/*",
  "/:a-:b",
  "/:area/:page",
  "//*",
  "https://admin.example/*",
  "/é",
];

for (const seed of [1, 2, 3]) {
  Deno.test(`router.fetch() chooses the route by context.url for any raw URL, seed ${seed}`, async () => {
    const random = new Random(seed);
    const oracle = new Oracle<string>();
    // Code before middleware reads the URL too.
    const middleware: Middleware[] = seed === 2 ? [(_, next) => next()] : [];
    const router = createRouter({ defaultHandler: tell, middleware });
    for (const text of PATTERNS) {
      const pattern = new RoutePattern(text);
      oracle.add("GET", pattern, pattern.source);
      router.get(text, tell);
    }
    let [refused, unmatched, matched] = [0, 0, 0];
    for (let i = 0; i < 3_000; i++) {
      const text = randomText(random);
      const url = validUrl(text);
      const response = await router.fetch(rawRequest(text));
      const shown = JSON.stringify(text);
      if (url === null) {
        assertEquals(response.status, 400, shown);
        refused++;
        continue;
      }
      const expected = oracle.match("GET", url.href);
      assertEquals(await response.json(), {
        url: url.href,
        route: expected?.data ?? null,
        params: { ...expected?.params },
      }, shown);
      if (expected === null) unmatched++;
      else matched++;
    }
    const counts = `${refused}, ${unmatched}, ${matched}`;
    assert(refused > 200 && unmatched > 200 && matched > 200, counts);
  });
}

Deno.test("router.mount() passes the rest of the path of context.url for any raw URL", async () => {
  const random = new Random(4);
  const inner = createRouter({ defaultHandler: tellMounted });
  const foreign = (request: Request) => Response.json({ url: request.url });
  const router = createRouter({ defaultHandler: () => new Response("none") });
  router.mount("/admin", inner);
  router.mount("/public", foreign);
  let handed = 0;
  for (let i = 0; i < 3_000; i++) {
    const text = randomText(random);
    const response = await router.fetch(rawRequest(text));
    const url = validUrl(text);
    if (url === null) continue;
    const [, prefix, rest] = /^(\/admin|\/public)(\/.*)?$/.exec(url.pathname) ??
      [];
    if (prefix === undefined) {
      assertEquals(await response.text(), "none", JSON.stringify(text));
      continue;
    }
    handed++;
    url.pathname = rest ?? "/";
    assertEquals(
      await response.json(),
      prefix === "/admin" ? { url: url.href, prefix } : { url: url.href },
      JSON.stringify(text),
    );
  }
  assert(handed > 100, `${handed} handed on`);
});

Deno.test("a middleware that checks context.url protects the matching routes", async () => {
  const random = new Random(5);
  const router = createRouter({
    middleware: [
      ({ url }, next) =>
        url.pathname.startsWith("/admin")
          ? new Response("guarded", { status: 403 })
          : next(),
    ],
  });
  router.get("/admin", () => new Response("secret"));
  router.get("/admin/*", () => new Response("secret"));
  router.get("/*", () => new Response("open"));
  const seen = new Set<string>();
  for (let i = 0; i < 3_000; i++) {
    const text = randomText(random);
    const answer = await (await router.fetch(rawRequest(text))).text();
    assert(answer !== "secret", JSON.stringify(text));
    seen.add(answer);
  }
  assertEquals([...seen].sort(), ["Bad Request", "guarded", "open"]);
});

function tell({ url, route, params }: RequestContext): Response {
  return Response.json({
    url: url.href,
    route: route?.pattern.source ?? null,
    params,
  });
}

function tellMounted(context: RequestContext): Response {
  const { url } = context;
  return Response.json({ url: url.href, prefix: context.get(MountPrefix) });
}

function randomText(random: Random): string {
  const start = random.chance(0.6) ? STARTS[0]! : random.pick(STARTS);
  return start + random.pick(["", "/"]) +
    random.array(0, 6, () => random.pick(PIECES)).join("");
}

/** Returns the URL if a server can get it: HTTP or HTTPS without credentials. */
function validUrl(text: string): URL | null {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  return url.username + url.password === "" ? url : null;
}

/** Creates a request with the raw URL from the network, as servers do. */
function rawRequest(url: string): Request {
  const request = new Request("https://example.com/");
  return Object.defineProperty(request, "url", { value: url });
}

const raw = [
  "/admin/../public/x",
  "/public/%2e%2e/admin/x",
  "/public/.%2E/admin/x",
  "/public/./../admin/x",
  "\\admin\\x",
  "/admin/x/..",
  "/public//../admin/x",
];

for (const path of raw) {
  Deno.test(`router.fetch() matches "${path}" by context.url`, async () => {
    const router = createRouter();
    router.get(
      "/admin/*",
      ({ url }) => new Response(`admin ${url.pathname.startsWith("/admin/")}`),
    );
    router.get(
      "/public/*",
      ({ url }) =>
        new Response(`public ${url.pathname.startsWith("/public/")}`),
    );
    const response = await router.fetch(rawRequest(origin + path));
    assert(/true$|^Not Found$/.test(await response.text()), path);
  });
}

for (
  const url of [
    "/p",
    "",
    "http://",
    "https://a b/",
    "https://example.com:99999/",
    "file:///etc/passwd",
    "ws://example.com/",
    "ftp://example.com/",
    "data:text/plain,x",
  ]
) {
  Deno.test(`router.fetch() responds with 400 if the request URL is "${url}"`, async () => {
    const router = createRouter();
    router.get("/*", () => new Response("ok"));
    const response = await router.fetch(rawRequest(url));
    assertEquals(response.status, 400);
    assertEquals(await response.text(), "Bad Request");
  });
}
