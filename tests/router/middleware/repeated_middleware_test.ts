import { createRouter } from "@gatehouse/web/fetch-router";
import { formData, secureHeaders } from "@gatehouse/web/middleware";
import { assertEquals } from "@std/assert";

const KINDS = ["a chain", "a mounted router"] as const;

for (const kind of KINDS) {
  Deno.test(`formData() in ${kind} has the limits of the outermost one`, async () => {
    const outer = formData({ maxBytes: 100 });
    const inner = formData({ maxBytes: 1_000_000 });
    const router = createRouter({ middleware: [outer] });
    if (kind === "a chain") {
      router.post("/x", [inner], () => new Response("read"));
    } else {
      const mounted = createRouter({ middleware: [inner] });
      mounted.post("/", () => new Response("read"));
      router.mount("/x", mounted);
    }
    const send = async (length: number) => {
      const body = new URLSearchParams({ a: "x".repeat(length) });
      const init = { method: "POST", body };
      return (await router.fetch("https://example.com/x", init)).status;
    };
    assertEquals(await send(10), 200);
    assertEquals(await send(1_000), 413);
  });

  Deno.test(`secureHeaders() in ${kind} has the headers of the innermost one`, async () => {
    const outer = secureHeaders();
    const inner = secureHeaders({ referrerPolicy: "no-referrer" });
    const router = createRouter({ middleware: [outer] });
    if (kind === "a chain") {
      router.get("/x", [inner], () => new Response());
    } else {
      const mounted = createRouter({ middleware: [inner] });
      mounted.get("/", () => new Response());
      router.mount("/x", mounted);
    }
    const { headers } = await router.fetch("https://example.com/x");
    assertEquals(headers.get("Referrer-Policy"), "no-referrer");
  });
}
