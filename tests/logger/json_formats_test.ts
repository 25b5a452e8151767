import { assert, assertEquals, assertMatch } from "@std/assert";
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  Log,
  logger,
  type LoggerOptions,
} from "@gatehouse/web/logger-middleware";

type Fields = Record<string, string | number | undefined>;

async function fieldsOf(
  options: LoggerOptions,
  path: string,
  init: RequestInit = {},
): Promise<Fields> {
  const lines: string[] = [];
  const router = createRouter({
    middleware: [
      logger({
        format: "json",
        output: (line) => lines.push(line),
        ...options,
      }),
    ],
    onError: () => new Response(null, { status: 500 }),
  });
  router.get(
    "/users/:id",
    () => new Response("Hello", { headers: { "Content-Length": "5" } }),
  );
  router.get("/away", () => new Response(null, { status: 503 }));
  router.get("/throw", () => {
    throw new RangeError("secret");
  });
  await router.fetch(`https://example.com:8443${path}`, init);
  assertEquals(lines.length, 1);
  assertMatch(lines[0], /^\{[\x20-\x7e]+\}$/);
  return JSON.parse(lines[0]);
}

const init = {
  headers: { "User-Agent": "Agent", Referer: "https://a.example/?code=abc" },
};
const user = () => "ada";

Deno.test("logger() truncates a long user name", async () => {
  const user = () => "a".repeat(5_000);
  const fields = await fieldsOf({ user }, "/users/7");
  assertEquals(fields["user.id"], `${"a".repeat(1_024)}...`);
});

Deno.test("logger() writes JSON in the names of the Elastic Common Schema (ASVS 16.2.1, 16.2.4)", async () => {
  const fields = await fieldsOf({ user }, "/users/7?tab=1&token=abc", init);
  const { message, ...rest } = fields;
  assertMatch(
    String(message),
    /^GET \/users\/7\?tab=1&token=REDACTED 200 \d+ms$/,
  );
  assertMatch(String(rest["@timestamp"]), /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/);
  assertMatch(String(rest["http.request.id"]), /^[\w-]{36}$/);
  assertMatch(String(rest["trace.id"]), /^[\da-f]{32}$/);
  assertMatch(String(rest["span.id"]), /^[\da-f]{16}$/);
  assertEquals(Number.isInteger(rest["event.duration"]), true);
  for (
    const name of [
      "@timestamp",
      "http.request.id",
      "trace.id",
      "span.id",
      "event.duration",
    ]
  ) delete rest[name];
  assertEquals(rest, {
    "ecs.version": "8.11.0",
    "log.level": "info",
    "http.request.method": "GET",
    "http.request.referrer": "https://a.example/?code=REDACTED",
    "http.response.status_code": 200,
    "http.response.body.bytes": 5,
    "http.version": "1.1",
    "http.route": "/users/:id",
    "url.scheme": "https",
    "url.domain": "example.com",
    "url.port": 8443,
    "url.path": "/users/7",
    "url.query": "tab=1&token=REDACTED",
    "user.id": "ada",
    "user_agent.original": "Agent",
    "event.outcome": "success",
  });
});

Deno.test("logger() writes JSON in the names of OpenTelemetry", async () => {
  const names = "opentelemetry";
  const fields = await fieldsOf({ user, names }, "/users/7?tab=1", init);
  const { body, ...rest } = fields;
  assertMatch(String(body), /^GET \/users\/7\?tab=1 200 \d+ms$/);
  assertMatch(String(rest.timestamp), /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/);
  assertMatch(String(rest["http.request.id"]), /^[\w-]{36}$/);
  assertMatch(String(rest.trace_id), /^[\da-f]{32}$/);
  assertMatch(String(rest.span_id), /^[\da-f]{16}$/);
  assert(Number(rest["http.server.request.duration"]) < 10, "in seconds");
  for (
    const name of [
      "timestamp",
      "http.request.id",
      "trace_id",
      "span_id",
      "http.server.request.duration",
    ]
  ) delete rest[name];
  assertEquals(rest, {
    severity_text: "INFO",
    "http.request.method": "GET",
    "http.request.header.referer": "https://a.example/?code=REDACTED",
    "http.response.status_code": 200,
    "http.response.body.size": 5,
    "http.route": "/users/:id",
    "network.protocol.version": "1.1",
    "server.address": "example.com",
    "server.port": 8443,
    "url.scheme": "https",
    "url.path": "/users/7",
    "url.query": "tab=1",
    "user.id": "ada",
    "user_agent.original": "Agent",
  });
});

const levels: [path: string, ecs: Fields, otel: Fields][] = [
  [
    "/nowhere",
    { "log.level": "warn", "event.outcome": "success" },
    { severity_text: "WARN" },
  ],
  [
    "/away",
    { "log.level": "error", "event.outcome": "failure" },
    { severity_text: "ERROR", "error.type": "503" },
  ],
  [
    "/throw",
    {
      "log.level": "error",
      "event.outcome": "failure",
      "error.type": "RangeError",
    },
    { severity_text: "ERROR", "error.type": "RangeError" },
  ],
];

for (const [path, ecs, otel] of levels) {
  Deno.test(`logger() writes the level of ${path} in JSON`, async () => {
    const one = await fieldsOf({}, path);
    const other = await fieldsOf({ names: "opentelemetry" }, path);
    for (const name in ecs) assertEquals(one[name], ecs[name]);
    for (const name in otel) assertEquals(other[name], otel[name]);
  });
}

for (const names of ["ecs", "opentelemetry"] as const) {
  Deno.test(`context.get(Log) writes JSON with the ids of the request in the names of ${names}`, async () => {
    const lines: string[] = [];
    const router = createRouter({
      middleware: [
        logger({ format: "json", names, output: (line) => lines.push(line) }),
      ],
    });
    router.get("/", (context) => {
      context.get(Log).warn("Stock \u001b[2J is low", {
        item: 7,
        name: "\u009b",
        missing: undefined,
        "log.level": "forged",
        severity_text: "forged",
      });
      return new Response();
    });
    await router.fetch("https://example.com/");

    assertMatch(lines[0], /^[\x20-\x7e]+$/);
    const [message, request] = lines.map((line) => JSON.parse(line));
    assertEquals(message.item, 7);
    assertEquals(message.name, "\u009b");
    assertEquals(message["http.request.id"], request["http.request.id"]);
    const [level, text, trace] = names === "ecs"
      ? ["log.level", "message", "trace.id"]
      : ["severity_text", "body", "trace_id"];
    assertEquals(message[level].toLowerCase(), "warn");
    assertEquals(message[text], "Stock \u001b[2J is low");
    assertEquals(message[trace], request[trace]);
  });
}

Deno.test("context.get(Log) truncates between characters", async () => {
  const lines: string[] = [];
  const router = createRouter({
    middleware: [
      logger({ format: "json", output: (line) => lines.push(line) }),
    ],
  });
  router.get("/", (context) => {
    context.get(Log).info(`${"a".repeat(1_023)}\u{1f600}`);
    return new Response();
  });
  await router.fetch("https://example.com/");
  assertEquals(JSON.parse(lines[0]!).message, `${"a".repeat(1_023)}\ufffd...`);
});

for (
  const [status, isLogged] of [
    [301, true],
    [399, true],
    [400, false],
    [404, false],
    [498, false],
    [500, true],
    [503, true],
  ] as const
) {
  Deno.test(`logger() ${isLogged ? "writes" : "leaves out"} the error behind a response with ${status}`, async () => {
    const lines: string[] = [];
    const router = createRouter({
      middleware: [
        logger({ format: "json", output: (line) => lines.push(line) }),
      ],
      onError: () => new Response(null, { status }),
    });
    router.get("/", () => {
      throw new RangeError("with a secret");
    });
    await router.fetch("https://example.com/");
    assertEquals(
      JSON.parse(lines[0]!)["error.type"],
      isLogged ? "RangeError" : undefined,
    );
  });
}
