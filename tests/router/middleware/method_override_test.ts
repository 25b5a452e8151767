import { createRouter, type Middleware } from "@gatehouse/web/fetch-router";
import { formData, methodOverride } from "@gatehouse/web/middleware";
import { assertEquals } from "@std/assert";

const origin = "https://example.com";

Deno.test("methodOverride() changes nothing without a form", async () => {
  const router = createRouter({ middleware: [methodOverride()] });
  router.route("ANY", "/", ({ method }) => new Response(method));
  const body = new URLSearchParams({ _method: "DELETE" });
  const response = await router.fetch(origin, { method: "POST", body });
  assertEquals(await response.text(), "POST");
});

Deno.test("methodOverride() changes only a POST, and not a method that was already changed", async () => {
  const put: Middleware<readonly []> = (context) =>
    void (context.method = "PUT");
  const router = createRouter({
    middleware: [formData(), put, methodOverride()],
  });
  router.route("ANY", "/", ({ method }) => new Response(method));
  const body = new URLSearchParams({ _method: "DELETE" });
  const response = await router.fetch(origin, { method: "POST", body });
  assertEquals(await response.text(), "PUT");
});

Deno.test("methodOverride() reads only the first field with its name in the body", async () => {
  const router = createRouter({ middleware: [formData(), methodOverride()] });
  router.route("ANY", "/", ({ method }) => new Response(method));
  const rows = [["_method=PUT&_method=DELETE", "PUT"], ["a=1", "POST"]];
  for (const [text, expected] of rows) {
    const response = await router.fetch(`${origin}/?_method=PATCH`, {
      method: "POST",
      body: new URLSearchParams(text),
    });
    assertEquals(await response.text(), expected);
  }
});

const overrides = [
  ["POST", "PUT", "PUT"],
  ["POST", "patch", "PATCH"],
  ["POST", "DELETE", "DELETE"],
  ["POST", "GET", "POST"],
  ["POST", "CONNECT", "POST"],
  ["POST", "", "POST"],
  ["PUT", "DELETE", "PUT"],
] as const;

for (const [wire, field, method] of overrides) {
  Deno.test(`methodOverride() dispatches ${wire} with _method=${field} as ${method} (spec 2.7)`, async () => {
    const router = createRouter({ middleware: [formData(), methodOverride()] });
    router.route(
      "ANY",
      "/",
      (context) => new Response(`${context.request.method} ${context.method}`),
    );
    const response = await router.fetch(origin, {
      method: wire,
      body: new URLSearchParams({ _method: field }),
    });
    assertEquals(await response.text(), `${wire} ${method}`);
  });
}

Deno.test("methodOverride() accepts another field name and ignores a file", async () => {
  const router = createRouter({
    middleware: [formData(), methodOverride({ fieldName: "verb" })],
  });
  router.route("ANY", "/", (context) => new Response(context.method));
  const form = new FormData();
  form.set("verb", new File(["PUT"], "PUT"));
  assertEquals(
    await (await router.fetch(origin, { method: "POST", body: form })).text(),
    "POST",
  );
  form.set("verb", "put");
  assertEquals(
    await (await router.fetch(origin, { method: "POST", body: form })).text(),
    "PUT",
  );
});
