/**
 * The cases of the W3C trace-context validation suite (level 1, test/test.py):
 * a service receives headers and calls another one or more times. Each row
 * names its case.
 *
 * All 40 cases of level 1 apply. The case of level 2, which wants the flag
 * "random" passed on, does not: level 1 sets the flags that it does not define
 * to zero (section 3.2.2.5).
 */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { createRouter } from "@gatehouse/web/fetch-router";
import { Log, logger } from "@gatehouse/web/logger-middleware";

const id = "12345678901234567890123456789012";
const parent = "1234567890123456";
const sampled = `00-${id}-${parent}-01`;
const unsampled = `00-${id}-${parent}-00`;

type Header = readonly [name: string, value: string];

/** Returns the trace headers of each outgoing call of a service. */
async function callsOf(
  headers: readonly Header[],
  count = 1,
): Promise<Record<string, string>[]> {
  const calls: Record<string, string>[] = [];
  const router = createRouter({
    middleware: [logger({ output: () => {}, ids: { trust: true } })],
  });
  router.get("/", (context) => {
    for (let index = 0; index < count; index++) {
      calls.push(context.get(Log).traceHeaders());
    }
    return new Response();
  });
  await router.fetch("https://example.com/", {
    headers: headers.map(([name, value]): [string, string] => [name, value]),
  });
  return calls;
}

const restarted = null;

/** The case, the incoming headers, and the outgoing trace id. */
const traceparents: [
  name: string,
  headers: readonly Header[],
  traceId: string | null,
][] = [
  ["both_traceparent_and_tracestate_missing", [], restarted],
  ["traceparent_included_tracestate_missing", [["traceparent", sampled]], id],
  [
    "traceparent_duplicated",
    [["traceparent", sampled.replace("12-", "11-")], ["traceparent", sampled]],
    restarted,
  ],
  [
    "traceparent_duplicated (a later version)",
    [["traceparent", `cc${sampled.slice(2)}-a`], ["traceparent", sampled]],
    restarted,
  ],
  ["traceparent_header_name", [["trace-parent", sampled]], restarted],
  ["traceparent_header_name", [["trace.parent", sampled]], restarted],
  ...["TraceParent", "TrAcEpArEnT", "TRACEPARENT"].map((
    name,
  ): [string, Header[], string] => [
    "traceparent_header_name_valid_casing",
    [[name, sampled]],
    id,
  ]),
  ...([
    ["version_0x00", `${sampled}.`],
    ["version_0x00", `${sampled}-what-the-future-will-be-like`],
    ["version_0xcc", `cc-${id}-${parent}-01`, id],
    ["version_0xcc", `cc-${id}-${parent}-01-what-the-future-may-be-like`, id],
    ["version_0xcc", `cc-${id}-${parent}-01.what-the-future-may-be-like`],
    ["version_0xff", `ff-${id}-${parent}-01`],
    ["version_illegal_characters", `.0-${id}-${parent}-01`],
    ["version_illegal_characters", `0.-${id}-${parent}-01`],
    ["version_too_long", `000-${id}-${parent}-01`],
    ["version_too_long", `0000-${id}-${parent}-01`],
    ["version_too_short", `0-${id}-${parent}-01`],
    ["trace_id_all_zero", `00-${"0".repeat(32)}-${parent}-01`],
    ["trace_id_illegal_characters", `00-.${id.slice(1)}-${parent}-01`],
    ["trace_id_illegal_characters", `00-${id.slice(0, 31)}.-${parent}-01`],
    ["trace_id_too_long", `00-${id}3-${parent}-01`],
    ["trace_id_too_short", `00-${id.slice(0, 31)}-${parent}-01`],
    ["parent_id_all_zero", `00-${id}-${"0".repeat(16)}-01`],
    ["parent_id_illegal_characters", `00-${id}-.${parent.slice(1)}-01`],
    ["parent_id_illegal_characters", `00-${id}-${parent.slice(0, 15)}.-01`],
    ["parent_id_too_long", `00-${id}-${parent}7-01`],
    ["parent_id_too_short", `00-${id}-${parent.slice(0, 15)}-01`],
    ["trace_flags_illegal_characters", `00-${id}-${parent}-.0`],
    ["trace_flags_illegal_characters", `00-${id}-${parent}-0.`],
    ["trace_flags_too_long", `00-${id}-${parent}-001`],
    ["trace_flags_too_short", `00-${id}-${parent}-1`],
    ["ows_handling", ` ${sampled}`, id],
    ["ows_handling", `\t${sampled}`, id],
    ["ows_handling", `${sampled} `, id],
    ["ows_handling", `${sampled}\t`, id],
    ["ows_handling", `\t ${sampled} \t`, id],
  ] as const).map((
    [name, value, traceId = restarted],
  ): [string, Header[], string | null] => [
    `traceparent_${name}`,
    [["traceparent", value]],
    traceId,
  ]),
];

for (const [index, [name, headers, traceId]] of traceparents.entries()) {
  Deno.test(`traceHeaders() ${traceId === null ? "restarts" : "continues"} the trace in case ${index}, ${name} (W3C Trace Context)`, async () => {
    const [{ traceparent = "" } = {}] = await callsOf(headers);
    assertMatch(traceparent, /^00-[\da-f]{32}-[\da-f]{16}-0[01]$/);
    const [, sentId = "", sentParent] = traceparent.split("-");
    if (traceId !== null) assertEquals(sentId, traceId);
    else assert(!headers.some(([, value]) => value.includes(sentId)), sentId);
    assert(!/^0+$/.test(sentId), sentId);
    assert(sentParent !== parent && !/^0+$/.test(sentParent ?? ""), sentParent);
  });
}

/** Returns `bar01=01,bar02=02` and so on. */
function members(from: number, to: number): string {
  return Array.from({ length: to - from + 1 }, (_, index) => {
    const number = String(from + index).padStart(2, "0");
    return `bar${number}=${number}`;
  }).join(",");
}

function characters(...ranges: [from: number, to: number][]): string {
  return ranges.map(([from, to]) =>
    Array.from(
      { length: to - from + 1 },
      (_, index) => String.fromCharCode(from + index),
    ).join("")
  ).join("");
}

const everyKeyCharacter = characters([0x61, 0x7a], [0x30, 0x39]) + "_-*/";
const everyValueCharacter = characters([0x20, 0x2b], [0x2d, 0x3c], [
  0x3e,
  0x7e,
]);
const longKey = "z".repeat(256);
const vendorKey = `${"t".repeat(241)}@${"v".repeat(14)}`;
const long = (name: string, length: number) =>
  `${name}=${"x".repeat(length - name.length - 1)}`;

/** The case, the incoming values, and the outgoing value. */
const tracestates: [
  name: string,
  values: readonly string[],
  sent: string | undefined,
][] = [
  ["included_traceparent_included", ["foo=1,bar=2"], "foo=1,bar=2"],
  ["empty_header", [""], undefined],
  ["empty_header", ["foo=1", ""], "foo=1"],
  ["empty_header", ["", "foo=1"], "foo=1"],
  ["empty_header (only commas)", [" , ,\t,"], undefined],
  [
    "multiple_headers_different_keys",
    ["foo=1,bar=2", "rojo=1,congo=2", "baz=3"],
    "foo=1,bar=2,rojo=1,congo=2,baz=3",
  ],
  ["duplicated_keys", ["foo=1,foo=1"], "foo=1,foo=1"],
  ["duplicated_keys", ["foo=1,foo=2"], "foo=1,foo=2"],
  ["duplicated_keys", ["foo=1", "foo=1"], "foo=1,foo=1"],
  ["duplicated_keys", ["foo=1", "foo=2"], "foo=1,foo=2"],
  [
    "all_allowed_characters",
    [`${everyKeyCharacter}=${everyValueCharacter}`],
    `${everyKeyCharacter}=${everyValueCharacter}`,
  ],
  [
    "all_allowed_characters",
    [`${everyKeyCharacter}@a-z0-9_-*/=${everyValueCharacter}`],
    `${everyKeyCharacter}@a-z0-9_-*/=${everyValueCharacter}`,
  ],
  ["ows_handling", ["foo=1 \t , \t bar=2, \t baz=3"], "foo=1,bar=2,baz=3"],
  ["ows_handling", ["foo=1\t \t,\t \tbar=2,\t \tbaz=3"], "foo=1,bar=2,baz=3"],
  ["ows_handling", [" foo=1"], "foo=1"],
  ["ows_handling", ["\tfoo=1"], "foo=1"],
  ["ows_handling", ["foo=1 "], "foo=1"],
  ["ows_handling", ["foo=1\t"], "foo=1"],
  ["ows_handling", ["\t foo=1 \t"], "foo=1"],
  ["key_illegal_characters", ["foo =1"], undefined],
  ["key_illegal_characters", ["FOO=1"], undefined],
  ["key_illegal_characters", ["fOO=1"], undefined],
  ["key_illegal_characters", ["foo.bar=1"], undefined],
  ["key_illegal_vendor_format", ["foo@=1,bar=2"], "foo@=1,bar=2"],
  ["key_illegal_vendor_format", ["@foo=1,bar=2"], undefined],
  ["key_illegal_vendor_format", ["foo@@bar=1,bar=2"], "foo@@bar=1,bar=2"],
  ["key_illegal_vendor_format", ["foo@bar@baz=1,bar=2"], "foo@bar@baz=1,bar=2"],
  [
    "member_count_limit",
    [members(1, 10), members(11, 20), members(21, 30), members(31, 32)],
    members(1, 32),
  ],
  [
    "member_count_limit",
    [members(1, 10), members(11, 20), members(21, 30), members(31, 33)],
    undefined,
  ],
  ["key_length_limit", ["foo=1", `${longKey}=1`], `foo=1,${longKey}=1`],
  ["key_length_limit", ["foo=1", `${longKey}z=1`], undefined],
  ["key_length_limit", ["foo=1", `${vendorKey}=1`], `foo=1,${vendorKey}=1`],
  [
    "key_length_limit",
    ["foo=1", `${"t".repeat(242)}@v=1`],
    `foo=1,${"t".repeat(242)}@v=1`,
  ],
  [
    "key_length_limit",
    ["foo=1", `t@${"v".repeat(15)}=1`],
    `foo=1,t@${"v".repeat(15)}=1`,
  ],
  ["value_illegal_characters", ["foo=bar=baz"], undefined],
  ["value_illegal_characters", ["foo=,bar=3"], undefined],
  ["value_illegal_characters (not ASCII)", ["foo=\u00e9"], undefined],
  ["value_illegal_characters (no value)", ["foo,bar=3"], undefined],
  ["value over 256 characters", [`foo=${"x".repeat(257)}`], undefined],
  // Section 3.3.1.5: whole members, the long ones first, then from the end.
  [
    "truncation, long members first",
    [
      ["a=1", long("b", 129), long("c", 128), long("d", 128), long("e", 128)]
        .concat(long("f", 200)).join(),
    ],
    ["a=1", long("c", 128), long("d", 128), long("e", 128)].join(),
  ],
  [
    "truncation, then from the end",
    [["a", "b", "c", "d", "e"].map((name) => long(name, 120)).join(",")],
    ["a", "b", "c", "d"].map((name) => long(name, 120)).join(","),
  ],
  [
    "truncation, the last of two long members first",
    [[long("a", 200), long("b", 100), long("c", 250)].join()],
    [long("a", 200), long("b", 100)].join(),
  ],
  [
    "truncation, a long member only, and not the one after it",
    [[long("a", 100), long("b", 250), long("c", 100), long("d", 100)].join()],
    [long("a", 100), long("c", 100), long("d", 100)].join(),
  ],
  [
    "512 characters are not truncated",
    [`${long("a", 255)},${long("b", 256)}`],
    `${long("a", 255)},${long("b", 256)}`,
  ],
];

for (const [index, [name, values, sent]] of tracestates.entries()) {
  Deno.test(`traceHeaders() ${sent === undefined ? "discards" : "passes on"} the tracestate of case ${index}, ${name} (W3C Trace Context)`, async () => {
    const [call] = await callsOf([
      ["traceparent", unsampled],
      ...values.map((value): Header => ["tracestate", value]),
    ]);
    assertEquals(call?.traceparent?.slice(0, 35), `00-${id}`);
    assertEquals(call?.traceparent?.slice(-2), "00");
    assertEquals(call?.tracestate, sent);
    assertEquals("tracestate" in call!, sent !== undefined);
  });
}

for (const name of ["TraceState", "TrAcEsTaTe", "TRACESTATE"]) {
  Deno.test(`traceHeaders() reads ${name} (case tracestate_header_name_valid_casing)`, async () => {
    const [call] = await callsOf([["traceparent", sampled], [name, "foo=1"]]);
    assertEquals(call?.tracestate, "foo=1");
  });
}

for (const name of ["trace-state", "trace.state"]) {
  Deno.test(`traceHeaders() ignores ${name} (case tracestate_header_name)`, async () => {
    const [call] = await callsOf([["traceparent", sampled], [name, "foo=1"]]);
    assertEquals(call?.tracestate, undefined);
  });
}

for (const traceparent of [null, `00-${"0".repeat(32)}-${parent}-01`]) {
  Deno.test(`traceHeaders() discards the tracestate with the traceparent ${traceparent} (case tracestate_included_traceparent_missing)`, async () => {
    const headers: Header[] = [["tracestate", "foo=1,bar=2"]];
    if (traceparent !== null) headers.push(["traceparent", traceparent]);
    const [call] = await callsOf(headers);
    assertEquals(Object.keys(call ?? {}), ["traceparent"]);
  });
}

/** The cases of AdvancedTest. */
const multiple: [name: string, headers: readonly Header[]][] = [
  ["with_valid_traceparent", [["traceparent", sampled]]],
  ["without_traceparent", []],
  [
    "with_illegal_traceparent",
    [["traceparent", `00-${"0".repeat(32)}-${parent}-01`]],
  ],
];

for (const [name, headers] of multiple) {
  Deno.test(`traceHeaders() creates a new parent id for every call (case multiple_requests_${name})`, async () => {
    const calls = await callsOf(headers, 300);
    const parts = calls.map(({ traceparent }) => traceparent?.split("-") ?? []);
    assertEquals(new Set(parts.map((part) => part[2])).size, 300);
    assertEquals(new Set(parts.map((part) => part[1])).size, 1);
    assertEquals(
      parts[0]?.[1] === id,
      name === "with_valid_traceparent",
    );
  });
}

Deno.test("traceHeaders() continues no trace of untrusted requests", async () => {
  let sent: Record<string, string> = {};
  const router = createRouter({ middleware: [logger({ output: () => {} })] });
  router.get("/", (context) => {
    sent = context.get(Log).traceHeaders();
    return new Response();
  });
  await router.fetch("https://example.com/", {
    headers: { traceparent: sampled, tracestate: "foo=1" },
  });
  assertEquals(Object.keys(sent), ["traceparent"]);
  assert(!sent.traceparent?.includes(id));
});
