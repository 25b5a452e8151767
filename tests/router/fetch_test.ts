import { assertEquals, assertRejects } from "@std/assert";
import { createRouter, Platform } from "@gatehouse/web/fetch-router";

const origin = "https://example.com";

/** Creates a router that responds with the request that its handler got. */
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
  Deno.test(`router.fetch() accepts an object with "${member}" after a Request as an init`, async () => {
    // No values: runtimes accept different ones.
    const init = { method: "DELETE", [member]: undefined };
    const response = await createEcho().fetch(new Request(origin), init);
    assertEquals(await response.json(), ["DELETE", "", [], false]);
  });
}

Deno.test("router.fetch() accepts an init without a prototype", async () => {
  const init = Object.assign(Object.create(null), { method: "DELETE" });
  const response = await createEcho().fetch(new Request(origin), init);
  assertEquals(await response.json(), ["DELETE", "", [], false]);
});

Deno.test("router.fetch() accepts no instance of a class as an init", async () => {
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

Deno.test("router.fetch() passes the arguments after an init to the platform", async () => {
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

Deno.test("router.fetch() accepts any object after a string or URL as an init", async () => {
  const init = { method: "DELETE", other: 1 } as RequestInit;
  const empty = await createEcho().fetch(origin, {});
  assertEquals(await empty.json(), ["GET", "", [], false]);
  const response = await createEcho().fetch(new URL(origin), init);
  assertEquals(await response.json(), ["DELETE", "", [], false]);
});

Deno.test("router.fetch() rejects a request that was aborted before, by its signal or the init's", async () => {
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

Deno.test("router.fetch() rejects instead of throwing if the body was read before", async () => {
  const used = new Request(origin, { method: "POST", body: "x" });
  await used.text();
  const result = createEcho().fetch(used, { method: "PUT" });
  await assertRejects(() => result, TypeError);
});
