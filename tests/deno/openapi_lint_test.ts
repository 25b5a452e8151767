/** The documents of the example pass the checks of other tools. */
import { assertEquals, assertGreater } from "@std/assert";
import { openapi } from "@gatehouse/web/openapi";
import { createApp } from "../../examples/app/app.ts";
import { checkDocument } from "./_openapi_document.ts";

const ROOT = new URL("../../", import.meta.url);

Deno.test("the OpenAPI document that the example prints is valid, and lints without errors", async () => {
  const { stderr, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-R", "examples/app/openapi.ts"],
    cwd: ROOT,
  }).output();
  const decoder = new TextDecoder();
  // The program prints the omitted routes there.
  assertEquals(decoder.decode(stderr), "");
  await checkDocument(decoder.decode(stdout));
});

Deno.test("the OpenAPI document of all pages of the example is valid, and lints without errors", async () => {
  const app = createApp({
    database: () => Promise.resolve([]),
    baseURL: "http://localhost:8000",
  });
  const { document, omissions } = openapi(app, {
    info: { title: "Noticeboard", version: "1.0.0" },
    servers: [{ url: "http://localhost:8000" }],
  });
  assertEquals(omissions, []);
  assertGreater(Object.keys(document.paths).length, 60);
  await checkDocument(JSON.stringify(document));
});
