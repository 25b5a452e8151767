import {
  createPasswordQueue,
  PasswordQueueFullError,
  verifyPassword,
} from "@gatehouse/web/auth/password";
import { createRouter, RequestContext } from "@gatehouse/web/fetch-router";
import { assertEquals, assertRejects } from "@std/assert";
import { captureConsole } from "../../_console.ts";

Deno.test("PasswordQueueFullError has a 503 with the maximum wait as Retry-After", async () => {
  const queue = createPasswordQueue({
    running: 1,
    waiting: 0,
    longestWait: 2_500,
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = queue.run(() => promise);
  const error = await assertRejects(
    () => queue.run(() => Promise.resolve()),
    PasswordQueueFullError,
  );
  const request = new Request("https://example.com/login");
  const response = await error.toResponse(new RequestContext(request));
  assertEquals(response.status, 503);
  assertEquals(response.headers.get("Retry-After"), "3");
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  assertEquals(await response.text(), "Service Unavailable");
  resolve();
  await first;
});

Deno.test("PasswordQueueFullError makes the router respond with 503 and is not printed", async () => {
  const queue = createPasswordQueue({ running: 1, waiting: 0 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = queue.run(() => promise);
  using calls = captureConsole();
  try {
    const router = createRouter();
    router.post("/login", async () => {
      await verifyPassword(null, "correct horse", { queue });
      return new Response("Welcome");
    });
    const url = "https://example.com/login";
    const response = await router.fetch(url, { method: "POST" });
    assertEquals(response.status, 503);
    assertEquals(response.headers.get("Retry-After"), "10");
    assertEquals(calls.printed, []);
  } finally {
    resolve();
    await first;
  }
});
