import { checkNames, requireAllowed } from "./_allowed_user.ts";
import { scopesOf } from "./granted_scopes.ts";
import type { Guard } from "./guard.ts";

/** The characters of a scope (RFC 6749, section 3.3). */
const SCOPE = /^[!#-[\]-~]+$/;

/**
 * Creates a middleware that requires all of the given scopes.
 *
 * The scopes are the property `scopes` of the user, and those of the token if its
 * scheme knows them. If both are known, a scope must be in both: a token grants no
 * more than its user has, and a user no more than the token. Users without known
 * scopes are rejected: give the users of sessions and API keys the property.
 *
 * A request without a user gets a 401, a user without the scopes a 403. The
 * challenges of both name the scopes.
 *
 * @example A scope to write
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import {
 *   auth,
 *   createBearerTokenAuthScheme,
 *   requireScope,
 * } from "@gatehouse/web/auth-middleware";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 *
 * const tokens = createBearerTokenAuthScheme({
 *   name: "notes",
 *   verify: (token) =>
 *     token === "t0ken" ? { id: 1, scopes: ["notes:read"] } : null,
 * });
 * const router = createRouter({ middleware: [auth({ schemes: [tokens] })] });
 * router.post(
 *   "/notes",
 *   { middleware: [requireScope("notes:write")] },
 *   () => new Response(null, { status: 201 }),
 * );
 *
 * const response = await router.fetch("https://example.com/notes", {
 *   method: "POST",
 *   headers: { Authorization: "Bearer t0ken" },
 * });
 * assertEquals(response.status, 403);
 * assertEquals(
 *   response.headers.get("WWW-Authenticate"),
 *   'Bearer realm="notes", scope="notes:write", error="insufficient_scope", ' +
 *     'error_description="The request needs the scope notes:write"',
 * );
 * ```
 *
 * @param scopes The required scopes.
 * @returns The middleware.
 * @throws {TypeError} If no scope is given, or one contains a character that
 * scopes cannot contain.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6750#section-3.1 | RFC 6750, insufficient_scope}
 */
export function requireScope(
  ...scopes: readonly [string, ...string[]]
): Guard {
  checkNames("scope", scopes);
  for (const scope of scopes) checkScope(scope);
  return requireAllowed(
    (user, state) => {
      const granted = scopesOf(user, state);
      return scopes.every((scope) => granted.includes(scope));
    },
    [[...scopes]],
    [...scopes],
  );
}

/**
 * Checks a scope, or another value that challenges list between spaces.
 *
 * @throws {TypeError} If it contains a character that scopes cannot contain.
 */
export function checkScope(scope: string, kind = "scope"): void {
  if (typeof scope === "string" && SCOPE.test(scope)) return;
  throw new TypeError(
    `Cannot use the ${kind} "${scope}": it must be printable ASCII without spaces, quotes and backslashes`,
  );
}
