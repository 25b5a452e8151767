/** Errors become responses before middleware continues. */
import {
  createRouter,
  type Middleware,
  RequestContext,
} from "@gatehouse/web/fetch-router";
import { logger } from "@gatehouse/web/logger-middleware";
import { secureHeaders } from "@gatehouse/web/middleware";
import { Session } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import {
  assert,
  assertEquals,
  assertMatch,
  assertStrictEquals,
} from "@std/assert";
import { captureConsole } from "../../_console.ts";

const origin = "https://example.com";
const bug = new RangeError("bug");
const sorry = () => new Response("sorry", { status: 500 });
const throws = () => {
  throw bug;
};
const pass: Middleware<readonly []> = (_, next) => next();
const later: Middleware<readonly []> = async (_, next) => await next();

/** A middleware that sets a header on every response, like CORS. */
const stamp: Middleware<readonly []> = async (_, next) => {
  const response = await next();
  response.headers.set("Access-Control-Allow-Origin", "*");
  return response;
};

const places: [string, readonly Middleware[], () => Response][] = [
  ["a handler", [], throws],
  ["a handler after middleware", [pass, later], throws],
  ["a late handler", [], () => Promise.reject(bug) as never],
  ["a middleware", [throws], sorry],
  ["an async middleware", [() => Promise.reject(bug)], sorry],
  ["a middleware after next()", [
    async (_, next) => {
      await next();
      throw bug;
    },
  ], sorry],
  ["an inner middleware", [later, pass, throws], sorry],
];

for (const [name, middleware, handler] of places) {
  Deno.test(`an error of ${name} gets the headers of outer middleware`, async () => {
    const seen: unknown[] = [];
    const router = createRouter({
      middleware: [secureHeaders(), stamp, async (context, next) => {
        const response = await next();
        seen.push(context.error, response.status);
        return response;
      }],
      onError: (error) => {
        seen.push(error);
        return sorry();
      },
    });
    router.get("/", { middleware }, handler);
    const response = await router.fetch(origin);
    assertEquals([response.status, await response.text()], [500, "sorry"]);
    assertEquals(response.headers.get("X-Content-Type-Options"), "nosniff");
    assertEquals(response.headers.get("Access-Control-Allow-Origin"), "*");
    assertEquals(seen, [bug, bug, 500]);
  });
}

const malformed = "https://malformed.invalid/";
const urls = [
  ["http://", malformed],
  ["https://a b/", malformed],
  ["data:,x", malformed],
  ["file:///etc/passwd", malformed],
  ["", malformed],
  ["https://u:p@example.com/x?y", "https://example.com/x?y"],
] as const;

for (const [url, expected] of urls) {
  Deno.test(`the 400 for the URL "${url}" has the headers of middleware that reads context.url`, async () => {
    const seen: string[] = [];
    const lines: string[] = [];
    const router = createRouter({
      middleware: [
        logger({ format: "short", output: (line) => lines.push(line) }),
        secureHeaders(),
        session(),
        (context, next) => {
          seen.push(context.url.href);
          return next();
        },
      ],
    });
    router.get("/*", () => new Response("reached"));
    const request = Object.defineProperty(new Request(origin), "url", {
      value: url,
    });
    const response = await router.fetch(request);
    assertEquals([response.status, await response.text()], [
      400,
      "Bad Request",
    ]);
    assertEquals(response.headers.get("X-Content-Type-Options"), "nosniff");
    assertEquals(seen, [expected]);
    assert(lines.length === 1 && lines[0].includes("400"), lines[0]);
  });
}

Deno.test("context.error is undefined without an error", async () => {
  const seen: unknown[] = [];
  const router = createRouter({
    middleware: [async (context, next) => {
      const response = await next();
      seen.push(context.error);
      return response;
    }],
  });
  router.get("/", () => new Response());
  for (const path of ["/", "/none"]) await router.fetch(origin + path);
  assertEquals(seen, [undefined, undefined]);
});

Deno.test("context.error is a TypeError if undefined was thrown", async () => {
  let seen: unknown;
  const router = createRouter({
    middleware: [async (context, next) => {
      const response = await next();
      seen = context.error;
      return response;
    }],
    onError: sorry,
  });
  router.get("/", () => Promise.reject(undefined));
  await router.fetch(origin);
  assertEquals(
    String(seen),
    'TypeError: Cannot answer GET "/": undefined was thrown',
  );
});

Deno.test("a middleware can respond to an error and mark it as handled", async () => {
  const seen: unknown[] = [];
  const outer: Middleware<readonly []> = async (context, next) => {
    const response = await next();
    seen.push(context.error);
    return response;
  };
  const notFound: Middleware<readonly []> = async (context, next) => {
    const response = await next();
    if (context.error !== bug) return response;
    context.error = undefined;
    return new Response("no such note", { status: 404 });
  };
  const router = createRouter({
    middleware: [outer, notFound],
    onError: sorry,
  });
  router.get("/", throws);
  const response = await router.fetch(origin);
  assertEquals(await response.text(), "no such note");
  assertEquals(seen, [undefined]);
});

Deno.test("an error has one response with any number of middleware", async () => {
  let calls = 0;
  const router = createRouter({
    middleware: [later, pass, later],
    onError: () => {
      calls++;
      return sorry();
    },
  });
  router.get("/", { middleware: [later, later] }, throws);
  await router.fetch(origin);
  assertEquals(calls, 1);
});

Deno.test("a mounted router responds to its errors, and the outer context has them", async () => {
  const inner = createRouter({
    middleware: [stamp],
    onError: () => new Response("inner", { status: 500 }),
  });
  inner.get("/", throws);
  let seen: RequestContext | undefined;
  const outer = createRouter({
    middleware: [secureHeaders(), async (context, next) => {
      const response = await next();
      seen = context;
      return response;
    }],
    onError: () => new Response("outer", { status: 500 }),
  });
  outer.mount("/in", inner);
  const response = await outer.fetch(`${origin}/in`);
  assertEquals(await response.text(), "inner");
  assertEquals(response.headers.get("Access-Control-Allow-Origin"), "*");
  assertEquals(response.headers.get("X-Content-Type-Options"), "nosniff");
  assertStrictEquals(seen?.error, bug);
});

Deno.test("the router responds to an error of a mounted foreign handler", async () => {
  const router = createRouter({ middleware: [stamp], onError: sorry });
  router.mount("/in", () => Promise.reject(bug));
  const response = await router.fetch(`${origin}/in/x`);
  assertEquals(await response.text(), "sorry");
  assertEquals(response.headers.get("Access-Control-Allow-Origin"), "*");
});

Deno.test("the response to an error of the matcher passes the middleware", async () => {
  const router = createRouter({
    middleware: [stamp],
    onError: sorry,
    matcher: {
      add() {},
      match: throws as never,
      allowedMethods: () => [],
    },
  });
  const response = await router.fetch(origin);
  assertEquals(await response.text(), "sorry");
  assertEquals(response.headers.get("Access-Control-Allow-Origin"), "*");
});

Deno.test("HEAD gets an error response without a body", async () => {
  const router = createRouter({ middleware: [stamp], onError: sorry });
  router.get("/", () => Promise.reject(bug));
  const response = await router.fetch(origin, { method: "HEAD" });
  assertEquals([response.status, response.body], [500, null]);
  assertEquals(response.headers.get("Access-Control-Allow-Origin"), "*");
});

Deno.test("an error with toResponse() does not reach onError", async () => {
  class NotFoundError extends Error {
    toResponse(): Response {
      return new Response("no such note", { status: 404 });
    }
  }
  let calls = 0;
  let seen: unknown;
  const router = createRouter({
    middleware: [stamp, async (context, next) => {
      const response = await next();
      seen = context.error;
      return response;
    }],
    onError: () => {
      calls++;
      return sorry();
    },
  });
  router.get("/", () => {
    throw new NotFoundError();
  });
  const response = await router.fetch(origin);
  assertEquals(await response.text(), "no such note");
  assertEquals(response.headers.get("Access-Control-Allow-Origin"), "*");
  assert(seen instanceof NotFoundError);
  assertEquals(calls, 0);
});

for (
  const [name, toResponse] of [
    ["throws", throws],
    ["returns a string", () => "text"],
  ] as const
) {
  Deno.test(`an error whose toResponse() ${name} gets a 500 and is printed`, async () => {
    using calls = captureConsole();
    const { printed } = calls;
    const router = createRouter();
    const thrown = { toResponse };
    router.get("/", () => Promise.reject(thrown));
    const response = await router.fetch(origin);
    assertEquals(response.status, 500);
    assertEquals(await response.text(), "Internal Server Error");
    assertStrictEquals(printed[0], thrown);
  });
}

Deno.test("a session committed before an error keeps its cookie and the headers of outer middleware", async () => {
  const router = createRouter({
    middleware: [secureHeaders(), session()],
    onError: sorry,
  });
  router.get("/login", async (context) => {
    const session = context.get(Session);
    session.set("userId", 7);
    await session.commit();
    session.set("later", 1);
    throw bug;
  });
  router.get("/", (context) => {
    const session = context.get(Session);
    return Response.json([session.userId, session.get("later") ?? null]);
  });
  const failed = await router.fetch(`${origin}/login`);
  assertEquals(failed.status, 500);
  assertEquals(failed.headers.get("X-Content-Type-Options"), "nosniff");
  const [cookie] = failed.headers.getSetCookie()[0].split(";");
  const response = await router.fetch(origin, { headers: { cookie } });
  assertEquals(await response.json(), [7, null]);
});

Deno.test("a log line contains the error and the status of onError", async () => {
  const lines: string[] = [];
  const router = createRouter({
    middleware: [logger({
      format: ({ status, error, outcome }) => `${status} ${error} ${outcome}`,
      output: (line) => lines.push(line),
      ids: { respond: true },
    })],
    onError: (error) =>
      new Response(null, { status: error === bug ? 503 : 500 }),
  });
  router.get("/", throws);
  router.get("/other", () => Promise.reject(new Error("other")));
  const { headers } = await router.fetch(origin);
  await router.fetch(`${origin}/other`);
  assertEquals(lines, ["503 RangeError complete", "500 Error complete"]);
  assert(headers.get("X-Request-Id") !== null);
});

Deno.test("404 responses share neither headers nor a body", async () => {
  const router = createRouter({ middleware: [stampPath] });
  const paths = ["/a", "/b", "/a", "/c/d"];
  const responses = await Promise.all(
    paths.map((path) => router.fetch(origin + path)),
  );
  await responses[0]!.body?.cancel();
  const [, ...rest] = responses;
  for (const [index, response] of rest.entries()) {
    assertEquals(response.status, 404);
    assertEquals(response.headers.get("X-Path"), paths[index + 1]);
    assertEquals(response.headers.get("Vary"), "Accept");
    assertMatch(
      response.headers.get("Content-Type")!,
      /^text\/plain; ?charset=utf-8$/i,
    );
    assertEquals(await response.text(), "Not Found");
  }
});

const stampPath: Middleware<readonly []> = async ({ url }, next) => {
  const response = await next();
  response.headers.append("X-Path", url.pathname);
  return response;
};

Deno.test("the 404 is a text or JSON as each request prefers", async () => {
  const router = createRouter();
  const types: (string | null)[] = [];
  for (const accept of ["*/*", "application/json", "text/html", "a/b+JSON"]) {
    const response = await router.fetch(origin, { headers: { accept } });
    types.push(response.headers.get("Content-Type")!.split(";")[0]!);
    await response.text();
  }
  const [text, json] = ["text/plain", "application/problem+json"];
  assertEquals(types, [text, json, text, text]);
});

Deno.test("context.createErrorResponse() sends details, titles and headers after the standard texts", async () => {
  const context = new RequestContext(new Request(origin));
  const send = async (
    ...args: Parameters<typeof context.createErrorResponse>
  ) => {
    const response = await context.createErrorResponse(...args);
    return [
      response.status,
      await response.text(),
      response.headers.get("Retry-After"),
    ];
  };
  for (let turn = 0; turn < 2; turn++) {
    assertEquals(await send({ status: 404 }), [404, "Not Found", null]);
    assertEquals(await send({ status: 404, detail: "no x" }), [
      404,
      "no x",
      null,
    ]);
    assertEquals(await send({ status: 404, title: "None" }), [
      404,
      "None",
      null,
    ]);
    assertEquals(await send({ status: 404 }, { "Retry-After": "1" }), [
      404,
      "Not Found",
      "1",
    ]);
    assertEquals(await send({ status: 418 }), [418, "Client Error", null]);
  }
});

Deno.test("A router without onError responds with 503 to an error with this status", async () => {
  const router = createRouter();
  router.get("/:status", ({ params }) => {
    throw Object.assign(new Error("Away"), { status: Number(params.status) });
  });
  const down = await router.fetch("https://example.com/503");
  assertEquals([down.status, down.headers.get("Retry-After")], [503, "5"]);
  assertEquals((await router.fetch("https://example.com/404")).status, 500);
});
