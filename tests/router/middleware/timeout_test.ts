import {
  createRouter,
  type Middleware,
  type RequestContext,
} from "@gatehouse/web/fetch-router";
import { logger } from "@gatehouse/web/logger-middleware";
import { bodyLimit, timeout, TimeoutSignal } from "@gatehouse/web/middleware";
import { createMemorySessionStore, Session } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import {
  assert,
  assertEquals,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { captureConsole } from "../../_console.ts";
import { afterTimers, turns, until } from "../../_wait.ts";

const origin = "https://example.com";

/** Waits until the signal aborts. */
function abortion(context: RequestContext): Promise<void> {
  const signal = context.get(TimeoutSignal);
  return new Promise((resolve) =>
    signal.addEventListener("abort", () => resolve())
  );
}

type Handler = (context: RequestContext) => Response | Promise<Response>;

const late: [string, Handler][] = [
  ["responds when its signal aborts", async (context) => {
    await abortion(context);
    return new Response("late");
  }],
  ["ignores its signal", async (context) => {
    await abortion(context);
    await turns(3);
    return new Response("late");
  }],
  ["throws the reason of its signal", async (context) => {
    await abortion(context);
    throw context.get(TimeoutSignal).reason;
  }],
  ["throws another error", async (context) => {
    await abortion(context);
    throw new Error("late");
  }],
];

for (const [name, handler] of late) {
  for (const isServed of [false, true]) {
    Deno.test(`timeout() responds with 503 to a ${isServed ? "server" : "caller"} if a handler ${name}`, async () => {
      const errors: unknown[] = [];
      const seen: string[] = [];
      const router = createRouter({
        middleware: [async (context, next) => {
          const response = await next();
          seen.push((context.error as DOMException).name);
          return response;
        }, timeout(10)],
        onError(error) {
          errors.push(error);
          return new Response("late", { status: 500 });
        },
      });
      router.get("/", handler);
      const inner = createRouter();
      inner.mount("/in", router);
      for (const [target, path] of [[router, "/"], [inner, "/in"]] as const) {
        const request = new Request(origin + path, {
          headers: { Accept: "application/json" },
        });
        const response = await (isServed
          ? target.fetch(request, {}, {})
          : target.fetch(request));
        assertEquals(response.status, 503);
        assertEquals(response.headers.get("Cache-Control"), "no-store");
        assertEquals((await response.json()).title, "Service Unavailable");
      }
      // The late error may come before the outer middleware.
      const names = ["TimeoutError"];
      if (name === "throws another error") names.push("Error");
      assert(seen.length === 2 && seen.every((each) => names.includes(each)));
      const count = name.startsWith("throws") ? 2 : 0;
      await until(() => errors.length >= count);
      await turns(5);
      assertEquals(errors.length, count);
    });
  }
}

Deno.test("timeout() leaves a response in time as it is, and aborts nothing", async () => {
  const signals: AbortSignal[] = [];
  const router = createRouter({ middleware: [timeout(20)] });
  router.get("/", (context) => {
    signals.push(context.get(TimeoutSignal));
    return new Response("in time", { status: 201 });
  });
  router.get("/bug", () => {
    throw new Response("not an error");
  });
  const response = await router.fetch(origin);
  assertEquals([response.status, await response.text()], [201, "in time"]);
  using _console = captureConsole();
  assertEquals((await router.fetch(`${origin}/bug`)).status, 500);
  await afterTimers(20);
  assertEquals(signals.map(({ aborted }) => aborted), [false]);
});

Deno.test("timeout() does not limit the body", async () => {
  const router = createRouter();
  router.get("/", timeout(10), () => {
    const body = new ReadableStream({
      async start(controller) {
        await afterTimers(10);
        controller.enqueue(new TextEncoder().encode("slow"));
        controller.close();
      },
    });
    return new Response(body);
  });
  assertEquals(await (await router.fetch(origin)).text(), "slow");
});

Deno.test("timeout() cancels the body of a late response", async () => {
  let isCancelled = false;
  const router = createRouter();
  router.get("/", timeout(10), async (context) => {
    await abortion(context);
    return new Response(
      new ReadableStream({
        cancel() {
          isCancelled = true;
        },
      }),
    );
  });
  assertEquals((await router.fetch(origin)).status, 503);
  await until(() => isCancelled);
});

Deno.test("timeout() keeps the session from saving the changes of a late handler", async () => {
  const router = createRouter({ middleware: [session()] });
  router.get("/late", timeout(10), async (context) => {
    context.get(Session).set("half", true);
    await abortion(context);
    return new Response();
  });
  const response = await router.fetch(`${origin}/late`);
  assertEquals(response.status, 503);
  assertEquals(response.headers.getSetCookie(), []);
});

Deno.test("timeout() outside session() keeps a late handler from committing a login", async () => {
  const store = createMemorySessionStore();
  const problem = Promise.withResolvers<unknown>();
  const router = createRouter({
    middleware: [timeout(10), session({ store })],
  });
  router.get("/late", async (context) => {
    await abortion(context);
    context.get(Session).set("userId", 7);
    await context.get(Session).commit().catch(problem.resolve);
    problem.resolve(null);
    return new Response();
  });
  const response = await router.fetch(`${origin}/late`);
  assertEquals(response.status, 503);
  assertStringIncludes(
    String(await problem.promise),
    "Cannot commit session: the response was already made",
  );
  await until(async () => (await store.keys!()).keys.length === 0);
});

Deno.test("timeout() outside session() ends a login that was committed before the 503", async () => {
  const store = createMemorySessionStore();
  const router = createRouter({
    middleware: [timeout(10), session({ store })],
  });
  router.get("/late", async (context) => {
    context.get(Session).set("userId", 7);
    await context.get(Session).commit();
    await abortion(context);
    return new Response();
  });
  const response = await router.fetch(`${origin}/late`);
  assertEquals(response.status, 503);
  assertEquals(response.headers.getSetCookie(), []);
  await until(async () => (await store.keys!()).keys.length === 0);
});

Deno.test("timeout() appears in the log, and in errorResponse", async () => {
  const lines: string[] = [];
  const router = createRouter({
    middleware: [
      logger({
        format: ({ status, error }) => `${status} ${error}`,
        output: (line) => lines.push(line),
      }),
      timeout(10),
    ],
    errorResponse: ({ status }) => new Response("page", { status }),
  });
  router.get("/", async (context) => {
    await abortion(context);
    return new Response();
  });
  const response = await router.fetch(origin);
  assertEquals(await response.text(), "page");
  assertEquals(lines, ["503 TimeoutError"]);
});

Deno.test("the shorter of two timeout() wins", async () => {
  const middleware: readonly Middleware[] = [timeout(10), timeout(5_000)];
  const router = createRouter({ middleware });
  let signal: AbortSignal | undefined;
  const { promise, resolve } = Promise.withResolvers<Response>();
  router.get("/", (context) => {
    signal = context.get(TimeoutSignal);
    return promise;
  });
  assertEquals((await router.fetch(origin)).status, 503);
  resolve(new Response());
  await turns();
  assertEquals(signal?.aborted, false);
});

const bodies: [name: string, body: () => BodyInit, status: number][] = [
  ["arrives", () => "Hello", 200],
  ["never comes", () => new ReadableStream(), 503],
  ["stops in the middle", () => stopping(), 503],
  ["comes a byte at a time", () => dripping(), 503],
  ["fails", () => failing(), 400],
];

for (const [name, body, status] of bodies) {
  Deno.test(`timeout() responds with ${status} if the request body ${name}`, async () => {
    const router = createRouter({
      middleware: [
        timeout(status === 503 ? 20 : 60_000),
        bodyLimit({ maxBytes: 1_000 }),
      ],
      onError: () => new Response(null, { status: 500 }),
    });
    router.post("/", async ({ request }) => new Response(await request.text()));
    const init: RequestInit & { duplex: "half" } = {
      method: "POST",
      body: body(),
      duplex: "half",
    };
    const response = await router.fetch(new Request(origin, init));
    assertEquals(response.status, status);
    await response.body?.cancel();
    isDripping = false;
    await afterTimers(5);
  });
}

/** Ends the timers of a body that the handler no longer reads. */
let isDripping = false;

function dripping(): ReadableStream {
  isDripping = true;
  return new ReadableStream({
    async pull(controller) {
      await afterTimers(5);
      if (isDripping) controller.enqueue(new Uint8Array(1));
      else controller.close();
    },
  });
}

function stopping(): ReadableStream {
  return new ReadableStream({
    start: (controller) => controller.enqueue(new Uint8Array(1)),
  });
}

function failing(): ReadableStream {
  return new ReadableStream({
    pull: () => Promise.reject(new Error("reset")),
  });
}

// A timer starts only if the handler still waits after some microtasks.
for (const count of [0, 10, 19, 20, 21, 1_000]) {
  Deno.test(`timeout() responds with 503 if a handler waits after ${count} microtasks`, async () => {
    const router = createRouter({ middleware: [timeout(10)] });
    router.get("/late", async (context) => {
      for (let turn = 0; turn < count; turn++) await null;
      await abortion(context);
      return new Response("late");
    });
    router.get("/", async () => {
      for (let turn = 0; turn < count; turn++) await null;
      return new Response("in time");
    });
    assertEquals((await router.fetch(`${origin}/late`)).status, 503);
    const response = await router.fetch(origin);
    assertEquals([response.status, await response.text()], [200, "in time"]);
  });
}

for (const time of [0, -1, NaN, Infinity, 2 ** 31]) {
  Deno.test(`timeout(${time}) throws when it is created`, () => {
    assertThrows(() => timeout(time), RangeError);
  });
}
