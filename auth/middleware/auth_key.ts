import { type ContextKey, createContextKey } from "../../router/mod.ts";

/** What is known of the user of a request. Add what your `verify` returns. */
export interface AuthenticatedUser {
  /** The identifier of the user, as the application gave it. */
  readonly id: string | number | bigint;
  /**
   * The e-mail address.
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
   * The role that `requireRole` and `requirePermission` look at, if there is
   * one.
   *
   * @default {undefined}
   */
  readonly role?: string | null | undefined;
}

/** The type of {@linkcode Auth}. */
export interface AuthKey extends ContextKey<AuthenticatedUser | null> {
  /** The name of the key, which tells its type apart from others. */
  readonly name: "Auth";
}

/**
 * The key of the current user: `null` where no scheme succeeded, and where the
 * `auth` middleware did not run.
 *
 * Behind `auth` and `requireAuth` its type is that of the user which the
 * schemes verify.
 *
 * @example Greeting whoever is there
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
