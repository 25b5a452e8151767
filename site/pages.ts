/**
 * Prepares the pages of the site from the files that GitHub shows: cuts the
 * tests out of programs, and moves links to their pages.
 *
 * @module
 */

/** The public address of the repository. */
export const REPOSITORY = repositoryURL();

/** Files at the root of the repository that are pages of the site. */
export const ROOT_PAGES: Readonly<Record<string, string>> = {
  "SECURITY.md": "security",
  "CONTRIBUTING.md": "contributing",
  "CHANGELOG.md": "changelog",
};

/** A section of the sidebar. */
export interface Section {
  readonly text: string;
  readonly items: readonly { readonly text: string; readonly link: string }[];
}

/**
 * Removes the tests from the TypeScript programs of a page: each part between
 * `// #region test` and `// #endregion`, and imports that nothing else uses. A
 * program with a router then ends in `Deno.serve`.
 */
export function cutTests(markdown: string): string {
  return markdown.replaceAll(
    /^```ts([^\n]*)\n(.*?)^```$/gms,
    (block, info: string, code: string) => {
      const cut = code.replaceAll(
        /^[ \t]*\/\/ #region test\n.*?^[ \t]*\/\/ #endregion\n/gms,
        "",
      );
      if (cut === code) return block;
      const program = cutImports(cut.replaceAll(/\(\{\s*\}\)/g, "()"))
        .replaceAll(/\n{3,}/g, "\n\n").trim();
      return `\`\`\`ts${info}\n${program}${serveOf(program)}\n\`\`\``;
    },
  );
}

/** Marks the TypeScript programs of a page, so that the site shows their types. */
export function markPrograms(markdown: string): string {
  return markdown.replaceAll(/^```ts\b/gm, "```ts twoslash");
}

/** Removes the imported names that a program does not use. */
function cutImports(program: string): string {
  const body = program.replaceAll(IMPORT, "");
  return program.replaceAll(IMPORT, (_, type = "", list: string, from) => {
    const names = list.split(",").map((name) => name.trim()).filter((name) => {
      const [, local] = /(\w+)$/.exec(name) ?? [];
      return local !== undefined && new RegExp(`\\b${local}\\b`).test(body);
    });
    if (names.length === 0) return "";
    const line = `import ${type}{ ${names.join(", ")} } from ${from};\n`;
    return line.length <= 81
      ? line
      : `import ${type}{\n  ${names.join(",\n  ")},\n} from ${from};\n`;
  });
}

const IMPORT = /^import (type )?\{([^}]*)\} from ("[^"]+");\n/gm;

/** Returns the line that serves a router, unless the program serves it. */
function serveOf(program: string): string {
  return /^const router = /m.test(program) && !program.includes("Deno.serve(")
    ? "\n\nDeno.serve(router.fetch);"
    : "";
}

/**
 * Replaces links between files by links between pages. Links to source files
 * lead to the repository.
 *
 * @param file The path of the file in the repository, such as `docs/deploy.md`.
 */
export function moveLinks(markdown: string, file: string): string {
  const base = new URL(file, "file:///");
  return markdown.replaceAll(
    /(\]\(|^\[[^\]]+\]: )((?!https?:|mailto:|#)[^)\s]+)/gm,
    (_, before: string, target: string) => {
      const { pathname, hash } = new URL(target, base);
      return before + pageOf(pathname.slice(1), hash);
    },
  );
}

function pageOf(path: string, hash: string): string {
  const root = ROOT_PAGES[path];
  if (root !== undefined) return `/${root}${hash}`;
  if (path === "README.md") return `/${hash}`;
  const [, guide] = /^docs\/(.+)\.md$/.exec(path) ?? [];
  if (guide !== undefined) {
    return `/guide/${guide.replace(/(^|\/)README$/, "$1")}${hash}`;
  }
  if (path.startsWith("docs/images/")) return `/${path.slice("docs/".length)}`;
  return `${REPOSITORY}/blob/main/${path}${hash}`;
}

/** Reads the sections of the guide from the links of its index. */
export function guideSections(index: string): Section[] {
  const sections: Section[] = [];
  for (const part of index.split(/^(?=## |[A-Z][^\n]*:$)/m)) {
    const [title] = part.split("\n", 1);
    const items = [...part.matchAll(/^- \[([^\]]+)\]\((\w+)\.md\)/gms)]
      .map(([, text, name]) => ({
        text: text.replaceAll(/\s+/g, " "),
        link: `/guide/${name}`,
      }));
    if (items.length > 0) {
      sections.push({ text: title.replace(/^## |:$/g, ""), items });
    }
  }
  return sections;
}

function repositoryURL(): string {
  const server = Deno.env.get("GITHUB_SERVER_URL") ?? "https://github.com";
  const name = Deno.env.get("GITHUB_REPOSITORY") ?? "gatehouse/web";
  return `${server}/${name}`;
}
