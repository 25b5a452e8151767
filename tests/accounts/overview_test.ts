import { assertEquals } from "@std/assert";
import { read, startAll } from "./_overview.ts";

Deno.test("every page of the account is reached by links", async () => {
  const { ada } = await startAll();
  const seen = new Set<string>();
  const waiting = ["/account"];
  for (const path of waiting) {
    if (seen.has(path)) continue;
    seen.add(path);
    const [, main = ""] = /<main[^>]*>([^]*)<\/main>/.exec(
      await read(ada, path),
    )!;
    for (const [, href = ""] of main.matchAll(/ href="(\/[^"?]*)"/g)) {
      waiting.push(href);
    }
  }
  assertEquals([...seen].sort(), [
    "/account",
    "/account/apps",
    "/account/connected",
    "/account/data",
    "/account/delete",
    "/account/email",
    "/account/keys",
    "/account/logins",
    "/account/passkeys",
    "/account/password",
    "/account/security",
    "/account/sessions",
    "/account/two-step",
    "/teams",
  ]);
});
