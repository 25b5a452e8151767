import { SCRIPT } from "./_script_text.ts";

/**
 * Serves the browser part of passkeys as a module. It connects all forms of the
 * page, see `connectPasskeyForms()`. Its exports are those of
 * `@gatehouse/web/auth/passkey/browser`.
 *
 * @example Serve the script
 * ```ts
 * import { passkeyScript } from "@gatehouse/web/auth/passkey";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { assertStringIncludes } from "@std/assert";
 *
 * const router = createRouter();
 * router.get("/passkeys.js", passkeyScript);
 * // In pages: <script type="module" src="/passkeys.js"></script>
 *
 * const response = await router.fetch("https://example.com/passkeys.js");
 * assertStringIncludes(await response.text(), "navigator.credentials");
 * ```
 *
 * @returns The response.
 */
export function passkeyScript(): Response {
  return new Response(SCRIPT, {
    headers: {
      "Content-Type": "text/javascript; charset=utf-8",
      "Cache-Control": "max-age=300",
    },
  });
}
