import { withHeaders } from "../../../router/internal.ts";
import type { Middleware } from "../../../router/mod.ts";
import type { ProviderEngine } from "../engine.ts";
import { engineOf, type ExternalAuthProvider } from "../provider.ts";
import { isCallbackOf } from "./_callback.ts";
import { deleteResponse, receiveFormPost } from "./_form_post.ts";
import { DeclaredCallbacks, isShared } from "./_mix_up.ts";

/**
 * Creates a middleware that protects the callbacks of external providers.
 *
 * It adds `Referrer-Policy: no-referrer` and forbids caching, so that no later
 * page learns the code in the callback's URL. For providers with
 * `responseMode: "form_post"` it receives the response that the browser posts
 * from the provider's site, and redirects the browser to a GET of the same URL.
 *
 * Put it before the session and before the cross-origin protection, which would
 * reject such a cross-site POST. The POST is safe because it only redirects.
 *
 * It also finds two issuers with one callback. If sessions are in cookies, no
 * store can tell which providers other processes use, so `startExternalAuth` needs
 * this middleware with all of them.
 *
 * @example Before all other middleware
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import {
 *   createOIDCAuthProvider,
 *   externalAuthCallbacks,
 *   finishExternalAuth,
 * } from "@gatehouse/web/auth";
 * import { createRouter, redirect } from "@gatehouse/web/fetch-router";
 * import { crossOriginProtection } from "@gatehouse/web/middleware";
 * import { session } from "@gatehouse/web/session-middleware";
 *
 * const provider = createOIDCAuthProvider({
 *   name: "example",
 *   issuer: "https://id.example",
 *   clientId: "app",
 *   clientSecret: "s3cret",
 *   redirectUri: "https://app.example/callback",
 *   responseMode: "form_post",
 * });
 * const router = createRouter({
 *   middleware: [
 *     externalAuthCallbacks([provider]),
 *     crossOriginProtection(),
 *     session(),
 *   ],
 * });
 * router.get("/callback", async (context) => {
 *   const profile = await finishExternalAuth(provider, context);
 *   return profile ? redirect("/") : new Response(null, { status: 401 });
 * });
 *
 * const posted = await router.fetch("https://app.example/callback", {
 *   method: "POST",
 *   headers: { Origin: "https://id.example" },
 *   body: new URLSearchParams({ code: "c", state: "s" }),
 * });
 * assertEquals(posted.status, 303);
 * assertEquals(posted.headers.get("Referrer-Policy"), "no-referrer");
 * ```
 *
 * @param providers The providers.
 * @returns The middleware.
 * @throws {TypeError} If two issuers have the same `redirectUri`.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9700#section-4.2.4 | RFC 9700, section 4.2.4}
 * @see {@link https://openid.net/specs/oauth-v2-form-post-response-mode-1_0.html | OAuth 2.0 Form Post Response Mode}
 */
export function externalAuthCallbacks(
  providers: readonly ExternalAuthProvider[],
): Middleware<readonly []> {
  // The callback with the most specific query comes first.
  const engines = providers.map(engineOf).sort((a, b) =>
    b.redirectUri.searchParams.size - a.redirectUri.searchParams.size
  );
  checkCallbacks(engines);
  return async (context, next) => {
    const others = context.get(DeclaredCallbacks);
    const all = [...others, ...engines];
    // The application may use this middleware more than once.
    if (others.length > 0) checkCallbacks(all);
    context.set(DeclaredCallbacks, all);
    const engine = engines.find((engine) => isCallbackOf(engine, context));
    if (engine === undefined) return await next();
    const isPosted = engine.options.responseMode === "form_post";
    const response = isPosted && context.request.method === "POST"
      ? await receiveFormPost(engine, context)
      : await next();
    const used = isPosted && context.request.method === "GET"
      ? await deleteResponse(context.url.searchParams.get("state") ?? "")
      : undefined;
    return withHeaders(response, (headers) => {
      headers.set("Referrer-Policy", "no-referrer");
      headers.set("Cache-Control", "private, no-store");
      if (used !== undefined) headers.append("Set-Cookie", used);
    });
  };
}

/** Checks that issuers have separate callbacks (RFC 9700, section 4.4.2). */
function checkCallbacks(engines: readonly ProviderEngine<unknown>[]): void {
  for (const [i, engine] of engines.entries()) {
    const other = engines.slice(0, i).find((other) => isShared(engine, other));
    if (other === undefined) continue;
    const { href } = engine.redirectUri;
    throw new TypeError(
      `Cannot protect the callbacks: two issuers have the redirectUri "${href}"`,
    );
  }
}
