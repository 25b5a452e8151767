/** Applications of other frameworks below a prefix, over a real socket. */
import { assertEquals } from "@std/assert";
import { createRouter, type Middleware } from "@gatehouse/web/fetch-router";
import { H3 } from "npm:h3@2.0.8";
import { Hono } from "npm:hono@4.13.19";
import { IttyRouter } from "npm:itty-router@5.0.24";
import { captureConsole } from "../_console.ts";
import { serveLocally } from "./_serve.ts";

const hono = new Hono()
  .get(
    "/users/:id",
    (context) => context.text(`hono ${context.req.param("id")}`),
  )
  .post("/echo", async (context) => context.text(await context.req.text()));
const h3 = new H3()
  .get("/users/:id", (event) => `h3 ${event.context.params?.id}`);
const itty = IttyRouter();
itty.get("/users/:id", ({ params }) => new Response(`itty ${params.id}`));

const stamp: Middleware<readonly []> = async (_, next) => {
  const response = await next();
  response.headers.set("X-Stamp", "1");
  return response;
};

Deno.test("router.mount() accepts applications of other frameworks without a warning", async () => {
  const router = createRouter({ middleware: [stamp] });
  router.mount("/hono", hono);
  router.mount("/h3", h3);
  router.mount("/itty", itty);
  using calls = captureConsole("warn");
  const server = serveLocally(router.fetch);
  const origin = `http://127.0.0.1:${server.addr.port}`;
  try {
    for (const name of ["hono", "h3", "itty"]) {
      const response = await fetch(`${origin}/${name}/users/7`);
      assertEquals(await response.text(), `${name} 7`);
      assertEquals(response.headers.get("X-Stamp"), "1", name);
    }
    const echo = await fetch(`${origin}/hono/echo`, {
      method: "POST",
      body: "hello",
    });
    assertEquals(await echo.text(), "hello");
    const none = await fetch(`${origin}/hono/none`);
    assertEquals([none.status, await none.text()], [404, "404 Not Found"]);
  } finally {
    await server.shutdown();
  }
  assertEquals(calls.printed, []);
});

Deno.test("router.mount() answers a method in lower case without an error", async () => {
  const inner = createRouter();
  inner.get("/users", () => new Response("users"));
  const router = createRouter();
  router.mount("/inner", inner);
  using calls = captureConsole();
  await using server = serveLocally(router.fetch);
  const { port } = server.addr;
  for (const method of ["get", "head"]) {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port });
    const request =
      `${method} /inner/users HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    await connection.write(new TextEncoder().encode(request));
    const bytes = new Uint8Array(100);
    const count = await connection.read(bytes);
    const text = new TextDecoder().decode(bytes.subarray(0, count ?? 0));
    assertEquals(text.slice(0, 12), "HTTP/1.1 405");
  }
  assertEquals(calls.printed, []);
});
