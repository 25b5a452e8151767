import type { Session } from "../../session/mod.ts";
import { currentSession } from "../login/current_session.ts";
import { Actor, type AuthenticatedUser } from "../login/user_keys.ts";
import { actedUserOf, type ActingRules, setActingRules } from "./act_as.ts";
import { absent, type AuthScheme, checkName, outcomeOf } from "./scheme.ts";

/** Options for {@linkcode createSessionAuthScheme}. */
export interface SessionAuthSchemeOptions<User extends AuthenticatedUser, Id> {
  /** The name of the scheme. */
  readonly name: string;

  /**
   * Reads the id of the user from the session.
   *
   * @default {(session) => session.userId}
   */
  readonly read?: (session: Session) => Id | null | undefined;

  /**
   * Returns the user with this id.
   *
   * @param id The return value of `read`.
   * @returns The user, or `null` if it was deleted.
   */
  readonly verify: (id: Id) => User | null | Promise<User | null>;

  /**
   * Returns the current version of a user's credentials. Sessions whose login
   * had another `version` of `completeAuth`, or none, have no user.
   *
   * @param user The return value of `verify`.
   * @default {undefined}
   */
  readonly version?: (user: User) => number;

  /**
   * The rules for users who act as other users: see `actAs`.
   *
   * @default {undefined}
   */
  readonly acting?: ActingRules<User>;
}

/**
 * Creates a scheme that reads the user from the session.
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
 *   new Response(context.get(Auth)?.name ?? "anonymous"));
 *
 * const response = await router.fetch("https://example.com/");
 * assertEquals(await response.text(), "anonymous");
 * ```
 *
 * @typeParam User The return type of `verify`.
 * @typeParam Id The return type of `read`.
 * @param options The functions that read the id and look up the user.
 * @returns The scheme.
 * @throws {TypeError} If the name is not printable ASCII.
 */
export function createSessionAuthScheme<
  User extends AuthenticatedUser,
  Id = string | number,
>(options: SessionAuthSchemeOptions<User, Id>): AuthScheme<User> {
  const { acting, name, verify, version } = options;
  const read = options.read ?? readUserId as (session: Session) => Id;
  checkName(name);
  const purpose = `use the auth scheme "${name}"`;
  const scheme: AuthScheme<User> = {
    name,
    // The session middleware knows the name of its cookie.
    security: { type: "apiKey", in: "cookie", name: "session" },
    async authenticate(context) {
      const session = await currentSession(context, purpose).load();
      const id = read(session);
      if (id === null || id === undefined) return absent;
      const user = await verify(id);
      // If `version` returns nothing by mistake, no session may have a user.
      const isCurrent = (user: User) =>
        version === undefined ||
        session.version !== undefined && session.version === version(user);
      if (user && !isCurrent(user)) return { status: "refused" };
      const acted = acting && user
        ? await actedUserOf(scheme, session, user)
        : null;
      if (acted === null) {
        const { authenticatedAt, authMethods: methods } = session;
        return outcomeOf(user, { authenticatedAt, methods });
      }
      if (acted === "refused") return { status: "refused" };
      context.set(Actor, user);
      // The result omits the time of the login, which belongs to the acting
      // user.
      return outcomeOf(acted as User);
    },
    // There is no challenge, because cookies have no registered scheme.
  };
  if (acting) setActingRules(scheme, acting, verify);
  return scheme;
}

function readUserId(session: Session): string | number | undefined {
  return session.userId;
}
