import {
  createRouter,
  type Router,
  type RouterOptions,
} from "@gatehouse/web/fetch-router";
import {
  cors,
  type CORSOptions,
  crossOriginProtection,
  secureHeaders,
} from "@gatehouse/web/middleware";
import { assertEquals, assertThrows } from "@std/assert";
import { captureConsole } from "../../_console.ts";
import {
  api,
  app,
  createNotes,
  evil,
  open,
  preflight,
  type ScriptRequest,
  trusting,
} from "../_cors.ts";

const withCookies: CORSOptions = { ...trusting, credentials: true };
/** Runs the CORS check of browsers (Fetch, 4.10). */
function isShared(
  { headers }: Response,
  { origin = app, includesCredentials = false }: ScriptRequest,
): boolean {
  const allowed = headers.get("Access-Control-Allow-Origin");
  if (!includesCredentials && allowed === "*") return true;
  return allowed === origin && (!includesCredentials ||
    headers.get("Access-Control-Allow-Credentials") === "true");
}

/** Fetches like a browser: the status, or `null` for a network error (Fetch, 4.8). */
async function fetchLikeBrowser(
  router: Router,
  request: ScriptRequest,
): Promise<number | null> {
  const { origin = app, method = "GET", path = "/notes", headers = [] } =
    request;
  const isSimple = ["GET", "HEAD", "POST"].includes(method);
  if (!isSimple || headers.length > 0) {
    const response = await preflight(router, { ...request, method });
    const list = (name: string) =>
      (response.headers.get(name) ?? "").split(/\s*,\s*/);
    const methods = list("Access-Control-Allow-Methods");
    const names = list("Access-Control-Allow-Headers")
      .map((name) => name.toLowerCase());
    const passes = response.ok && isShared(response, request) &&
      (isSimple || methods.includes(method)) &&
      headers.every((name) => names.includes(name));
    if (!passes) return null;
  }
  const values = headers.map((name) => [name, "x"] as [string, string]);
  const response = await router.fetch(api + path, {
    method,
    headers: [...values, ["Origin", origin]],
  });
  await response.body?.cancel();
  return isShared(response, request) ? response.status : null;
}

const key = ["x-key"];

const rows: [CORSOptions, ScriptRequest, number | null][] = [
  [trusting, {}, 200],
  [trusting, { origin: evil }, null],
  [trusting, { includesCredentials: true }, null],
  [withCookies, { includesCredentials: true }, 200],
  [withCookies, {}, 200],
  [withCookies, { origin: evil, includesCredentials: true }, null],
  [open, { origin: evil }, 200],
  [open, { origin: "null" }, 200],
  [open, { includesCredentials: true }, null],
  [open, { origin: evil, method: "PUT", headers: key }, 200],
  // Guards answer the request, but never the preflight.
  [trusting, { method: "PUT" }, 403],
  [trusting, { method: "PUT", headers: key }, 200],
  [trusting, { method: "PUT", headers: key, origin: evil }, null],
  [
    withCookies,
    { method: "PUT", headers: key, includesCredentials: true },
    200,
  ],
  // The path has no such method.
  [trusting, { method: "DELETE" }, null],
  [trusting, { method: "put" }, null],
  [trusting, { method: "POST" }, 405],
  [trusting, { method: "DELETE", path: "/any" }, 200],
  [trusting, { method: "PROPFIND", path: "/dav" }, 200],
  [trusting, { method: "PURGE", path: "/any" }, null],
  // Scripts can read errors.
  [trusting, { path: "/nowhere" }, 404],
  [trusting, { path: "/nowhere", method: "DELETE", headers: key }, 404],
  [trusting, { path: "/throws" }, 500],
  [trusting, { path: "/throws", headers: key }, 500],
  [trusting, { path: "/nowhere", origin: evil }, null],
  [trusting, { path: "/throws", origin: evil }, null],
  // The names of headers.
  [trusting, { headers: ["authorization", "content-type"] }, 200],
  [{ ...trusting, allowedHeaders: ["X-Key"] }, { headers: key }, 200],
  [{ ...trusting, allowedHeaders: ["X-Key"] }, { headers: ["x-other"] }, null],
  [{ ...trusting, allowedHeaders: [] }, { headers: key }, null],
];

for (const [options, request, status] of rows) {
  Deno.test(`cors(${JSON.stringify(options)}) gives a script ${status} for ${JSON.stringify(request)} (Fetch 4.8 to 4.10; ASVS 3.4.2)`, async () => {
    assertEquals(await fetchLikeBrowser(createNotes(options), request), status);
  });
}

Deno.test("cors() sends Vary with every response, also without an Origin", async () => {
  for (const options of [trusting, open]) {
    const router = createNotes(options);
    for (const path of ["/notes", "/nowhere", "/throws"]) {
      for (const origin of [undefined, app, evil]) {
        const headers = new Headers(origin ? { Origin: origin } : {});
        const response = await router.fetch(api + path, { headers });
        assertEquals(
          response.headers.get("Vary"),
          path === "/nowhere" ? "Accept, Origin" : "Origin",
        );
      }
    }
    const { headers } = await preflight(router, { origin: evil });
    assertEquals(
      headers.get("Vary"),
      "Access-Control-Request-Method, Access-Control-Request-Headers, Origin",
    );
  }
});

const vary = [
  ["Accept", "Accept, Origin"],
  ["*", "*"],
  ["origin", "origin"],
  ["Accept, ORIGIN , Cookie", "Accept, ORIGIN , Cookie"],
  ["X-Origin", "X-Origin, Origin"],
] as const;

for (const [before, after] of vary) {
  Deno.test(`cors() changes "Vary: ${before}" to "${after}"`, async () => {
    const router = createRouter({ middleware: [cors(trusting)] });
    router.get("/", () => new Response("", { headers: { Vary: before } }));
    assertEquals((await router.fetch(api)).headers.get("Vary"), after);
  });
}

Deno.test("cors() replaces the permission of a handler, also in an immutable response", async () => {
  const headers = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Credentials": "true",
  };
  const router = createRouter({ middleware: [cors(trusting)] });
  router.get("/", () => new Response("ok", { headers }));
  router.get("/redirect", () => Response.redirect(`${api}/`));
  for (const [origin, allowed] of [[app, app], [evil, null]] as const) {
    for (const path of ["/", "/redirect"]) {
      const response = await router.fetch(api + path, {
        headers: { Origin: origin },
      });
      const get = (name: string) =>
        response.headers.get(`Access-Control-Allow-${name}`);
      assertEquals([get("Origin"), get("Credentials")], [allowed, null]);
    }
  }
});

Deno.test("cors() exposes headers to trusted origins", async () => {
  const router = createNotes({
    ...trusting,
    exposedHeaders: ["X-Total", "ETag"],
  });
  const exposed = async (origin: string) =>
    (await router.fetch(`${api}/notes`, { headers: { Origin: origin } }))
      .headers.get("Access-Control-Expose-Headers");
  assertEquals((await exposed(app))?.split(/, ?/), ["X-Total", "ETag"]);
  assertEquals(await exposed(evil), null);
});

Deno.test("cors() sends its headers with the 403 of crossOriginProtection() and the 400 for a malformed URL", async () => {
  const router = createRouter({
    middleware: [cors(open), secureHeaders(), crossOriginProtection()],
  });
  const headers = { Origin: evil };
  const request = new Request(api, { method: "POST", headers });
  const malformed = new Request(api, { headers });
  Object.defineProperty(malformed, "url", { value: "https://a b/" });
  for (const [input, status] of [[request, 403], [malformed, 400]] as const) {
    const response = await router.fetch(input);
    const allowed = response.headers.get("Access-Control-Allow-Origin");
    assertEquals([response.status, allowed], [status, "*"]);
  }
});

Deno.test("cors() answers with 500 if the function of origins throws", async () => {
  const router = createNotes({
    trustedOrigins: () => {
      throw new Error("bug");
    },
  });
  let calls = 0;
  router.post("/write", () => new Response(`${++calls}`));
  const headers = { Origin: app };
  await router.fetch(`${api}/write`, { method: "POST", headers });
  assertEquals(calls, 0);
  for (
    const response of [
      await router.fetch(`${api}/notes`, { headers }),
      await preflight(router),
    ]
  ) {
    const allowed = response.headers.get("Access-Control-Allow-Origin");
    const vary = response.headers.get("Vary");
    assertEquals([response.status, allowed, vary], [500, null, "Origin"]);
  }
});

const failures: [string, RouterOptions, string][] = [
  ["the default response", {}, "Accept, Origin"],
  ["a response with Vary", {
    onError: () => new Response("", { headers: { Vary: "origin" } }),
  }, "origin"],
  ["an immutable response", {
    onError: () => Response.redirect(`${api}/`),
  }, "Origin"],
  ["a function that throws too", {
    onError: () => {
      throw new Error("another bug");
    },
  }, "Origin"],
];

for (const [name, options, vary] of failures) {
  Deno.test(`cors() sends "Vary: ${vary}" with ${name} if the function of origins throws, also in a mounted router`, async () => {
    using _ = captureConsole();
    const inner = createRouter({
      ...options,
      middleware: [
        cors({
          trustedOrigins: () => {
            throw new Error("bug");
          },
        }),
      ],
    });
    inner.get("/notes", () => new Response("ok"));
    const outer = createRouter();
    outer.mount("/api", inner);
    const headers = { Origin: app };
    for (const router of [inner, outer]) {
      const path = router === inner ? "/notes" : "/api/notes";
      const response = await router.fetch(api + path, { headers });
      assertEquals(response.headers.get("Vary"), vary);
    }
  });
}

const wrong: [Record<string, unknown>, ErrorConstructor, string][] = [
  [{ ...open, credentials: true }, TypeError, 'Cannot allow "*"'],
  [{ ...withCookies, allowedHeaders: ["*"] }, TypeError, 'Cannot allow "*"'],
  [{ ...withCookies, exposedHeaders: ["*"] }, TypeError, 'Cannot allow "*"'],
  [{ ...trusting, allowedHeaders: ["a b"] }, TypeError, "Cannot allow header"],
  [{ ...trusting, exposedHeaders: [""] }, TypeError, "Cannot allow header"],
  [{ ...trusting, exposedHeaders: ["A\r\nB"] }, TypeError, "Cannot allow"],
  [{ ...trusting, maxAge: -1 }, RangeError, "Cannot cache preflights"],
  [{ ...trusting, maxAge: 0.5 }, RangeError, "Cannot cache preflights"],
  [{ ...trusting, maxAge: NaN }, RangeError, "Cannot cache preflights"],
  [{ ...trusting, maxAge: Infinity }, RangeError, "Cannot cache preflights"],
];

for (const [options, type, message] of wrong) {
  Deno.test(`cors() throws for ${JSON.stringify(options)}`, () => {
    assertThrows(() => cors(options as never), type, message);
  });
}
