/** The document of the example passes the checks of other tools. */
import { assertEquals } from "@std/assert";
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
