/** Errors of promises that no code awaits must not end the process. */
import { assertEquals } from "@std/assert";
import { createRouter, type Middleware } from "@gatehouse/web/fetch-router";
import { turns } from "../_wait.ts";

const fails: [string, Middleware][] = [
  ["fails before it awaits next()", async (_context, next) => {
    const response = next();
    await Promise.reject(new Error("quota"));
    return await response;
  }],
  ["throws at once after next()", (_context, next) => {
    next();
    throw new Error("quota");
  }],
  ["awaits next() only after something slower", async (_context, next) => {
    const response = next();
    await turns(10);
    return await response;
  }],
  ["calls next() late, and fails before it awaits it", async (_, next) => {
    await turns();
    const response = next();
    await Promise.reject(new Error("quota"));
    return await response;
  }],
  ["calls next() twice and awaits neither", async (_context, next) => {
    next();
    next();
    await turns();
    return new Response("own", { status: 500 });
  }],
];

for (const [name, middleware] of fails) {
  Deno.test(`a middleware that ${name} leaves no rejection unhandled`, async () => {
    let unhandled = 0;
    const count = (event: Event) => {
      event.preventDefault();
      unhandled++;
    };
    globalThis.addEventListener("unhandledrejection", count);
    const router = createRouter({
      middleware: [(_context, next) => next(), middleware],
      onError: () => new Response("sorry", { status: 500 }),
    });
    router.get("/", async () => {
      await turns(3);
      throw new Error("database");
    });
    const response = await router.fetch("https://example.com/");
    assertEquals(response.status, 500);
    await turns(10);
    globalThis.removeEventListener("unhandledrejection", count);
    assertEquals(unhandled, 0);
  });
}

Deno.test("a router runs 10,000 nested async middleware without an overflow", async () => {
  let count = 0;
  const pass: Middleware = async (_context, next) => {
    count++;
    return await next();
  };
  const router = createRouter({ middleware: Array(10_000).fill(pass) });
  router.get("/", () => new Response("reached"));
  const response = await router.fetch("https://example.com/");
  assertEquals(await response.text(), "reached");
  assertEquals(count, 10_000);
});
