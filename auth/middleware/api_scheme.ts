import { isToken } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import type { AuthenticatedUser } from "./auth_key.ts";
import { absent, type AuthScheme, checkName, outcomeOf } from "./scheme.ts";

/** Options for {@linkcode createAPIAuthScheme}. */
export interface APIAuthSchemeOptions<User extends AuthenticatedUser> {
  /** What the scheme is called. It is the realm of its challenge. */
  readonly name: string;

  /**
   * The header that carries the key, such as `X-API-Key`. A key with a space or
   * a comma, or of more than 1,024 characters, is no credentials.
   */
  readonly header: string;

  /**
   * The query parameter that carries the key where the header is absent.
   *
   * Trust: URLs end up in histories, logs and `Referer` headers, and the key
   * with them. Leave it off unless a client cannot send headers.
   *
   * @default {undefined}
   */
  readonly query?: string;

  /**
   * Tells whose key it is. Keep hashes of keys only, and look up the hash.
   *
   * @param key The key, not to be trusted.
   * @returns The user, or `null` for a key that is unknown or expired.
   */
  readonly verify: (key: string) => User | null | Promise<User | null>;
}

/** Printable ASCII. A comma is where two headers of the name were joined. */
const wellFormed = /^[!-+\--~]{1,1024}$/;

/**
 * Creates a scheme for API keys in a header of their own.
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
 * @typeParam User What `verify` returns.
 * @param options Where the key is and how to verify it.
 * @returns The scheme.
 * @throws {TypeError} If `header` is no header name, `query` is empty, or the
 * name cannot stand in a challenge.
 */
export function createAPIAuthScheme<User extends AuthenticatedUser>(
  options: APIAuthSchemeOptions<User>,
): AuthScheme<User> {
  const { name, header, query, verify } = options;
  checkName(name);
  if (!isToken(header)) {
    throw new TypeError(
      `Cannot create the auth scheme "${name}": "${header}" is no header name`,
    );
  }
  if (query === "") {
    throw new TypeError(
      `Cannot create the auth scheme "${name}": the query parameter has no name`,
    );
  }
  return {
    name,
    async authenticate(context) {
      const key = readKey(context, header, query);
      return key === null ? absent : outcomeOf(await verify(key));
    },
    // Not a registered scheme, but RFC 9110 wants a challenge with every 401.
    challenge: (reason) =>
      reason === "insufficient" ? undefined : `ApiKey realm="${name}"`,
  };
}

/** Where the header is present it alone counts, however malformed. */
function readKey(
  context: RequestContext,
  header: string,
  query: string | undefined,
): string | null {
  const value = context.request.headers.get(header) ??
    (query === undefined ? null : readQuery(context, query));
  return value !== null && wellFormed.test(value) ? value : null;
}

function readQuery({ url }: RequestContext, query: string): string | null {
  const values = url.searchParams.getAll(query);
  return values.length === 1 ? values[0] : null;
}
