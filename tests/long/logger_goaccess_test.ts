import { assertEquals } from "@std/assert";
import { RequestContext } from "@gatehouse/web/fetch-router";
import { logger } from "@gatehouse/web/logger-middleware";
import { seededRandom } from "../runtimes/random.ts";
import { findProgram } from "../deno/_servers.ts";

const goaccess = findProgram("goaccess", "that goaccess reads hostile logs");

const LINES = 10_000;

/** The inputs of an attacker who wants to forge a line. */
const pieces = [
  '"',
  '" 200 1 "-" "forged"\n10.0.0.1 - - [',
  "\\",
  '\\"',
  "\n",
  "\r\n",
  "\t",
  "\0",
  "\x1b[2J",
  "\x9b31m",
  "\x85",
  "\u2028",
  "\u202e",
  "\u{1f600}",
  "\ud800",
  " ",
  "]",
  "[20/Nov/2026:17:55:48 +0000]",
  "-",
  "HTTP/1.1",
  "%",
  "%22",
  "?",
  "&a=b",
  "/",
  "é",
  "a".repeat(3000),
];

Deno.test({
  name: `goaccess reads ${LINES} hostile lines of logger() without an error`,
  ignore: goaccess === null,
  async fn() {
    const folder = await Deno.makeTempDir();
    try {
      const lines = await hostileLines();
      assertEquals(lines.length, LINES);
      await Deno.writeTextFile(`${folder}/log`, lines.join("\n") + "\n");
      const { code } = await new Deno.Command(goaccess!, {
        args: [`${folder}/log`, "--log-format=COMBINED", "--no-global-config"]
          .concat("--no-progress", "-o", `${folder}/report.json`),
        stdin: "null",
        stdout: "null",
        stderr: "null",
      }).output();
      assertEquals(code, 0);
      const report = await Deno.readTextFile(`${folder}/report.json`);
      const { total_requests, valid_requests, failed_requests } =
        JSON.parse(report).general;
      assertEquals(
        { total_requests, valid_requests, failed_requests },
        { total_requests: LINES, valid_requests: LINES, failed_requests: 0 },
      );
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

async function hostileLines(): Promise<string[]> {
  const lines: string[] = [];
  const random = seededRandom(1);
  const hostile = () =>
    Array.from(
      { length: 1 + Math.floor(random() * 4) },
      () => pieces[Math.floor(random() * pieces.length)],
    ).join("");
  let user: string | undefined;
  const middleware = logger({
    format: "combined",
    output: (line) => lines.push(line),
    user: () => user,
  });
  for (let index = 0; index < LINES; index++) {
    user = random() < 0.5 ? undefined : hostile();
    const values: Record<string, string | undefined> = {
      "user-agent": random() < 0.1 ? undefined : hostile(),
      "referer": random() < 0.1 ? undefined : hostile(),
    };
    // A Request never has such values, but servers may pass them unchecked.
    const request = {
      method: ["GET", "POST", "HEAD"][index % 3],
      url: `https://example.com/${hostile()}?${hostile()}`,
      headers: { get: (name: string) => values[name] ?? null },
    } as unknown as Request;
    const remoteAddress = index % 2 === 0 ? "203.0.113.7" : "2001:db8::1";
    const context = new RequestContext(request, { remoteAddress });
    const status = [200, 204, 302, 404, 500][index % 5];
    const response = () =>
      Promise.resolve(
        new Response(null, { status, headers: { "Content-Length": "5" } }),
      );
    await middleware(context, response);
  }
  return lines;
}
