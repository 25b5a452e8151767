import { assertEquals, assertRejects } from "@std/assert";
import { createRouter, type Middleware } from "@gatehouse/web/fetch-router";
import { origin, run } from "./_run.ts";

const TWICE = "TypeError: Cannot call next: it was called before";

const twice: [string, Middleware<readonly []>][] = [
  ["one after the other", async (_, next) => {
    await next();
    return await next();
  }],
  ["at once", (_, next) => {
    next();
    return next();
  }],
  ["and awaits both", async (_, next) => {
    const [first] = await Promise.all([next(), next()]);
    return first;
  }],
  ["after others have responded", async (_, next) => {
    await next();
    await Promise.resolve();
    return next();
  }],
];

for (const [name, middleware] of twice) {
  Deno.test(`a middleware that calls next() twice, ${name}, causes an error and runs the handler once`, async () => {
    assertEquals(await run(middleware), {
      answer: "onError",
      errors: [TWICE],
      runs: 1,
    });
  });
}

Deno.test("a middleware that returns nothing after next() keeps the response of next()", async () => {
  const none: Middleware<readonly []>[] = [
    (_, next) => void next(),
    async (_, next) => void await next(),
    async (_, next) => {
      const response = await next();
      response.headers.set("X-Late", "1");
    },
    () => undefined,
    () => Promise.resolve(),
  ];
  for (const middleware of none) {
    assertEquals(await run(middleware), {
      answer: "handler",
      errors: [],
      runs: 1,
    });
  }
});

Deno.test("a middleware that catches an error and returns nothing does not handle it", async () => {
  const swallow: Middleware<readonly []> = async (context, next) => {
    await next();
    context.error = undefined;
  };
  const { answer, errors } = await run(swallow, () => {
    throw new Error("bug");
  });
  assertEquals([answer, errors], ["onError", ["Error: bug"]]);
});

Deno.test("next() always returns a promise of the same response", async () => {
  const own = new Response("own");
  let same: unknown;
  const { answer } = await run(async (_, next) => {
    const promise = next();
    same = promise instanceof Promise && await promise === own;
    return new Response("other");
  }, () => own);
  assertEquals([same, answer], [true, "other"]);
});

Deno.test("next() resolves with the response to an error, and context.error is the thrown value", async () => {
  const error = new Error("bug");
  for (
    const handler of [() => Promise.reject(error), () => {
      throw error;
    }]
  ) {
    let seen: unknown;
    const { answer } = await run(async (context, next) => {
      const response = await next();
      seen = context.error;
      return response;
    }, handler);
    assertEquals([seen === error, answer], [true, "onError"]);
  }
});

Deno.test("a handler does not start if a middleware aborts the request synchronously", async () => {
  const controller = new AbortController();
  let ran = false;
  const router = createRouter({
    middleware: [(_, next) => {
      controller.abort(new Error("left"));
      return next();
    }],
  });
  router.get("/", () => {
    ran = true;
    return new Response();
  });
  const { signal } = controller;
  await assertRejects(() => router.fetch(origin, { signal }), Error, "left");
  assertEquals(ran, false);
});

Deno.test("a request that is aborted while its handler runs still gets the response", async () => {
  const controller = new AbortController();
  const router = createRouter();
  router.get("/", async () => {
    controller.abort(new Error("left"));
    await Promise.resolve();
    return new Response("done");
  });
  const response = await router.fetch(origin, { signal: controller.signal });
  assertEquals(await response.text(), "done");
});

Deno.test("middleware runs without a matching route, the middleware of routes does not", async () => {
  const seen: string[] = [];
  const note = (name: string): Middleware<readonly []> => (_, next) => {
    seen.push(name);
    return next();
  };
  const router = createRouter({ middleware: [note("global")] });
  router.get("/a", { middleware: [note("own")] }, () => new Response());
  for (const [method, path] of [["GET", "/none"], ["POST", "/a"]] as const) {
    await router.fetch(origin + path, { method });
  }
  assertEquals(seen, ["global", "global"]);
});
