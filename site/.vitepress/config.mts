import { readFileSync } from "node:fs";
import { defineConfig } from "vitepress";

const build = new URL("../.build/", import.meta.url);
const { repository, version, base, guide, reference } = JSON.parse(
  readFileSync(new URL("settings.json", build), "utf8"),
);

export default defineConfig({
  title: "Gatehouse",
  description:
    "A web toolkit for TypeScript with authentication built in, for Deno, Bun, Cloudflare Workers and Node.",
  lang: "en-US",
  base,
  srcDir: ".build/pages",
  outDir: ".build/dist",
  cacheDir: ".build/cache",
  cleanUrls: false,
  ignoreDeadLinks: "localhostLinks",
  lastUpdated: false,
  markdown: {
    theme: {
      light: "github-light-high-contrast",
      dark: "github-dark-high-contrast",
    },
  },
  // VitePress gives its start page no landmark for its content.
  transformHtml: (html) =>
    html.replace('class="VPContent is-home"', '$& role="main"'),
  themeConfig: {
    search: { provider: "local" },
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
      pattern: ({ frontmatter }) =>
        frontmatter.editLink === undefined
          ? repository
          : `${repository}/edit/main/${frontmatter.editLink}`,
      text: "Edit this page",
    },
    footer: { message: "Released under the MIT License." },
  },
});
