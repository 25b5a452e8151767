import {
  createRouter,
  HTTPError,
  type HTTPErrorOptions,
  type Middleware,
  RequestContext,
} from "@gatehouse/web/fetch-router";
import { logger } from "@gatehouse/web/logger-middleware";
import {
  assert,
  assertEquals,
  assertFalse,
  assertStrictEquals,
  assertThrows,
} from "@std/assert";

const origin = "https://example.com";
const json = { Accept: "application/json" };
const throws = (error: unknown) => () => {
  throw error;
};

/** Throws an error in a handler, and returns the response and the calls of onError. */
async function respond(
  error: unknown,
  headers: Record<string, string> = json,
): Promise<[Response, number]> {
  let calls = 0;
  const router = createRouter({
    onError() {
      calls++;
      return new Response("bug", { status: 500 });
    },
  });
  router.get("/", throws(error));
  return [await router.fetch(origin, { headers }), calls];
}

Deno.test("HTTPError responds with its status, headers and problem details, without onError", async () => {
  const error = new HTTPError(402, "Your balance is 30, but that costs 50", {
    headers: { "Retry-After": "60" },
    problem: {
      type: "https://example.com/probs/out-of-credit",
      title: "You do not have enough credit",
      balance: 30,
    },
  });
  const [response, calls] = await respond(error);
  assertEquals([response.status, calls], [402, 0]);
  assertEquals(response.headers.get("Retry-After"), "60");
  assertEquals(response.headers.get("Vary"), "Accept");
  assertEquals(await response.json(), {
    type: "https://example.com/probs/out-of-credit",
    title: "You do not have enough credit",
    status: 402,
    detail: "Your balance is 30, but that costs 50",
    balance: 30,
  });
  assertEquals([error.name, error.code, error.status], [
    "HTTPError",
    "http_error",
    402,
  ]);
});

Deno.test("HTTPError responds with its message, or the standard text, to other clients", async () => {
  const [own] = await respond(new HTTPError(404, "No such note"), {});
  assertEquals(await own.text(), "No such note");
  const [standard] = await respond(new HTTPError(404), {});
  assertEquals(await standard.text(), "Not Found");
  const [problem] = await respond(new HTTPError(404));
  assertEquals(await problem.json(), { status: 404, title: "Not Found" });
});

Deno.test("HTTPError never sends its cause, its stack or its other properties", async () => {
  const cause = new Error("password: hunter2");
  class OwnError extends HTTPError {
    readonly secret = "hunter2";
  }
  for (const headers of [json, {}]) {
    const error = new OwnError(500, "Please try again", { cause });
    assertStrictEquals(error.cause, cause);
    const [response] = await respond(error, headers);
    const body = await response.text();
    assert(body.includes("Please try again"));
    assertFalse(body.includes("hunter2") || body.includes("at "));
  }
});

const places: [string, readonly Middleware[]][] = [
  ["a middleware", [throws(new HTTPError(409, "taken"))]],
  ["a late middleware", [async () => {
    await Promise.resolve();
    throw new HTTPError(409, "taken");
  }]],
  ["a middleware after next()", [async (_, next) => {
    await next();
    throw new HTTPError(409, "taken");
  }]],
];

for (const [name, middleware] of places) {
  Deno.test(`HTTPError of ${name} gets the headers of outer middleware, also in a mount`, async () => {
    const lines: string[] = [];
    const seen: unknown[] = [];
    const inner = createRouter();
    inner.get("/", { middleware }, () => new Response());
    const router = createRouter({
      middleware: [
        logger({ format: "short", output: (line) => lines.push(line) }),
        async (context, next) => {
          const response = await next();
          seen.push(context.error instanceof HTTPError);
          response.headers.set("X-Outer", "1");
          return response;
        },
      ],
    });
    router.get("/", { middleware }, () => new Response());
    router.mount("/in", inner);
    for (const path of ["/", "/in"]) {
      const response = await router.fetch(origin + path, { headers: json });
      assertEquals(response.headers.get("X-Outer"), "1");
      assertEquals((await response.json()).detail, "taken");
    }
    assertEquals(seen, [true, true]);
    assert(lines.every((line) => line.includes("409")), lines[0]);
  });
}

const others: [string, unknown][] = [
  ["an error with a status", Object.assign(new Error("x"), { status: 404 })],
  ["a status", 404],
  ["an object like it", { name: "HTTPError", status: 404, problem: {} }],
  ["a response", new Response("x", { status: 404 })],
  ["null", null],
];

for (const [name, error] of others) {
  Deno.test(`${name} that is thrown stays a 500`, async () => {
    const [response, calls] = await respond(error);
    assertEquals([response.status, calls], [500, 1]);
  });
}

const invalid: [string, number, HTTPErrorOptions, ErrorConstructor][] = [
  ["0", 0, {}, RangeError],
  ["200", 200, {}, RangeError],
  ["302", 302, {}, RangeError],
  ["600", 600, {}, RangeError],
  ["NaN", NaN, {}, RangeError],
  ["404.5", 404.5, {}, RangeError],
  ["a string", "404" as never, {}, RangeError],
  ["a header with a line break", 400, {
    headers: { "X-A": "a\r\nSet-Cookie: b=1" },
  }, TypeError],
];

for (const [name, status, options, type] of invalid) {
  Deno.test(`HTTPError throws when it is created with ${name}`, () => {
    assertThrows(() => new HTTPError(status, "", options), type);
  });
}

const messages = [
  "<script>alert(1)</script>",
  "a\r\nSet-Cookie: b=1",
  "\ud800 lone",
  "ü€😀",
  "x".repeat(100_000),
];

for (const message of messages) {
  Deno.test(`HTTPError sends ${JSON.stringify(message.slice(0, 30))} as data`, async () => {
    const [problem] = await respond(new HTTPError(400, message));
    assertEquals((await problem.json()).detail, message);
    const [text] = await respond(new HTTPError(400, message), {});
    assertEquals(text.headers.get("Content-Type"), "text/plain;charset=UTF-8");
    assertEquals(text.headers.get("Set-Cookie"), null);
    assertEquals((await text.text()).toWellFormed(), message.toWellFormed());
  });
}

Deno.test("HTTPError keeps its status and message if problem has its own", async () => {
  const problem = { status: 200, detail: "other" } as never;
  const [response] = await respond(new HTTPError(400, "mine", { problem }));
  assertEquals(await response.json(), {
    status: 400,
    detail: "mine",
    title: "Bad Request",
  });
});

Deno.test("HTTPError can create its response in a test", async () => {
  const context = new RequestContext(new Request(origin));
  const response = await new HTTPError(410, "Moved").toResponse(context);
  assertEquals([response.status, await response.text()], [410, "Moved"]);
});
