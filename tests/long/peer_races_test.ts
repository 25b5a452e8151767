import { assertEquals, assertStringIncludes } from "@std/assert";

const ROOT = new URL("../../", import.meta.url);
const PROGRAM = new URL("tests/deno/_peer_races.ts", ROOT);

/** Returns the header and the rows of a table in a text, as trimmed cells. */
function tableIn(text: string): string[][] {
  const lines = text.split("\n");
  const first = lines.findIndex((line) =>
    line.startsWith("| four requests with ")
  );
  return lines.slice(first)
    // The servers of others print, too.
    .filter((line) => line.startsWith("| ") && !line.startsWith("| -"))
    .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
}

/** Returns the published table. */
async function published(): Promise<string[][]> {
  const page = await Deno.readTextFile(new URL("docs/compare.md", ROOT));
  const start = page.indexOf("| four requests with ");
  return tableIn(page.slice(start, page.indexOf("\n\n", start)));
}

Deno.test("the table of authorization servers says what the program measures", async () => {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", PROGRAM.href],
    env: { NO_COLOR: "1" },
  }).output();
  const output = new TextDecoder().decode(stdout);
  if (!success) throw new Error(output + new TextDecoder().decode(stderr));
  // The races of others have results that vary with the load.
  const steady = ([name = "", ...cells]: string[]) =>
    name === "Gatehouse" ? [name, ...cells] : [name, ...cells.slice(2)];
  const rows = await published();
  assertEquals(tableIn(output).map(steady), rows.map(steady));
  assertEquals(new Set(rows.map((row) => row.length)), new Set([5]));
});

Deno.test("the table of authorization servers names the versions of the program", async () => {
  const source = await Deno.readTextFile(new URL("_peer_servers.ts", PROGRAM));
  const versions = (await published())
    .map(([name = ""]) => /\] ([\d.]+)/.exec(name)?.[1])
    .filter((version) => version !== undefined);
  assertEquals(versions.length, 3);
  for (const version of versions) {
    assertStringIncludes(source, `-provider@${version}"`);
  }
});
