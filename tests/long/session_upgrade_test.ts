import { assertEquals, assertMatch } from "@std/assert";
import { createRouter } from "@gatehouse/web/fetch-router";
import { Session } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { bundle } from "../runtimes/bundle.ts";
import { startWorker } from "../runtimes/workers.ts";
import { serveLocally } from "../deno/_serve.ts";

const ROOT = new URL("../../", import.meta.url);

Deno.test("session() passes an upgrade to a WebSocket on Workers, with its cookie, and saves its changes", async () => {
  const contents = await bundle(`
    import { createRouter } from "${ROOT.href}router/mod.ts";
    import { Session } from "${ROOT.href}session/mod.ts";
    import { session } from "${ROOT.href}session/middleware.ts";
    const router = createRouter({ middleware: [session()] });
    router.get("/socket", (context) => {
      const session = context.get(Session);
      session.update("count", (count) => Number(count ?? 0) + 1);
      const { 0: client, 1: server } = new WebSocketPair();
      server.accept();
      server.close();
      return new Response(null, { status: 101, webSocket: client });
    });
    router.get("/count", (context) =>
      Response.json(context.get(Session).get("count") ?? null));
    export default { fetch: (request, ...rest) => router.fetch(request, ...rest) };`);
  await using worker = await startWorker({
    modules: [{ type: "ESModule", path: "main.js", contents }],
  });
  const first = await upgrade(worker.url);
  assertMatch(first, /^HTTP\/1.1 101 /);
  const [, cookie] = /^Set-Cookie: ([^;]*)/im.exec(first)!;
  assertMatch(first, /^Cache-Control: private, no-store\r$/im);

  const second = await upgrade(worker.url, `Cookie: ${cookie}`);
  assertMatch(second, /^HTTP\/1.1 101 /);
  // Caches do not store an upgrade, so it needs no Cache-Control.
  assertEquals(/^(Set-Cookie|Cache-Control):/im.test(second), false);
  const url = new URL("/count", worker.url);
  const response = await fetch(url, { headers: { cookie } });
  assertEquals(await response.json(), 2);
});

Deno.test("session() begins a session after an upgrade on Deno, which closes the request", async () => {
  const router = createRouter({ middleware: [session()] });
  let problem: unknown;
  router.get("/socket", (context) => {
    const { response, socket } = Deno.upgradeWebSocket(context.request);
    socket.onopen = () => socket.close();
    try {
      context.get(Session).set("count", 1);
    } catch (error) {
      // Deno sends no response after an upgrade but this one.
      problem = error;
    }
    return response;
  });
  await using server = serveLocally(router.fetch);
  const head = await upgrade(new URL(`http://127.0.0.1:${server.addr.port}`));
  assertEquals(problem, undefined);
  assertMatch(head, /^HTTP\/1.1 101 /);
  assertMatch(head, /^Set-Cookie: session=/im);
});

Deno.test("session() sets its cookie on compressed responses on Workers", async () => {
  const script = await bundle(`
    import { createRouter } from "${ROOT.href}router/mod.ts";
    import { Session } from "${ROOT.href}session/mod.ts";
    import { session } from "${ROOT.href}session/middleware.ts";
    const router = createRouter({ middleware: [session()] });
    router.get("/:type", (context) => {
      context.get(Session).set("a", 1);
      const stream = new Blob(["Hello"]).stream()
        .pipeThrough(new CompressionStream("gzip"));
      const headers = { "Content-Encoding": "gzip" };
      const { type } = context.params;
      if (type !== "none") headers["Content-Type"] = "text/" + type;
      return new Response(stream, { headers, encodeBody: "manual" });
    });
    export default { fetch: router.fetch };`);
  await using worker = await startWorker({ script });
  for (const type of ["plain", "none"]) {
    const response = await fetch(new URL(`/${type}`, worker.url));
    assertEquals(response.headers.getSetCookie().length, 1);
    assertEquals(await response.text(), "Hello", type);
  }
});

/** Opens a WebSocket and returns the head of the response. */
async function upgrade(
  { host, hostname, port }: URL,
  ...headers: string[]
): Promise<string> {
  const lines = [
    "GET /socket HTTP/1.1",
    `Host: ${host}`,
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Version: 13",
    `Sec-WebSocket-Key: ${btoa("0123456789abcdef")}`,
    ...headers,
  ];
  using connection = await Deno.connect({ hostname, port: Number(port) });
  const request = `${lines.join("\r\n")}\r\n\r\n`;
  await connection.write(new TextEncoder().encode(request));
  const buffer = new Uint8Array(4_096);
  const length = await connection.read(buffer) ?? 0;
  return new TextDecoder().decode(buffer.subarray(0, length));
}
