// Workers stop their clock while a program computes.
import { assertEquals } from "@std/assert";
import { createRouter } from "@gatehouse/web/fetch-router";
import { timeout, TimeoutSignal } from "@gatehouse/web/middleware";

Deno.test("timeout() counts the time that a handler computes before it waits", async () => {
  const router = createRouter({ middleware: [timeout(1_000)] });
  const order: string[] = [];
  const timer = Promise.withResolvers<void>();
  router.get("/", async (context) => {
    const signal = context.get(TimeoutSignal);
    // A timeout that begins after the computation would end later than this timer.
    setTimeout(() => {
      order.push("timer");
      timer.resolve();
    }, 1_500);
    compute(900);
    signal.addEventListener("abort", () => order.push("timeout"));
    await timer.promise;
    return new Response("late");
  });
  assertEquals((await router.fetch("https://example.com/")).status, 503);
  await timer.promise;
  assertEquals(order, ["timeout", "timer"]);
});

Deno.test("timeout() ends a request at once if its time is over when it begins to wait", async () => {
  const router = createRouter({ middleware: [timeout(10)] });
  router.get("/", async (context) => {
    compute(20);
    const signal = context.get(TimeoutSignal);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return new Response("late");
  });
  assertEquals((await router.fetch("https://example.com/")).status, 503);
});

function compute(milliseconds: number): void {
  const start = performance.now();
  while (performance.now() - start < milliseconds);
}
