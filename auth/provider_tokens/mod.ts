/**
 * Tokens of external providers, kept on the server and refreshed once.
 *
 * @example Keeping the tokens of a login
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import {
 *   completeAuth,
 *   createOIDCAuthProvider,
 *   externalAuthResult,
 *   startExternalAuth,
 * } from "@gatehouse/web/auth";
 * import { keepTokens } from "@gatehouse/web/auth/provider-tokens";
 * import { createRouter, redirect } from "@gatehouse/web/fetch-router";
 * import { createMemorySessionStore } from "@gatehouse/web/session";
 * import { session } from "@gatehouse/web/session-middleware";
 * import {
 *   createTestClient,
 *   createTestProvider,
 * } from "@gatehouse/web/testing";
 *
 * const idp = createTestProvider();
 * const provider = createOIDCAuthProvider({
 *   ...idp.client,
 *   name: "example",
 *   redirectUri: "https://app.example/callback",
 * });
 * const store = createMemorySessionStore();
 * const tokens = keepTokens(provider, {
 *   store,
 *   secrets: ["c2VjcmV0IG9mIHRoZSBleGFtcGxlLCBub3QgeW91cnM"],
 * });
 * const router = createRouter({ middleware: [session({ store })] });
 * router.get("/login", (context) => startExternalAuth(provider, context));
 * router.get("/callback", async (context) => {
 *   const result = await externalAuthResult(provider, context);
 *   if (!result.ok) return new Response(null, { status: 401 });
 *   await completeAuth(context, result.subject);
 *   await tokens.save(context, result);
 *   return redirect("/");
 * });
 * router.get("/", async (context) => {
 *   const token = await tokens.get(context);
 *   return new Response(token.ok ? "connected" : token.reason);
 * });
 *
 * const browser = createTestClient(router, { origin: "https://app.example" });
 * const { headers } = await browser.fetch("/login");
 * await browser.fetch(idp.authorize(headers.get("Location")));
 * assertEquals(await (await browser.fetch("/")).text(), "connected");
 * ```
 *
 * @module
 */
export type { ForwardMethod, ForwardOptions } from "./forward_options.ts";
export { forwardTo } from "./forward_to.ts";
export {
  keepTokens,
  type KeepTokensOptions,
  type KeptTokens,
} from "./kept_tokens.ts";
export type {
  AccessToken,
  GetTokenOptions,
  LoginRequired,
  TokenFailure,
  TokenResult,
  TokenSource,
  TokenUnavailable,
} from "./token_result.ts";
