import { assertEquals } from "@std/assert";
import { PICKED_PORTS } from "./_programs.ts";

const PICK = `
import { freePort } from "${import.meta.resolve("./_programs.ts")}";
for (let pick = 0; pick < 100; pick++) console.log(freePort());
`;

Deno.test("freePort() gives no port twice, in four processes at once", async () => {
  const outputs = await Promise.all(
    Array.from({ length: 4 }, () =>
      new Deno.Command(Deno.execPath(), {
        args: ["eval", PICK],
      }).output()),
  );
  const ports = outputs.flatMap(({ stdout }) =>
    new TextDecoder().decode(stdout).trim().split("\n")
  );
  for (const port of new Set(ports)) {
    await Deno.remove(`${PICKED_PORTS}/${port}`);
  }
  assertEquals(ports.length, 400);
  assertEquals(new Set(ports).size, 400);
});
