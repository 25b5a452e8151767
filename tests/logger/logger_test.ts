import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
} from "@std/assert";
import {
  createRouter,
  type Middleware,
  RequestContext,
} from "@gatehouse/web/fetch-router";
import {
  batchOutput,
  logger,
  type LoggerOptions,
  type LogInfo,
} from "@gatehouse/web/logger-middleware";
import { captureConsole } from "../_console.ts";
import { linesOf } from "./_lines.ts";

/** Returns the argument of a format function. */
async function infoOf(
  path = "/",
  init: RequestInit = {},
  options: LoggerOptions = {},
): Promise<LogInfo> {
  let seen: LogInfo | undefined;
  const format = (info: LogInfo) => {
    seen = info;
    return "";
  };
  await linesOf({ format, ...options }, path, init);
  assert(seen !== undefined);
  return seen;
}

Deno.test("logger() writes the same lines to a batch output and to a function", async () => {
  const written: string[] = [];
  const output = batchOutput({ flush: (text) => void written.push(text) });
  await linesOf({ output });
  await output.flush();
  assertEquals(
    written.join().replace(/\d+ms/, "0ms"),
    "GET / \x1b[32m200\x1b[0m 0ms\n",
  );
});

for (const format of ["dev", "short"] as const) {
  Deno.test(`logger() does not call user for ${format}`, async () => {
    let asked = 0;
    await linesOf({ format, user: () => `${++asked}` });
    assertEquals(asked, 0);
  });
}

Deno.test("logger() writes the client's address from the context (spec 2.8)", async () => {
  const lines: string[] = [];
  const middleware = logger({
    format: "combined",
    output: (line) => lines.push(line),
  });
  const context = new RequestContext(new Request("https://example.com/"), {
    remoteAddress: "2001:db8::1",
  });
  await middleware(context, () => Promise.resolve(new Response()));
  assertMatch(lines[0], /^2001:db8::1 - - \[/);
});

Deno.test("logger() ignores an address that the client sends (spec 2.8)", async () => {
  const headers = {
    "X-Forwarded-For": "10.9.8.7",
    "Forwarded": "for=10.9.8.7",
  };
  assertEquals((await infoOf("/", { headers })).remoteAddress, undefined);
});

Deno.test("logger() passes every field to a format function (spec 2.8, B.2)", async () => {
  const info = await infoOf("/users/7?q=1", {
    headers: { "User-Agent": "Agent", Referer: "https://a.example/b" },
  }, { user: (context) => `user of ${context.url.pathname}` });
  const { responseTime, timestamp, requestId, traceId, spanId, ...rest } = info;
  assertEquals(rest, {
    method: "GET",
    url: "/users/7?q=1",
    status: 200,
    contentLength: undefined,
    userAgent: "Agent",
    referrer: "https://a.example/b",
    remoteAddress: undefined,
    protocol: "HTTP/1.1",
    scheme: "https",
    host: "example.com",
    route: "/users/:id",
    user: "user of /users/7",
    outcome: "complete",
    error: undefined,
  });
  assert(responseTime >= 0);
  assertEquals(new Date(timestamp).getTime(), timestamp);
  assertMatch(`${requestId} ${traceId} ${spanId}`, /^[\w-]{36} \w{32} \w{16}$/);
});

Deno.test("logger() writes the result of a format function (spec B.2)", async () => {
  const format = ({ method, status }: LogInfo) => `${method}=${status}`;
  assertEquals(await linesOf({ format }), ["GET=200"]);
});

const lengths: [
  what: string,
  response: () => Response,
  length: number | undefined,
][] = [
  [
    "its header",
    () => new Response("abc", { headers: { "Content-Length": "3" } }),
    3,
  ],
  ["no header", () => new Response("abc"), undefined],
  ...["x", "-1", "1.5", "0x10", "1e3", ""].map((value) =>
    [
      `the broken header "${value}"`,
      () => new Response("abc", { headers: { "Content-Length": value } }),
      undefined,
    ] as [string, () => Response, undefined]
  ),
  ["status 204", () => new Response(null, { status: 204 }), 0],
  ["status 304", () => new Response(null, { status: 304 }), 0],
  [
    "status 304 with the header of the whole",
    () =>
      new Response(null, { status: 304, headers: { "Content-Length": "9" } }),
    0,
  ],
];

for (const [what, respond, length] of lengths) {
  Deno.test(`logger() reads the length ${length} from ${what} (spec 2.8)`, async () => {
    let info: LogInfo | undefined;
    const router = createRouter({
      middleware: [logger({
        format: (one) => {
          info = one;
          return "";
        },
        output: () => {},
      })],
    });
    router.get("/", respond);
    await router.fetch("https://example.com/");
    assertEquals(info?.contentLength, length);
  });
}

Deno.test("logger() writes the length 0 for a response to HEAD", async () => {
  assertEquals((await infoOf("/", { method: "HEAD" })).contentLength, 0);
});

Deno.test("logger() logs the method that the client sent, not the overridden one", async () => {
  let method: string | undefined;
  const override: Middleware<readonly []> = (context) => {
    context.method = "DELETE";
  };
  const router = createRouter({
    middleware: [
      logger({ format: (info) => method = info.method, output: () => {} }),
      override,
    ],
  });
  await router.fetch("https://example.com/", { method: "POST" });
  assertEquals(method, "POST");
});

Deno.test("logger() measures the handlers after it (spec B.5)", async () => {
  let time = 0;
  let now = 1_000;
  const slow: Middleware<readonly []> = () => {
    now += 30;
  };
  const router = createRouter({
    middleware: [
      logger({
        format: ({ responseTime }) => String(time = responseTime),
        now: () => now,
        output: () => {},
      }),
      slow,
    ],
  });
  await router.fetch("https://example.com/");
  assertEquals(time, 30);
});

Deno.test("logger() does not log a request that skip excludes (spec B.3)", async () => {
  const seen: unknown[] = [];
  const skip: LoggerOptions["skip"] = (context, response) => {
    seen.push([context.url.pathname, response.status]);
    return response.status < 400;
  };
  assertEquals(await linesOf({ skip }), []);
  assertEquals((await linesOf({ skip }, "/nowhere")).length, 1);
  assertEquals(seen, [["/", 200], ["/nowhere", 404]]);
});

/** Runs a router behind a logger, and returns the lines. */
async function linesBehind(
  handler: (context: RequestContext) => Promise<Response>,
  request: Request,
  options: { skip?: () => boolean; onError?: () => Response } = {},
  ...platform: unknown[]
): Promise<string[]> {
  const lines: string[] = [];
  const { skip, onError = () => new Response(null, { status: 500 }) } = options;
  const router = createRouter({
    onError,
    middleware: [logger({
      format: ({ status, outcome, error }) => `${status} ${outcome} ${error}`,
      output: (line) => lines.push(line),
      ...skip && { skip },
    })],
  });
  router.get("/", handler);
  await router.fetch(request, ...platform).catch(() => {});
  return lines;
}

Deno.test("logger() logs an error even if skip returns true", async () => {
  const lines = await linesBehind(
    () => Promise.reject(new RangeError("with a secret")),
    new Request("https://example.com/"),
    { skip: () => true },
  );
  assertEquals(lines, ["500 complete RangeError"]);
});

Deno.test("logger() writes no error name for a 4xx", async () => {
  const lines = await linesBehind(
    () => Promise.reject(new RangeError("no such note")),
    new Request("https://example.com/"),
    { onError: () => new Response(null, { status: 404 }) },
  );
  assertEquals(lines, ["404 complete undefined"]);
});

Deno.test("logger() writes its line for an error whose name cannot be read", async () => {
  const hostile = Object.defineProperty(new Error(), "name", {
    get: () => {
      throw new Error("name");
    },
  });
  const lines = await linesBehind(
    () => Promise.reject(hostile),
    new Request("https://example.com/"),
  );
  assertEquals(lines, ["500 complete Error"]);
});

const departures: [what: string, reason: unknown][] = [
  ["without a reason", undefined],
  ["with a reason", new RangeError("gone")],
  ["with a text", "gone"],
];

for (const [what, reason] of departures) {
  for (const platform of [[], [{}, {}]]) {
    const how = platform.length === 0 ? "a caller" : "a server";
    Deno.test(`logger() logs a handler that gave up as the client left ${what} as 499, aborted, and ${how} gets no error page`, async () => {
      let calls = 0;
      const controller = new AbortController();
      const request = new Request("https://example.com/", {
        signal: controller.signal,
      });
      const lines = await linesBehind(
        ({ request }) => {
          controller.abort(reason);
          return Promise.reject(request.signal.reason);
        },
        request,
        {
          onError: () => {
            calls++;
            return new Response(null, { status: 500 });
          },
        },
        ...platform,
      );
      assertEquals(lines, ["499 aborted undefined"]);
      assertEquals(calls, 0);
    });
  }
}

Deno.test("logger() logs an abort that is not the client's as an error", async () => {
  const lines = await linesBehind(
    () => Promise.reject(AbortSignal.abort().reason),
    new Request("https://example.com/"),
  );
  assertEquals(lines, ["500 complete AbortError"]);
});

Deno.test("logger() writes one line for an error", async () => {
  const lines = await linesOf({ format: "json" }, "/throw");
  assertEquals(lines.length, 1);
  assert(!lines[0].includes("secret"), "the message may hold anything");
});

Deno.test("logger() returns the same response", async () => {
  const response = new Response("abc");
  const context = new RequestContext(new Request("https://example.com/"));
  const middleware = logger({ output: () => {} });
  const returned = await middleware(context, () => Promise.resolve(response));
  assert(returned === response);
});

Deno.test("logger() never reads cookies and Authorization", async () => {
  for (const format of ["dev", "short", "combined", "json"] as const) {
    const lines = await linesOf({ format }, "/", {
      headers: { Cookie: "session=c00kie", Authorization: "Bearer t0ken" },
    });
    assertEquals(/c00kie|t0ken/.test(lines.join()), false, format);
  }
  const info = await infoOf("/", {
    headers: { Cookie: "session=c00kie", Authorization: "Bearer t0ken" },
  });
  assertEquals(/c00kie|t0ken/.test(JSON.stringify(info)), false);
});

for (const option of ["format", "skip", "output", "user"] as const) {
  Deno.test(`logger() returns the response if ${option} throws`, async () => {
    using calls = captureConsole();
    const { printed: problems } = calls;
    const fail = () => {
      throw new Error(option);
    };
    const router = createRouter({
      middleware: [
        logger({ format: "combined", output: () => {}, [option]: fail }),
      ],
    });
    const response = await router.fetch("https://example.com/");
    assertEquals(response.status, 404);
    assertEquals(problems.map(String), [`Error: ${option}`]);
  });
}

const asked: [what: string, options: (fail: () => never) => LoggerOptions][] = [
  ["redact", (redact) => ({ redact })],
  ["ids.trust", (trust) => ({ ids: { trust } })],
];

for (const [what, optionsOf] of asked) {
  Deno.test(`logger() fails closed if ${what} throws`, async () => {
    using calls = captureConsole();
    const { printed: problems } = calls;
    const options = optionsOf(() => {
      throw new Error(what);
    });
    const headers = { "X-Request-Id": "forged" };
    const info = await infoOf("/?page=2", { headers }, options);
    assertEquals(info.status, 200);
    assertEquals(info.url, what === "redact" ? "/?page=REDACTED" : info.url);
    assertNotEquals(info.requestId, "forged");
    assertEquals(problems.map(String), [`Error: ${what}`]);
  });
}
