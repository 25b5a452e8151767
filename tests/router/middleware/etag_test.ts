import { createRouter, RequestContext } from "@gatehouse/web/fetch-router";
import {
  etag,
  type ETagOptions,
  requireMatch,
} from "@gatehouse/web/middleware";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { captureConsole } from "../../_console.ts";
import { turns } from "../../_wait.ts";

const url = "https://example.com/";

/** Sends a request to a router whose handler returns a response. */
async function get(
  respond: () => Response | Promise<Response>,
  headers: HeadersInit = {},
  options?: ETagOptions,
  method = "GET",
): Promise<Response> {
  const router = createRouter({ middleware: [etag(options)] });
  router.route("ANY", "/", respond);
  return await router.fetch(url, { headers, method });
}

/** The beginning of the SHA-256 of "Hello". */
const tag = '"GF+NsyJx/iX1Yab8k4suJkMG"';

Deno.test("etag() sets the hash of the body, and keeps the body and its type", async () => {
  const first = await get(() => new Response("Hello"));
  const again = await get(() => new Response("Hello"));
  const other = await get(() => new Response("Hello!"));
  const tags = [first, again, other].map(({ headers }) => headers.get("ETag"));
  assertEquals(tags[0], tags[1]);
  assert(tags[0] !== tags[2]);
  assertEquals(tags[0], tag);
  assertEquals(await first.text(), "Hello");
  assertEquals(
    first.headers.get("Content-Type")?.toLowerCase().replace(" ", ""),
    "text/plain;charset=utf-8",
  );
  const weak = await get(() => new Response("Hello"), {}, { weak: true });
  assertEquals(weak.headers.get("ETag"), `W/${tag}`);
});

const conditions: [noneMatch: string, status: number][] = [
  [tag, 304],
  [`W/${tag}`, 304],
  [`"a", ${tag}, "b"`, 304],
  [`"a",W/${tag}`, 304],
  ["*", 304],
  [" * ", 304],
  ['"a"', 200],
  ["", 200],
  [tag.slice(1, -1), 200],
  [tag.toLowerCase(), 200],
  [`"${tag}"`, 200],
  [`w/${tag}`, 304],
  ['"' + "x".repeat(10_000), 200],
  ['"a"'.repeat(2_000), 200],
  [`"*"`, 200],
];

for (const [noneMatch, status] of conditions) {
  Deno.test(`etag() answers ${status} to If-None-Match: ${noneMatch.slice(0, 50)}`, async () => {
    const headers = { "If-None-Match": noneMatch };
    for (const weak of [false, true]) {
      const response = await get(() => new Response("Hello"), headers, {
        weak,
      });
      assertEquals(response.status, status);
      assertEquals(await response.text(), status === 304 ? "" : "Hello");
    }
  });
}

const dates: [modified: string, since: string, status: number][] = [
  ["Mon, 23 Nov 2026 10:00:00 GMT", "Mon, 23 Nov 2026 10:00:00 GMT", 304],
  ["Mon, 23 Nov 2026 10:00:00 GMT", "Mon, 23 Nov 2026 10:00:01 GMT", 304],
  ["Mon, 23 Nov 2026 10:00:00 GMT", "Mon, 23 Nov 2026 09:59:59 GMT", 200],
  ["Mon, 23 Nov 2026 10:00:00 GMT", "yesterday", 200],
  ["yesterday", "Mon, 23 Nov 2026 10:00:00 GMT", 200],
  ["", "", 200],
];

for (const [modified, since, status] of dates) {
  Deno.test(`etag() answers ${status} for ${modified || "no date"} since ${since || "no date"}`, async () => {
    const response = await get(
      () => new Response("Hello", { headers: { "Last-Modified": modified } }),
      { "If-Modified-Since": since },
    );
    assertEquals(response.status, status);
  });
}

Deno.test("etag() ignores the date if there is a tag (RFC 9110, section 13.1.3)", async () => {
  const date = "Mon, 23 Nov 2026 10:00:00 GMT";
  const response = await get(
    () => new Response("Hello", { headers: { "Last-Modified": date } }),
    { "If-Modified-Since": date, "If-None-Match": '"other"' },
  );
  assertEquals(response.status, 200);
});

Deno.test("etag() keeps the headers of a 304, without those of the body", async () => {
  const response = await get(() => {
    const headers = {
      "Cache-Control": "max-age=60",
      "Content-Language": "en",
      "Content-Length": "5",
      "Content-Type": "text/html",
      "Set-Cookie": "a=b",
      "Vary": "Accept",
      "ETag": '"mine"',
    };
    return new Response("Hello", { headers });
  }, { "If-None-Match": '"mine"' });
  assertEquals(response.status, 304);
  assertEquals([...response.headers].sort(), [
    ["cache-control", "max-age=60"],
    ["etag", '"mine"'],
    ["set-cookie", "a=b"],
    ["vary", "Accept"],
  ]);
});

const untagged: [name: string, respond: () => Response][] = [
  ["no body", () => new Response(null)],
  ["a 404", () => new Response("No", { status: 404 })],
  ["a 206", () => new Response("Part", { status: 206 })],
  ["a redirect", () => Response.redirect(url)],
  [
    "no-store",
    () =>
      new Response("Hello", {
        headers: { "Cache-Control": "private, No-Store" },
      }),
  ],
  ["a large body", () => new Response("x".repeat(101))],
  [
    "a large length",
    () =>
      new Response("x".repeat(101), { headers: { "Content-Length": "101" } }),
  ],
];

for (const [name, respond] of untagged) {
  Deno.test(`etag() leaves ${name} as it is`, async () => {
    const plain = respond();
    const response = await get(respond, { "If-None-Match": "*" }, {
      maxBytes: 100,
    });
    const isEmpty = plain.status === 200 && name !== "a 404";
    if (!isEmpty) assertEquals(response.status, plain.status);
    assertEquals(response.headers.get("ETag"), null);
  });
}

Deno.test("etag() gives a tag to a response whose declared length is the limit, and to no longer one", async () => {
  for (const [body, hasTag] of [["12345", true], ["123456", false]] as const) {
    const router = createRouter({ middleware: [etag({ maxBytes: 5 })] });
    const headers = { "Content-Length": `${body.length}` };
    router.get("/", () => new Response(body, { headers }));
    const response = await router.fetch("https://example.com/");
    assertEquals(response.headers.has("ETag"), hasTag);
    assertEquals(await response.text(), body);
  }
});

Deno.test("etag() passes on a large stream, and cancels it with the client", async () => {
  let canceled: unknown;
  const respond = () =>
    new Response(
      new ReadableStream({
        pull(controller) {
          controller.enqueue(new Uint8Array(60));
        },
        cancel(reason) {
          canceled = reason;
        },
      }, { highWaterMark: 0 }),
    );
  const response = await get(respond, {}, { maxBytes: 100 });
  const reader = response.body!.getReader();
  let size = 0;
  while (size < 300) size += (await reader.read()).value!.byteLength;
  assertEquals(size, 300);
  await reader.cancel("left");
  assert(canceled !== undefined);
});

Deno.test("etag() answers 500 if the body fails", async () => {
  using _console = captureConsole();
  const response = await get(() =>
    new Response(
      new ReadableStream({
        pull: () => Promise.reject(new Error("broken")),
      }),
    )
  );
  assertEquals(response.status, 500);
});

Deno.test("etag() ignores conditions of other methods", async () => {
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
    const headers = { "If-None-Match": "*" };
    const response = await get(() => new Response("Hi"), headers, {}, method);
    assertEquals(response.status, 200);
    assertEquals(response.headers.has("ETag"), false);
  }
});

Deno.test("etag() works in a mounted router and after onError", async () => {
  const inner = createRouter({
    middleware: [etag()],
    onError: () => new Response("Sorry"),
  });
  inner.get("/", () => {
    throw new Error("bug");
  });
  const router = createRouter({ middleware: [etag()] });
  router.mount("/v1", inner);
  const first = await router.fetch(`${url}v1`);
  const headers = { "If-None-Match": first.headers.get("ETag")! };
  const second = await router.fetch(`${url}v1`, { headers });
  assertEquals([first.status, second.status], [200, 304]);
});

Deno.test("etag() gives HEAD no tag and no length that GET does not have (RFC 9110, section 9.3.2)", async () => {
  const router = createRouter({ middleware: [etag()] });
  router.get("/", () => new Response("Hello"));
  router.get("/own", () => new Response("Hello", { headers: { ETag: '"7"' } }));
  router.get("/route", etag(), () => new Response("Hello"));
  const fetch = async (path: string, method: string, noneMatch = "") => {
    const headers = { "If-None-Match": noneMatch };
    const request = new Request(`${url}${path}`, { method, headers });
    const response = await router.fetch(request, {}, {});
    assertEquals(await response.text(), method === "HEAD" ? "" : "Hello");
    return response;
  };
  // The router has removed the body before its middleware could hash it.
  const head = await fetch("", "HEAD");
  assertEquals([head.status, head.headers.get("ETag")], [200, null]);
  assertEquals(head.headers.get("Content-Length"), null);
  for (const path of ["own", "route"]) {
    const tag = (await fetch(path, "GET")).headers.get("ETag")!;
    assertEquals((await fetch(path, "HEAD")).headers.get("ETag"), tag);
    assertEquals((await fetch(path, "HEAD", tag)).status, 304);
  }
});

Deno.test("etag() refuses an invalid size", () => {
  for (const maxBytes of [-1, NaN]) {
    assertThrows(() => etag({ maxBytes }), RangeError, "maxBytes");
  }
});

const writes: [
  current: string | null,
  headers: Record<string, string>,
  status: number | null,
][] = [
  ['"2"', {}, null],
  ['"2"', { "If-Match": '"2"' }, null],
  ['"2"', { "If-Match": '"1", "2"' }, null],
  ['"2"', { "If-Match": "*" }, null],
  ['"2"', { "If-Match": '"1"' }, 412],
  ['"2"', { "If-Match": "2" }, 412],
  ['"2"', { "If-Match": "" }, 412],
  ['"2"', { "If-Match": 'W/"2"' }, 412],
  ['W/"2"', { "If-Match": 'W/"2"' }, 412],
  ['W/"2"', { "If-Match": "*" }, null],
  [null, { "If-Match": "*" }, 412],
  [null, { "If-Match": '"2"' }, 412],
  [null, { "If-Match": "null" }, 412],
  [null, { "If-None-Match": "*" }, null],
  ['"2"', { "If-None-Match": "*" }, 412],
  ['"2"', { "If-None-Match": 'W/"2"' }, 412],
  ['"2"', { "If-None-Match": '"1"' }, null],
  ['"2"', { "If-Match": '"2"', "If-None-Match": "*" }, 412],
];

for (const [current, headers, status] of writes) {
  Deno.test(`requireMatch() answers ${status} to ${JSON.stringify(headers)} at ${current}`, async () => {
    const router = createRouter();
    router.put("/", (context) => {
      requireMatch(context, current);
      return new Response("Saved");
    });
    const response = await router.fetch(url, { method: "PUT", headers });
    assertEquals(response.status, status ?? 200);
  });
}

Deno.test("requireMatch() answers 428 to a request without a condition", async () => {
  const router = createRouter();
  router.put("/", (context) => {
    requireMatch(context, '"2"', { required: true });
    return new Response("Saved");
  });
  const put = async (headers: HeadersInit) =>
    (await router.fetch(url, { method: "PUT", headers })).status;
  assertEquals(await put({}), 428);
  assertEquals(await put({ "If-Match": '"2"' }), 200);
  assertEquals(await put({ "If-None-Match": "*" }), 412);
  assertEquals(await put({ "If-None-Match": '"1"' }), 428);
});

Deno.test("requireMatch() refuses a tag without quotes", () => {
  const context = new RequestContext(new Request(url));
  for (const current of ["2", '2"', '"2', 'w/"2"', '"a"b"', '"a b"', ""]) {
    assertThrows(() => requireMatch(context, current), TypeError, "quotes");
  }
});

Deno.test("etag() survives a large body that cannot be canceled", async () => {
  const body = () =>
    new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(8)),
      cancel: () => Promise.reject(new Error("cancel")),
    });
  const response = await get(() => new Response(body()), {}, { maxBytes: 4 });
  assertEquals([response.status, response.headers.get("ETag")], [200, null]);
  // A server does the same if the client leaves.
  await response.body!.cancel().catch(() => {});
  // An unhandled rejection would fail this test.
  await turns();
});

Deno.test("etag() does not confuse tags that contain W/", async () => {
  const headers = { ETag: '"aW/b"' };
  const response = await get(() => new Response("Hello", { headers }), {
    "If-None-Match": '"ab"',
  });
  assertEquals(response.status, 200);
});
