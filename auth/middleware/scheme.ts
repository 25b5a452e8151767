import type { RequestContext } from "../../router/mod.ts";
import type { AuthenticatedUser } from "./auth_key.ts";

/**
 * What a scheme found: a user, no credentials (malformed ones count as none),
 * or credentials that it refuses.
 */
export type AuthOutcome<User extends AuthenticatedUser = AuthenticatedUser> =
  | {
    readonly status: "authenticated";
    readonly user: User;
    /** When the user logged in, in epoch milliseconds, where that is known. */
    readonly authenticatedAt?: number;
  }
  | { readonly status: "absent" }
  | { readonly status: "refused" };

/**
 * Why a client is challenged: it sent no credentials, they were refused, they
 * do not suffice for what it asked for, or the login is too long ago.
 */
export type ChallengeReason = "absent" | "refused" | "insufficient" | "stale";

/**
 * Looks for credentials in a request and tells whose they are.
 *
 * Trust: `authenticate` sees whatever a client sends. It must not throw at
 * malformed credentials, and must name a user only after it has verified them.
 *
 * @example A scheme of one's own, for a proxy that checks client certificates
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import type { AuthScheme } from "@gatehouse/web/auth-middleware";
 * import { RequestContext } from "@gatehouse/web/fetch-router";
 *
 * const devices = new Map([["ab12", { id: "ab12", role: "device" }]]);
 * const certificates: AuthScheme<{ id: string; role: string }> = {
 *   name: "certificates",
 *   authenticate({ request }) {
 *     const print = request.headers.get("X-Certificate-Fingerprint");
 *     if (print === null) return { status: "absent" };
 *     const user = devices.get(print);
 *     return user ? { status: "authenticated", user } : { status: "refused" };
 *   },
 * };
 *
 * const context = new RequestContext(new Request("https://example.com/"));
 * assertEquals(await certificates.authenticate(context), { status: "absent" });
 * ```
 *
 * @typeParam User The user that the scheme verifies.
 */
export interface AuthScheme<User extends AuthenticatedUser> {
  /** What the scheme is called, once in a list of schemes. */
  readonly name: string;

  /**
   * Looks for credentials and verifies them.
   *
   * @param context The context of the request.
   * @returns What was found.
   */
  authenticate(
    context: RequestContext,
  ): AuthOutcome<User> | Promise<AuthOutcome<User>>;

  /**
   * Builds the challenge of the scheme for `WWW-Authenticate`.
   *
   * @param reason Why the client is challenged.
   * @param maxAge How long ago a login may be, in seconds; with `"stale"` only.
   * @returns The challenge, or `undefined` where the scheme has none.
   * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1 | RFC 9110, WWW-Authenticate}
   */
  challenge?(reason: ChallengeReason, maxAge?: number): string | undefined;
}

/** The user that a scheme verifies. */
export type UserOf<Scheme> = Scheme extends AuthScheme<infer User> ? User
  : never;

/** The outcome of a `verify` function. Whatever is no object is no user. */
export function outcomeOf<User extends AuthenticatedUser>(
  user: User | null | undefined,
  authenticatedAt?: number,
): AuthOutcome<User> {
  if (typeof user !== "object" || user === null) return { status: "refused" };
  return authenticatedAt === undefined
    ? { status: "authenticated", user }
    : { status: "authenticated", user, authenticatedAt };
}

/** The outcome of a request without credentials. */
export const absent: { readonly status: "absent" } = /* @__PURE__ */ Object
  .freeze({
    status: "absent",
  });

/**
 * Checks what a scheme is called.
 *
 * @throws {TypeError} If it cannot stand in a challenge as it is.
 */
export function checkName(name: string): void {
  if (!/^[\w !#$%&'()*+,./:;<=>?@^`{|}~-]{1,100}$/.test(name)) {
    throw new TypeError(
      `Cannot create an auth scheme "${name}": its name must be 1 to 100 printable ASCII characters without quotes and backslashes`,
    );
  }
}
