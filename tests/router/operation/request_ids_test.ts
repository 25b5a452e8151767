import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { createRouter } from "@gatehouse/web/fetch-router";
import { logger } from "@gatehouse/web/logger-middleware";
import { idsOf } from "./_ids.ts";

const trace = "4bf92f3577b34da6a3ce929d0e0e4736";

const parent = "00f067aa0ba902b7";

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
