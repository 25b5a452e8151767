/** The answers of `cors()` to preflights. */
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  cors,
  type CORSOptions,
  crossOriginProtection,
} from "@gatehouse/web/middleware";
import { assertEquals } from "@std/assert";
import {
  api,
  app,
  createNotes,
  evil,
  forbid,
  ok,
  preflight,
  trusting,
} from "../_cors.ts";

const hostile: [Record<string, string>, string | null, string | null][] = [
  [{ "Access-Control-Request-Method": "" }, null, null],
  [{ "Access-Control-Request-Method": "A B" }, null, null],
  [{ "Access-Control-Request-Method": "PUT, DELETE" }, "PUT, DELETE", null],
  [{ "Access-Control-Request-Method": "<b>" }, null, null],
  [{ "Access-Control-Request-Headers": "" }, "PUT", null],
  [{ "Access-Control-Request-Headers": ",, ," }, "PUT", null],
  [
    { "Access-Control-Request-Headers": "x-a, b c,x-d:1,x-e" },
    "PUT",
    "x-a, x-e",
  ],
  [{ "Access-Control-Request-Headers": "__proto__" }, "PUT", "__proto__"],
  [{ "Access-Control-Request-Headers": "\u00e9" }, "PUT", null],
];

for (const [headers, methods, names] of hostile) {
  Deno.test(`cors() allows only tokens for a preflight with ${JSON.stringify(headers)}`, async () => {
    const response = await preflight(
      createNotes(trusting),
      { path: "/nowhere" },
      headers,
    );
    const get = (name: string) =>
      response.headers.get(`Access-Control-Allow-${name}`);
    assertEquals(response.status, 204);
    assertEquals([get("Methods"), get("Headers")], [methods, names]);
  });
}

Deno.test("cors() passes OPTIONS requests that are not preflights", async () => {
  const router = createRouter({ middleware: [cors(trusting)] });
  router.options("/notes", ok);
  const method = "OPTIONS";
  const asked = { "Access-Control-Request-Method": "PUT" };
  for (const headers of [new Headers(), { Origin: app }, asked]) {
    const response = await router.fetch(`${api}/notes`, { method, headers });
    assertEquals(await response.text(), "ok");
  }
  assertEquals((await preflight(router)).status, 204);
});

Deno.test("cors() sets how long preflights are cached", async () => {
  for (const [maxAge, expected] of [[undefined, "600"], [0, "0"], [60, "60"]]) {
    const options = {
      ...trusting,
      ...(maxAge === undefined ? {} : { maxAge }),
    };
    const router = createNotes(options as CORSOptions);
    const { headers } = await preflight(router);
    assertEquals(headers.get("Access-Control-Max-Age"), expected);
  }
});

Deno.test("cors() allows access to a private network only by its option, and if it is asked for", async () => {
  const name = "Access-Control-Allow-Private-Network";
  const get = async (privateNetwork: boolean, asked: string, origin = app) => {
    const router = createNotes({ ...trusting, privateNetwork });
    const others = { "Access-Control-Request-Private-Network": asked };
    return (await preflight(router, { origin }, others)).headers.get(name);
  };
  assertEquals(await get(true, "true"), "true");
  assertEquals(await get(true, "1"), null);
  assertEquals(await get(true, "true", evil), null);
  assertEquals(await get(false, "true"), null);
});

Deno.test("cors() answers a preflight for a mount with the methods of the mounted router, before all guards", async () => {
  const inner = createRouter({
    middleware: [forbid],
    trailingSlash: "ignore",
  });
  inner.get("/notes", ok);
  inner.route("PROPFIND", "/notes", ok);
  inner.delete("/notes/:id", ok);
  const middle = createRouter({ middleware: [forbid] });
  middle.mount("/deep", inner.fetch);
  middle.get("/deep/notes", ok);
  const router = createRouter({
    middleware: [
      cors(trusting),
      crossOriginProtection(),
      forbid,
    ],
  });
  router.mount("/in", inner);
  router.mount("/two", middle);
  router.mount("/foreign", ok);
  router.put("/in/notes", ok);
  const methods = async (path: string) =>
    (await preflight(router, { path, method: "PATCH" }))
      .headers.get("Access-Control-Allow-Methods");
  assertEquals(await methods("/in/notes/7"), "DELETE");
  assertEquals(await methods("/in/notes/"), "GET, HEAD, PROPFIND");
  assertEquals(await methods("/in/notes"), "GET, HEAD, PROPFIND, PUT");
  assertEquals(await methods("/two/deep/notes/7"), "DELETE");
  assertEquals(await methods("/two/deep/notes"), "GET, HEAD, PROPFIND");
  assertEquals(
    await methods("/foreign/x"),
    "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT",
  );
  // The mounted router answers 404 to any method.
  assertEquals(await methods("/in/nowhere"), "PATCH");
});

Deno.test("cors() of a mounted router answers its preflights", async () => {
  const inner = createRouter({ middleware: [cors(trusting), forbid] });
  inner.put("/notes", ok);
  const router = createRouter();
  router.mount("/in", inner);
  router.put("/notes", ok);
  const allowed = async (path: string) =>
    (await preflight(router, { path })).headers.get(
      "Access-Control-Allow-Methods",
    );
  assertEquals(await allowed("/in/notes"), "PUT");
  assertEquals(await allowed("/notes"), null);
});
