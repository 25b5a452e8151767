import { createRouter, type Middleware } from "@gatehouse/web/fetch-router";
import { assertEquals, assertRejects } from "@std/assert";

const origin = "https://example.com";
const ok = () => new Response("ok");
const quiet = { onError: () => new Response("failed", { status: 500 }) };

Deno.test("router.fetch() rejects an aborted request before its handler starts", async () => {
  const router = createRouter(quiet);
  let ran = false;
  router.get("/", () => {
    ran = true;
    return ok();
  });
  const signal = AbortSignal.abort(new Error("gone"));
  await assertRejects(() => router.fetch(origin, { signal }), Error, "gone");
  assertEquals(ran, false);
});

Deno.test("router.fetch() rejects if a request is aborted during middleware, and keeps other errors", async () => {
  const controller = new AbortController();
  let ran = 0;
  const router = createRouter({
    ...quiet,
    middleware: [async (context, next) => {
      await Promise.resolve();
      controller.abort(new Error("left"));
      if (context.url.pathname === "/broken") throw new Error("bug");
      return await next();
    }],
  });
  router.get("/*", () => {
    ran++;
    return ok();
  });
  const { signal } = controller;
  const broken = await router.fetch(`${origin}/broken`, { signal });
  assertEquals(broken.status, 500);
  await assertRejects(() => router.fetch(origin, { signal }), Error, "left");
  assertEquals(ran, 0);
});

Deno.test("router.fetch() does not read the signal, because Deno.serve would warn", async () => {
  const router = createRouter();
  router.get("/", ok);
  const request = Object.defineProperty(new Request(origin), "signal", {
    get: () => {
      throw new Error("read");
    },
  });
  const info = { remoteAddr: {}, completed: Promise.resolve() };
  assertEquals((await router.fetch(request, info)).status, 200);
});

Deno.test("router.fetch() responds to errors of a handler under Deno.serve, also to the signal's reason", async () => {
  const controller = new AbortController();
  const reason = new Error("bug");
  const router = createRouter({
    onError: (error) => new Response((error as Error).message, { status: 500 }),
  });
  router.get("/", () => {
    controller.abort(reason);
    throw reason;
  });
  const request = new Request(origin, { signal: controller.signal });
  const info = { remoteAddr: {}, completed: Promise.resolve() };
  assertEquals(await (await router.fetch(request, info)).text(), "bug");
});

const passes: Middleware<readonly []> = (_, next) => next();
const awaits: Middleware<readonly []> = async (_, next) => await next();

for (
  const [name, before, after] of [
    ["between others", [passes, awaits], [passes, awaits]],
    ["first", [], [awaits, passes]],
    ["last", [awaits, passes], []],
  ] as const
) {
  Deno.test(`the handler does not start if a request is aborted during the middleware ${name}`, async () => {
    const aborts: Middleware<readonly []> = async ({ request, url }, next) => {
      await Promise.resolve();
      if (url.pathname === "/left") controllers.get(request)!.abort();
      return await next();
    };
    const controllers = new Map<Request, AbortController>();
    const started: string[] = [];
    const router = createRouter({
      ...quiet,
      middleware: [...before, aborts, ...after],
    });
    router.get("/*", ({ url }) => {
      started.push(url.pathname);
      return ok();
    });
    const results = await Promise.allSettled(
      ["/left", "/here", "/left"].map((path) => {
        const controller = new AbortController();
        const request = new Request(origin + path, controller);
        controllers.set(request, controller);
        return router.fetch(request);
      }),
    );
    const states = results.map(({ status }) => status);
    assertEquals(states, ["rejected", "fulfilled", "rejected"]);
    assertEquals(started, ["/here"]);
  });
}
