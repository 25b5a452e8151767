/** A fenced block of code in a page. */
export interface CodeBlock {
  /** The first word behind the fence, such as `ts`. */
  readonly language: string;
  /** The other words, such as `ignore`. */
  readonly words: readonly string[];
  readonly text: string;
  /** The line of the page that the code begins in, from 1. */
  readonly line: number;
}

/** Finds the blocks of code of a page. */
export function codeBlocks(markdown: string): CodeBlock[] {
  return [...markdown.matchAll(/^```(\w+)([^\n]*)\n(.*?)^```$/gms)].map(
    ({ index, 1: language, 2: words, 3: text }) => ({
      language,
      words: words.split(" ").filter((word) => word !== ""),
      text,
      line: markdown.slice(0, index).split("\n").length + 1,
    }),
  );
}

/** Finds the targets of a page's links to files. */
export function fileLinks(markdown: string): string[] {
  return [...markdown.matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)]
    .map(([, path]) => path);
}
