/** The tables of docs/schemas.md. */
import { assertEquals } from "@std/assert";
import * as schemas from "@gatehouse/web/data-schema";
import * as checks from "@gatehouse/web/data-schema/checks";
import * as coerce from "@gatehouse/web/data-schema/coerce";
import * as forms from "@gatehouse/web/data-schema/form-data";
import { german } from "@gatehouse/web/data-schema/messages/german";
import { DOCS } from "./_guide.ts";

const page = await Deno.readTextFile(new URL("schemas.md", DOCS));

/** Returns the tables of the section with a heading. */
function tablesOf(heading: string): string {
  const [, section = ""] = page.split(`\n## ${heading}\n`);
  return section.split("\n## ")[0]!.split("\n")
    .filter((line) => line.startsWith("|")).join("\n");
}

for (
  const [headings, entry, others] of [
    // The last array has exports that another page describes.
    [["Parse", "Schemas"], schemas, ["ValidationError"]],
    [["Checks"], checks, []],
    [["Convert strings"], coerce, []],
    [["Forms"], forms, []],
  ] as const
) {
  Deno.test(`docs/schemas.md has every function of ${headings.join(" and ")}`, () => {
    const tables = headings.map(tablesOf).join("\n");
    const missing = Object.keys(entry)
      .filter((name) => !new RegExp(`\\b${name}\\b`).test(tables))
      .filter((name) => !(others as readonly string[]).includes(name));
    assertEquals(missing, []);
  });
}

Deno.test("docs/schemas.md has every code of an issue, and no other", () => {
  const cells = tablesOf("Issues").split("\n").slice(2)
    .map((row) => row.split("|")[1]!);
  const codes = cells.flatMap((cell) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, code]) => code!)
  );
  assertEquals(codes.sort(), Object.keys(german).sort());
});
