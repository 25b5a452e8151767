import TypesOnHover from "@shikijs/vitepress-twoslash/client";
import "@shikijs/vitepress-twoslash/style.css";
import type { Theme } from "vitepress";
import theme from "vitepress/theme";
import "./style.css";

export default {
  extends: theme,
  enhanceApp: ({ app }) => app.use(TypesOnHover),
} satisfies Theme;
