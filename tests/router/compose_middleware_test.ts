import { createRouter, type Middleware } from "@gatehouse/web/fetch-router";
import { assertEquals } from "@std/assert";
import { turns } from "../_wait.ts";

const origin = "https://example.com";
const ok = () => new Response("ok");
const quiet = { onError: () => new Response("failed", { status: 500 }) };

Deno.test("global middleware runs before the route's middleware (spec A.1, A.3)", async () => {
  const trail: string[] = [];
  const note = (name: string): Middleware<readonly []> => async (_, next) => {
    trail.push(name);
    const response = await next();
    trail.push(`/${name}`);
    return response;
  };
  const router = createRouter({ middleware: [note("a"), note("b")] });
  router.get("/", { middleware: [note("c")] }, () => {
    trail.push("handler");
    return ok();
  });
  await router.fetch(origin);
  assertEquals(trail, ["a", "b", "c", "handler", "/c", "/b", "/a"]);
});

Deno.test("a middleware that returns a Response ends the chain (spec A.2)", async () => {
  const router = createRouter({
    middleware: [() => new Response("stop", { status: 403 })],
  });
  router.get("/", () => {
    throw new Error("reached");
  });
  assertEquals((await router.fetch(origin)).status, 403);
});

Deno.test("a middleware that returns nothing continues the chain (spec 7, A.2)", async () => {
  const router = createRouter({
    middleware: [() => {}, async () => {}, (_, next) => void next()],
  });
  let calls = 0;
  router.get("/", () => {
    calls++;
    return ok();
  });
  assertEquals(await (await router.fetch(origin)).text(), "ok");
  assertEquals(calls, 1);
});

Deno.test("a middleware can change the response of next() (spec A.2)", async () => {
  const router = createRouter({
    middleware: [async (_, next) => {
      const response = await next();
      response.headers.set("X-Changed", "1");
      return response;
    }],
  });
  router.get("/", ok);
  assertEquals((await router.fetch(origin)).headers.get("X-Changed"), "1");
});

for (const wrong of [null, false, "text", {}]) {
  Deno.test(`a middleware that returns ${JSON.stringify(wrong)} does not continue the chain`, async () => {
    const guard = () => Promise.resolve(wrong as unknown as Response);
    for (const result of [guard, () => wrong as unknown as Response]) {
      const router = createRouter({ ...quiet, middleware: [result] });
      router.get("/", () => new Response("secret"));
      assertEquals(await (await router.fetch(origin)).text(), "failed");
    }
  });
}

Deno.test("a middleware that does not await next() causes no unhandled rejection", async () => {
  const router = createRouter({
    middleware: [(_, next) => {
      next();
      return new Response("early");
    }],
  });
  router.get("/", async () => {
    await Promise.resolve();
    throw new Error("late");
  });
  assertEquals(await (await router.fetch(origin)).text(), "early");
  await turns();
});

Deno.test("a middleware that calls next() twice is an error", async () => {
  const errors: unknown[] = [];
  const router = createRouter({
    middleware: [async (_, next) => {
      await next();
      return await next();
    }],
    onError: (error) => {
      errors.push(error);
      return new Response(null, { status: 500 });
    },
  });
  router.get("/", ok);
  assertEquals((await router.fetch(origin)).status, 500);
  assertEquals(
    String(errors[0]),
    "TypeError: Cannot call next: it was called before",
  );
});

Deno.test("global middleware runs before matching and can change the method", async () => {
  const router = createRouter({
    middleware: [(context) => {
      context.method = "DELETE";
    }],
  });
  router.delete(
    "/x",
    (context) => new Response(`${context.request.method} ${context.method}`),
  );
  const response = await router.fetch(`${origin}/x`, { method: "POST" });
  assertEquals(await response.text(), "POST DELETE");
});

Deno.test("onError() responds once to an error of a handler, before middleware gets the response", async () => {
  const seen: string[] = [];
  const router = createRouter({
    middleware: [async (context, next) => {
      const response = await next();
      seen.push(`middleware after ${context.error}`);
      return response;
    }],
    onError: (error, context) => {
      seen.push(`${error} at ${context.url.pathname}`);
      return new Response("sorry", { status: 500 });
    },
  });
  router.get("/throws", () => {
    throw new Error("secret");
  });
  const response = await router.fetch(`${origin}/throws`);
  assertEquals(await response.text(), "sorry");
  assertEquals(seen, [
    "Error: secret at /throws",
    "middleware after Error: secret",
  ]);
});
