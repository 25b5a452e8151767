import type { RequestContext, SecurityScheme } from "../../router/mod.ts";
import type { AuthenticatedUser } from "../login/user_keys.ts";

/**
 * The result of a scheme: a user, no credentials, or refused credentials.
 * Malformed credentials count as absent.
 */
export type AuthOutcome<User extends AuthenticatedUser = AuthenticatedUser> =
  | {
    readonly status: "authenticated";
    readonly user: User;
    /** The time of the login in epoch milliseconds, if known. */
    readonly authenticatedAt?: number;
    /**
     * The authentication methods of the login, such as `pwd`, and the times at
     * which each was last used, in epoch milliseconds, if known.
     */
    readonly methods?: Readonly<Record<string, number>>;
    /** The scopes of the token, if the scheme knows them. */
    readonly scopes?: readonly string[];
    /** The authentication context class of the login (`acr`), if known. */
    readonly acr?: string;
    /** Headers of the response, such as a new nonce. */
    readonly headers?: Readonly<Record<string, string>>;
  }
  | { readonly status: "absent" }
  | AuthRefusal;

/** The result of a scheme for refused credentials. */
export interface AuthRefusal {
  /** The kind of result. */
  readonly status: "refused";
  /**
   * The error code of the challenge.
   *
   * @default {"invalid_token" in challenges for tokens}
   */
  readonly error?: string;
  /**
   * The reason, for the developers of the client. The response contains it.
   *
   * @default {undefined}
   */
  readonly description?: string;
  /**
   * Headers of the 401 in addition to the challenges.
   *
   * @default {no headers}
   */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * The reason of a challenge: the credentials are absent, refused or insufficient,
 * or the login is too old.
 */
export type ChallengeReason = "absent" | "refused" | "insufficient" | "stale";

/** The details of a challenge. */
export interface ChallengeDetails {
  /**
   * The longest time since the login, in seconds; only for `"stale"`.
   *
   * @default {undefined}
   */
  readonly maxAge?: number | undefined;
  /**
   * The accepted authentication context classes; only for `"stale"`.
   *
   * @default {undefined}
   */
  readonly acrValues?: readonly string[] | undefined;
  /**
   * The scopes that the route requires, if a guard requires some.
   *
   * @default {undefined}
   */
  readonly scopes?: readonly string[] | undefined;
  /**
   * The error code of the scheme for refused credentials.
   *
   * @default {undefined}
   */
  readonly error?: string | undefined;
  /**
   * The reason, for the developers of the client.
   *
   * @default {undefined}
   */
  readonly description?: string | undefined;
}

/**
 * Finds credentials in a request and verifies them.
 *
 * Trust: clients control the input of `authenticate`. It must not throw for
 * malformed credentials, and must return a user only after verification.
 *
 * @example A custom scheme for a proxy that checks client certificates
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
 * @typeParam User The type of the user.
 */
export interface AuthScheme<User extends AuthenticatedUser> {
  /** The name of the scheme, which is unique among the schemes of `auth`. */
  readonly name: string;

  /** The description of the credentials for OpenAPI documents. */
  readonly security?: SecurityScheme;

  /**
   * Finds credentials and verifies them.
   *
   * @param context The context of the request.
   * @returns The result.
   */
  authenticate(
    context: RequestContext,
  ): AuthOutcome<User> | Promise<AuthOutcome<User>>;

  /**
   * Builds the challenge of the scheme for `WWW-Authenticate`.
   *
   * @param reason The reason of the challenge.
   * @param details The requirements of the route, and the error of the scheme.
   * @returns The challenge, or `undefined` if the scheme has none. Several are
   * separated by commas.
   * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1 | RFC 9110, WWW-Authenticate}
   */
  challenge?(
    reason: ChallengeReason,
    details?: ChallengeDetails,
  ): string | undefined;
}

/** The user type of a scheme. */
export type UserOf<Scheme> = Scheme extends AuthScheme<infer User> ? User
  : never;

/** The facts of a login or a token that a scheme knows in addition to the user. */
export type AuthFacts = Omit<
  Extract<AuthOutcome, { readonly status: "authenticated" }>,
  "status" | "user"
>;

/** Returns the result for a user from `verify`. Only an object counts as a user. */
export function outcomeOf<User extends AuthenticatedUser>(
  user: User | null | undefined,
  facts: { readonly [Fact in keyof AuthFacts]?: AuthFacts[Fact] | undefined } =
    {},
): AuthOutcome<User> {
  if (typeof user !== "object" || user === null) return { status: "refused" };
  const { acr, authenticatedAt, headers, methods, scopes } = facts;
  return {
    status: "authenticated",
    user,
    ...acr !== undefined && { acr },
    ...authenticatedAt !== undefined && { authenticatedAt },
    ...headers !== undefined && { headers },
    ...methods !== undefined && { methods },
    ...scopes !== undefined && { scopes },
  };
}

/** The result for a request without credentials. */
export const absent: { readonly status: "absent" } = /* @__PURE__ */ Object
  .freeze({
    status: "absent",
  });

/**
 * Checks the name of a scheme.
 *
 * @throws {TypeError} If a challenge cannot contain it.
 */
export function checkName(name: string): void {
  if (!/^[\w !#$%&'()*+,./:;<=>?@^`{|}~-]{1,100}$/.test(name)) {
    throw new TypeError(
      `Cannot create an auth scheme "${name}": its name must be 1 to 100 printable ASCII characters without quotes and backslashes`,
    );
  }
}
