import { assertEquals, assertLess } from "@std/assert";
import { createRouter } from "@gatehouse/web/fetch-router";
import { formData } from "@gatehouse/web/middleware";
import { turns } from "../_wait.ts";

Deno.test("formData() does not keep the buffers of a body of single bytes", async () => {
  const router = createRouter({ middleware: [formData()] });
  router.post("/", (context) => {
    const [name] = context.get(FormData).keys();
    return new Response(String(name?.length));
  });
  // Each byte is a view of 64 kB, as from a socket: kept, they would be 1.3 GB.
  let left = 20_000;
  let highest = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (left-- === 0) return controller.close();
      const chunk = new Uint8Array(65_536).fill(0x61).subarray(0, 1);
      controller.enqueue(chunk);
      if (left % 500 > 0) return;
      await turns();
      highest = Math.max(highest, Deno.memoryUsage().rss);
    },
  });
  const before = Deno.memoryUsage().rss;
  const response = await router.fetch(
    new Request("https://example.com/", {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body,
    }),
  );
  assertEquals(await response.text(), "20000");
  assertLess(highest - before, 500 * 2 ** 20);
});
