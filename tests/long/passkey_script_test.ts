/** The browser part of passkeys. */
import { assertEquals, assertLess } from "@std/assert";
import { passkeyScript } from "@gatehouse/web/auth/passkey";
import { SCRIPT_MODULE, scriptModule } from "../deno/_passkey_script.ts";

Deno.test("passkeyScript() serves the present source of the browser part", async () => {
  const written = await Deno.readTextFile(SCRIPT_MODULE);
  assertEquals(written, await scriptModule(), "deno task passkey-script");
});

Deno.test("passkeyScript() serves 2 kB at most, gzipped", async () => {
  const response = passkeyScript();
  const type = response.headers.get("Content-Type");
  assertEquals(type, "text/javascript; charset=utf-8");
  const gzip = response.body!.pipeThrough(new CompressionStream("gzip"));
  assertLess((await new Response(gzip).bytes()).length, 2_001);
});
