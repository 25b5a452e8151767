import { assertEquals } from "@std/assert";

Deno.test("external login writes no log and reports errors to onError", async () => {
  const found: string[] = [];
  for (const folder of ["external", "providers"]) {
    const root = new URL(`../../auth/${folder}/`, import.meta.url);
    for await (const { name } of Deno.readDir(root)) {
      const source = await Deno.readTextFile(new URL(name, root));
      if (/\bconsole\.[a-z]+\(/.test(source)) found.push(`${folder}/${name}`);
    }
  }
  assertEquals(found, []);
});
