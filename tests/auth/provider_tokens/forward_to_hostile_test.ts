// Hostile requests to `forwardTo`, and hostile responses of an API.
import {
  assert,
  assertEquals,
  assertFalse,
  assertMatch,
  assertRejects,
} from "@std/assert";
import { turns, until } from "../../_wait.ts";
import { ForwardApp, TOKEN } from "../_forward.ts";

Deno.test("forwardTo() refuses paths that servers could read differently", async () => {
  const app = new ForwardApp();
  const segments = [
    "a%2fb", // encoded separators
    "a%2Fb",
    "a%5cb",
    "..%2f..%2fadmin",
    "%2e%2e%2fadmin",
    "..%5cadmin",
    "%252e%252e%252fadmin", // encoded twice
    "a%252fb",
    "%25%32%66",
    "%2525252f",
    "..;", // parameters
    "..;x=1",
    "..%3b",
    ";/admin",
    "a;b=c",
    "/admin", // empty segments
    "/evil.example/x",
    "a//b",
    "...", // dots
    "..%20",
    "%20..",
    "%20",
    "..%00", // control characters
    "a%00.png",
    "a%0d%0aHost:%20evil.example",
    "%09",
    "a%7fb",
    "%c0%af", // not UTF-8
    "%c0%ae%c0%ae",
    "%ff",
    "%e0%80%af",
    "%ed%a0%80",
    "%", // malformed escapes
    "%2",
    "%zz",
    "%u002f",
    "%ef%bc%8f", // characters that fold to separators and dots
    "／admin",
    "．．",
    "‥",
    "%ef%bc%85%32%66",
    "%ef%bc%852f",
    "；",
    "＼",
    ".%e2%80%8b.",
    "%61dmin", // letters that need no escape
    "%41",
    "%7e",
    "..%3F", // a query for an API that decodes before it splits
    "..%3Fx=1",
    ".%23",
  ];
  for (const segment of segments) {
    const response = await app.send(`/files/${segment}`);
    const text = await response.text();
    assertEquals([response.status, text], [400, "Bad Request"], segment);
  }
  assertEquals(app.received, []);
});

Deno.test("forwardTo() resolves dot segments before it matches", async () => {
  const app = new ForwardApp();
  const rows = [
    ["/files/../admin", 404, null],
    ["/files/%2e%2e/admin", 404, null],
    ["/files/.%2E/../../admin", 404, null],
    ["/files/..\\admin", 404, null],
    ["/../../../admin", 404, null],
    ["/files/a/../b", 200, "/v1/files/b"],
    ["/files/./b", 200, "/v1/files/b"],
    ["/files/a\\b", 200, "/v1/files/a/b"],
    ["/files/\ta\n", 200, "/v1/files/a"],
  ] as const;
  for (const [path, status, seen] of rows) {
    app.received.length = 0;
    const response = await app.send(path);
    await response.body?.cancel();
    assertEquals(response.status, status, path);
    const url = app.received[0]?.url ?? null;
    assertEquals(url, seen && `https://api.example${seen}`, path);
  }
});

Deno.test("forwardTo() forwards names with other characters", async () => {
  const app = new ForwardApp();
  for (
    const name of [
      "100%25",
      "100%25%20sure",
      "caf%C3%A9",
      "%E6%96%87",
      "a%20b",
      "what%3F",
      "%23tag",
      "a.b",
      ".hidden",
      "a..b",
      "it's(1)!*",
      "a+b@c:d,e=f&g$h",
      "%F0%9F%91%A9%E2%80%8D%F0%9F%92%BB",
    ]
  ) {
    const response = await app.send(`/notes/${name}`);
    await response.body?.cancel();
    assertEquals(response.status, 200, name);
    const { url } = app.received.at(-1)!;
    assertEquals(url, `https://api.example/v1/notes/${name}`);
  }
});

Deno.test("forwardTo() reaches the same host whatever the request's URL is", async () => {
  const app = new ForwardApp();
  const headers = { "Sec-Fetch-Site": "same-origin", Host: "evil.example" };
  const rows = [
    ["https://evil.example/api/notes", 200],
    ["http://evil.example:81/api/notes", 200],
    ["https://app.example/api/files/https://evil.example/", 400],
    ["https://app.example/api//evil.example/notes", 404],
    ["https://app.example/api/\\evil.example/notes", 404],
    ["https://app.example/api/files/@evil.example/", 200],
    ["https://app.example/api:80@evil.example/notes", 404],
    ["https://app.example/api/notes#@evil.example", 200],
    ["https://app.example/api/notes?@evil.example/", 200],
  ] as const;
  for (const [url, status] of rows) {
    const response = await app.router.fetch(url, { headers });
    await response.body?.cancel();
    assertEquals(response.status, status, url);
  }
  for (const { headers, url } of app.received) {
    assert(url.startsWith("https://api.example/v1/"), url);
    assertEquals(headers.get("Host"), null);
  }
});

Deno.test("forwardTo() refuses an access token in the query (RFC 6750, section 2.3)", async () => {
  const app = new ForwardApp();
  for (const query of ["access_token=x", "a=1&access%5ftoken=x"]) {
    assertEquals((await app.send(`/notes?${query}`)).status, 400);
  }
  assertEquals(app.received, []);
});

Deno.test("forwardTo() refuses requests that no script of its origin sent", async () => {
  const rows: [Record<string, string>, number][] = [
    [{ "Sec-Fetch-Site": "same-origin" }, 200],
    [{ "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Dest": "empty" }, 200],
    [{ "X-Requested-With": "XMLHttpRequest" }, 200],
    [{}, 403],
    [{ Origin: "https://app.example" }, 403],
    [{ "Sec-Fetch-Site": "cross-site" }, 403],
    [{ "Sec-Fetch-Site": "same-site" }, 403],
    [{ "Sec-Fetch-Site": "none" }, 403],
    [{ "Sec-Fetch-Site": "none", "X-Requested-With": "x" }, 403],
    [{ "Sec-Fetch-Site": "cross-site", "X-Requested-With": "x" }, 403],
    [{ "Sec-Fetch-Site": "same-origin, cross-site" }, 403],
    [{ "Sec-Fetch-Site": "" }, 403],
    ...["document", "iframe", "script", "image", "style", "worker", "object"]
      .map((kind): [Record<string, string>, number] => [
        { "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Dest": kind },
        403,
      ]),
    [{ "Sec-Fetch-Site": "same-origin", Upgrade: "websocket" }, 501],
    [{ "Sec-Fetch-Site": "same-origin", Upgrade: "h2c, WebSocket" }, 501],
    [{ "Sec-Fetch-Site": "cross-site", Upgrade: "websocket" }, 403],
  ];
  for (const [headers, status] of rows) {
    const app = new ForwardApp();
    const url = "https://app.example/api/notes";
    const response = await app.router.fetch(url, { headers });
    await response.body?.cancel();
    assertEquals(response.status, status, JSON.stringify(headers));
    assertEquals(app.received.length, status === 200 ? 1 : 0);
    assertEquals(response.headers.get("Cache-Control"), "no-store");
  }
});

Deno.test("forwardTo() passes harmless request headers only", async () => {
  const app = new ForwardApp({ requestHeaders: ["X-Trace"] });
  const passed = {
    "accept": "text/csv",
    "accept-language": "de",
    "content-type": "text/plain",
    "if-none-match": '"1"',
    "prefer": "return=minimal",
    "range": "bytes=0-1",
    "x-trace": "7",
  };
  const stripped = [
    "Authorization",
    "Cookie",
    "Cookie2",
    "CF-Connecting-IP",
    "Connection",
    "Content-Encoding",
    "DPoP",
    "Expect",
    "Forwarded",
    "Keep-Alive",
    "Origin",
    "Proxy-Authorization",
    "Referer",
    "Sec-Fetch-Mode",
    "TE",
    "Trailer",
    "Transfer-Encoding",
    "True-Client-IP",
    "Via",
    "X-Api-Key",
    "X-Custom",
    "X-Forwarded-For",
    "X-Forwarded-Host",
    "X-HTTP-Method-Override",
    "X-Method-Override",
    "X-Original-URL",
    "X-Real-IP",
    "X-Rewrite-URL",
  ];
  const headers = new Headers(passed);
  for (const name of stripped) headers.set(name, "evil");
  const response = await app.send("/notes", {
    method: "POST",
    headers,
    body: "x",
  });
  await response.body?.cancel();
  assertEquals(response.status, 200);
  assertEquals(Object.fromEntries(app.received[0].headers), {
    ...passed,
    "authorization": `Bearer ${TOKEN}`,
    "user-agent": "Gatehouse",
  });
});

Deno.test("forwardTo() strips headers that Connection names (RFC 9110, section 7.6.1)", async () => {
  const app = new ForwardApp({ requestHeaders: ["X-Trace"] });
  const response = await app.send("/notes", {
    headers: {
      Connection: "close, X-TRACE ,prefer",
      "X-Trace": "1",
      Prefer: "a",
    },
  });
  await response.body?.cancel();
  const { headers } = app.received[0];
  assertEquals([headers.get("X-Trace"), headers.get("Prefer")], [null, null]);
  assertEquals(headers.get("Authorization"), `Bearer ${TOKEN}`);
});

Deno.test("forwardTo() passes harmless response headers only", async () => {
  const app = new ForwardApp({ responseHeaders: ["Link"] });
  const passed = {
    "content-disposition": "attachment",
    "content-type": "text/html",
    "etag": '"1"',
    "link": "</v1/notes?page=2>; rel=next",
    "retry-after": "5",
  };
  const stripped = [
    "Access-Control-Allow-Credentials",
    "Access-Control-Allow-Origin",
    "Alt-Svc",
    "Authentication-Info",
    "Clear-Site-Data",
    "Connection",
    "Content-Encoding",
    "Content-Security-Policy-Report-Only",
    "DPoP-Nonce",
    "Keep-Alive",
    "Location",
    "NEL",
    "Proxy-Authenticate",
    "Refresh",
    "Report-To",
    "Server",
    "Service-Worker-Allowed",
    "Set-Login",
    "SourceMap",
    "Strict-Transport-Security",
    "Trailer",
    "Upgrade",
    "Via",
    "WWW-Authenticate",
    "X-Powered-By",
  ];
  app.answer = () => {
    const headers = new Headers(passed);
    for (const name of stripped) headers.set(name, "evil");
    headers.set("Cache-Control", "public, max-age=600");
    headers.set("Content-Security-Policy", "script-src *");
    headers.append("Set-Cookie", "__Host-session=evil; Path=/; Secure");
    return new Response("<script>alert(1)</script>", { headers });
  };
  const response = await app.send("/notes");
  await response.body?.cancel();
  assertEquals(Object.fromEntries(response.headers), {
    ...passed,
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
  });
});

Deno.test("forwardTo() turns redirects and invalid statuses into a 502", async () => {
  for (const status of [300, 301, 302, 303, 305, 307, 308]) {
    const app = new ForwardApp();
    const headers = { Location: "https://evil.example/" };
    app.answer = () => new Response("secret detail", { status, headers });
    const response = await app.send("/notes");
    assertEquals(response.status, 502);
    assertEquals(response.headers.get("Location"), null);
    assertEquals(await response.text(), "Bad Gateway");
    assertEquals(app.received.length, 1);
    assertEquals(app.errors, [
      `Cannot forward to "https://api.example": status ${status}, and redirects are not followed`,
    ]);
  }
});

Deno.test("forwardTo() passes a 304 and other statuses without a body", async () => {
  for (const status of [204, 205, 304]) {
    const app = new ForwardApp();
    app.answer = () => new Response(null, { status, headers: { ETag: '"1"' } });
    const response = await app.send("/notes");
    assertEquals([response.status, response.body], [status, null]);
    assertEquals(response.headers.get("ETag"), '"1"');
    // Its timers end too.
    assert(app.received[0].signal.aborted);
  }
});

Deno.test("forwardTo() leaves it to the body to end a request whose response has begun", async () => {
  const app = new ForwardApp();
  const client = new AbortController();
  app.answer = () =>
    new Response(ReadableStream.from([encode("no"), encode("tes")]));
  const response = await app.send("/notes", { signal: client.signal });
  client.abort();
  assertFalse(app.received[0].signal.aborted);
  assertEquals(await response.text(), "notes");
  assert(app.received[0].signal.aborted);
  assertEquals(app.errors, []);
});

Deno.test("forwardTo() passes on what contains a token of fewer than 16 characters, which may occur by chance", async () => {
  const short = "a".repeat(15);
  for (
    const [token, isPassed] of [[short, true], [`${short}a`, false]] as const
  ) {
    const app = new ForwardApp({ responseHeaders: ["X-Echo"] });
    app.results = [{ ok: true, accessToken: token }];
    app.answer = () => new Response(token, { headers: { "X-Echo": token } });
    const response = await app.send("/notes");
    assertEquals(response.headers.get("X-Echo"), isPassed ? token : null);
    const body = await response.text().catch(() => null);
    assertEquals(body, isPassed ? token : null);
  }
});

Deno.test("forwardTo() answers 502 without a detail if the API is unavailable", async () => {
  const app = new ForwardApp();
  app.answer = () => {
    throw new TypeError(
      `error for https://api.example/v1/notes?name=ada: ${TOKEN}\r\nforged`,
    );
  };
  const headers = { Accept: "application/json" };
  const response = await app.send("/notes?name=ada", { headers });
  assertEquals(response.status, 502);
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  const body = await response.json();
  assertEquals(body, { title: "Bad Gateway", status: 502 });
  assertEquals(app.errors, [
    'Cannot forward to "https://api.example": error for https://api.example/v1/notes?… … forged',
  ]);
});

Deno.test("forwardTo() answers 504 if the response does not begin in time", async () => {
  const app = new ForwardApp({ responseTimeout: 20 });
  const { promise, resolve } = Promise.withResolvers<Response>();
  let isCanceled = false;
  app.answer = () => promise;
  const response = await app.send("/notes");
  assertEquals(response.status, 504);
  assertEquals(await response.text(), "Gateway Timeout");
  assert(app.received[0].signal.aborted);
  // A `fetch` that ignores the signal may still return a response.
  resolve(
    new Response(
      new ReadableStream({
        cancel() {
          isCanceled = true;
        },
      }),
    ),
  );
  await until(() => isCanceled);
});

Deno.test("forwardTo() ends a response that stops, is too long or too large", async () => {
  const part = new Uint8Array(10);
  const slow = () =>
    new ReadableStream({
      async pull(controller) {
        await turns();
        controller.enqueue(part);
      },
    }, { highWaterMark: 0 });
  const rows = [
    [{ idleTimeout: 20 }, () => new ReadableStream(), "no data within 20 ms"],
    [
      { totalTimeout: 300 },
      slow,
      "no complete response within 300 ms",
    ],
    [{ maxResponseBytes: 25 }, slow, "more than 25 bytes"],
  ] as const;
  for (const [options, body, reason] of rows) {
    const app = new ForwardApp(options);
    app.answer = () => new Response(body());
    const response = await app.send("/notes");
    assertEquals(response.status, 200);
    await assertRejects(() => response.arrayBuffer());
    assertEquals(app.errors, [
      `Cannot forward to "https://api.example": ${reason}`,
    ]);
    assert(app.received[0].signal.aborted);
  }
});

Deno.test("forwardTo() answers 502 to a response that declares too many bytes", async () => {
  const app = new ForwardApp({ maxResponseBytes: 25 });
  app.answer = () =>
    new Response("x".repeat(26), { headers: { "Content-Length": "26" } });
  const response = await app.send("/notes");
  assertEquals([response.status, await response.text()], [502, "Bad Gateway"]);
});

Deno.test("forwardTo() reads no more of a response than the client does", async () => {
  const app = new ForwardApp();
  let produced = 0;
  app.answer = () =>
    new Response(
      new ReadableStream({
        pull(controller) {
          controller.enqueue(new Uint8Array(1_000));
          produced++;
        },
      }, { highWaterMark: 0 }),
    );
  const response = await app.send("/notes");
  const reader = response.body!.getReader();
  await reader.read();
  await turns(20);
  assert(produced < 10, `${produced}`);
  await reader.cancel();
});

Deno.test("forwardTo() cancels the API's response when the client leaves", async () => {
  const app = new ForwardApp();
  let reason: unknown;
  app.answer = () =>
    new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(new Uint8Array(1)),
        cancel(given) {
          reason = given;
        },
      }),
    );
  const response = await app.send("/notes");
  const reader = response.body!.getReader();
  await reader.read();
  await reader.cancel("left");
  assertEquals(reason, "left");
  assert(app.received[0].signal.aborted);
  assertEquals(app.errors, []);
});

Deno.test("forwardTo() aborts its request when the client leaves before the response", async () => {
  const app = new ForwardApp();
  const client = new AbortController();
  app.answer = ({ signal }) => {
    client.abort();
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
      if (signal.aborted) reject(signal.reason);
    });
  };
  await app.send("/notes", { signal: client.signal }).catch(() => {});
  assert(app.received[0].signal.aborted);
  assertEquals(app.errors, []);
});

Deno.test("forwardTo() never returns the token, even if the API repeats it", async () => {
  const half = TOKEN.length / 2;
  const bodies = [
    [`before ${TOKEN} after`],
    [`before ${TOKEN.slice(0, half)}`, `${TOKEN.slice(half)} after`],
    [...TOKEN],
    [TOKEN.slice(0, -1), TOKEN.slice(-1)],
    [TOKEN.slice(0, 4) + TOKEN.slice(0, half), TOKEN.slice(half)],
  ];
  for (const parts of bodies) {
    const app = new ForwardApp();
    const encoder = new TextEncoder();
    app.answer = () =>
      new Response(
        ReadableStream.from(parts.map((part) => encoder.encode(part))),
      );
    const response = await app.send("/notes");
    let seen = "";
    await assertRejects(async () => {
      const decoder = new TextDecoder();
      const reader = response.body!.getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        seen += decoder.decode(value);
      }
    });
    assert(!seen.includes(TOKEN.slice(0, 8)), seen);
    assertEquals(app.errors, [
      'Cannot forward to "https://api.example": it contains the access token',
    ]);
  }
});

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

Deno.test("forwardTo() passes on a body that ends with the beginning of the token", async () => {
  for (const length of [1, 8, TOKEN.length - 1]) {
    const text = `before ${TOKEN.slice(0, length)}`;
    const app = new ForwardApp();
    app.answer = () => new Response(ReadableStream.from([text].map(encode)));
    const response = await app.send("/notes");
    assertEquals(await response.text(), text);
  }
});

Deno.test("forwardTo() leaves out a response header that repeats the token", async () => {
  const app = new ForwardApp({ responseHeaders: ["X-Echo"] });
  app.answer = () =>
    new Response("ok", { headers: { "X-Echo": `Bearer ${TOKEN}` } });
  const response = await app.send("/notes");
  assertEquals(response.headers.get("X-Echo"), null);
  assertEquals(await response.text(), "ok");
});

Deno.test("forwardTo() cancels a response of the API that has more bytes than allowed", async () => {
  let reason = "";
  const app = new ForwardApp({ maxResponseBytes: 1_000 });
  app.answer = () =>
    new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(600)),
        cancel: (error) => void (reason = String(error)),
      }),
    );
  const response = await app.send("/notes");
  const read = await response.text().then(() => "read", () => "failed");
  assertEquals(read, "failed");
  await turns();
  assertMatch(reason, /1000 bytes/);
});
