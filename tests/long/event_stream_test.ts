/** `eventStream()` on the servers of all runtimes. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { runtimesOf } from "../deno/_sockets.ts";
import { until } from "../_wait.ts";

const APPLICATION = import.meta.resolve("../deno/_event_app.ts");

for (const [name, start] of Object.entries(runtimesOf(APPLICATION))) {
  Deno.test(`eventStream() continues, sends comments and ends with its client on ${name}`, async () => {
    await using server = await start();
    const get = (path: string, init?: RequestInit) =>
      fetch(`http://127.0.0.1:${server.port}${path}`, init);
    const leave = new AbortController();
    const response = await get("/events", {
      headers: { "Last-Event-ID": "41", "Accept-Encoding": "identity" },
      signal: leave.signal,
    });
    assertEquals(response.headers.get("Content-Type"), "text/event-stream");
    let text = "";
    try {
      const stream = response.body!.pipeThrough(new TextDecoderStream());
      for await (const chunk of stream) {
        text += chunk;
        if (text.split(":\n\n").length > 3) leave.abort();
      }
    } catch (error) {
      assertEquals(leave.signal.aborted, true, String(error));
    }
    assertStringIncludes(text, ":\n\nid: 42\ndata: Hello\n\n:\n\n");
    const ended = async () => await (await get("/ended")).json();
    assertEquals(await until(ended), 1);
  });

  Deno.test(`eventStream() sends 2,000 events in order on ${name}`, async () => {
    await using server = await start();
    const response = await fetch(`http://127.0.0.1:${server.port}/fast`);
    const ids = [...(await response.text()).matchAll(/^id: (\d+)$/gm)]
      .map(([, id]) => Number(id));
    assertEquals(ids, Array.from({ length: 2000 }, (_, index) => index + 1));
  });
}
