/** Error responses are problem details for clients that prefer JSON. */
import { tooManyRequests } from "@gatehouse/web/auth";
import { requireAuth, requireRole } from "@gatehouse/web/auth-middleware";
import { PasswordQueueFullError } from "@gatehouse/web/auth/password";
import {
  createRouter,
  type ErrorResponse,
  type Middleware,
  prefersJSON,
  RequestContext,
} from "@gatehouse/web/fetch-router";
import {
  bodyLimit,
  crossOriginProtection,
  formData,
  type InputSchema,
  validate,
} from "@gatehouse/web/middleware";
import {
  SessionConflictError,
  SessionLimitError,
} from "@gatehouse/web/session";
import { csrfProtection, session } from "@gatehouse/web/session-middleware";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { captureConsole } from "../../_console.ts";

const origin = "https://example.com";
const form = "application/x-www-form-urlencoded";
const json = { Accept: "application/json" };

const throws = (error: unknown) => () => {
  throw error;
};

/** A row: the middleware of `/here`, the request, and the expected error. */
interface Row {
  readonly name: string;
  readonly middleware?: readonly Middleware[];
  readonly handler?: (context: RequestContext) => Response | Promise<Response>;
  readonly path?: string;
  readonly init?: RequestInit & { headers?: Record<string, string> };
  readonly status: number;
  readonly title: string;
  readonly headers?: Record<string, string>;
}

const rows: readonly Row[] = [
  { name: "no route", path: "/nowhere", status: 404, title: "Not Found" },
  {
    name: "another method",
    init: { method: "PUT" },
    status: 405,
    title: "Method Not Allowed",
    headers: { Allow: "GET, HEAD, POST" },
  },
  {
    name: "a malformed form",
    middleware: [formData()],
    init: {
      method: "POST",
      body: "x",
      headers: { "Content-Type": "multipart/form-data" },
    },
    status: 400,
    title: "Bad Request",
  },
  {
    name: "a large form",
    middleware: [formData({ maxBytes: 3 })],
    init: { method: "POST", body: "a=123", headers: { "Content-Type": form } },
    status: 413,
    title: "Content Too Large",
  },
  {
    name: "a compressed form",
    middleware: [formData()],
    init: {
      method: "POST",
      body: "a=1",
      headers: { "Content-Type": form, "Content-Encoding": "gzip" },
    },
    status: 415,
    title: "Unsupported Media Type",
  },
  {
    name: "a form that is late",
    middleware: [formData({ timeout: 5 })],
    init: {
      method: "POST",
      body: new ReadableStream(),
      duplex: "half",
      headers: { "Content-Type": form },
    } as RequestInit & { headers: Record<string, string> },
    status: 408,
    title: "Request Timeout",
  },
  {
    name: "a body beyond its limit",
    middleware: [bodyLimit({ maxBytes: 3 })],
    handler: async ({ request }) => new Response(await request.text()),
    init: { method: "POST", body: "12345" },
    status: 413,
    title: "Content Too Large",
  },
  {
    name: "a form of another site",
    middleware: [crossOriginProtection()],
    init: { method: "POST", headers: { Origin: "https://evil.example" } },
    status: 403,
    title: "Forbidden",
  },
  {
    name: "a missing CSRF token",
    middleware: [session(), csrfProtection()],
    init: { method: "POST" },
    status: 403,
    title: "Forbidden",
  },
  {
    name: "a missing user",
    middleware: [requireAuth()],
    status: 401,
    title: "Unauthorized",
    headers: { "Cache-Control": "no-store" },
  },
  {
    name: "a role without a user",
    middleware: [requireRole("admin")],
    status: 401,
    title: "Unauthorized",
    headers: { "Cache-Control": "no-store" },
  },
  {
    name: "too many attempts",
    handler: (context) => tooManyRequests(context, 30),
    status: 429,
    title: "Too Many Requests",
    headers: { "Retry-After": "30", "Cache-Control": "no-store" },
  },
  {
    name: "too many sessions of an address",
    handler: throws(new SessionLimitError("address", 60)),
    status: 429,
    title: "Too Many Requests",
    headers: { "Retry-After": "60", "Cache-Control": "no-store" },
  },
  {
    name: "too many sessions",
    handler: throws(new SessionLimitError("total", 60)),
    status: 503,
    title: "Service Unavailable",
    headers: { "Retry-After": "60", "Cache-Control": "no-store" },
  },
  {
    name: "a lost race of a session",
    handler: throws(new SessionConflictError("taken")),
    status: 409,
    title: "Conflict",
    headers: { "Cache-Control": "no-store" },
  },
  {
    name: "a full queue of passwords",
    handler: throws(new PasswordQueueFullError(64)),
    status: 503,
    title: "Service Unavailable",
    headers: { "Retry-After": "10", "Cache-Control": "no-store" },
  },
];

/** Sends the request of a row to a router, or to one that is mounted. */
function send(
  row: Row,
  headers: Record<string, string>,
  { errorResponse, isMounted = false }: {
    readonly errorResponse?: ErrorResponse;
    readonly isMounted?: boolean;
  } = {},
): Promise<Response> {
  const { middleware = [], init, path = "/here" } = row;
  const inner = createRouter();
  const router = isMounted ? createRouter({ errorResponse }) : inner;
  const target = isMounted ? inner : createRouter({ errorResponse });
  const handler = row.handler ?? (() => new Response("reached"));
  target.route(["GET", "POST"], "/here", { middleware }, handler);
  if (isMounted) router.mount("/in", target);
  const body = init?.body instanceof ReadableStream
    ? new ReadableStream()
    : init?.body;
  return (isMounted ? router : target).fetch(
    new Request(origin + (isMounted ? "/in" : "") + path, {
      ...init,
      ...body !== undefined && { body },
      headers: { ...init?.headers, ...headers },
    }),
  );
}

/** Checks the headers that every form of a row's response has. */
function assertHeaders(response: Response, row: Row): void {
  assertEquals(response.status, row.status);
  for (const [name, value] of Object.entries(row.headers ?? {})) {
    assertEquals(response.headers.get(name), value);
  }
  const isStored = row.headers?.["Cache-Control"] !== "no-store";
  assertEquals(
    response.headers.get("Vary")?.includes("Accept") ?? false,
    isStored,
  );
}

for (const row of rows) {
  Deno.test(`${row.name} gets a ${row.status} as problem details or as text (RFC 9457)`, async () => {
    for (const isMounted of [false, true]) {
      const problem = await send(row, json, { isMounted });
      assertHeaders(problem, row);
      assertEquals(
        problem.headers.get("Content-Type"),
        "application/problem+json",
      );
      const { status, title } = await problem.json();
      assertEquals({ status, title }, { status: row.status, title: row.title });

      const text = await send(row, { Accept: "*/*" }, { isMounted });
      assertHeaders(text, row);
      assertEquals(
        text.headers.get("Content-Type"),
        "text/plain;charset=UTF-8",
      );
      assertEquals(await text.text(), row.title);
    }
  });

  Deno.test(`errorResponse replaces the ${row.status} for ${row.name}`, async () => {
    const page: ErrorResponse = ({ status, title }, context) =>
      prefersJSON(context.request) ? undefined : Promise.resolve(
        new Response(`<h1>${title}</h1>`, {
          status,
          headers: { "Content-Type": "text/html" },
        }),
      );
    for (const isMounted of [false, true]) {
      const options = { errorResponse: page, isMounted };
      const response = await send(row, { Accept: "text/html" }, options);
      assertHeaders(response, row);
      assertEquals(response.headers.get("Content-Type"), "text/html");
      assertEquals(await response.text(), `<h1>${row.title}</h1>`);

      const problem = await send(row, json, options);
      assertEquals((await problem.json()).title, row.title);
    }
  });
}

for (const url of ["", "http://", "https://a b/", "file:///etc/passwd"]) {
  Deno.test(`the 400 for the URL "${url}" is JSON, or the application's page`, async () => {
    const page: ErrorResponse = ({ title }) =>
      new Response(`page: ${title}`, { status: 400 });
    for (const errorResponse of [undefined, page]) {
      const router = createRouter({ errorResponse });
      const request = Object.defineProperty(
        new Request(origin, { headers: json }),
        "url",
        { value: url },
      );
      const response = await router.fetch(request);
      assertEquals(response.status, 400);
      assertEquals(
        await response.text(),
        errorResponse
          ? "page: Bad Request"
          : '{"status":400,"title":"Bad Request"}',
      );
    }
  });
}

Deno.test("errorResponse replaces the 404 under a server, which passes a platform", async () => {
  const errorResponse: ErrorResponse = ({ status, title }, context) => {
    const methods = context.router.allowedMethods(origin);
    return new Response(`page: ${title}, ${methods}`, { status });
  };
  const router = createRouter({ errorResponse });
  router.post("/", () => new Response());
  const info = { remoteAddr: { hostname: "192.0.2.1" } };
  const request = new Request(`${origin}/none`);
  const response = await router.fetch(request, info);
  assertEquals(response.status, 404);
  assertEquals(await response.text(), "page: Not Found, POST");
});

async function printed(run: () => Promise<void>): Promise<unknown[]> {
  using calls = captureConsole();
  const { printed: errors } = calls;
  await run();
  return errors;
}

Deno.test("a thrown error gets a 500 as JSON that does not contain its message", async () => {
  const bug = new Error("password: hunter2", { cause: "secret" });
  const errors = await printed(async () => {
    const router = createRouter();
    router.get("/", throws(bug));
    const response = await router.fetch(origin, { headers: json });
    assertEquals(response.status, 500);
    assertEquals(await response.json(), {
      title: "Internal Server Error",
      status: 500,
    });
  });
  assertEquals(errors, [bug]);
});

Deno.test("onError can use the shared response", async () => {
  const router = createRouter({
    onError: (_, context) =>
      context.createErrorResponse({ status: 503 }, { "Retry-After": "5" }),
  });
  router.get("/", throws(new Error("bug")));
  const response = await router.fetch(origin, { headers: json });
  assertEquals(response.headers.get("Retry-After"), "5");
  assertEquals((await response.json()).title, "Service Unavailable");
});

const broken: [string, ErrorResponse][] = [
  ["throws", throws(new Error("page"))],
  ["rejects", () => Promise.reject(new Error("page"))],
  ["returns a string", () => "page" as never],
  ["resolves with a string", () => Promise.resolve("page") as never],
];

for (const [name, errorResponse] of broken) {
  Deno.test(`an errorResponse that ${name} gets a 500, and all errors are printed`, async () => {
    const bug = new Error("bug");
    const errors = await printed(async () => {
      const router = createRouter({ errorResponse });
      router.get("/bug", throws(bug));
      router.get("/guarded", requireAuth(), () => new Response());
      for (const path of ["/nowhere", "/guarded", "/bug"]) {
        const response = await router.fetch(origin + path, { headers: json });
        assertEquals(response.status, 500);
        assertEquals(await response.json(), {
          title: "Internal Server Error",
          status: 500,
        });
      }
      const request = Object.defineProperty(new Request(origin), "url", {
        value: "",
      });
      assertEquals((await router.fetch(request)).status, 500);
    });
    assert(errors.includes(bug));
    assertEquals(errors.filter((error) => error === bug).length, 1);
  });
}

Deno.test("a mounted router's own errorResponse wins over that of the outer router", async () => {
  const page = (name: string): ErrorResponse => ({ status }) =>
    new Response(name, { status });
  const inner = createRouter({ errorResponse: page("inner") });
  const outer = createRouter({ errorResponse: page("outer") });
  outer.mount("/in", inner);
  for (const [path, name] of [["/in/x", "inner"], ["/x", "outer"]]) {
    const response = await outer.fetch(origin + path);
    assertEquals([response.status, await response.text()], [404, name]);
  }
});

Deno.test("errorResponse keeps its own headers, and may return an immutable response", async () => {
  const router = createRouter({
    errorResponse: ({ status }) =>
      status === 404
        ? Response.redirect(`${origin}/`)
        : new Response("page", { status, headers: { Allow: "mine" } }),
  });
  router.get("/", () => new Response());
  const redirected = await router.fetch(`${origin}/nowhere`);
  assertEquals(redirected.status, 302);
  assertEquals(redirected.headers.get("Vary"), "Accept");
  const response = await router.fetch(origin, { method: "PUT" });
  assertEquals(response.headers.get("Allow"), "mine");
});

Deno.test("validate() answers with problem details to any client, or with errorResponse", async () => {
  const Never: InputSchema = {
    "~standard": {
      version: 1,
      validate: () => ({ issues: [{ message: "no", path: ["a"] }] }),
    },
  };
  const page: ErrorResponse = ({ status, errors }) =>
    new Response(JSON.stringify(errors), { status });
  for (const errorResponse of [undefined, page]) {
    const router = createRouter({ errorResponse });
    router.get("/", validate({ query: Never }), () => new Response());
    const response = await router.fetch(origin, {
      headers: { Accept: "text/html" },
    });
    assertEquals(response.status, 422);
    const errors = [{ in: "query", pointer: "#/a", detail: "no" }];
    const body = await response.json();
    assertEquals(errorResponse ? body : body.errors, errors);
  }
});

Deno.test("HEAD gets the headers of the problem details", async () => {
  const router = createRouter();
  router.get("/", () => new Response());
  router.get("/guarded", requireAuth(), () => new Response());
  for (const [path, status] of [["/nowhere", 404], ["/guarded", 401]]) {
    const response = await router.fetch(origin + path, {
      method: "HEAD",
      headers: json,
    });
    assertEquals(response.status, status);
    assertEquals(
      response.headers.get("Content-Type"),
      "application/problem+json",
    );
  }
});

const accepts: readonly [accept: string | null, isJSON: boolean][] = [
  [null, false],
  ["application/json", true],
  ["application/problem+json", true],
  ["APPLICATION/JSON;Q=0.5", true],
  ["application/json;charset=utf-8;q=1.000", true],
  ["application/json, text/plain, */*", true],
  ["text/html;q=0.9, application/json;q=0.9", true],
  ["text/html;q=0.901, application/json;q=0.9", false],
  ["application/vnd.api+json", true],
  ["text/json", false],
  ["application/jsonp", false],
  ["application/json;q=0", false],
  ["application/json;q=0.0000", false],
  ["application/json;q=-1", false],
  ["application/json;q=1e9", false],
  ["application/json;q=2", false],
  ["application/json;q=", false],
  ["application/json;q=0, application/json", true],
  ["*/*", false],
  ["application/*", false],
  ["text/*, application/json;q=0.1", true],
  [";;;,,,q=1", false],
  ["application/json\u00e9", false],
  ["__proto__", false],
  ["application/" + "+".repeat(900) + "json", true],
  ["application/json," + " ".repeat(2000) + "x", false],
  ["a/b;".repeat(200), false],
];

for (const [accept, isJSON] of accepts) {
  Deno.test(`a 404 is ${isJSON ? "JSON" : "text"} for Accept ${JSON.stringify(accept)?.slice(0, 60)} (RFC 9110, 12.5.1)`, async () => {
    const headers = new Headers(accept === null ? {} : { Accept: accept });
    const request = new Request(origin, { headers });
    assertEquals(prefersJSON(request), isJSON);
    const response = await createRouter().fetch(request);
    const type = response.headers.get("Content-Type");
    assertStringIncludes(type!, isJSON ? "json" : "text/plain");
    assertEquals(response.headers.get("Vary"), "Accept");
  });
}

Deno.test("createErrorResponse() works without a router, and for rare statuses", async () => {
  const request = new Request(origin, { headers: json });
  const context = new RequestContext(request, {
    errorResponse: ({ status }) =>
      status === 507 ? new Response("own") : undefined,
  });
  for (
    const [status, title] of [[418, "Client Error"], [599, "Server Error"]]
  ) {
    const response = await context.createErrorResponse({
      status: Number(status),
    });
    assertEquals((await response.json()).title, title);
  }
  const own = await context.createErrorResponse({ status: 507 });
  assertEquals(await own.text(), "own");
});
