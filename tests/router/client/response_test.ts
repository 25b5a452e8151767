import { createClient } from "@gatehouse/web/client";
import { number, object, string } from "@gatehouse/web/data-schema";
import { get, post, route } from "@gatehouse/web/fetch-router/routes";
import { assert, assertEquals } from "@std/assert";
import { turns, until } from "../../_wait.ts";

const Note = object({ text: string() });
const routes = route({
  show: get("/notes/:id", {
    responses: { 200: Note, 409: object({ taken: string() }) },
  }),
  text: get("/text", { responses: { 200: { contentType: "text/plain" } } }),
  free: get("/free"),
  create: post("/notes", { json: Note, responses: { 201: {} } }),
  elsewhere: get("https://other.example/x"),
});
const baseUrl = "https://notes.example";
const JSON_TYPE = { "Content-Type": "application/json" };
const PROBLEM_TYPE = { "Content-Type": "application/problem+json" };

interface Init extends ResponseInit {
  readonly body?: BodyInit | null;
}

/** Calls a route of a server that sends one response. */
async function answered(
  { body = null, ...init }: Init,
  options: { validate?: boolean; maxBytes?: number } = {},
) {
  const client = createClient(routes, {
    baseUrl,
    fetch: () => new Response(body, init),
    ...options,
  });
  return await client.show({ params: { id: "7" } });
}

const invalid: readonly [name: string, title: string, response: Init][] = [
  ["HTML", "Unexpected type", {
    body: "<p>",
    headers: { "Content-Type": "text/html" },
  }],
  ["problem details as a success", "Unexpected type", {
    body: "{}",
    headers: PROBLEM_TYPE,
  }],
  ["no content type", "Unexpected type", { body: new Uint8Array([1]) }],
  ["no body", "Unexpected type", { headers: JSON_TYPE }],
  ["an empty body", "Unexpected JSON", { body: "", headers: JSON_TYPE }],
  ["malformed JSON", "Unexpected JSON", { body: '{"a":', headers: JSON_TYPE }],
  ["half a character", "Unexpected JSON", {
    body: new Uint8Array([0x7b, 0xc3]),
    headers: JSON_TYPE,
  }],
  ["a status that is not declared", "Unexpected status", {
    status: 201,
    body: "{}",
    headers: JSON_TYPE,
  }],
  ["an empty response that is not declared", "Unexpected status", {
    status: 204,
  }],
  ["many bytes", "Unexpected size", {
    body: JSON.stringify("x".repeat(100)),
    headers: JSON_TYPE,
  }],
];

for (const [name, title, response] of invalid) {
  Deno.test(`a response with ${name} is invalid`, async () => {
    const result = await answered(response, { maxBytes: 100 });
    assert(!result.ok);
    assertEquals(result.reason, "invalid");
    const status = response.status ?? 200;
    assertEquals(result.problem, { title, status });
    assertEquals(result.body, undefined);
  });
}

Deno.test("an endless response is cut off", async () => {
  let isCancelled = false;
  const body = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(1000)),
    cancel: () => void (isCancelled = true),
  });
  const response = { body, headers: JSON_TYPE };
  const result = await answered(response, { maxBytes: 10_000 });
  assertEquals(result.ok || result.problem.title, "Unexpected size");
  await until(() => isCancelled);
});

Deno.test("a limit that is not a number allows no body", async () => {
  const response = { body: '{"text":""}', headers: JSON_TYPE };
  const result = await answered(response, { maxBytes: NaN });
  assertEquals(result.ok || result.problem.title, "Unexpected size");
});

Deno.test("an unread body is cancelled", async () => {
  for (
    const [status, type] of [[200, "image/png"], [302, "text/html"]] as const
  ) {
    let isCancelled = false;
    const body = new ReadableStream({
      cancel: () => void (isCancelled = true),
    });
    const headers = { "Content-Type": type };
    const result = await answered({ body, status, headers });
    assertEquals([result.ok, isCancelled], [false, true]);
  }
});

for (const status of [301, 302, 303, 304, 307, 308]) {
  Deno.test(`a redirect ${status} is a failure, and is not followed`, async () => {
    const sent: Request[] = [];
    const client = createClient(routes, {
      baseUrl,
      headers: { Authorization: "Bearer secret" },
      fetch(request) {
        sent.push(request);
        const headers = { Location: "https://evil.example/" };
        return new Response(null, { status, headers });
      },
    });
    const result = await client.show({ params: { id: 7 } });
    assertEquals(result.ok || result.reason, "redirect");
    assertEquals(result.status, status);
    assertEquals(sent.map(({ redirect }) => redirect), ["manual"]);
  });
}

Deno.test("validate: true rejects a body that does not match the schema", async () => {
  for (
    const text of ["null", "[]", '{"text":1}', '{"__proto__":{"text":"a"}}']
  ) {
    const response = { body: text, headers: JSON_TYPE };
    const result = await answered(response, { validate: true });
    assert(!result.ok);
    assertEquals([result.reason, result.problem.title], [
      "invalid",
      "Unexpected body",
    ]);
    assert(Array.isArray(result.reason === "invalid" && result.error));
    assertEquals((await answered(response)).ok, true);
  }
  const extra = { body: '{"text":"a","__proto__":{},"admin":1}' };
  const options = { validate: true };
  const result = await answered({ ...extra, headers: JSON_TYPE }, options);
  assertEquals(result.body, { text: "a" });
});

Deno.test("validate: true turns an error of a schema into a failure", async () => {
  const Broken = number().refine(() => {
    throw new Error("bug");
  });
  const client = createClient(
    route({ show: get("/", { responses: { 200: Broken } }) }),
    { baseUrl, validate: true, fetch: () => Response.json(1) },
  );
  const result = await client.show();
  assert(!result.ok && result.reason === "invalid");
  assertEquals((result.error as Error).message, "bug");
});

const errors: readonly [name: string, response: Init, problem: object][] = [
  ["problem details", {
    status: 403,
    body: '{"title":"No","detail":"Why","status":200,"code":1}',
    headers: PROBLEM_TYPE,
  }, { title: "No", detail: "Why", status: 403, code: 1 }],
  ["forged members", {
    status: 500,
    body: '{"title":{},"detail":["x"],"__proto__":{"title":"x"}}',
    headers: PROBLEM_TYPE,
  }, { title: "Status 500", status: 500 }],
  ["null as problem details", {
    status: 500,
    body: "null",
    headers: PROBLEM_TYPE,
  }, { title: "Status 500", status: 500 }],
  ["malformed problem details", {
    status: 400,
    body: "{",
    headers: PROBLEM_TYPE,
  }, { title: "Status 400", status: 400 }],
  ["other JSON", {
    status: 409,
    body: '{"title":"Other","detail":"x"}',
    headers: JSON_TYPE,
  }, { title: "Status 409", status: 409 }],
  ["a page", {
    status: 502,
    body: "<h1>Bad Gateway</h1>",
    headers: { "Content-Type": "text/html" },
  }, { title: "Status 502", status: 502 }],
  ["no body", { status: 503 }, { title: "Status 503", status: 503 }],
  ["many bytes", {
    status: 500,
    body: JSON.stringify({ title: "x".repeat(200) }),
    headers: PROBLEM_TYPE,
  }, { title: "Status 500", status: 500 }],
];

for (const [name, response, problem] of errors) {
  Deno.test(`an error response with ${name} has a problem`, async () => {
    const result = await answered(response, { maxBytes: 100 });
    assert(!result.ok);
    // An own property of this name is harmless.
    const members = Object.entries(result.problem)
      .filter(([name]) => name !== "__proto__");
    assertEquals<object>(Object.fromEntries(members), problem);
    assertEquals(Object.getPrototypeOf(result.problem), Object.prototype);
    assertEquals(result.status, response.status);
  });
}

Deno.test("an error is declared only if its body is as declared", async () => {
  const result = (body: string, headers: HeadersInit, validate: boolean) =>
    answered({ status: 409, body, headers }, { validate });
  const reasons = [
    await result('{"taken":"a"}', JSON_TYPE, true),
    await result('{"taken":1}', JSON_TYPE, false),
    await result('{"taken":1}', JSON_TYPE, true),
    await result('{"taken":"a"}', PROBLEM_TYPE, true),
    await result("{", JSON_TYPE, false),
  ].map((result) => !result.ok && result.reason);
  assertEquals(reasons, ["declared", "declared", "status", "status", "status"]);
});

Deno.test("a network failure is a result", async () => {
  const failures = [
    () => Promise.reject(new TypeError("Failed to fetch")),
    () => {
      throw new Error("broken");
    },
    () => {
      const body = new ReadableStream({
        start: (controller) => controller.error(new Error("reset")),
      });
      return new Response(body, { headers: JSON_TYPE });
    },
  ];
  for (const fetch of failures) {
    const client = createClient(routes, { baseUrl, fetch });
    const result = await client.show({ params: { id: 7 } });
    assert(!result.ok);
    assertEquals(result.reason, "network");
    assertEquals(result.problem, { title: "Request failed", status: 0 });
    assert(result.reason === "network" && result.error instanceof Error);
  }
});

Deno.test("a signal aborts before the request, and while it waits or reads", async () => {
  let calls = 0;
  const waits = ({ signal }: Request) => {
    calls++;
    return new Promise<Response>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  };
  const streams = () => {
    calls++;
    return new Response(new ReadableStream(), { headers: JSON_TYPE });
  };
  const done = AbortSignal.abort();
  for (const fetch of [waits, streams]) {
    const client = createClient(routes, { baseUrl, fetch });
    const params = { id: 7 };
    const early = await client.show({ params, signal: done });
    assertEquals([early.ok || early.reason, calls], ["aborted", 0]);
  }
  for (const fetch of [waits, streams]) {
    const client = createClient(routes, { baseUrl, fetch });
    const controller = new AbortController();
    const { signal } = controller;
    const shown = client.show({ params: { id: 7 }, signal });
    await turns(5);
    controller.abort();
    const result = await shown;
    assert(!result.ok);
    assertEquals(result.reason, "aborted");
    assertEquals(result.problem, { title: "Request failed", status: 0 });
  }
  assertEquals(calls, 2);
});

Deno.test("input that no request can carry is a result", async () => {
  let calls = 0;
  const client = createClient(routes, {
    baseUrl,
    fetch: () => Response.json(++calls),
  });
  const cyclic: { text: string; self?: unknown } = { text: "" };
  cyclic.self = cyclic;
  const results = [
    await client.show({ params: { id: "" } }),
    await client.show({ params: { id: "." } }),
    await client.show({ params: { id: ".." } }),
    // @ts-expect-error The param is missing.
    await client.show(),
    await client.show({ params: { id: "7" }, headers: { "X-A": "\n\0" } }),
    await client.create({ json: cyclic }),
  ];
  for (const result of results) {
    assert(!result.ok);
    assertEquals(result.reason, "request");
    assertEquals(result.problem, { title: "Request failed", status: 0 });
  }
  const failing = createClient(routes, {
    baseUrl,
    headers: () => Promise.reject(new Error("no token")),
    fetch: () => Response.json(++calls),
  });
  const result = await failing.free();
  assertEquals(result.ok || result.reason, "request");
  assertEquals(calls, 0);
});

Deno.test("params and queries stay in their part of the URL", async () => {
  const urls: string[] = [];
  const client = createClient(routes, {
    baseUrl,
    fetch({ url }) {
      urls.push(url);
      return Response.json(null);
    },
  });
  const hostile = "../a?b#c/@evil.example:80\\";
  await client.show({ params: { id: hostile } });
  await client.free({ query: { "a&b": hostile, c: undefined } });
  assertEquals(urls.map((url) => new URL(url).host), [
    "notes.example",
    "notes.example",
  ]);
  assertEquals(
    decodeURIComponent(new URL(urls[0]!).pathname),
    `/notes/${hostile}`,
  );
  assertEquals([...new URL(urls[1]!).searchParams], [["a&b", hostile]]);
});

Deno.test("a route of another origin does not get the client's headers", async () => {
  const sent: (readonly [host: string, key: string | null])[] = [];
  const fetch = ({ headers, url }: Request) => {
    sent.push([new URL(url).host, headers.get("X-Key")]);
    return Response.json(null);
  };
  const headers = { "X-Key": "secret" };
  for (const baseUrl of ["https://notes.example", "https://other.example/v1"]) {
    const client = createClient(routes, { baseUrl, fetch, headers });
    await client.elsewhere();
    await client.free();
  }
  const similar = createClient(
    route({ evil: get("https://notes.example.evil.example/x") }),
    { baseUrl, fetch, headers },
  );
  await similar.evil();
  assertEquals(sent, [
    ["other.example", null],
    ["notes.example", "secret"],
    ["other.example", null],
    ["other.example", "secret"],
    ["notes.example.evil.example", null],
  ]);
});
