import { createContextKey } from "../../router/internal.ts";
import type { ContextKey } from "../../router/mod.ts";

/** The user of a request, with the properties that your `verify` returns. */
export interface AuthenticatedUser {
  /** The id of the user in the application. */
  readonly id: string | number | bigint;
  /**
   * The email address.
   *
   * @default {undefined}
   */
  readonly email?: string | null | undefined;
  /**
   * The display name.
   *
   * @default {undefined}
   */
  readonly name?: string | null | undefined;
  /**
   * The role, for `requireRole` and `requirePermission`.
   *
   * @default {undefined}
   */
  readonly role?: string | null | undefined;
  /**
   * The scopes, for `requireScope`. A token of an issuer cannot have more of them
   * than its own.
   *
   * @default {the scopes of the token, if the scheme knows them}
   */
  readonly scopes?: readonly string[] | undefined;
}

/** The type of {@linkcode Auth}. */
export interface AuthKey extends ContextKey<AuthenticatedUser | null> {
  /** The name of the key, which distinguishes its type from others. */
  readonly name: "Auth";
}

/**
 * The context key of the current user. The value is `null` if no scheme
 * succeeded or the `auth` middleware did not run.
 *
 * After `auth` and `requireAuth`, its type is the user type of the schemes.
 *
 * @example Reading the user
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { Auth } from "@gatehouse/web/auth-middleware";
 * import { RequestContext } from "@gatehouse/web/fetch-router";
 *
 * const context = new RequestContext(new Request("https://example.com/"));
 * assertEquals(context.get(Auth), null);
 *
 * context.set(Auth, { id: 1, name: "Ada" });
 * assertEquals(context.get(Auth)?.name, "Ada");
 * ```
 */
export const Auth: AuthKey = /* @__PURE__ */ createContextKey<
  AuthenticatedUser | null
>(null, {
  name: "Auth",
}) as AuthKey;

/**
 * The context key of the user who acts as the user of {@linkcode Auth}. The value
 * is `null` if the user acts for themselves.
 *
 * @example Read both users
 * ```ts
 * import { Actor, Auth } from "@gatehouse/web/auth-middleware";
 * import { RequestContext } from "@gatehouse/web/fetch-router";
 * import { assertEquals } from "@std/assert";
 *
 * const context = new RequestContext(new Request("https://example.com/"));
 * assertEquals([context.get(Auth), context.get(Actor)], [null, null]);
 * ```
 */
export const Actor: ContextKey<AuthenticatedUser | null> =
  /* @__PURE__ */ createContextKey<AuthenticatedUser | null>(null, {
    name: "Actor",
  });
