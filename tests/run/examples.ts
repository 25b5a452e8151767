/**
 * The examples in doc comments and pages, as tests in a few isolates. `deno test
 * --doc` starts an isolate for each of them.
 */
import { codeBlocks } from "../deno/_markdown.ts";
import type { Wrappers } from "./wrappers.ts";

/** An example that runs as a test. */
export interface Example {
  /** The file with the example, relative to the repository. */
  readonly file: string;
  /** The line that the code begins in, from 1. */
  readonly line: number;
  readonly text: string;
}

/** The number of isolates. */
const ISOLATES = 4;

const ROOT = new URL("../../", import.meta.url);

/** Finds the examples of all files but the tests, as `deno test --doc` does. */
export async function findExamples(folder = ""): Promise<Example[]> {
  const found: Example[] = [];
  const entries = Deno.readDir(new URL(folder, ROOT));
  for await (const { name, isDirectory } of entries) {
    const file = folder + name;
    if (/^(?:\.|node_modules$)/.test(name) || file === "tests") continue;
    if (isDirectory) found.push(...await findExamples(`${file}/`));
    if (!/\.(?:ts|md)$/.test(name)) continue;
    const text = await Deno.readTextFile(new URL(file, ROOT));
    found.push(...examplesOf(file, text));
  }
  return found;
}

/** Reads the examples of a page or of a file with doc comments. */
export function examplesOf(file: string, text: string): Example[] {
  const page = file.endsWith(".ts") ? commentsOf(text) : text;
  return codeBlocks(page)
    .filter(({ language, words }) =>
      /^(?:ts|typescript|js|javascript)$/.test(language) &&
      !words.includes("ignore")
    )
    .map(({ line, text }) => ({ file, line, text }));
}

/** Removes all but the text of doc comments. Lines keep their numbers. */
function commentsOf(text: string): string {
  let isInside = false;
  return text.split("\n").map((line) => {
    if (/^\s*\/\*\*/.test(line)) isInside = true;
    const comment = isInside
      ? line.replace(/^\s*(?:\/\*\*|\*(?!\/) ?)/, "")
      : "";
    if (line.includes("*/")) isInside = false;
    return comment;
  }).join("\n");
}

/** Writes each example to a file, and the tests that import them. */
export async function wrapExamples(
  examples: readonly Example[],
): Promise<Wrappers> {
  const folder = await Deno.makeTempDir({ prefix: "gatehouse-examples-" });
  const sources = Array.from({ length: ISOLATES }, () => [
    `import { defineExample } from "${import.meta.resolve("./load.ts")}";`,
  ]);
  for (const [index, { file, line, text }] of examples.entries()) {
    const name = `${file.replaceAll("/", "_")}_${line}.ts`;
    // An error names the line of the page.
    await Deno.writeTextFile(`${folder}/${name}`, "\n".repeat(line - 1) + text);
    const place = `${new URL(file, ROOT)}:${line}:1`;
    // A package may start timers while it loads, which do not count as a leak.
    for (const [, npm] of text.matchAll(/from ("npm:[^"]+")/g)) {
      sources[index % ISOLATES]!.push(`import ${npm};`);
    }
    sources[index % ISOLATES]!.push(
      `defineExample("${file}:${line}", "${place}", () => import("./${name}"));`,
    );
  }
  const paths = sources.map((_, index) => `${folder}/examples_${index + 1}.ts`);
  for (const [index, path] of paths.entries()) {
    await Deno.writeTextFile(path, sources[index]!.join("\n") + "\n");
  }
  return {
    paths,
    remove: () => Deno.remove(folder, { recursive: true }),
  };
}
