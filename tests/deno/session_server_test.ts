import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { connect } from "node:http2";
import { createRouter } from "@gatehouse/web/fetch-router";
import { Session } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { serveLocally } from "./_serve.ts";

Deno.test("session() works on http://localhost without configuration", async () => {
  await using server = serve();
  const first = await fetch(`${server.url}/count`);
  assertEquals(await first.text(), "1");
  const [cookie] = first.headers.getSetCookie();
  assert(/^session=[\w-]{43};/.test(cookie), cookie);
  const headers = { Cookie: cookie.split(";")[0] };
  const second = await fetch(`${server.url}/count`, { headers });
  assertEquals(await second.text(), "2");
});

Deno.test("session() sets Secure with a proxy, and for other host names", async () => {
  await using server = serve();
  const proxies = [["X-Forwarded-Proto", "https"], [
    "Forwarded",
    "proto=https",
  ]];
  for (const [name, value] of proxies) {
    const headers = { [name]: value };
    const response = await fetch(`${server.url}/count`, { headers });
    await response.text();
    const [cookie] = response.headers.getSetCookie();
    assertStringIncludes(cookie, "__Host-Http-session=");
  }
  const text = await exchange(server.port, "/count", "Host: app.example");
  assertStringIncludes(text, "__Host-Http-session=");
});

Deno.test("session() finds its cookie if HTTP/2 sends a header for each cookie", async () => {
  await using server = serve();
  const first = await fetch(`${server.url}/count`);
  await first.text();
  const own = first.headers.getSetCookie()[0].split(";")[0];
  const client = connect(server.url);
  try {
    const stream = client.request({
      ":path": "/count",
      cookie: ["a=1", own, "b=2"],
    });
    let text = "";
    for await (const chunk of stream) text += chunk;
    assertEquals(text, "2");
  } finally {
    client.close();
  }
});

Deno.test("session() passes an upgrade to a WebSocket, and saves its changes", async () => {
  await using server = serve();
  const first = await fetch(`${server.url}/count`);
  await first.text();
  const Cookie = first.headers.getSetCookie()[0].split(";")[0];
  const upgrade = [
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Version: 13",
    `Sec-WebSocket-Key: ${btoa("0123456789abcdef")}`,
  ];
  for (const extra of [[], [`Cookie: ${Cookie}`]]) {
    const text = await exchange(server.port, "/socket", ...upgrade, ...extra);
    assertStringIncludes(text, "101 Switching Protocols");
    assertEquals(text.includes("Set-Cookie"), extra.length === 0);
  }
  const second = await fetch(`${server.url}/count`, { headers: { Cookie } });
  assertEquals(await second.text(), "3");
});

/** Serves an application with a counter. */
function serve() {
  const router = createRouter({ middleware: [session()] });
  const count = (session: Session) => {
    session.update("count", (count) => Number(count ?? 0) + 1);
    return session.get("count");
  };
  router.get(
    "/count",
    (context) => new Response(String(count(context.get(Session)))),
  );
  router.get("/socket", (context) => {
    count(context.get(Session));
    const { response, socket } = Deno.upgradeWebSocket(context.request);
    socket.onopen = () => socket.close();
    return response;
  });
  const server = serveLocally(router.fetch);
  const { port } = server.addr;
  return {
    port,
    url: `http://localhost:${port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Sends a raw request and returns the head of the response. */
async function exchange(
  port: number,
  path: string,
  ...headers: string[]
): Promise<string> {
  const lines = headers.some((line) => line.startsWith("Host:"))
    ? headers
    : [`Host: localhost:${port}`, ...headers];
  const request = `GET ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`;
  using connection = await Deno.connect({ port });
  await connection.write(new TextEncoder().encode(request));
  const buffer = new Uint8Array(4_096);
  const length = await connection.read(buffer) ?? 0;
  return new TextDecoder().decode(buffer.subarray(0, length));
}
