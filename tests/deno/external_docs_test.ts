// The guide agrees with the documentation of the code.
import { assert, assertEquals, assertGreater } from "@std/assert";

const ROOT = new URL("../../", import.meta.url);

const guide = await Deno.readTextFile(
  new URL("docs/add_a_provider.md", ROOT),
);

Deno.test("the guide has every code of ExternalAuthErrorCode, and no other", async () => {
  const source = await Deno.readTextFile(
    new URL("auth/issuer/_errors.ts", ROOT),
  );
  const type = source.slice(source.indexOf("export type ExternalAuthErrorCode"))
    .split(";", 1)[0];
  const codes = [...type.matchAll(/\| "(\w+)"/g)].map(([, code]) => code);
  const rows = [...guide.matchAll(/^\| `(\w+)` +\| /gm)]
    .map(([, code]) => code)
    .filter((code) => !code.startsWith("create"));
  assertGreater(codes.length, 20);
  assertEquals(rows.sort(), codes.toSorted());
  for (const code of codes) {
    assert(source.includes(`- \`${code}\`:`), `${code} is not documented`);
  }
});

Deno.test("the guide has the steps of every named provider, ten lines at most", async () => {
  const folder = new URL("auth/providers/", ROOT);
  const names = await Deno.readTextFile(new URL("mod.ts", folder));
  let count = 0;
  for await (const { name } of Deno.readDir(folder)) {
    const source = await Deno.readTextFile(new URL(name, folder));
    const [, documented] = source.split(" * Setting it up:\n");
    if (documented === undefined) continue;
    count++;
    const [neutral] = /create\w+AuthProvider/.exec(documented)!;
    const [, factory] = new RegExp(`${neutral} as (\\w+)`).exec(names)!;
    const steps = stepsOf(
      documented.split(" * @example", 1)[0].replaceAll(/^ \* ?/gm, ""),
    );
    const [, section = ""] = guide.split(`\`${factory}\`\n\n1. `);
    const listed = stepsOf(`1. ${section.split("\n#", 1)[0]}`);
    assertEquals(listed, steps, factory);
    assertEquals(steps.length, 10, factory);
  }
  assertEquals(count, 7);
});

/** Returns the points of a numbered list, even if they have several lines. */
function stepsOf(text: string): string[] {
  return text.split(/^\d+\. /m).slice(1)
    .map((step) => step.replaceAll(/\s+/g, " ").trim());
}
