/**
 * The types of the names in the programs of all pages, found by one run of the
 * compiler. A run for each program would check the library almost 200 times.
 */
import { readdirSync, readFileSync } from "node:fs";
import type { TwoslashTypesCache } from "@shikijs/vitepress-twoslash";
import { createTwoslasher, type TwoslashOptions } from "twoslash";

/** The programs that the site shows with types. */
const PROGRAM = /^```ts twoslash[^\n]*\n(.*?)^```$/gms;

/**
 * Creates a cache with the types of all programs, found when the first program
 * is shown.
 *
 * @param pages The folder of the pages.
 */
export function typesOfPrograms(
  pages: URL,
  options: TwoslashOptions,
): TwoslashTypesCache {
  let types: ReturnType<typeof findTypes> | undefined;
  return {
    read: (code) => (types ??= findTypes(pages, options)).get(code) ?? null,
    write() {},
  };
}

function findTypes(pages: URL, options: TwoslashOptions) {
  const programs = programsOf(pages);
  const starts: number[] = [];
  let source = "";
  for (const [index, program] of programs.entries()) {
    source += `// @filename: program_${index}.ts\n`;
    starts.push(source.length);
    source += `${program}\n`;
  }
  const { nodes } = createTwoslasher(options)(source, "ts", options);
  return new Map(programs.map((code, index) => {
    const start = starts[index]!;
    const lines = source.slice(0, start).split("\n").length - 1;
    const own = nodes
      .filter((node) => node.start >= start && node.start < start + code.length)
      .map((node) => ({
        ...node,
        start: node.start - start,
        line: node.line - lines,
      }));
    return [code, { code, nodes: own }];
  }));
}

/** Returns the programs that are modules. Others would share their names. */
function programsOf(pages: URL): string[] {
  const programs = new Set<string>();
  for (
    const name of readdirSync(pages, { recursive: true, encoding: "utf8" })
  ) {
    if (!name.endsWith(".md")) continue;
    const page = readFileSync(new URL(name, pages), "utf8");
    for (const [, code = ""] of page.matchAll(PROGRAM)) {
      if (/^(?:import|export) /m.test(code)) programs.add(code.trimEnd());
    }
  }
  return [...programs];
}
