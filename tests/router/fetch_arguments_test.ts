/** What `router.fetch` takes for an init, and what for the runtime's own. */
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { createRouter, Platform } from "@gatehouse/web/fetch-router";

const origin = "https://example.com";

/** Says what reached the handler. */
function createEcho() {
  const router = createRouter();
  router.route("ANY", "/*", async (context) =>
    Response.json([
      context.method,
      await context.request.text(),
      context.get(Platform),
      context.has(Platform),
    ]));
  return router;
}

const members = [
  "body",
  "cache",
  "cf",
  "credentials",
  "duplex",
  "headers",
  "integrity",
  "keepalive",
  "mode",
  "priority",
  "redirect",
  "referrer",
  "referrerPolicy",
  "signal",
  "window",
];

for (const member of members) {
  Deno.test(`router.fetch() takes an object with "${member}" beside a Request for an init`, async () => {
    // As good as absent: runtimes refuse some values that others know.
    const init = { method: "DELETE", [member]: undefined };
    const response = await createEcho().fetch(new Request(origin), init);
    assertEquals(await response.json(), ["DELETE", "", [], false]);
  });
}

Deno.test("router.fetch() takes an init without a prototype", async () => {
  const init = Object.assign(Object.create(null), { method: "DELETE" });
  const response = await createEcho().fetch(new Request(origin), init);
  assertEquals(await response.json(), ["DELETE", "", [], false]);
});

Deno.test("router.fetch() takes no init with a prototype of its own, whatever it says", async () => {
  class Bindings {
    readonly method = "DELETE";
  }
  const inherited = Object.create({ method: "DELETE" });
  const below = Object.assign(Object.create({}), { method: "DELETE" });
  for (const info of [new Bindings(), inherited, below]) {
    const response = await createEcho().fetch(new Request(origin), info);
    const [method, , platform] = await response.json();
    assertEquals([method, platform.length], ["GET", 1]);
  }
});

Deno.test("router.fetch() takes what follows an init for the runtime's", async () => {
  const { fetch } = createEcho();
  const untyped = fetch as (...given: unknown[]) => Promise<Response>;
  const init = { method: "POST", body: "hi" };
  for (const input of [origin, new URL(origin)]) {
    const response = await untyped(input, init, { KEY: 1 }, { ctx: 2 });
    assertEquals(await response.json(), [
      "POST",
      "hi",
      [{ KEY: 1 }, { ctx: 2 }],
      true,
    ]);
  }
});

Deno.test("router.fetch() takes an init for what it is beside text and URL, whatever its members", async () => {
  const init = { method: "DELETE", other: 1 } as RequestInit;
  const empty = await createEcho().fetch(origin, {});
  assertEquals(await empty.json(), ["GET", "", [], false]);
  const response = await createEcho().fetch(new URL(origin), init);
  assertEquals(await response.json(), ["DELETE", "", [], false]);
});

Deno.test("router.fetch() rejects what was aborted before, by an init or by its request", async () => {
  const { fetch } = createEcho();
  const signal = AbortSignal.abort(new Error("gone"));
  const aborted = () => new Request(origin, { signal });
  for (
    const call of [
      () => fetch(origin, { signal }),
      () => fetch(new URL(origin), { signal }),
      () => fetch(new Request(origin), { signal }),
      () => fetch(aborted()),
      () => fetch(aborted(), { method: "POST" }),
      () => fetch(aborted(), undefined),
    ]
  ) await assertRejects(call, Error, "gone");
});

Deno.test("router.fetch() rejects a body that was read before, and never throws", async () => {
  const used = new Request(origin, { method: "POST", body: "x" });
  await used.text();
  const result = createEcho().fetch(used, { method: "PUT" });
  await assertRejects(() => result, TypeError);
});

Deno.test("createRouter() refuses values that its options do not have", () => {
  const options = [
    { trailingSlash: "remove" },
    { trustedProxies: "10.0.0.12" },
    { trustedProxies: null },
  ];
  for (const each of options) {
    assertThrows(
      () => createRouter(each as never),
      TypeError,
      "Cannot create router",
    );
  }
});

Deno.test("createRouter() takes null for an option that is not there", async () => {
  const options = { defaultHandler: null, onError: null };
  const router = createRouter(options as never);
  assertEquals((await router.fetch("https://example.com/a")).status, 404);
});
