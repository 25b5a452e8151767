// Workers stop their clock while a program computes.
import { assertEquals } from "@std/assert";
import { createRouter } from "@gatehouse/web/fetch-router";
import { timeout, TimeoutSignal } from "@gatehouse/web/timeout-middleware";

Deno.test("timeout() counts the time that a handler computes before it waits", async () => {
  const router = createRouter({ middleware: [timeout(100)] });
  let wait = 0;
  router.get("/", async (context) => {
    const start = performance.now();
    compute(80);
    await new Promise((resolve) =>
      context.get(TimeoutSignal).addEventListener("abort", resolve)
    );
    wait = performance.now() - start - 80;
    return new Response("late");
  });
  assertEquals((await router.fetch("https://example.com/")).status, 503);
  assertEquals(wait < 80, true, `It waited ${wait} ms after 80 ms of work`);
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
