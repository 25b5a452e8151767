import { describeMiddleware, withHeaders } from "../../router/internal.ts";
import type { ContextEntry, Middleware, OrEarlier } from "../../router/mod.ts";
import {
  Auth,
  type AuthenticatedUser,
  type AuthKey,
} from "../login/user_keys.ts";
import { State } from "./_auth_state.ts";
import type { AuthScheme, UserOf } from "./scheme.ts";

/** Options for {@linkcode auth}. */
export interface AuthOptions<
  Schemes extends readonly AuthScheme<AuthenticatedUser>[],
  Only extends boolean = boolean,
> {
  /** The schemes, in order. The first one that succeeds wins. */
  readonly schemes: Schemes;

  /**
   * `true` to accept only these schemes. The user that an outer `auth` found, for
   * example by a session cookie, does not count.
   *
   * @default {false}
   */
  readonly only?: Only;
}

// The condition is always true. Without it, TypeScript defers the type of the
// call in a middleware array, because it returns a plain function type. The type
// of the user would be lost.
/** The middleware of {@linkcode auth}, which provides the user of its schemes. */
export type AuthMiddleware<
  Schemes extends readonly AuthScheme<AuthenticatedUser>[],
  Only extends boolean = false,
> = Schemes extends unknown ? Middleware<
    readonly [
      ContextEntry<
        AuthKey,
        Only extends true ? UserOf<Schemes[number]> | null
          : OrEarlier<UserOf<Schemes[number]> | null>
      >,
    ]
  >
  : never;

/**
 * Creates a middleware that identifies the user of a request. It never rejects
 * a request.
 *
 * It tries the schemes in order; the first one that succeeds wins. After that,
 * `context.get(Auth)` is the user or `null`. If a scheme's `verify` throws, the
 * router's `onError` handles the error: a broken database must not look like an
 * anonymous request.
 *
 * Several of these middleware in a chain act as one with all their schemes. If an
 * outer one has found a user, an inner one keeps this user, unless it has `only`.
 *
 * @example A bearer token
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import {
 *   Auth,
 *   auth,
 *   createBearerTokenAuthScheme,
 * } from "@gatehouse/web/auth-middleware";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 *
 * const tokens = createBearerTokenAuthScheme({
 *   name: "tokens",
 *   verify: (token) => token === "t0ken" ? { id: 1, name: "Ada" } : null,
 * });
 * const router = createRouter({ middleware: [auth({ schemes: [tokens] })] });
 * router.get("/", (context) =>
 *   new Response(context.get(Auth)?.name ?? "anonymous"));
 *
 * const response = await router.fetch("https://example.com/", {
 *   headers: { Authorization: "Bearer t0ken" },
 * });
 * assertEquals(await response.text(), "Ada");
 * ```
 *
 * @typeParam Schemes The schemes, whose users are the type of
 * `context.get(Auth)`.
 * @typeParam Only `true` if the users of an outer `auth` do not count.
 * @param options The schemes.
 * @returns The middleware.
 * @throws {TypeError} If there is no scheme, or two have the same name.
 */
export function auth<
  const Schemes extends readonly AuthScheme<AuthenticatedUser>[],
  const Only extends boolean = false,
>(
  options: AuthOptions<Schemes, Only>,
): AuthMiddleware<Schemes, Only> {
  const schemes = checkSchemes(options?.schemes);
  const middleware: Middleware = async (context, next) => {
    // The default is the state without an outer `auth`.
    const earlier = options.only === true
      ? State.defaultValue!
      : context.get(State);
    if (earlier.scheme !== undefined && context.get(Auth) !== null) return;
    let { refused } = earlier;
    const all = [...new Set([...earlier.schemes, ...schemes])];
    for (const scheme of schemes) {
      const outcome = await scheme.authenticate(context);
      if (outcome.status === "authenticated") {
        const { headers, status: _, user, ...facts } = outcome;
        context.set(State, { ...facts, schemes: all, refused, scheme });
        context.set(Auth, user);
        return headers && addHeaders(await next(), headers);
      }
      if (outcome.status === "refused") {
        refused = new Map([...refused, [scheme, outcome]]);
      }
    }
    context.set(State, { schemes: all, refused });
    context.set(Auth, null);
  };
  const described = schemes.map(({ name, security }) => [name, security]);
  describeMiddleware(middleware, {
    schemes: Object.fromEntries(described),
    onlySchemes: options.only === true,
  });
  return middleware as AuthMiddleware<Schemes, Only>;
}

/** Adds the headers of a scheme to the response. */
function addHeaders(
  response: Response,
  added: Readonly<Record<string, string>>,
): Response {
  return withHeaders(response, (headers) => {
    for (const [name, value] of Object.entries(added)) headers.set(name, value);
  });
}

function checkSchemes(
  schemes: readonly AuthScheme<AuthenticatedUser>[] | undefined,
): readonly AuthScheme<AuthenticatedUser>[] {
  if (!Array.isArray(schemes) || schemes.length === 0) {
    throw new TypeError("Cannot create auth: it needs at least one scheme");
  }
  const names = new Set<string>();
  for (const { name } of schemes) {
    if (names.has(name)) {
      throw new TypeError(
        `Cannot create auth: two schemes have the name "${name}"`,
      );
    }
    names.add(name);
  }
  return [...schemes];
}
