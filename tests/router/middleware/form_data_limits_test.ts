import { createRouter, type Middleware } from "@gatehouse/web/fetch-router";
import { formData, type FormDataOptions } from "@gatehouse/web/middleware";
import { assertEquals } from "@std/assert";
import { turns } from "../../_wait.ts";

const origin = "https://example.com";

const bounds: [string, FormDataOptions, () => BodyInit, number][] = [
  ["100 pairs", {}, () => pairs(100), 200],
  ["101 pairs", {}, () => pairs(101), 413],
  ["100 parts", {}, () => parts(100, 0), 200],
  ["101 parts", {}, () => parts(101, 0), 413],
  ["10 files", {}, () => parts(0, 10), 200],
  ["11 files", {}, () => parts(0, 11), 413],
  ["90 fields and 10 files", {}, () => parts(90, 10), 200],
  ["91 fields and 10 files", {}, () => parts(91, 10), 413],
  // The first one ends the parsing.
  ["10,000 unfinished parts", {}, () => unfinishedParts(10_000), 400],
  ["2 pairs of 2", { maxParts: 2 }, () => pairs(2), 200],
  ["3 pairs of 2", { maxParts: 2 }, () => pairs(3), 413],
  ["no file of none", { maxFiles: 0 }, () => parts(1, 0), 200],
  ["a file of none", { maxFiles: 0 }, () => parts(0, 1), 413],
  ["10 bytes of 10", { maxBytes: 10 }, () => text(10), 200],
  ["11 bytes of 10", { maxBytes: 10 }, () => text(11), 413],
  ["2 MiB", {}, () => text(2 ** 21), 200],
  ["2 MiB and a byte", {}, () => text(2 ** 21 + 1), 413],
  ["any time, any size", { timeout: Infinity, maxBytes: Infinity }, () => {
    return text(2 ** 21 + 1);
  }, 200],
];

for (const [name, options, body, status] of bounds) {
  Deno.test(`formData() responds with ${status} to ${name}`, async () => {
    const router = createRouter({ middleware: [formData(options)] });
    router.post("/", () => new Response("ok"));
    const init = { method: "POST", body: body() };
    const response = await router.fetch(origin, init);
    assertEquals(response.status, status);
  });
}

Deno.test("formData() reads a body of the maximum size with a Content-Length", async () => {
  const router = createRouter({ middleware: [formData({ maxBytes: 10 })] });
  router.post("/", () => new Response("ok"));
  const headers = { "Content-Length": "10" };
  const init = { method: "POST", headers, body: text(10) };
  assertEquals((await router.fetch(origin, init)).status, 200);
});

Deno.test("formData() responds with 413 to a large Content-Length without reading the body", async () => {
  let pulled = false;
  const body = new ReadableStream({
    pull() {
      pulled = true;
    },
  }, { highWaterMark: 0 });
  const router = createRouter({ middleware: [formData()] });
  router.post("/", () => new Response("ok"));
  const headers = {
    "Content-Type": "application/x-www-form-urlencoded",
    "Content-Length": String(2 ** 21 + 1),
  };
  const init = { method: "POST", headers, body, duplex: "half" };
  const request = new Request(origin, init as RequestInit);
  assertEquals((await router.fetch(request)).status, 413);
  assertEquals(pulled, false);
});

for (const timeout of [Infinity, 2 ** 31, 2 ** 40]) {
  Deno.test(`formData() waits for a slow body with a timeout of ${timeout} ms`, async () => {
    const body = new ReadableStream({
      async pull(controller) {
        // A timer of such a time would fire at once.
        await turns(5);
        controller.enqueue(new TextEncoder().encode("a=1"));
        controller.close();
      },
    });
    const router = createRouter({ middleware: [formData({ timeout })] });
    router.post("/", () => new Response("ok"));
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    const init = { method: "POST", headers, body, duplex: "half" };
    const request = new Request(origin, init as RequestInit);
    assertEquals((await router.fetch(request)).status, 200);
  });
}

Deno.test("formData() responds with 400 instead of 500 if the form was read before", async () => {
  const read: Middleware<readonly []> = async ({ request }) =>
    void await request.text();
  const router = createRouter({ middleware: [read, formData()] });
  router.post("/", () => new Response("ok"));
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  const init = { method: "POST", headers, body: "a=1" };
  assertEquals((await router.fetch(origin, init)).status, 400);
});

Deno.test("formData() keeps the form of an earlier formData() with its limits", async () => {
  const router = createRouter({ middleware: [formData({ maxBytes: 10 })] });
  router.post(
    "/",
    { middleware: [formData({ maxBytes: 20 })] },
    (context) => new Response(context.get(FormData).get("a") as string),
  );
  const send = (a: string) =>
    router.fetch(origin, { method: "POST", body: new URLSearchParams({ a }) });
  const response = await send("short");
  assertEquals([response.status, await response.text()], [200, "short"]);
  assertEquals((await send("twice as long")).status, 413);
});

Deno.test("formData() keeps the form of a middleware that read the body", async () => {
  const own: Middleware<readonly []> = async (context) => {
    const { request, url } = context;
    context.set(
      FormData,
      url.pathname === "/read" ? await request.formData() : new FormData(),
    );
  };
  const router = createRouter({ middleware: [own, formData()] });
  router.post("/*", (context) => new Response(`${[...context.get(FormData)]}`));
  for (const path of ["/read", "/unread"]) {
    const body = new URLSearchParams({ a: "1" });
    const response = await router.fetch(origin + path, {
      method: "POST",
      body,
    });
    assertEquals([response.status, await response.text()], [200, "a,1"]);
  }
});

Deno.test("formData() in a mounted router keeps the form with the outer limits", async () => {
  const inner = createRouter({ middleware: [formData({ maxParts: 1 })] });
  inner.post("/", (context) => new Response(`${[...context.get(FormData)]}`));
  const outer = createRouter({ middleware: [formData()] });
  outer.mount("/in", inner);
  const body = new URLSearchParams({ a: "1", b: "2" });
  const response = await outer.fetch(`${origin}/in`, { method: "POST", body });
  assertEquals([response.status, await response.text()], [200, "a,1,b,2"]);
});

Deno.test("formData() rejects a second boundary, which it would not count by", async () => {
  const router = createRouter({ middleware: [formData()] });
  router.post("/", (context) => new Response(`${[...context.get(FormData)]}`));
  const part = '--y\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n';
  const type = 'multipart/form-data; a="; boundary=x;"; boundary=y';
  const response = await router.fetch(origin, {
    method: "POST",
    headers: { "Content-Type": type },
    body: `${part}--y--\r\n--x--`,
  });
  assertEquals((await response.text()).includes("a,1"), false);
});

function pairs(count: number): URLSearchParams {
  return new URLSearchParams(Array.from({ length: count }, () => ["a", "1"]));
}

function parts(fields: number, files: number): FormData {
  const form = new FormData();
  for (let i = 0; i < fields; i++) form.append("field", "1");
  for (let i = 0; i < files; i++) form.append("file", new File(["1"], "1"));
  return form;
}

/** Creates a multipart body of unfinished parts. */
function unfinishedParts(count: number): Blob {
  const type = "multipart/form-data; boundary=next";
  return new Blob(["--next\r\n".repeat(count)], { type });
}

/** Creates a form with one field of a number of bytes. */
function text(length: number): URLSearchParams {
  return new URLSearchParams({ a: "1".repeat(length - 2) });
}
