import { transformerTwoslash } from "@shikijs/vitepress-twoslash";
import { readFileSync } from "node:fs";
import ts from "typescript";
import type { TwoslashOptions } from "twoslash";
import { defineConfig } from "vitepress";
import { typesOfPrograms } from "./program_types.mts";

const build = new URL("../.build/", import.meta.url);
const { repository, version, base, guide, reference, sources } = JSON.parse(
  readFileSync(new URL("settings.json", build), "utf8"),
);

/** Matches the types of globals, and of the members of platform objects. */
const OF_THE_PLATFORM =
  /^(?:var|import) |\) (?:Array|Date|Map|Promise|RequestInit|ResponseInit|String)\b[^:(]*\./;

/** Shows the type and the summary of each name. */
const twoslashOptions: TwoslashOptions = {
  compilerOptions: {
    lib: ["lib.esnext.d.ts", "lib.webworker.d.ts"],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    noEmit: true,
    paths: sources,
    types: [],
  },
  // `deno check` reports type errors. Here, other packages are missing.
  handbookOptions: { noErrors: true },
  filterNode(node) {
    if (node.type !== "hover") return true;
    node.docs = node.docs?.split("\n\n", 1)[0];
    node.tags = undefined;
    return node.text.length <= 300 && !OF_THE_PLATFORM.test(node.text) &&
      !/\bany$/.test(node.text);
  },
};

/** Shows types in `ts twoslash` programs. */
const typesOnHover = transformerTwoslash({
  twoslashOptions,
  typesCache: typesOfPrograms(new URL("pages/", build), twoslashOptions),
});

// Many names have the same type, whose colors are found once.
const { code: showTypes } = typesOnHover;
const highlighted = new Map<string, string>();
typesOnHover.code = function (element) {
  const codeToHast: typeof this.codeToHast = (text, options) => {
    const key = JSON.stringify([text, options.lang, options.structure]);
    const known = highlighted.get(key);
    if (known !== undefined) return JSON.parse(known);
    const found = this.codeToHast(text, options);
    highlighted.set(key, JSON.stringify(found));
    return found;
  };
  return showTypes!.call(
    Object.create(this, { codeToHast: { value: codeToHast } }),
    element,
  );
};

/** The headings of every function in the reference, which name no subject. */
const HEADINGS_OF_REFERENCE =
  /^#{2,6} (?:Call Signature|Constructors?|Default|Examples?|Extends|Extended by|Methods|Parameters|Properties|Returns|See|Throws|Type Parameters)$/gm;

/**
 * Returns the page that the search looks into: without the types of programs,
 * the headings of the reference, and pages about the past.
 */
function searchedPage(page: string, path: string): string {
  if (/^(?:guide\/decisions\/|changelog)/.test(path)) return "";
  // The search reads the text only, so that nothing is highlighted for it.
  const text = page.replaceAll(/^```\w.*$/gm, "```");
  return path.startsWith("api/")
    ? text.replaceAll(HEADINGS_OF_REFERENCE, "")
    : text;
}

export default defineConfig({
  title: "Gatehouse",
  description:
    "A web toolkit for TypeScript with authentication built in, for Deno, Bun, Cloudflare Workers and Node.",
  lang: "en-US",
  base,
  head: [["link", {
    rel: "icon",
    type: "image/svg+xml",
    href: `${base}icon.svg`,
  }]],
  srcDir: ".build/pages",
  // The skills are files for models, and not pages.
  srcExclude: ["public/**"],
  outDir: ".build/dist",
  cacheDir: ".build/cache",
  cleanUrls: false,
  ignoreDeadLinks: "localhostLinks",
  lastUpdated: false,
  markdown: {
    codeTransformers: [typesOnHover],
    // The reference repeats half of its code.
    config: (markdown) => {
      const { highlight } = markdown.options;
      const known = new Map<string, string>();
      markdown.options.highlight = (code, lang, attrs) => {
        const key = JSON.stringify([code, lang, attrs]);
        const html = known.get(key) ?? highlight!(code, lang, attrs);
        known.set(key, html);
        return html;
      };
    },
    theme: {
      light: "github-light-high-contrast",
      dark: "github-dark-high-contrast",
    },
  },
  // Without this, Rollup spends half of the build on looking for unused code.
  vite: { build: { rollupOptions: { treeshake: false } } },
  // VitePress gives its start page no landmark for its content.
  transformHtml: (html) =>
    html.replace('class="VPContent is-home"', '$& role="main"'),
  themeConfig: {
    search: {
      provider: "local",
      options: {
        _render: (page, env, markdown) =>
          markdown.render(searchedPage(page, env.relativePath), env),
        miniSearch: {
          searchOptions: {
            // The guide comes before the reference, and the beginning of a page
            // before its sections. Runs in the browser, so it has no variables.
            boostDocument: (id) => {
              if (id.includes("/api/")) return 0.05;
              if (
                /\/(?:migrate_\w+|benchmarks|bundle_sizes|asvs|compare|faq|security|contributing)\b/
                  .test(id)
              ) return 0.3;
              return id.includes("#") ? 1 : 1.5;
            },
          },
        },
      },
    },
    nav: [
      { text: "Guide", link: "/guide/", activeMatch: "^/guide/" },
      { text: "API", link: "/api/", activeMatch: "^/api/" },
      { text: "Security", link: "/security" },
      { text: `v${version}`, link: "/changelog" },
    ],
    sidebar: {
      "/api/": [{ text: "API reference", link: "/api/", items: reference }],
      "/": [
        ...guide,
        {
          text: "Reference",
          items: [
            { text: "API reference", link: "/api/" },
            { text: "Benchmarks", link: "/guide/benchmarks" },
            { text: "Bundle sizes", link: "/guide/bundle_sizes" },
            { text: "Security", link: "/security" },
            { text: "Decisions", link: "/guide/decisions/" },
            { text: "Contributing", link: "/contributing" },
          ],
        },
      ],
    },
    outline: [2, 3],
    socialLinks: [{ icon: "github", link: repository }],
    editLink: {
      // Runs in the browser too, so it has no variables.
      pattern: ({ frontmatter }) => frontmatter.editLink,
      text: "Edit this page",
    },
    footer: { message: "Released under the MIT License." },
  },
});
