import { assert, assertEquals } from "@std/assert";
import { startInBun } from "../runtimes/bun.ts";
import { bundle } from "../runtimes/bundle.ts";
import { startApache } from "../deno/_apache.ts";
import { createLogApp } from "../deno/_log_app.ts";
import { findProgram } from "../deno/_servers.ts";
import { serveLocally } from "../deno/_serve.ts";

const apache = findProgram("apache2", "the comparison with Apache's log");

/** A raw request with one character per byte. */
interface RawRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly string[];
}

/** Every byte that all three servers accept in a header. */
const bytes = ['"', "\\", "\t", "\\x41", "\\n"].concat(
  Array.from({ length: 0x5f }, (_, index) => String.fromCharCode(0x20 + index)),
  Array.from({ length: 0x80 }, (_, index) => String.fromCharCode(0x80 + index)),
);

const requests: RawRequest[] = [
  { method: "GET", target: "/", headers: [] },
  { method: "HEAD", target: "/", headers: [] },
  { method: "GET", target: "/?q", headers: [] },
  { method: "GET", target: "/?", headers: [] },
  { method: "GET", target: "/a%20b/%22?x=%0a&code=1&token=2", headers: [] },
  { method: "GET", target: "/a/.b/c~d;e=f,g", headers: [] },
  { method: "GET", target: "/a?b\\c", headers: [] },
  { method: "GET", target: "/missing", headers: [] },
  { method: "GET", target: "/moved", headers: [] },
  { method: "GET", target: "/empty", headers: [] },
  { method: "GET", target: "/", headers: ["User-Agent: ", "Referer:"] },
  { method: "GET", target: "/", headers: ["User-Agent: \xe2\x82\xac"] },
  { method: "GET", target: "/", headers: ["Authorization: Bearer t0ken"] },
  ...bytes.map((byte) => ({
    method: "GET",
    target: "/",
    headers: [`User-Agent: a${byte}b`, `Referer: https://a.example/${byte}x`],
  })),
];

/** A server that runs, and the lines that it logs. */
interface Logging extends AsyncDisposable {
  readonly port: number;
  readonly lines: (count: number) => Promise<string[]>;
}

for (const [name, start] of [["Deno", startDeno], ["Bun", startBun]] as const) {
  Deno.test({
    name: `logger() on ${name} writes the same bytes as Apache (spec B.2)`,
    ignore: apache === null,
    async fn() {
      const model = await startApache(apache!);
      await using server = await start();
      for (const request of requests) {
        const expected = await send(model.port, request);
        const actual = await send(server.port, request);
        const shown = JSON.stringify(request);
        assertEquals(statusOf(actual), statusOf(expected), shown);
      }
      const lines = await server.lines(requests.length);
      // The first line comes from the check that the server listens.
      const expected = (await model.stop()).slice(-requests.length);
      assertEquals(lines.length, requests.length);
      for (const [index, line] of lines.entries()) {
        assertEquals(
          line.replace(time, "[]"),
          expected[index].replace(time, "[]"),
        );
        assert(Math.abs(timeOf(line) - timeOf(expected[index])) < 60_000, line);
      }
    },
  });
}

const time = /\[(\d\d)\/(\w{3})\/(\d{4}):([\d:]{8} [+-]\d{4})\]/;

function timeOf(line: string): number {
  const [, day, month, year, rest] = time.exec(line) ?? [];
  return Date.parse(`${day} ${month} ${year} ${rest}`);
}

function statusOf(answer: string): string {
  return answer.slice(0, "HTTP/1.1 200".length);
}

/** Sends one raw request and reads the complete response. */
async function send(
  port: number,
  { method, target, headers }: RawRequest,
): Promise<string> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const lines = [
    `${method} ${target} HTTP/1.1`,
    "Host: localhost",
    "Connection: close",
    ...headers,
    "",
    "",
  ];
  const text = lines.join("\r\n");
  const data = Uint8Array.from(text, (unit) => unit.charCodeAt(0));
  await connection.write(data);
  return await new Response(connection.readable).text();
}

function startDeno(): Promise<Logging> {
  const lines: string[] = [];
  const { fetch } = createLogApp((line) => lines.push(line));
  const server = serveLocally(fetch);
  return Promise.resolve({
    port: server.addr.port,
    lines: () => Promise.resolve(lines),
    [Symbol.asyncDispose]: () => server.shutdown(),
  });
}

async function startBun(): Promise<Logging> {
  const folder = await Deno.makeTempDir();
  const app = new URL("../deno/_log_app.ts", import.meta.url).href;
  const script = await bundle(`export * from ${JSON.stringify(app)};`);
  await Deno.writeTextFile(`${folder}/app.js`, script);
  await Deno.writeTextFile(
    `${folder}/main.js`,
    `import { createLogApp } from "./app.js";
const { fetch } = createLogApp((line) => console.log(line));
const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch });
console.log(server.port);`,
  );
  const child = startInBun(folder);
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let output = (await reader.read()).value ?? "";
  const port = Number(output);
  const read = async () => {
    const { done, value = "" } = await reader.read();
    output += value;
    return !done;
  };
  return {
    port,
    async lines(count) {
      // The port is a line too. Nothing follows the last newline.
      while (output.split("\n").length < count + 2 && await read());
      return output.split("\n").slice(1, -1);
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      while (await read());
      await child.status;
      await Deno.remove(folder, { recursive: true });
    },
  };
}
