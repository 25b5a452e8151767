/** Responses to HEAD requests on real servers. */
import { assertEquals, assertMatch } from "@std/assert";
import { runtimesOf, sendRaw } from "../deno/_sockets.ts";

const APPLICATION = import.meta.resolve("../deno/_head_app.ts");

const PATHS = ["/text", "/told", "/stream", "/typed", "/none", "/empty"];

/** Milliseconds: all are sent at once. */
const PATIENCE = 10_000;

for (const [name, start] of Object.entries(runtimesOf(APPLICATION))) {
  Deno.test(`HEAD has the Content-Length and the Content-Type of GET on ${name}`, async () => {
    await using server = await start();
    const answers = await Promise.all(
      PATHS.flatMap((path) =>
        ["GET", "HEAD"].map((method) =>
          sendRaw(server.port, path, "localhost", PATIENCE, method)
        )
      ),
    );
    for (const [index, path] of PATHS.entries()) {
      const [get, head] = answers.slice(index * 2) as [string, string];
      assertMatch(head, /^HTTP\/1\.1 20[04] [^]*\r\n\r\n$/, path);
      const length = lengthIn(head);
      if (length !== undefined) assertEquals(length, lengthIn(get), path);
      if (path === "/told") assertEquals(length, "5");
      if (path === "/typed") assertMatch(head, /^content-type: text\/css/im);
      // Bun gives a stream without a type the type of bytes.
      if (path === "/stream") continue;
      assertEquals(typeIn(head), typeIn(get), path);
    }
  });
}

function lengthIn(answer: string): string | undefined {
  return /^content-length: *(\d+)\r$/im.exec(answer)?.[1];
}

function typeIn(answer: string): string | undefined {
  return /^content-type: *(.+)\r$/im.exec(answer)?.[1];
}
