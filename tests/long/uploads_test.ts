/** Bodies that middleware reads or refuses, over sockets on each runtime. */
import { connect } from "node:net";
import { assert, assertEquals } from "@std/assert";
import type { Browser } from "npm:playwright-core@1.56.1";
import * as authEntry from "@gatehouse/web/auth-middleware";
import * as loggerEntry from "@gatehouse/web/logger-middleware";
import * as middlewareEntry from "@gatehouse/web/middleware";
import * as sessionEntry from "@gatehouse/web/session-middleware";
import {
  createApp,
  type UploadRoute,
  uploadRoutes,
} from "../deno/_upload_app.ts";
import { launch, testInChromium } from "../deno/_chromium.ts";
import {
  NODE_SERVERS,
  type Running,
  serveOnBun,
  serveOnDeno,
  serveOnNode,
  serveOnWorkerd,
} from "../deno/_sockets.ts";
import { NODE_VERSIONS } from "../runtimes/node.ts";

const APPLICATION = import.meta.resolve("../deno/_upload_app.ts");

const runtimes: Record<string, () => Promise<Running>> = {
  "Deno.serve": () => serveOnDeno(createApp().fetch),
  "Bun.serve": () =>
    serveOnBun(
      APPLICATION,
      `const { fetch } = createApp();
console.log(Bun.serve({ hostname: "127.0.0.1", port: 0, fetch }).port);`,
    ),
  "workerd": () => serveOnWorkerd(APPLICATION, `export default createApp();`),
};
if (NODE_VERSIONS.length > 0) {
  for (const server of Object.keys(NODE_SERVERS)) {
    runtimes[`${server} on Node`] = () =>
      serveOnNode(
        `import { createApp } from "${APPLICATION}";
const { fetch } = createApp();`,
        server as keyof typeof NODE_SERVERS,
      );
  }
}

/** More than the limit, in chunks: the server may read some of them. */
const LARGE = Array.from({ length: 5 }, () => "x".repeat(65_536));

const browser = Promise.withResolvers<Browser>();
let isLaunched = false;

Deno.test.afterAll(async () => {
  if (isLaunched) await (await browser.promise).close();
});

for (const [name, start] of Object.entries(runtimes)) {
  Deno.test(`middleware on ${name} reads, refuses and loses bodies with the same status`, async () => {
    await using server = await start();
    for (const [path, route] of Object.entries(uploadRoutes())) {
      assertEquals(await statuses(server, path, route), {
        normal: "200 10 characters",
        empty: `${route.emptyStatus ?? 200}`,
        tooLong: "413",
        tooManyChunks: "413",
        aborted: `${path} 400`,
      }, path);
    }
    assertEquals(await get(server, "/errors"), [], "onError is not called");
  });

  // It closes the connection of a body that nothing reads.
  if (name !== "workerd") {
    Deno.test(`middleware on ${name} refuses a body without blocking the connection`, async () => {
      await using server = await start();
      for (const [path, route] of Object.entries(uploadRoutes())) {
        for (const isChunked of [false, true]) {
          const what = `${path} ${isChunked ? "in chunks" : "with a length"}`;
          const found = await sendTwice(server, path, route, isChunked);
          assertEquals(found, ["413", "200"], what);
        }
      }
      assertEquals(
        await sendTwice(server, "/unread", uploadRoutes()["/limit"]!, true),
        ["401", "200"],
      );
    });
  }

  testInChromium({
    name: `Chromium shows the response of ${name} to a file that is too large`,
    // Chromium runs until all of these tests are done.
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      await using server = await start();
      if (!isLaunched) {
        isLaunched = true;
        launch().then(browser.resolve, browser.reject);
      }
      const page = await (await browser.promise).newPage();
      await page.goto(`http://127.0.0.1:${server.port}/`);
      for (const path of ["/limit", "/multipart", "/json"]) {
        const { type } = uploadRoutes()[path]!;
        const found = await page.evaluate(async ([path, type]) => {
          const body = "x".repeat(3_000_000);
          const headers = { "Content-Type": type };
          const { status } = await fetch(path, {
            method: "POST",
            body,
            headers,
          });
          return [status, (await fetch("/")).status];
        }, [path, type] as const);
        assertEquals(found, [413, 200], path);
      }
      await page.close();
    },
  });
}

/** Middleware that refuses requests and reads no body, as `/unread` does. */
const UNREAD =
  /^(?:csrfProtection|require(?!Match)\w+|redirectToLogin|actAs|stopActing)$/;

/** The other functions of the entries, which run for no request by themselves. */
const OTHERS =
  /^(?:create(?!Lifecycle)\w+|batchOutput|csrfToken|grantedScopes|isSecretName|reportSecurityEvent|requireMatch)$/;

Deno.test("every middleware is in the application of these tests", async () => {
  const app = await Deno.readTextFile(
    new URL("../deno/_upload_app.ts", import.meta.url),
  );
  const names = [authEntry, loggerEntry, middlewareEntry, sessionEntry]
    .flatMap((entry) => Object.keys(entry))
    .filter((name) => /^[a-z]/.test(name) && !OTHERS.test(name));
  const missing = names.filter((name) =>
    !UNREAD.test(name) && !app.includes(`${name}(`)
  );
  // It only counts requests.
  assertEquals(missing, ["createLifecycle"]);
});

async function statuses(server: Running, path: string, route: UploadRoute) {
  const { type, before, after } = route;
  const send = async (body: () => BodyInit) => {
    const headers = { "Content-Type": type };
    const init = () => ({ method: "POST", headers, body: body() });
    const response = await request(server, path, init);
    return `${response.status} ${await response.text()}`;
  };
  const normal = await send(() => before + "x".repeat(10) + after);
  const empty = (await send(() => "")).slice(0, 3);
  const tooLong = (await send(() => before + LARGE.join("") + after)).slice(
    0,
    3,
  );
  const chunks = () =>
    ReadableStream.from([before, ...LARGE, after].filter(Boolean))
      .pipeThrough(new TextEncoderStream());
  const tooManyChunks = (await send(chunks)).slice(0, 3);
  return { normal, empty, tooLong, tooManyChunks, aborted: await abort() };

  /** Sends a part of a body, and returns the line of the log about it. */
  async function abort(): Promise<string> {
    const count = (await get(server, "/lines")).length;
    const socket = connect(server.port, "127.0.0.1");
    const body = before + "x".repeat(1_000);
    socket.write(`${head(path, type)}Content-Length: 9000\r\n\r\n${body}`);
    // The handler is reading when the client leaves.
    let arrived: string[];
    do arrived = await get(server, "/started"); while (
      arrived.length <= count
    );
    socket.destroy();
    let lines: string[];
    do lines = await get(server, "/lines"); while (lines.length <= count);
    return lines.at(-1)!;
  }
}

function head(path: string, type: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\n`;
}

async function get(server: Running, path: string): Promise<string[]> {
  return await (await request(server, path)).json();
}

/**
 * Sends a request. workerd closes the connection after it has refused a body. A
 * reset may then destroy this response, or the next request of the connection
 * (RFC 9112, section 9.6).
 */
async function request(
  { port }: Running,
  path: string,
  init?: () => RequestInit,
): Promise<Response> {
  for (let attempt = 1;; attempt++) {
    try {
      return await fetch(`http://127.0.0.1:${port}${path}`, init?.());
    } catch (error) {
      if (attempt === 10) throw error;
    }
  }
}

/**
 * Sends a large body and then another request on the same connection, and returns
 * both statuses. A server that is stuck closes the connection after a while.
 */
async function sendTwice(
  { port }: Running,
  path: string,
  { type, before, after }: UploadRoute,
  isChunked: boolean,
): Promise<string[]> {
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  const found = () =>
    [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status!);
  const done = new Promise<void>((resolve) => {
    socket.once("close", () => resolve());
    socket.on("error", () => resolve());
    socket.on("data", (data) => {
      answer += data;
      if (found().length === 2) resolve();
    });
  });
  const parts = [before, ...LARGE, after].filter(Boolean);
  const size = parts.join("").length;
  const chunk = (part: string) =>
    isChunked ? `${part.length.toString(16)}\r\n${part}\r\n` : part;
  socket.write(
    `${head(path, type)}${
      isChunked ? "Transfer-Encoding: chunked" : `Content-Length: ${size}`
    }\r\n\r\n`,
  );
  for (const part of parts) socket.write(chunk(part));
  if (isChunked) socket.write("0\r\n\r\n");
  socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await done;
  socket.destroy();
  assert(answer !== "", "a response");
  return found();
}
