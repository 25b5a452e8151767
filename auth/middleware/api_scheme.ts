import { isToken } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import type { AuthenticatedUser } from "../login/user_keys.ts";
import { absent, type AuthScheme, checkName, outcomeOf } from "./scheme.ts";

/** Options for {@linkcode createAPIAuthScheme}. */
export interface APIAuthSchemeOptions<User extends AuthenticatedUser> {
  /** The name of the scheme. */
  readonly name: string;

  /**
   * The header that carries the key, such as `X-API-Key`. The scheme ignores
   * keys with a space, a comma or more than 1,024 characters.
   */
  readonly header: string;

  /**
   * The query parameter that carries the key if the header is absent.
   *
   * Trust: URLs with the key end up in histories, logs and `Referer` headers.
   * Only use it for clients that cannot send headers.
   *
   * @default {undefined}
   */
  readonly query?: string;

  /**
   * Returns the user of a key. Store only hashes of keys, and look up the hash.
   *
   * @param key The key from the client, which is not trusted.
   * @returns The user, or `null` for a key that is unknown or expired.
   */
  readonly verify: (key: string) => User | null | Promise<User | null>;
}

/** Printable ASCII. A comma separates the values of two headers. */
const KEY = /^[!-+\--~]{1,1024}$/;

/**
 * Creates a scheme for API keys in a separate header.
 *
 * @example Keys in a map
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createAPIAuthScheme } from "@gatehouse/web/auth-middleware";
 * import { RequestContext } from "@gatehouse/web/fetch-router";
 *
 * const keys = new Map([["k3y", { id: 7, name: "Reports", role: "api" }]]);
 * const scheme = createAPIAuthScheme({
 *   name: "keys",
 *   header: "X-API-Key",
 *   verify: (key) => keys.get(key) ?? null,
 * });
 * const request = new Request("https://example.com/", {
 *   headers: { "X-API-Key": "wrong" },
 * });
 *
 * assertEquals(await scheme.authenticate(new RequestContext(request)), {
 *   status: "refused",
 * });
 * ```
 *
 * @typeParam User The return type of `verify`.
 * @param options The header of the key and the function that verifies it.
 * @returns The scheme.
 * @throws {TypeError} If `header` is not a header name, `query` is empty, or the
 * name is not printable ASCII.
 */
export function createAPIAuthScheme<User extends AuthenticatedUser>(
  options: APIAuthSchemeOptions<User>,
): AuthScheme<User> {
  const { name, header, query, verify } = options;
  checkName(name);
  if (!isToken(header)) {
    throw new TypeError(
      `Cannot create the auth scheme "${name}": "${header}" is not a header name`,
    );
  }
  if (query === "") {
    throw new TypeError(
      `Cannot create the auth scheme "${name}": the query parameter has no name`,
    );
  }
  return {
    name,
    security: { type: "apiKey", in: "header", name: header },
    async authenticate(context) {
      const key = readKey(context, header, query);
      return key === null ? absent : outcomeOf(await verify(key));
    },
    // There is no challenge, because keys in other headers have no registered
    // scheme.
  };
}

/** Returns the key. A malformed header is not replaced by the parameter. */
function readKey(
  context: RequestContext,
  header: string,
  query: string | undefined,
): string | null {
  const value = context.request.headers.get(header) ??
    (query === undefined ? null : readQuery(context, query));
  return value !== null && KEY.test(value) ? value : null;
}

function readQuery({ url }: RequestContext, query: string): string | null {
  const values = url.searchParams.getAll(query);
  return values.length === 1 ? values[0] : null;
}
