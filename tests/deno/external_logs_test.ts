import { assert, assertEquals } from "@std/assert";

const AUTH = new URL("../../auth/", import.meta.url);

Deno.test("external login writes no log and reports errors to onError", async () => {
  const found: string[] = [];
  let count = 0;
  for (const folder of ["external/", "issuer/", "providers/"]) {
    for await (const file of filesBelow(new URL(folder, AUTH))) {
      count++;
      const source = await Deno.readTextFile(file);
      if (/\bconsole\.[a-z]+\(/.test(source)) found.push(file.pathname);
    }
  }
  assert(count > 40);
  assertEquals(found, []);
});

async function* filesBelow(folder: URL): AsyncGenerator<URL> {
  for await (const { isDirectory, name } of Deno.readDir(folder)) {
    if (isDirectory) yield* filesBelow(new URL(`${name}/`, folder));
    else yield new URL(name, folder);
  }
}
