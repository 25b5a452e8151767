import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  Log,
  logger,
  type LogIdOptions,
} from "@gatehouse/web/logger-middleware";
import { captureConsole } from "../../_console.ts";

interface Ids {
  readonly requestId: string;
  readonly traceId: string;
  readonly traceparent: string;
  /** The line. */
  readonly line: string;
  /** The header of the response. */
  readonly header: string | null;
}

async function idsOf(
  headers: Record<string, string>,
  ids?: LogIdOptions,
): Promise<Ids> {
  let line = "";
  const router = createRouter({
    middleware: [logger({
      format: ({ requestId, traceId }) => `${requestId} ${traceId}`,
      output: (one) => line = one,
      ids,
    })],
  });
  router.get("/", (context) => {
    const log = context.get(Log);
    const { requestId, traceId } = log;
    const { traceparent } = log.traceHeaders();
    return Response.json({ requestId, traceId, traceparent });
  });
  const response = await router.fetch("https://example.com/", { headers });
  const header = response.headers.get("X-Request-Id");
  return { ...await response.json(), line, header };
}

const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
const parent = "00f067aa0ba902b7";

Deno.test("context.get(Log) has the same ids as the line", async () => {
  const { requestId, traceId, traceparent, line } = await idsOf({});
  assertEquals(line, `${requestId} ${traceId}`);
  assertMatch(requestId, /^[\w-]{36}$/);
  assertMatch(traceparent, new RegExp(`^00-${traceId}-[\\da-f]{16}-01$`));
});

Deno.test("logger() creates new ids for every request", async () => {
  const [one, other] = [await idsOf({}), await idsOf({})];
  assertNotEquals(one.requestId, other.requestId);
  assertNotEquals(one.traceId, other.traceId);
});

Deno.test("logger() ignores incoming ids by default", async () => {
  const headers = {
    "X-Request-Id": "forged",
    traceparent: `00-${trace}-${parent}-01`,
  };
  for (const trust of [undefined, false, () => false]) {
    const { requestId, traceId } = await idsOf(headers, { trust });
    assertNotEquals(requestId, "forged");
    assertNotEquals(traceId, trace);
  }
});

const requestIds: [id: string, taken: boolean][] = [
  ["abc", true],
  ["a.b:c-d_e", true],
  ["a".repeat(128), true],
  ["a".repeat(129), false],
  ["", false],
  ["a b", false],
  ["a,b", false],
  ['a"b', false],
  ["\u00e9", false],
];

for (const [id, taken] of requestIds) {
  Deno.test(`logger() ${taken ? "accepts" : "rejects"} the request id "${id.slice(0, 12)}" of ${id.length} characters`, async () => {
    for (const trust of [true, () => true]) {
      const { requestId } = await idsOf({ "X-Request-Id": id }, { trust });
      assertEquals(requestId === id, taken);
      if (!taken) assertMatch(requestId, /^[\w-]{36}$/);
    }
  });
}

const traceparents: [value: string, flags: string | null][] = [
  [`00-${trace}-${parent}-01`, "01"],
  [`00-${trace}-${parent}-00`, "00"],
  [`00-${trace}-${parent}-03`, "01"],
  [`cc-${trace}-${parent}-01`, "01"],
  [`cc-${trace}-${parent}-01-more`, "01"],
  [`00-${trace}-${parent}-01-more`, null],
  [`cc-${trace}-${parent}-01.more`, null],
  [`ff-${trace}-${parent}-01`, null],
  [`00-${"0".repeat(32)}-${parent}-01`, null],
  [`00-${trace}-${"0".repeat(16)}-01`, null],
  [`00-${trace.toUpperCase()}-${parent}-01`, null],
  [`00-${trace.slice(1)}-${parent}-01`, null],
  [`00-${trace}-${parent}-1`, null],
  [`00-${trace}-${parent}`, null],
  [`0-${trace}-${parent}-01`, null],
  ["", null],
  ["00-a-b-c", null],
];

for (const [value, flags] of traceparents) {
  Deno.test(`logger() ${flags === null ? "restarts" : "continues"} the trace of "${value}" (W3C Trace Context, 3.2)`, async () => {
    const ids = await idsOf({ traceparent: value }, { trust: true });
    assertEquals(ids.traceId === trace, flags !== null);
    // Nor is any other part of what does not count taken over.
    assertEquals(value.includes(ids.traceId), flags !== null);
    const [version, , span, sampled] = ids.traceparent.split("-");
    assertEquals(version, "00");
    assertNotEquals(span, parent);
    assertEquals(sampled, flags ?? "01");
  });
}

Deno.test("logger() sends the request id to the client with respond", async () => {
  assertEquals((await idsOf({})).header, null);
  const { requestId, header } = await idsOf({}, { respond: true });
  assertEquals(header, requestId);
});

Deno.test("logger() reads and writes the header option", async () => {
  const router = createRouter({
    middleware: [logger({
      output: () => {},
      ids: { trust: true, header: "X-Correlation", respond: true },
    })],
  });
  router.get("/", () => Response.redirect("https://example.com/"));
  const response = await router.fetch("https://example.com/", {
    headers: { "X-Correlation": "abc", "X-Request-Id": "def" },
  });
  assertEquals(response.headers.get("X-Correlation"), "abc");
});

Deno.test("context.get(Log) writes to the output, escaped, with the request id", async () => {
  const lines: string[] = [];
  const router = createRouter({
    middleware: [
      logger({ format: "short", output: (line) => lines.push(line) }),
    ],
  });
  router.get("/", (context) => {
    const log = context.get(Log);
    log.info("plain");
    log.error('a\n"b"\x1b', { 'na"me x': 'v"\n', none: undefined, no: null });
    return new Response(log.requestId);
  });
  const id = await (await router.fetch("https://example.com/")).text();
  assertEquals(lines.slice(0, 2), [
    `info: plain request_id="${id}"`,
    `error: a\\n\\"b\\"\\x1b na\\"me\\x20x="v\\"\\n" no="null" request_id="${id}"`,
  ]);
});

Deno.test("context.get(Log) does not write to an access log in the combined format", async () => {
  const lines: string[] = [];
  using calls = captureConsole();
  const router = createRouter({
    middleware: [
      logger({ format: "combined", output: (line) => lines.push(line) }),
    ],
  });
  router.get("/", (context) => {
    context.get(Log).info("plain");
    return new Response();
  });
  await router.fetch("https://example.com/");
  assertEquals(lines.length, 1);
  assertMatch(String(calls.printed[0]), /^info: plain request_id="/);
});

Deno.test("context.get(Log) writes to the messages option, and never throws", async () => {
  const lines: string[] = [];
  const router = createRouter({
    middleware: [logger({
      output: () => {},
      messages: (line) => {
        lines.push(line);
        throw new Error("full");
      },
    })],
  });
  router.get("/", (context) => {
    context.get(Log).warn("low");
    return new Response();
  });
  using _console = captureConsole();
  assertEquals((await router.fetch("https://example.com/")).status, 200);
  assertMatch(lines[0], /^warn: low /);
});
