import { assert, assertEquals } from "@std/assert";

const images = new URL("../../docs/images/", import.meta.url);

/** The pictures of `deno task screenshots`. */
const pictures = [
  "account.png",
  "login.png",
  "noticeboard.png",
  "noticeboard_dark.png",
];

Deno.test("the pictures of the example application exist and are small", async () => {
  const found: string[] = [];
  for await (const { name } of Deno.readDir(images)) {
    if (name.endsWith(".png")) found.push(name);
  }
  assertEquals(found.sort(), pictures);
  for (const name of pictures) {
    const { size } = await Deno.stat(new URL(name, images));
    assert(size <= 100_000, `${name}: ${size} bytes`);
  }
});
