/** The outcome of a response in the log, on real servers. */
import { connect } from "node:net";
import { assert, assertEquals } from "@std/assert";
import { createRouter } from "@gatehouse/web/fetch-router";
import { logger } from "@gatehouse/web/logger-middleware";
import { NODE_VERSIONS } from "../runtimes/node.ts";
import { createEndingApp } from "../deno/_log_app.ts";
import {
  type Running,
  serveOnBun,
  serveOnDeno,
  serveOnNode,
  serveOnWorkerd,
} from "../deno/_sockets.ts";
import { serveLocally } from "../deno/_serve.ts";
import { until } from "../_wait.ts";

/** A log line of a request. */
interface Line {
  readonly url: string;
  readonly status: number;
  readonly outcome: string;
  readonly bytes?: number;
  readonly error?: string;
}

const servers: [name: string, start: () => Promise<Running>][] = [
  ["Deno", startDeno],
  ["Bun", startBun],
  ["workerd", startWorkerd],
];
if (NODE_VERSIONS.length > 0) servers.push(["Node", startNode]);

for (const [name, start] of servers) {
  Deno.test(`logger() on ${name} writes one line for each outcome of a response`, async () => {
    await using server = await start();
    const whole = await fetch(`${originOf(server)}/whole`);
    assertEquals((await whole.text()).length, 100_000);
    assertEquals(await lastLine(server, 1), {
      url: "/whole",
      status: 200,
      outcome: "complete",
      bytes: 100_000,
    });

    await (await fetch(`${originOf(server)}/throwing`)).text();
    assertEquals(await lastLine(server, 2), {
      url: "/throwing",
      status: 500,
      outcome: "complete",
      bytes: 21,
      error: "RangeError",
    });

    // The connection breaks off.
    await fetch(`${originOf(server)}/failing`)
      .then((response) => response.text()).catch(() => {});
    const failed = await lastLine(server, 3);
    assertEquals([failed.url, failed.outcome], ["/failing", "failed"]);
    assertEquals([failed.bytes, failed.error], [1000, "RangeError"]);

    for (const [index, path] of ["/endless", "/large"].entries()) {
      await leave(server, path);
      const { url, status, outcome, bytes } = await lastLine(server, 4 + index);
      assertEquals([url, status, outcome], [path, 200, "aborted"]);
      assert(bytes! < 50_000_000, `${bytes}`);
    }
  });

  Deno.test(`logger() on ${name} marks a handler that stopped because the client left`, async () => {
    await using server = await start();
    await leave(server, "/waiting");
    const line = await lastLine(server, 1);
    assertEquals(line, { url: "/waiting", status: 499, outcome: "aborted" });
    const errors = await (await fetch(`${originOf(server)}/errors`)).json();
    assertEquals(errors, [], "onError is not called for an aborted request");
  });

  Deno.test(`logger() on ${name} writes a line for a client that left before the response`, async () => {
    await using server = await start();
    await leave(server, "/slow");
    const { url, status, outcome } = await lastLine(server, 1);
    assertEquals([url, status], ["/slow", 200]);
    // Deno accepts a small body as a whole before it sees the disconnect.
    assertEquals(outcome, name === "Deno" ? "complete" : "aborted");
  });

  Deno.test(`logger() on ${name} accepts the streams of strings and buffers that Bun and Workers accept`, async () => {
    await using server = await start();
    const response = await fetch(`${originOf(server)}/chunks`);
    assertEquals(await response.text(), "événement 23454534");
    const { bytes, outcome } = await lastLine(server, 1);
    assertEquals([bytes, outcome], [20, "complete"]);
  });
}

Deno.test("logger() with countBytes sends a string as a string on Bun, and never guesses", async () => {
  await using server = await startBun();
  const styles = await fetch(`${originOf(server)}/styles`);
  assertEquals(await styles.text(), "a {}");
  assert(styles.headers.get("Content-Type")?.startsWith("text/css"));
  for (const path of ["/whole", "/large"]) {
    const response = await fetch(originOf(server) + path);
    await response.body?.cancel();
    const type = response.headers.get("Content-Type");
    assertEquals(type, "text/plain;charset=utf-8", path);
  }
});

Deno.test("logger() on Deno passes a WebSocket upgrade and logs 101", async () => {
  const lines: string[] = [];
  const router = createRouter({
    middleware: [logger({
      format: ({ status, outcome }) => `${status} ${outcome}`,
      output: (line) => lines.push(line),
      countBytes: true,
      ids: { respond: true },
    })],
  });
  router.get("/", ({ request }) => {
    const { socket, response } = Deno.upgradeWebSocket(request);
    socket.onopen = () => socket.send("Hello");
    return response;
  });
  await using server = serveLocally(router.fetch);
  const socket = new WebSocket(`ws://127.0.0.1:${server.addr.port}/`);
  const { data } = await new Promise<MessageEvent>((resolve) => {
    socket.onmessage = resolve;
  });
  const closed = new Promise((resolve) => socket.onclose = resolve);
  socket.close();
  await closed;
  assertEquals(data, "Hello");
  assertEquals(lines, ["101 complete"]);
});

function originOf({ port }: Running): string {
  return `http://127.0.0.1:${port}`;
}

/** Sends a request, reads the first bytes and closes the connection. */
async function leave({ port }: Running, path: string): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  if (silent.includes(path)) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  } else await new Promise((resolve) => socket.once("data", resolve));
  const closed = new Promise((resolve) => socket.once("close", resolve));
  // workerd treats a half-closed connection as a waiting client.
  socket.resetAndDestroy();
  await closed;
}

/** The paths that send nothing at first. */
const silent = ["/waiting", "/slow"];

/** Returns the last line once there are `count` lines. */
async function lastLine(server: Running, count: number): Promise<Line> {
  const lines = await until(async () => {
    const response = await fetch(`${originOf(server)}/lines`);
    const lines: Line[] = await response.json();
    assert(lines.length <= count, JSON.stringify(lines));
    return lines.length === count && lines;
  });
  return lines.at(-1)!;
}

const app = import.meta.resolve("../deno/_log_app.ts");

function startDeno(): Promise<Running> {
  return serveOnDeno(createEndingApp().fetch);
}

function startBun(): Promise<Running> {
  return serveOnBun(
    app,
    `const { fetch } = createEndingApp();
console.log(Bun.serve({ hostname: "127.0.0.1", port: 0, fetch }).port);`,
  );
}

function startNode(): Promise<Running> {
  return serveOnNode(
    `import { createEndingApp } from ${JSON.stringify(app)};
const { fetch } = createEndingApp();`,
  );
}

async function startWorkerd(): Promise<Running> {
  const server = await serveOnWorkerd(
    app,
    `let router;
export default {
  fetch: (...platform) => (router ??= createEndingApp()).fetch(...platform),
};`,
    // The signal of a request never aborts without this flag.
    { compatibilityFlags: ["enable_request_signal"] },
  );
  // The application loads with the first request.
  await (await fetch(`${originOf(server)}/lines`)).text();
  return server;
}
