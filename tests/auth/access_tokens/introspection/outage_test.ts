import { assertEquals, assertMatch } from "@std/assert";
import {
  activeToken,
  createIntrospectingAPI,
} from "../../_introspecting_api.ts";

Deno.test("createIntrospection() asks an unavailable issuer once in five seconds", async () => {
  let errors = 0;
  const { asked, clock, provider, respond, responses, send } =
    await createIntrospectingAPI({}, { onError: () => errors++ });
  provider.faults.respond = (request) =>
    request.path === "/introspect"
      ? new Response(null, { status: 503 })
      : respond(request);
  for (let count = 0; count < 20; count++) {
    assertEquals((await send(`t0ken${count}`)).status, 503);
  }
  // One token and one probe.
  assertEquals([asked(), errors], [2, 1]);
  provider.faults.respond = respond;
  responses.t0ken = activeToken();
  clock.now += 4_999;
  assertEquals((await send("t0ken")).status, 503);
  clock.now += 1;
  assertEquals((await send("t0ken")).status, 200);
  assertEquals((await send("other")).status, 401);
});

Deno.test("createIntrospection() lets one request ask an issuer that does not respond", async () => {
  const { asked, clock, provider, respond, send } =
    await createIntrospectingAPI({}, { timeout: 50, onError: () => {} });
  assertEquals((await send("unknown")).status, 401);
  provider.faults.respond = () => new Promise<Response>(() => {});
  assertEquals((await send("a")).status, 503);
  assertEquals((await send("d")).status, 503);
  clock.now += 5_000;
  const waiting = send("b");
  const first = await Promise.race([
    waiting.then(() => "the request that asks"),
    send("c").then(() => "the others"),
  ]);
  assertEquals(first, "the others");
  assertEquals((await waiting).status, 503);
  assertEquals(asked(), 4);
  provider.faults.respond = respond;
});

for (const status of [403, 404, 406, 409, 429, 500, 502, 504]) {
  Deno.test(`createIntrospection() asks for other tokens if the issuer responds with ${status} to one of them`, async () => {
    const { asked, clock, send } = await createFailingAPI(status);
    assertEquals((await send("t0ken")).status, 200);
    for (let count = 0; count < 20; count++) {
      assertEquals((await send("x1")).status, 503);
    }
    // The issuer is not asked about the same token again for five seconds.
    assertEquals(asked(), 2);
    assertEquals((await send("other")).status, 200);
    clock.now += 5_000;
    assertEquals((await send("x1")).status, 503);
    assertEquals(asked(), 4);
    assertEquals((await send("another")).status, 200);
  });
}

for (
  const [name, failure] of [
    ["an error", 500],
    ["too many requests", 429],
    [
      "more than 256 KiB",
      () => Response.json({ ...activeToken(), a: "a".repeat(300_000) }),
    ],
    ["malformed UTF-8", () => jsonResponse(new Uint8Array([0x22, 0xff, 0x22]))],
    ["an empty body", () => jsonResponse(null)],
    ["503", 503],
    ["a refused client", 401],
    ["a network error", () => Promise.reject(new TypeError("refused"))],
  ] as const
) {
  Deno.test(`createIntrospection() asks for other tokens while one a second makes the issuer respond with ${name}`, async () => {
    const { clock, responses, send } = await createFailingAPI(failure);
    for (let second = 0; second < 20; second++) {
      assertEquals((await send(`x${second}`)).status, 503);
      responses[`valid${second}`] = activeToken();
      assertEquals((await send(`valid${second}`)).status, 200);
      clock.now += 1_000;
    }
  });
}

Deno.test("createIntrospection() sends a random token as a probe after a failure, and no token of a client", async () => {
  const { provider, send } = await createFailingAPI(503);
  await send("x1");
  assertEquals((await send("x2")).status, 503);
  const [first, probe, second] = provider.requests
    .filter(({ path }) => path === "/introspect")
    .map(({ form }) => form.get("token")!);
  assertEquals([first, second], ["x1", "x2"]);
  assertMatch(probe!, /^[\w-]{43}$/);
});

for (
  const [name, respond] of [
    ["a network error", () => Promise.reject(new TypeError("refused"))],
    ["503", () => new Response(null, { status: 503 })],
    ["a refused client", () => Response.json({}, { status: 401 })],
  ] as const
) {
  Deno.test(`createIntrospection() takes an issuer as unavailable after one probe with ${name}`, async () => {
    const { asked, provider, respond: usual, send } =
      await createIntrospectingAPI({}, { onError: () => {} });
    provider.faults.respond = (request) =>
      request.path === "/introspect" ? respond() : usual(request);
    const tokens = Array.from({ length: 20 }, (_, index) => `a${index}`);
    assertEquals((await send("t0ken")).status, 503);
    const responses = await Promise.all(tokens.map((token) => send(token)));
    assertEquals(
      new Set(responses.map(({ status }) => status)),
      new Set([503]),
    );
    assertEquals(asked(), 2);
    for (const { body } of responses) await body?.cancel();
  });
}

function jsonResponse(body: Uint8Array<ArrayBuffer> | null): Response {
  return new Response(body, {
    headers: { "Content-Type": "application/json" },
  });
}

/** Creates an API whose issuer fails for the tokens `x1`, `x2` and so on. */
async function createFailingAPI(
  failure: number | (() => Response | Promise<Response>),
) {
  const api = await createIntrospectingAPI({}, { onError: () => {} });
  const { provider, respond, responses } = api;
  responses.other = responses.another = activeToken();
  provider.faults.respond = (request) => {
    if (!/^x\d+$/.test(request.form.get("token") ?? "")) {
      return respond(request);
    }
    return typeof failure === "function"
      ? failure()
      : Response.json({}, { status: failure });
  };
  return api;
}
