import type { RequestContext } from "../../router/mod.ts";
import { Auth, type AuthenticatedUser } from "../login/user_keys.ts";
import { type AuthState, State } from "./_auth_state.ts";

/**
 * Returns the scopes that a request may use, for handlers that decide themselves,
 * such as the tools of an MCP server. `requireScope` checks the same scopes.
 *
 * They are the property `scopes` of the user, and those of the token if its scheme
 * knows them. If both are known, a scope must be in both.
 *
 * @example A tool that is only for some tokens
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import {
 *   auth,
 *   createBearerTokenAuthScheme,
 *   grantedScopes,
 * } from "@gatehouse/web/auth-middleware";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 *
 * const tokens = createBearerTokenAuthScheme({
 *   name: "notes",
 *   verify: (token) =>
 *     token === "t0ken" ? { id: 1, scopes: ["notes:read"] } : null,
 * });
 * const router = createRouter({ middleware: [auth({ schemes: [tokens] })] });
 * router.get("/tools", (context) => Response.json(grantedScopes(context)));
 *
 * const response = await router.fetch("https://example.com/tools", {
 *   headers: { Authorization: "Bearer t0ken" },
 * });
 * assertEquals(await response.json(), ["notes:read"]);
 * ```
 *
 * @param context The context of the request.
 * @returns The scopes; an empty array without a user, or if none are known.
 */
export function grantedScopes(context: RequestContext): readonly string[] {
  const user = context.get(Auth);
  return user === null ? [] : scopesOf(user, context.get(State));
}

/** Returns the scopes of a user in a request, as above. */
export function scopesOf(
  user: AuthenticatedUser,
  state: AuthState,
): readonly string[] {
  const known: readonly unknown[] = [user.scopes, state.scopes]
    .filter((scopes) => scopes !== undefined);
  // On a string, `includes` would find a part of a scope.
  if (!known.every((scopes) => Array.isArray(scopes))) return [];
  const [first = [], ...others] = known;
  return first.filter((scope) =>
    others.every((scopes) => scopes.includes(scope))
  );
}
