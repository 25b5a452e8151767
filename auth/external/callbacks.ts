import {
  type Middleware,
  redirect,
  type RequestContext,
  withHeaders,
} from "../../router/mod.ts";
import { isCallbackOf } from "./_callback.ts";
import type { ProviderEngine } from "./_engine.ts";
import { forgetAnswer, sealAnswer } from "./_form_post.ts";
import { readForm } from "./_form.ts";
import { isShared } from "./_own_callback.ts";
import { engineOf, type ExternalAuthProvider } from "./provider.ts";

/**
 * Creates a middleware that guards the callbacks of external providers.
 *
 * Their responses get `Referrer-Policy: no-referrer` and are not stored, so that
 * no page behind a login sees the code that it was finished with. For providers
 * with `responseMode: "form_post"` it takes the answer that the browser posts
 * from the provider's site, and sends the browser on to a GET of the same
 * address.
 *
 * Put it in front of the session and of the cross-origin protection, which would
 * refuse such a POST: it is a cross-site request by design, safe because it
 * does nothing but send the browser on.
 *
 * @example In front of everything else
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import {
 *   createOIDCAuthProvider,
 *   externalAuthCallbacks,
 *   finishExternalAuth,
 * } from "@gatehouse/web/auth";
 * import { crossOriginProtection } from "@gatehouse/web/cross-origin-middleware";
 * import { createRouter, redirect } from "@gatehouse/web/fetch-router";
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
  // The one that asks for most of a query is the one that is meant.
  const engines = providers.map(engineOf).sort((a, b) =>
    b.redirectUri.searchParams.size - a.redirectUri.searchParams.size
  );
  checkCallbacks(engines);
  return async (context, next) => {
    const engine = engines.find((engine) => isCallbackOf(engine, context));
    if (engine === undefined) return await next();
    const isPosted = engine.options.responseMode === "form_post";
    const response = isPosted && context.request.method === "POST"
      ? await takeAnswer(engine, context)
      : await next();
    const used = isPosted && context.request.method === "GET"
      ? await forgetAnswer(context.url.searchParams.get("state") ?? "")
      : undefined;
    return withHeaders(response, (headers) => {
      headers.set("Referrer-Policy", "no-referrer");
      headers.set("Cache-Control", "private, no-store");
      if (used !== undefined) headers.append("Set-Cookie", used);
    });
  };
}

/** Each issuer has a callback of its own (RFC 9700, section 4.4.2). */
function checkCallbacks(engines: readonly ProviderEngine<unknown>[]): void {
  for (const [i, engine] of engines.entries()) {
    const other = engines.slice(0, i).find((other) => isShared(engine, other));
    if (other === undefined) continue;
    const { href } = engine.redirectUri;
    throw new TypeError(
      `Cannot guard the callbacks: redirectUri "${href}" is that of two issuers`,
    );
  }
}

async function takeAnswer(
  engine: ProviderEngine<unknown>,
  context: RequestContext,
): Promise<Response> {
  const form = await readForm(context);
  const cookies = form &&
    await sealAnswer(engine, context.request.headers, form);
  if (form === null || cookies === null) {
    return new Response("Bad Request", { status: 400 });
  }
  const location = new URL(engine.redirectUri);
  // The cookie is worth nothing for another login than the one in the URL.
  location.searchParams.set("state", form.get("state") ?? "");
  const response = redirect(location.pathname + location.search, 303);
  for (const cookie of cookies) response.headers.append("Set-Cookie", cookie);
  return response;
}
