/** Runs the programs of `docs/websockets.md`, over real sockets. */
import { connect as connectSocket } from "node:net";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { bunPath } from "../runtimes/bun.ts";
import { NODE_VERSIONS, nodePath } from "../runtimes/node.ts";
import { startWorker } from "../runtimes/workers.ts";
import { launch, testInChromium } from "../deno/_chromium.ts";
import { programs } from "../deno/_guide.ts";
import {
  bundleProgram,
  deno,
  freePort,
  type ProgramFile,
  programFile,
  serveCommand,
} from "../deno/_programs.ts";
import { serveLocally } from "../deno/_serve.ts";

/** The login, which the page leaves to the reader, and a shorter minute. */
const LOGIN = `
import { completeAuth, Session } from "@gatehouse/web";
router.post("/login", async (context) => {
  await completeAuth(context, 1);
  return new Response();
});
router.post("/logout", (context) => {
  context.get(Session).destroy();
  return new Response();
});
router.post("/remove", () => {
  users.clear();
  return new Response();
});
`;

type Start = (file: ProgramFile, port: number) => Promise<AsyncDisposable>;

/** Starts the program of each runtime, by name. */
const RUNTIMES: Record<string, Start> = {
  "deno.ts": async ({ path, config, folder }, port) =>
    await serveCommand(
      ["run", "--no-check", "-A", "--config", config, path],
      port,
      { cwd: folder },
    ),
  "bun.ts": async (file, port) => {
    await bundleProgram(file, file.path);
    const args = [`${file.folder}/bundle.js`];
    return await serveCommand(args, port, { program: bunPath() });
  },
  "worker.ts": async (file, port) =>
    await startWorker({ script: await bundleProgram(file, file.path), port }),
};
if (NODE_VERSIONS.length > 0) {
  RUNTIMES["node.ts"] = async ({ folder, config, path }, port) => {
    const output = `${folder}/out.mjs`;
    // A bundle for browsers would have no ws.
    const args = ["bundle", "--platform=deno", "--config", config];
    await deno([...args, "-o", output, path]);
    return await serveCommand([output], port, { program: await nodePath() });
  };
}

/** A program of the page that runs. */
interface Chat extends AsyncDisposable {
  readonly origin: string;
  readonly port: number;
}

/** Starts a program of the page with the login. */
async function startChat(
  name: string,
  checkEvery: string,
  pingEvery = "30_000",
): Promise<Chat> {
  const port = freePort();
  const withPort = (program: string) => program.replace("8000", String(port));
  const { "app.ts": app, [name]: program } = await programs("websockets.md");
  const main = withPort(program!).replace("srvx/node", "npm:srvx@1.0.8/node")
    .replace("30_000", pingEvery)
    .replace('"ws"', '"npm:ws@8.21.0"')
    .replace(
      "createLifecycle()",
      "createLifecycle({ delay: 1, timeout: 500 })",
    );
  const file = await programFile(main);
  const source = withPort(app!).replace("60_000", checkEvery) + LOGIN;
  await Deno.writeTextFile(`${file.folder}/app.ts`, source);
  const server = await RUNTIMES[name]!(file, port);
  let hasStopped = false;
  return {
    origin: `http://localhost:${port}`,
    port,
    async [Symbol.asyncDispose]() {
      if (hasStopped) return;
      hasStopped = true;
      await server[Symbol.asyncDispose]();
      await file[Symbol.asyncDispose]();
    },
  };
}

/** Posts to a program, and returns the cookie that it sets. */
async function post({ port, origin }: Chat, path: string, cookie = "") {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: { Origin: origin, Cookie: cookie },
  });
  await response.body?.cancel();
  assertEquals(response.status, 200, path);
  return response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

const UPGRADE = {
  Upgrade: "websocket",
  Connection: "Upgrade",
  "Sec-WebSocket-Version": "13",
  "Sec-WebSocket-Key": btoa("0123456789abcdef"),
};

type Headers = Readonly<Record<string, string | undefined>>;

/** Sends the headers of an upgrade. */
async function connect(
  { port }: Chat,
  headers: Headers,
  target?: string,
): Promise<Deno.TcpConn> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const head = headOf(port, headers, target);
  await connection.write(new TextEncoder().encode(head));
  return connection;
}

/** Sends the headers of an upgrade, and resets the connection. */
async function reset({ port }: Chat, headers: Headers): Promise<void> {
  const socket = connectSocket(port, "127.0.0.1");
  socket.on("error", () => {});
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write(headOf(port, headers), () => socket.resetAndDestroy());
  await closed;
}

function headOf(port: number, headers: Headers, target = "/socket"): string {
  const lines = Object.entries({ ...UPGRADE, ...headers })
    .flatMap(([name, value]) => value === undefined ? [] : `${name}: ${value}`);
  const head = [`GET ${target} HTTP/1.1`, `Host: localhost:${port}`, ...lines];
  return `${head.join("\r\n")}\r\n\r\n`;
}

/** Reads until the end of a connection, or until the data contains a string. */
async function readAll(
  connection: Deno.TcpConn,
  end?: string,
): Promise<string> {
  const buffer = new Uint8Array(4_096);
  let text = "";
  while (end === undefined || !text.includes(end)) {
    const length = await connection.read(buffer).catch(() => null);
    if (length === null) break;
    text += new TextDecoder().decode(buffer.subarray(0, length));
  }
  return text;
}

/** Sends the headers of an upgrade, and returns the status of the response. */
async function statusOf(
  chat: Chat,
  headers: Headers,
  target?: string,
): Promise<number> {
  using connection = await connect(chat, headers, target);
  const text = await readAll(connection, "\r\n\r\n");
  return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0);
}

/** Opens a socket as the page of the program does. */
async function openSocket({ port, origin }: Chat, cookie: string) {
  const headers = { Origin: origin, Cookie: cookie };
  // The types of Node, which other tests bring along, have no headers.
  const socket: WebSocket = Reflect.construct(WebSocket, [
    `ws://127.0.0.1:${port}/socket`,
    { headers },
  ]);
  const closed = new Promise<CloseEvent>((resolve) => socket.onclose = resolve);
  await new Promise<void>((resolve, reject) => {
    socket.onopen = () => resolve();
    socket.onerror = () => reject(new Error("no upgrade"));
  });
  socket.onerror = () => {};
  return { socket, closed };
}

/** Sends a message, and returns the reply. */
async function say(socket: WebSocket, message: string): Promise<string> {
  const reply = new Promise<string>((resolve, reject) => {
    socket.onmessage = ({ data }) => resolve(data);
    socket.addEventListener("close", () => reject(new Error("closed")));
  });
  socket.send(message);
  return await reply;
}

for (const name of Object.keys(RUNTIMES)) {
  Deno.test(`websockets.md: ${name} echoes for its own page, and refuses others`, async () => {
    await using chat = await startChat(name, "60_000");
    const { origin, port } = chat;
    const Cookie = await post(chat, "/login");
    assertMatch(Cookie, /^session=./);
    const own = { Origin: origin, Cookie };
    const { socket, closed } = await openSocket(chat, Cookie);
    assertEquals(await say(socket, "Hello"), "Ada: Hello");
    assertEquals(await statusOf(chat, own), 101);
    const marked = { ...own, "Sec-Fetch-Site": "same-origin" };
    assertEquals(await statusOf(chat, marked), 101);

    const evil = [
      "https://evil.example",
      "null",
      "",
      undefined,
      `${origin}.evil.example`,
      `http://app.localhost:${port}`,
      "http://localhost",
      `https://localhost:${port}`,
      `http://127.0.0.1:${port}`,
    ];
    for (const Origin of evil) {
      assertEquals(await statusOf(chat, { Cookie, Origin }), 403, Origin);
      assertEquals(
        await statusOf(chat, { Origin }),
        403,
        `anonymous ${Origin}`,
      );
      const inCapitals = { Cookie, Origin, Upgrade: "WebSocket" };
      assertEquals(await statusOf(chat, inCapitals), 403, Origin);
    }
    const site = { ...own, "Sec-Fetch-Site": "same-site" };
    assertEquals(await statusOf(chat, site), 403);
    // No Upgrade header that a runtime accepts passes without the check.
    for (
      const Upgrade of ["h2c, websocket", "websocket, h2c", "websocket/13"]
    ) {
      const other = { Cookie, Origin: evil[0], Upgrade };
      const status = await statusOf(chat, other);
      assert(status >= 400 && status < 500, `${Upgrade}: ${status}`);
    }

    assertEquals(await statusOf(chat, { Origin: origin }), 401);
    const forged = { ...own, Cookie: "session=forged" };
    assertEquals(await statusOf(chat, forged), 401);
    const plain = await fetch(`http://127.0.0.1:${port}/socket`, {
      headers: own,
    });
    await plain.body?.cancel();
    assertEquals(plain.status, 426);

    await post(chat, "/logout", Cookie);
    assertEquals(await statusOf(chat, own), 401);
    socket.close();
    await closed;
  });

  Deno.test(`websockets.md: ${name} closes sockets after a logout`, async () => {
    await using chat = await startChat(name, "50");
    const cookies = [await post(chat, "/login"), await post(chat, "/login")];
    const [first, second] = await Promise.all(
      cookies.map((cookie) => openSocket(chat, cookie)),
    );
    await post(chat, "/logout", cookies[0]);
    assertEquals((await first!.closed).code, 4001);
    assertEquals(await say(second!.socket, "Hello"), "Ada: Hello");
    await post(chat, "/remove");
    assertEquals((await second!.closed).code, 4001);
  });

  Deno.test(`websockets.md: ${name} survives large messages and malformed upgrades`, async () => {
    await using chat = await startChat(name, "60_000");
    const Cookie = await post(chat, "/login");
    const { socket, closed } = await openSocket(chat, Cookie);
    const largest = "x".repeat(65_536);
    assertEquals(await say(socket, largest), `Ada: ${largest}`);
    socket.send(largest + "x");
    const { code } = await closed;
    assert([1006, 1009].includes(code), String(code));

    const own = { Origin: chat.origin, Cookie };
    const malformed = [
      [{ "Sec-WebSocket-Key": undefined }],
      [{ "Sec-WebSocket-Key": "" }],
      [{ "Sec-WebSocket-Key": "short" }],
      [{ "Sec-WebSocket-Version": "1" }],
      [{ Connection: "close" }],
      [{ Upgrade: undefined }],
      [{}, "/other"],
      [{}, "//evil.example/socket"],
      [{}, "socket"],
      [{}, "http://["],
    ] as const;
    for (const [headers, target] of malformed) {
      const status = await statusOf(chat, { ...own, ...headers }, target);
      // Some runtimes accept a key or version that others refuse. workerd fails
      // for an invalid URL before the program runs.
      const isKnown = status === 101 ||
        name === "worker.ts" && ["socket", "http://["].includes(target ?? "");
      const place = `${JSON.stringify(headers)} ${target}: ${status}`;
      assert(isKnown || status >= 400 && status < 500, place);
    }
    // They are gone before the program answers.
    for (let count = 0; count < 40; count++) {
      const headers = count % 2 === 0 ? own : { Cookie };
      await reset(chat, headers);
    }
    const again = await openSocket(chat, Cookie);
    assertEquals(await say(again.socket, "Hello"), "Ada: Hello");
    again.socket.close();
    await again.closed;
  });
}

Deno.test({
  name: "websockets.md: node.ts closes its sockets before it stops",
  ignore: NODE_VERSIONS.length === 0,
  async fn() {
    await using chat = await startChat("node.ts", "60_000");
    const { closed } = await openSocket(chat, await post(chat, "/login"));
    await chat[Symbol.asyncDispose]();
    assertEquals((await closed).code, 1001);
  },
});

Deno.test({
  name: "websockets.md: node.ts ends sockets whose client answers no ping",
  ignore: NODE_VERSIONS.length === 0,
  async fn() {
    await using chat = await startChat("node.ts", "60_000", "50");
    const Cookie = await post(chat, "/login");
    const own = { Origin: chat.origin, Cookie };
    using connection = await connect(chat, own);
    // A 101, pings, and then the end.
    const text = await readAll(connection);
    assertMatch(text, /^HTTP\/1\.1 101 /);
    const { socket, closed } = await openSocket(chat, Cookie);
    assertEquals(await say(socket, "Hello"), "Ada: Hello");
    socket.close();
    await closed;
  },
});

testInChromium(
  "websockets.md: Chromium opens a socket for the program's page only",
  async () => {
    await using chat = await startChat("deno.ts", "60_000");
    // Cookies do not depend on the port, so this page is of the same site.
    await using other = serveLocally(() => new Response("A page"));
    await using browser = await launch();
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${chat.origin}/login/check`);
    await page.evaluate("fetch('/login', { method: 'POST' })");
    const url = `ws://localhost:${chat.port}/socket`;
    const talk = `new Promise((resolve) => {
      const socket = new WebSocket("${url}");
      socket.onopen = () => socket.send("Hello");
      socket.onmessage = ({ data }) => resolve(data);
      socket.onerror = () => resolve("no socket");
    })`;
    assertEquals(await page.evaluate(talk), "Ada: Hello");
    await page.goto(`http://localhost:${other.addr.port}/`);
    assertEquals(await page.evaluate(talk), "no socket");
  },
);
