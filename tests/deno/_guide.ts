import { type CodeBlock, codeBlocks } from "./_markdown.ts";

/** The folder of the guide. */
export const DOCS = new URL("../../docs/", import.meta.url);

/** A page of the guide. */
export interface Page {
  /** Its file, such as `deploy.md`. */
  readonly name: string;
  readonly text: string;
  readonly blocks: readonly CodeBlock[];
}

/** Reads all pages of the guide. */
export async function pages(): Promise<Page[]> {
  const list: Page[] = [];
  for await (const { name } of Deno.readDir(DOCS)) {
    if (!name.endsWith(".md")) continue;
    const text = await Deno.readTextFile(new URL(name, DOCS));
    list.push({ name, text, blocks: codeBlocks(text) });
  }
  return list.sort((a, b) => a.name < b.name ? -1 : 1);
}

/** Returns the programs of a page that `deno test --doc` skips, by name. */
export function programsOf({ blocks }: Page): Record<string, string> {
  return Object.fromEntries(
    blocks.filter(({ words }) => words[0] === "ignore")
      .map(({ text, words }) => [words[1], text]),
  );
}

/** Reads the programs of one page. */
export async function programs(page: string): Promise<Record<string, string>> {
  const text = await Deno.readTextFile(new URL(page, DOCS));
  return programsOf({ name: page, text, blocks: codeBlocks(text) });
}
