import { html, htmlResponse, unsafeHTML } from "../content/html.ts";

/** Options for {@linkcode openapiPage}. */
export interface OpenAPIPageOptions {
  /** The URL of the document, such as `/openapi.json`. */
  readonly document: string;
  /**
   * The title of the page.
   *
   * @default {"API"}
   */
  readonly title?: string;
  /**
   * The URL of the folder with `swagger-ui-bundle.js` and `swagger-ui.css` of
   * Swagger UI 5.35.0, for example on your own server.
   *
   * @default {jsDelivr}
   */
  readonly assets?: string;
}

/** The files of Swagger UI 5.35.0 on npm, as jsDelivr serves them. */
const ASSETS = "https://cdn.jsdelivr.net/npm/swagger-ui-dist@5.35.0";
const SCRIPT =
  "sha384-gjRm0bEPMeTmMh5jT2cHccIwCUZSTd8YC+j0d0sXw0MdGEfScduGpSyF3ZSSLkX9";
const STYLE =
  "sha384-WlYgdmXYOOBWL5apwjDEZwN+U3HmXSSu5R6V5aGxEcf7z+KuRNwBhoxKVN1i3D5I";

/** Starts Swagger UI. */
const START = `const { url } = document.getElementById("api").dataset;
SwaggerUIBundle({ url, dom_id: "#api", validatorUrl: null });`;

/** The SHA-256 hash of that script. */
const START_HASH = "mPG1vBmS+y1UnIGbHa170/byH4nWMgchkwjNVxWK4zQ=";

/**
 * Creates a handler that responds with a page to read an OpenAPI document and to
 * try its requests, with Swagger UI.
 *
 * The script and the style are pinned with their hashes, and the page has its own
 * content security policy without `unsafe-inline`.
 *
 * @example A page for the document
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { openapiPage } from "@gatehouse/web/openapi";
 *
 * const router = createRouter();
 * router.get("/docs", openapiPage({ document: "/openapi.json" }));
 *
 * const response = await router.fetch("https://example.com/docs");
 * assertEquals(response.headers.get("Content-Type"), "text/html; charset=utf-8");
 * ```
 *
 * @param options The URL of the document, and the title.
 * @returns The handler.
 * @throws {TypeError} If a URL has a character that a policy cannot contain.
 */
export function openapiPage(
  options: OpenAPIPageOptions,
): () => Response {
  const { assets = ASSETS, document, title = "API" } = options;
  // In a policy, these characters would end the source.
  if (/[\s;,']/.test(assets)) {
    throw new TypeError(
      `Cannot create the OpenAPI page: "${assets}" is not a URL for a policy`,
    );
  }
  const headers = { "Content-Security-Policy": policyFor(assets) };
  return () =>
    htmlResponse(
      html`
        <html lang="en">
          <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>${title}</title>
            <link rel="stylesheet" href="${assets}/swagger-ui.css"
              integrity="${STYLE}" crossorigin="anonymous">
          </head>
          <body>
            <div id="api" data-url="${document}"></div>
            <script src="${assets}/swagger-ui-bundle.js" integrity="${SCRIPT}" crossorigin="anonymous"></script>
            ${unsafeHTML(`<script>${START}</script>`)}
          </body>
        </html>
      `,
      { headers },
    );
}

/** Returns the policy of the page. It allows documents of the same origin only. */
function policyFor(assets: string): string {
  const source = assets.startsWith("/") ? "'self'" : `${assets}/`;
  return [
    "default-src 'none'",
    `script-src ${source} 'sha256-${START_HASH}'`,
    `style-src ${source}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
