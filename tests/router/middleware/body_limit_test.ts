import { createRouter, type RequestContext } from "@gatehouse/web/fetch-router";
import {
  bodyLimit,
  BodyTooLargeError,
  secureHeaders,
} from "@gatehouse/web/middleware";
import { assert, assertEquals, assertThrows } from "@std/assert";

const url = "https://example.com/";

/** Creates a body with a number of chunks of 10 bytes, or an endless one. */
function chunks(count = Infinity) {
  let sent = 0;
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await Promise.resolve();
      if (sent === count) return controller.close();
      sent++;
      controller.enqueue(new Uint8Array(10).fill(97));
    },
    cancel() {
      isCancelled = true;
    },
  }, { highWaterMark: 0 });
  return { body, sent: () => sent, isCancelled: () => isCancelled };
}

/** Creates a POST request. `duplex` is required for streams but not in the types. */
function post(body: BodyInit | null, headers: HeadersInit = {}): Request {
  const init = { method: "POST", body, headers, duplex: "half" };
  return new Request(url, init);
}

function create(
  handler: (context: RequestContext) => Response | Promise<Response> = async (
    { request },
  ) => new Response(`${(await request.text()).length}`),
) {
  const errors: unknown[] = [];
  const router = createRouter({
    middleware: [secureHeaders(), bodyLimit({ maxBytes: 100 })],
    onError: (error) => {
      errors.push(error);
      return new Response("sorry", { status: 500 });
    },
  });
  router.route("ANY", "/", handler);
  return { router, errors };
}

const bodies: [string, () => Request, status: number, text: string][] = [
  ["no body", () => new Request(url, { method: "POST" }), 200, "0"],
  ["an empty body", () => post(""), 200, "0"],
  ["a body of the maximum size", () => post("x".repeat(100)), 200, "100"],
  ["a larger body", () => post("x".repeat(101)), 413, "Content Too Large"],
  [
    "characters of two bytes",
    () => post("é".repeat(51)),
    413,
    "Content Too Large",
  ],
  ["chunks of the maximum size", () => post(chunks(10).body), 200, "100"],
  ["chunks beyond it", () => post(chunks(11).body), 413, "Content Too Large"],
  ["endless chunks", () => post(chunks().body), 413, "Content Too Large"],
  [
    "a Content-Length that is too small",
    () => post(chunks(11).body, { "Content-Length": "1" }),
    413,
    "Content Too Large",
  ],
  [
    "a Content-Length over the limit",
    () => post(chunks(1).body, { "Content-Length": "101" }),
    413,
    "Content Too Large",
  ],
  [
    "a huge length",
    () => post("x", { "Content-Length": "9".repeat(400) }),
    413,
    "Content Too Large",
  ],
  [
    "a negative length",
    () => post(chunks(11).body, { "Content-Length": "-1" }),
    413,
    "Content Too Large",
  ],
  [
    "two lengths",
    () => post(chunks(11).body, { "Content-Length": "1, 1" }),
    413,
    "Content Too Large",
  ],
  ["a GET", () => new Request(url), 200, "0"],
];

for (const [name, request, status, text] of bodies) {
  Deno.test(`bodyLimit() responds with ${status} to ${name}`, async () => {
    const { router, errors } = create();
    const response = await router.fetch(request());
    assertEquals([response.status, await response.text()], [status, text]);
    assertEquals(response.headers.get("X-Content-Type-Options"), "nosniff");
    assertEquals(errors.filter((e) => !(e instanceof BodyTooLargeError)), []);
  });
}

const readers: [string, (request: Request) => Promise<unknown>][] = [
  ["json()", (request) => request.json()],
  ["arrayBuffer()", (request) => request.arrayBuffer()],
  ["bytes()", (request) => request.bytes()],
  ["blob()", (request) => request.blob()],
  ["formData()", (request) => request.formData()],
  ["a clone", (request) => request.clone().text()],
  ["the stream", (request) => Array.fromAsync(request.body!)],
];

for (const [name, read] of readers) {
  Deno.test(`bodyLimit() limits a body that ${name} reads`, async () => {
    const { router } = create(async ({ request }) => {
      await read(request);
      return new Response("read");
    });
    const { body, sent, isCancelled } = chunks();
    const response = await router.fetch(post(body, {
      "Content-Type": "application/x-www-form-urlencoded",
    }));
    assertEquals(response.status, 413);
    assert(sent() <= 12, `${sent()} chunks`);
    assert(isCancelled());
  });
}

Deno.test("bodyLimit() lets a handler catch the error and respond", async () => {
  const { router } = create(async ({ request }) => {
    const text = await request.text().catch(() => "too large");
    return new Response(text, { status: 422 });
  });
  const response = await router.fetch(post(chunks().body));
  assertEquals([response.status, await response.text()], [422, "too large"]);
});

Deno.test("bodyLimit() keeps the rest of the request and the client address", async () => {
  const { router } = create(async ({ request, remoteAddress }) =>
    Response.json([
      request.method,
      request.url,
      request.headers.get("X-Own"),
      remoteAddress,
      await request.text(),
    ])
  );
  const request = post("text", { "X-Own": "1" });
  // As in Bun, which knows only the original request.
  const requestIP = (other: Request) =>
    other === request ? { address: "192.0.2.1" } : null;
  const response = await router.fetch(request, { requestIP });
  assertEquals(await response.json(), ["POST", url, "1", "192.0.2.1", "text"]);
});

Deno.test("bodyLimit() ignores a malformed URL and a body that was read before", async () => {
  const { router } = create();
  const malformed = Object.defineProperty(post("x"), "url", {
    value: "https://a b/",
  });
  assertEquals((await router.fetch(malformed)).status, 400);

  const late = createRouter({
    middleware: [async (context, next) => {
      await context.request.text();
      return next();
    }, bodyLimit({ maxBytes: 1 })],
  });
  late.post("/", ({ request }) => new Response(`${request.bodyUsed}`));
  const response = await late.fetch(post("text"));
  assertEquals(await response.text(), "true");
});

for (const method of ["GET", "HEAD", "TRACE", "CONNECT"]) {
  Deno.test(`bodyLimit() responds with 413 to ${method} with a body, because its request cannot be copied`, async () => {
    const { router } = create();
    const request = Object.defineProperty(post("x"), "method", {
      value: method,
    });
    const response = await router.fetch(request, {});
    assertEquals(response.status, 413);
  });
}

for (const maxBytes of [-1, 0.5, NaN, Infinity, "1" as never]) {
  Deno.test(`bodyLimit({ maxBytes: ${maxBytes} }) throws a RangeError`, () => {
    assertThrows(() => bodyLimit({ maxBytes }), RangeError, "Cannot limit");
  });
}

Deno.test("bodyLimit() responds with 413 if a handler wraps the error", async () => {
  const { router } = create(async ({ request }) => {
    try {
      return new Response(await request.text());
    } catch (cause) {
      throw new Error("Cannot read the note", { cause });
    }
  });
  const response = await router.fetch(post(chunks(11).body));
  assertEquals(
    [response.status, await response.text()],
    [413, "Content Too Large"],
  );
});
