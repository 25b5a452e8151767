import { connect } from "node:net";
import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { createServerApp } from "../deno/_server_app.ts";
import {
  NODE_SERVERS,
  type Running,
  sendRaw,
  serveOnBun,
  serveOnDeno,
  serveOnNode,
  serveOnWorkerd,
} from "../deno/_sockets.ts";
import { NODE_VERSIONS } from "../runtimes/node.ts";

const APPLICATION = import.meta.resolve("../deno/_server_app.ts");

const runtimes: Record<string, () => Promise<Running>> = {
  "Deno.serve": startDeno,
  "Bun.serve": startBun,
  "workerd": startWorkerd,
};
const nodeServers = NODE_VERSIONS.length === 0
  ? []
  : Object.keys(NODE_SERVERS) as (keyof typeof NODE_SERVERS)[];
for (const server of nodeServers) {
  runtimes[`${server} on Node`] = () =>
    serveOnNode(
      `import { createServerApp } from "${APPLICATION}";
const { fetch } = createServerApp();`,
      server,
    );
}

/** Milliseconds. */
const PATIENCE = 500;

/** Request targets and hosts that reach handlers raw on some runtimes. */
const targets = [
  "/admin/../public/x",
  "/public/../admin/x",
  "/public/%2e%2e/admin/x",
  "/public/.%2E/admin/x",
  "/public\\..\\admin\\x",
  "/public/./%2e/x",
  "//admin/x",
  "/admin//../x",
  "/public/é",
  "/public/%zz",
  "http://other.example/admin/../public/x",
];
const hosts = [
  "localhost",
  "localhost/admin/",
  "localhost?x",
  "localhost#x",
  "user:password@localhost",
  "a b",
  "[::1",
  "xn--\xff",
  "",
];

for (const [name, start] of Object.entries(runtimes)) {
  Deno.test(`router.fetch serves on ${name}: address, stream, upload, errors`, async () => {
    await using server = await start();
    const origin = `http://127.0.0.1:${server.port}`;
    const get = async (path: string) =>
      await (await fetch(origin + path)).text();

    assertEquals(await get("/address"), "127.0.0.1");
    assertEquals(await get("/stream"), "1;2;3;");
    // It never ends, so the server cannot have buffered it. Miniflare buffers
    // compressed responses.
    const endless = await fetch(`${origin}/endless`, {
      headers: { "Accept-Encoding": "identity" },
    });
    const reader = endless.body!.getReader();
    const { value } = await reader.read();
    assertMatch(new TextDecoder().decode(value), /^1;/);
    await reader.cancel();

    const body = new URLSearchParams({ a: "1", b: "2" });
    const fields = await fetch(`${origin}/upload`, { method: "POST", body });
    assertEquals(await fields.text(), "2 fields");
    for (const isChunked of [false, true]) {
      const answer = await sendLargeForm(server.port, isChunked);
      assertMatch(answer, /^HTTP\/1\.1 413 /);
    }

    const thrown = await fetch(`${origin}/throws`);
    assertEquals(thrown.status, 500);
    assertEquals(await thrown.text(), "Internal Server Error");
    const deleted = await fetch(`${origin}/address`, { method: "DELETE" });
    assertEquals(deleted.status, 405);
    await deleted.body?.cancel();
  });

  Deno.test(`router.fetch matches routes on ${name} by context.url only`, async () => {
    await using server = await start();
    let reached = 0;
    for (const target of targets) {
      const answer = await sendRaw(server.port, target, "localhost", PATIENCE);
      assert(!answer.includes("NOT NAMED"), `${target}: ${answer}`);
      // The runtime itself rejects some, so our handlers did not run.
      assertMatch(answer, /^(?:HTTP\/1\.1 [245]\d\d|$)/, target);
      if (answer.includes(" named ")) reached++;
    }
    assert(reached > 2, "some targets reach a handler");
    for (const host of hosts) {
      const answer = await sendRaw(server.port, "/public/x", host, PATIENCE);
      assert(!answer.includes("NOT NAMED"), `Host ${host}: ${answer}`);
      assertMatch(answer, /^(?:HTTP\/1\.1 [245]\d\d|$)/, `Host ${host}`);
    }
    assertStringIncludes(
      await sendRaw(server.port, "/public/x", "localhost", PATIENCE),
      "public named /public/x",
    );
  });

  if (name.endsWith(" on Node")) continue; // These servers upgrade no requests.

  Deno.test(`router.fetch lets a WebSocket upgrade through on ${name}`, async () => {
    await using server = await start();
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/ws`);
    const reply = await new Promise<string>((resolve, reject) => {
      socket.onopen = () => socket.send("ping");
      socket.onmessage = ({ data }) => resolve(data);
      socket.onerror = () => reject(new Error("no upgrade"));
    });
    assertEquals(reply, "echo ping");
    const closed = new Promise((resolve) => socket.onclose = resolve);
    socket.close();
    await closed;
  });
}

Deno.test("router.fetch on Bun reports no error if a handler returns nothing after an upgrade", async () => {
  await using server = await startBun();
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/ws`);
  const opened = new Promise<void>((resolve, reject) => {
    socket.onopen = () => resolve();
    socket.onerror = () => reject(new Error("no upgrade"));
  });
  await opened;
  const errors = await fetch(`http://127.0.0.1:${server.port}/errors`);
  assertEquals(await errors.text(), "");
  const closed = new Promise((resolve) => socket.onclose = resolve);
  socket.close();
  await closed;
});

/**
 * Sends a form of 3 MB, with its length in a header or in chunks without one,
 * and returns the start of the response. `fetch` would fail if a server closes
 * the connection after an early response, as Node does. A reset of the
 * connection may also destroy the response (RFC 9112, section 9.6). Then the
 * form is sent again, with longer pauses in which the response can arrive.
 */
async function sendLargeForm(
  port: number,
  isChunked: boolean,
): Promise<string> {
  for (let attempt = 1; attempt <= 10; attempt++) {
    const answer = await sendUntilResponse(port, isChunked, attempt - 1);
    if (answer !== "") return answer;
  }
  throw new Error("No connection got a response");
}

/** Returns `""` if the connection was reset before the response arrived. */
async function sendUntilResponse(
  port: number,
  isChunked: boolean,
  pause: number,
): Promise<string> {
  const chunk = "x".repeat(65_536);
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  const closed = new Promise<void>((resolve) => socket.once("close", resolve));
  const answered = new Promise<void>((resolve) =>
    socket.once("data", (data) => {
      answer = String(data);
      resolve();
    })
  );
  socket.on("error", () => {});
  const write = (data: string) =>
    Promise.race([
      new Promise<void>((resolve) => socket.write(data, () => resolve())),
      answered,
      closed,
    ]);
  const length = isChunked
    ? "Transfer-Encoding: chunked"
    : `Content-Length: ${48 * chunk.length}`;
  await write(
    `POST /upload HTTP/1.1\r\nHost: localhost\r\n${length}\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n`,
  );
  for (let count = 0; count < 48 && answer === ""; count++) {
    await write(isChunked ? `10000\r\n${chunk}\r\n` : chunk);
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
  }
  if (isChunked && answer === "") await write("0\r\n\r\n");
  await Promise.race([answered, closed]);
  socket.destroy();
  await closed;
  return answer;
}

function startDeno(): Promise<Running> {
  const router = createServerApp((request) => {
    const { socket, response } = Deno.upgradeWebSocket(request);
    socket.onmessage = ({ data }) => socket.send(`echo ${data}`);
    return response;
  });
  return serveOnDeno(router.fetch);
}

async function startBun(): Promise<Running> {
  return await serveOnBun(
    APPLICATION,
    `const router = createServerApp((request, [server]) => {
  server.upgrade(request);
});
let errors = "";
console.error = (error) => errors += error;
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: (request, server) =>
    request.url.endsWith("/errors")
      ? new Response(errors)
      : router.fetch(request, server),
  websocket: { message: (socket, data) => void socket.send("echo " + data) },
});
console.log(server.port);`,
  );
}

async function startWorkerd(): Promise<Running> {
  return await serveOnWorkerd(
    APPLICATION,
    `export default createServerApp(() => {
  const { 0: client, 1: server } = new WebSocketPair();
  server.accept();
  server.addEventListener("message", ({ data }) => server.send("echo " + data));
  return new Response(null, { status: 101, webSocket: client });
});`,
  );
}
