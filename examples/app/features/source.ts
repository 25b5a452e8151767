import { html } from "@gatehouse/web/content";
import { HTTPError } from "@gatehouse/web/fetch-router";
import type { AppRouter } from "../app_middleware.ts";
import { page } from "../pages/layout.ts";
import { routes } from "../routes.ts";
import type { Services } from "../services.ts";

/** The files that everyone may read. There is no dot before the extension. */
const PUBLIC = /^(?:docs\/\w{1,60}\.md|examples\/app(?:\/\w{1,60}){1,3}\.ts)$/;

/** Adds the pages of the source code and of the guide. */
export function addSource(router: AppRouter, { readFile }: Services): void {
  router.get(routes.source, async (context) => {
    const file = context.url.searchParams.get("file") ?? "";
    const text = PUBLIC.test(file)
      ? await readFile?.(file).catch(() => "")
      : "";
    if (!text) throw new HTTPError(404);
    return page(context, {
      title: file,
      content: html`
        <h1>${file}</h1>
        <pre><code>${text}</code></pre>
      `,
    });
  });
}
