import type { Session } from "../../session/mod.ts";
import { sessionOf } from "../_session_of.ts";
import type { AuthenticatedUser } from "./auth_key.ts";
import { absent, type AuthScheme, checkName, outcomeOf } from "./scheme.ts";

/** Options for {@linkcode createSessionAuthScheme}. */
export interface SessionAuthSchemeOptions<User extends AuthenticatedUser, Id> {
  /** What the scheme is called. It is the realm of its challenge. */
  readonly name: string;

  /**
   * Reads who is logged in from the session.
   *
   * @default {(session) => session.userId}
   */
  readonly read?: (session: Session) => Id | null | undefined;

  /**
   * Looks the user up.
   *
   * @param id What `read` returned.
   * @returns The user, or `null` where there is none any more.
   */
  readonly verify: (id: Id) => User | null | Promise<User | null>;
}

/**
 * Creates a scheme that finds the user in the session.
 *
 * The session middleware must run before `auth`.
 *
 * @example Users in a map
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import {
 *   Auth,
 *   auth,
 *   createSessionAuthScheme,
 * } from "@gatehouse/web/auth-middleware";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { session } from "@gatehouse/web/session-middleware";
 *
 * const users = new Map([[1, { id: 1, name: "Ada" }]]);
 * const scheme = createSessionAuthScheme({
 *   name: "session",
 *   verify: (id: string | number) => users.get(Number(id)) ?? null,
 * });
 * const router = createRouter({
 *   middleware: [session(), auth({ schemes: [scheme] })],
 * });
 * router.get("/", (context) =>
 *   new Response(context.get(Auth)?.name ?? "nobody"));
 *
 * const response = await router.fetch("https://example.com/");
 * assertEquals(await response.text(), "nobody");
 * ```
 *
 * @typeParam User What `verify` returns.
 * @typeParam Id What `read` returns.
 * @param options How to read and verify who is logged in.
 * @returns The scheme.
 * @throws {TypeError} If the name cannot stand in a challenge.
 */
export function createSessionAuthScheme<
  User extends AuthenticatedUser,
  Id = string | number,
>(options: SessionAuthSchemeOptions<User, Id>): AuthScheme<User> {
  const { name, verify } = options;
  const read = options.read ?? readUserId as (session: Session) => Id;
  checkName(name);
  return {
    name,
    async authenticate(context) {
      const session = await sessionOf(context, `use the auth scheme "${name}"`)
        .load();
      const id = read(session);
      if (id === null || id === undefined) return absent;
      return outcomeOf(await verify(id), session.authenticatedAt);
    },
    // Not a registered scheme, but RFC 9110 wants a challenge with every 401.
    challenge: (reason) =>
      reason === "insufficient" ? undefined : `Session realm="${name}"`,
  };
}

function readUserId(session: Session): string | number | undefined {
  return session.userId;
}
