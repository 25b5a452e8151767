/**
 * `Deno.serve((request) => router.fetch(request))`: the router has no info of
 * Deno, and still does not create the request's signal.
 */
import { assertEquals } from "@std/assert";
import { connect } from "node:net";
import { createRouter, type Middleware } from "@gatehouse/web/fetch-router";
import { bodyLimit, formData } from "@gatehouse/web/middleware";
import { captureConsole } from "../_console.ts";
import { serveLocally } from "./_serve.ts";

const signalOf = Object.getOwnPropertyDescriptor(Request.prototype, "signal")!
  .get!;

const pass: Middleware<readonly []> = (_, next) => next();
const wait: Middleware<readonly []> = async (_, next) => {
  await Promise.resolve();
  return await next();
};

Deno.test("router.fetch() does not read the signal of a server's request without Deno's info", async () => {
  const router = createRouter({ middleware: [pass, wait] });
  router.get("/", () => new Response("ok"));
  router.get("/async", () => Promise.resolve(new Response("ok")));
  router.get("/error", () => Promise.reject(new Error("bug")));
  router.get("/gone", () => {
    throw new DOMException("other", "AbortError");
  });
  let reads = 0;
  await using server = serveLocally((request) => {
    Object.defineProperty(request, "signal", {
      get() {
        reads++;
        return signalOf.call(request);
      },
    });
    return router.fetch(request);
  });
  using _console = captureConsole();
  const statuses: number[] = [];
  for (const path of ["", "async", "error", "gone", "missing"]) {
    const url = `http://127.0.0.1:${server.addr.port}/${path}`;
    for (const method of ["GET", "HEAD", "POST"]) {
      const response = await fetch(url, { method });
      await response.body?.cancel();
      if (method === "GET") statuses.push(response.status);
    }
  }
  assertEquals(statuses, [200, 200, 500, 500, 404]);
  assertEquals(reads, 0);
});

Deno.test("mounts and bodyLimit() do not read the signal of a server's request", async () => {
  const echo = async (request: Request) => new Response(await request.text());
  const inner = createRouter();
  inner.post("/echo", ({ request }) => echo(request));
  const router = createRouter();
  router.mount("/router", inner);
  router.mount("/function", echo);
  router.post("/limited", bodyLimit(), ({ request }) => echo(request));
  const read = createRouter({ middleware: [formData()] });
  read.mount("/function", echo);
  router.mount("/read", read);
  let reads = 0;
  for (const hasInfo of [false, true]) {
    await using server = serveLocally((request, info) => {
      Object.defineProperty(request, "signal", {
        get() {
          reads++;
          return signalOf.call(request);
        },
      });
      return hasInfo ? router.fetch(request, info) : router.fetch(request);
    });
    const paths = ["router/echo", "function", "limited", "read/function"];
    for (const path of paths) {
      const url = `http://127.0.0.1:${server.addr.port}/${path}`;
      const body = new URLSearchParams({ a: "1" });
      const response = await fetch(url, { method: "POST", body });
      assertEquals([response.status, await response.text()], [200, "a=1"]);
    }
  }
  assertEquals(reads, 0);
});

for (const path of ["mounted", "limited", "mounted/limited"]) {
  Deno.test(`a handler behind /${path} that reads the signal rejects when the client leaves`, async () => {
    const waiting = Promise.withResolvers<void>();
    const rejected = Promise.withResolvers<unknown>();
    const handler = ({ request: { signal } }: { request: Request }) => {
      const { promise, reject } = Promise.withResolvers<Response>();
      signal.addEventListener("abort", () => reject(signal.reason));
      waiting.resolve();
      return promise;
    };
    const inner = createRouter();
    inner.post("/", handler);
    inner.post("/limited", bodyLimit(), handler);
    const router = createRouter();
    router.mount("/mounted", inner);
    router.post("/limited", bodyLimit(), handler);
    await using server = serveLocally((request) =>
      router.fetch(request).catch((error) => {
        rejected.resolve(error);
        return new Response();
      })
    );
    const socket = connect(server.addr.port, "127.0.0.1");
    socket.write(
      `POST /${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx`,
    );
    await waiting.promise;
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.resetAndDestroy();
    await closed;
    assertEquals((await rejected.promise as DOMException).name, "AbortError");
  });
}

Deno.test("router.fetch() prints no warning of Deno without Deno's info", async () => {
  const program = `
    import { createRouter } from "@gatehouse/web/fetch-router";
    const router = createRouter({
      middleware: [(_, next) => next(), async (_, next) => await next()],
    });
    router.get("/ok", () => new Response("ok"));
    router.mount("/mounted", router);
    const server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      (request) => router.fetch(request),
    );
    const response = await fetch(
      "http://127.0.0.1:" + server.addr.port + "/mounted/ok",
    );
    console.log(await response.text());
    await server.shutdown();`;
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-lock", program],
    cwd: new URL("../..", import.meta.url),
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  assertEquals(decoder.decode(stdout), "ok\n");
  assertEquals(decoder.decode(stderr), "");
});

Deno.test("router.fetch() rejects without Deno's info if the client leaves and a middleware waits for the signal", async () => {
  const waiting = Promise.withResolvers<void>();
  const rejected = Promise.withResolvers<unknown>();
  let ran = false;
  const router = createRouter({
    middleware: [async ({ request: { signal } }, next) => {
      await new Promise((resolve) => {
        signal.addEventListener("abort", resolve);
        waiting.resolve();
      });
      return await next();
    }],
  });
  router.get("/", () => {
    ran = true;
    return new Response("ok");
  });
  await using server = serveLocally((request) =>
    router.fetch(request).catch((error) => {
      rejected.resolve(error);
      return new Response();
    })
  );
  const socket = connect(server.addr.port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await waiting.promise;
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.resetAndDestroy();
  await closed;
  const reason = await rejected.promise as DOMException;
  assertEquals([reason.name, ran], ["AbortError", false]);
});
