/** The table of requirements in docs/asvs.md. */
import { assert, assertEquals } from "@std/assert";

const ROOT = new URL("../../", import.meta.url);

/** The numbers of requirements at levels 1 and 2 in ASVS 5.0.0. */
const SECTIONS: readonly (readonly [section: string, last: number])[] = [
  ["3.2", 2],
  ["3.3", 4],
  ["3.4", 6],
  ["3.5", 5],
  ["3.7", 2],
  ["6.1", 3],
  ["6.2", 12],
  ["6.3", 4],
  ["6.4", 4],
  ["6.5", 5],
  ["6.6", 3],
  ["6.8", 4],
  ["7.1", 3],
  ["7.2", 4],
  ["7.3", 2],
  ["7.4", 5],
  ["7.5", 2],
  ["7.6", 2],
  ["8.1", 2],
  ["8.2", 3],
  ["8.3", 1],
  ["8.4", 1],
  ["9.1", 3],
  ["9.2", 4],
  ["10.4", 11],
  ["10.7", 3],
  ["16.1", 1],
  ["16.2", 5],
  ["16.3", 4],
  ["16.4", 3],
  ["16.5", 3],
];

const page = await Deno.readTextFile(new URL("docs/asvs.md", ROOT));
const rows = [...page.matchAll(/^\| (\d+\.\d\.\d+) +\|.*\| ([^|]+)\|$/gm)]
  .map(([, number, tests]) => ({ number: number!, tests: tests!.trim() }));

Deno.test("docs/asvs.md lists each requirement of chapters 3, 6, 7, 8, 9 and 16, and of authorization servers, at levels 1 and 2", () => {
  const expected = SECTIONS.flatMap(([section, last]) =>
    Array.from({ length: last }, (_, n) => `${section}.${n + 1}`)
  );
  assertEquals(rows.map(({ number }) => number), expected);
});

Deno.test("each test file in docs/asvs.md has a test with the number", async () => {
  const missing: string[] = [];
  for (const { number, tests } of rows) {
    const files = [...tests.matchAll(/`(tests\/[^`]+)`/g)];
    assert(files.length > 0 || tests.startsWith("your part"), number);
    for (const [, file] of files) {
      const source = await Deno.readTextFile(new URL(file!, ROOT));
      const name = new RegExp(
        `Deno\\.test\\([^]{0,30}["\`][^"\`]*ASVS[^"\`]*\\b${
          number.replaceAll(".", "\\.")
        }\\b`,
      );
      if (!name.test(source)) missing.push(`${number}: ${file}`);
    }
  }
  assertEquals(missing, []);
});

Deno.test("at most six requirements of chapter 6 are the application's part", () => {
  const own = rows.filter(({ number, tests }) =>
    number.startsWith("6.") && tests.startsWith("your part")
  );
  assert(own.length <= 6, own.map(({ number }) => number).join(", "));
});
