/** HEAD, OPTIONS and requests without a route. */
import { assertEquals } from "@std/assert";
import { createRouter } from "@gatehouse/web/fetch-router";
import { captureConsole } from "../_console.ts";
import { turns } from "../_wait.ts";

const origin = "https://example.com";
const ok = () => new Response("ok");

Deno.test("router.fetch() removes the body of HEAD responses, also of ANY routes", async () => {
  const router = createRouter();
  router.route("ANY", "/any", ok);
  router.mount("/mounted", ok);
  for (const path of ["/any", "/mounted", "/mounted/x"]) {
    const response = await router.fetch(origin + path, { method: "HEAD" });
    assertEquals([response.status, response.body], [200, null], path);
  }
});

Deno.test("router.fetch() names the route if a handler returns no Response to HEAD", async () => {
  const messages: string[] = [];
  const router = createRouter({
    onError: (error) => {
      messages.push(String(error));
      return new Response(null, { status: 500 });
    },
  });
  router.get("/now", () => undefined as unknown as Response);
  router.get("/late", () => Promise.resolve("text" as unknown as Response));
  for (const path of ["/now", "/late"]) {
    await router.fetch(origin + path, { method: "HEAD" });
  }
  assertEquals(messages, [
    'TypeError: Cannot answer HEAD "/now": its handler returned no Response',
    'TypeError: Cannot answer HEAD "/late": its handler returned no Response',
  ]);
});

Deno.test("router.fetch() passes an error of a GET handler for HEAD to onError", async () => {
  const errors: string[] = [];
  const router = createRouter({
    onError: (error) => {
      errors.push(String(error));
      return new Response("sorry", { status: 500 });
    },
  });
  router.get("/now", () => {
    throw new Error("now");
  });
  router.get("/late", () => Promise.reject(new Error("late")));
  for (const name of ["now", "late"]) {
    const response = await router.fetch(`${origin}/${name}`, {
      method: "HEAD",
    });
    assertEquals([response.status, response.body], [500, null]);
  }
  assertEquals(errors, ["Error: now", "Error: late"]);
});

Deno.test("router.fetch() removes the body of HEAD if a middleware has read or locked it", async () => {
  for (const read of ["text", "lock"]) {
    const router = createRouter();
    router.get("/", () => {
      const response = new Response("ok", { headers: { "X-Is": "get" } });
      if (read === "lock") response.body!.getReader();
      else response.text();
      return response;
    });
    const response = await router.fetch(origin, { method: "HEAD" });
    assertEquals([response.status, response.body], [200, null]);
    assertEquals(response.headers.get("X-Is"), "get");
  }
});

Deno.test("router.fetch() hides the failure of a body that HEAD cancels", async () => {
  const router = createRouter();
  router.get("/", () => {
    const cancel = () => Promise.reject(new Error("clean-up"));
    return new Response(new ReadableStream({ cancel }));
  });
  assertEquals((await router.fetch(origin, { method: "HEAD" })).status, 200);
  await turns();
});

const rows = [
  ["GET", "/none", 404, "Not Found", null],
  ["OPTIONS", "/none", 404, "Not Found", null],
  ["GET", "/post", 405, "Method Not Allowed", "POST"],
  ["HEAD", "/post", 405, "Method Not Allowed", "POST"],
  ["PURGE", "/post", 405, "Method Not Allowed", "POST"],
  ["post", "/post", 200, "ok", null],
  ["OPTIONS", "/post", 204, "", "POST"],
  ["DELETE", "/get", 405, "Method Not Allowed", "GET, HEAD"],
  ["OPTIONS", "/get", 204, "", "GET, HEAD"],
  ["OPTIONS", "/any", 200, "ok", null],
  ["PURGE", "/any", 200, "ok", null],
  ["PUT", "/users/new", 405, "Method Not Allowed", "DELETE, GET, HEAD"],
  ["OPTIONS", "/x/../get", 204, "", "GET, HEAD"],
] as const;

for (const [method, path, status, body, allow] of rows) {
  Deno.test(`router.fetch() responds with ${status} to ${method} ${path}, with Allow: ${allow}`, async () => {
    const router = createRouter();
    router.post("/post", ok);
    router.get("/get", ok);
    router.route("ANY", "/any", ok);
    router.get("/users/new", ok);
    router.delete("/users/:id", ok);
    const response = await router.fetch(origin + path, { method });
    assertEquals(response.status, status);
    assertEquals(response.headers.get("Allow"), allow);
    assertEquals(await response.text(), body);
  });
}

Deno.test("the built-in error responses are text/plain", async () => {
  // One runtime sets the type of a string body only when it sends it.
  const typeOf = ({ headers }: Response) =>
    (headers.get("Content-Type") ?? "text/plain").split(";")[0];
  using _console = captureConsole();
  const router = createRouter();
  router.post("/post", ok);
  router.get("/throws", () => {
    throw new Error("secret");
  });
  const invalid = Object.defineProperty(new Request(origin), "url", {
    value: "/no-host",
  });
  const urls = ["/", "/post", "/throws"].map((path) => origin + path);
  for (const input of [...urls, invalid]) {
    assertEquals(typeOf(await router.fetch(input)), "text/plain");
  }
});

Deno.test("context.allowedMethods is empty if a route matches", async () => {
  const router = createRouter();
  router.get(
    "/",
    ({ allowedMethods }) => new Response(`${allowedMethods.length}`),
  );
  router.post("/", ok);
  assertEquals(await (await router.fetch(origin)).text(), "0");
});

Deno.test("router.fetch() responds to a path without an OPTIONS route by the method of middleware", async () => {
  const router = createRouter({
    middleware: [(context) => {
      context.method = context.url.search === "?set" ? "OPTIONS" : "GET";
    }],
  });
  router.post("/a", ok);
  const status = async (method: string, path: string) =>
    (await router.fetch(origin + path, { method })).status;
  assertEquals(await status("GET", "/a?set"), 204);
  assertEquals(await status("OPTIONS", "/a"), 405);
});
