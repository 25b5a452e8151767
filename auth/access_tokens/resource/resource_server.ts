import type { AuthenticatedUser } from "../../login/user_keys.ts";
import { createGuards } from "../../middleware/create_guards.ts";
import { checkName } from "../../middleware/scheme.ts";
import { checkResource, metadataUrlOf, serveMetadata } from "./_metadata.ts";
import { createScheme } from "./_scheme.ts";
import type { ResourceServer, ResourceServerOptions } from "./options.ts";

/**
 * Creates a protected resource: an API that accepts the access tokens of one or
 * several issuers.
 *
 * A token is accepted if its issuer is listed, a key that this issuer publishes
 * has signed it with an asymmetric algorithm, its type is that of access tokens,
 * its audience is the resource, and it has not expired. Keys and URLs in the
 * token's header are ignored. A token that is bound to a key of the client (claim
 * `cnf`) needs the option `dpop` and a proof of the key.
 *
 * The challenges of a 401 and a 403 contain the URL of the metadata, at which
 * clients find the issuers and the scopes. If an issuer is unavailable, the
 * response is a 503 with `Retry-After`, because with a 401 clients would discard
 * valid tokens.
 *
 * Trust: a token works until it expires, even if its user is deleted or locked.
 * Use tokens that expire after minutes, or check the user in `verify`.
 *
 * @example The metadata
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createResourceServer } from "@gatehouse/web/auth/access-tokens";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 *
 * const api = createResourceServer({
 *   name: "notes",
 *   resource: "https://api.example/notes",
 *   issuers: [{ issuer: "https://id.example" }],
 *   scopes: ["notes:read", "notes:write"],
 *   verify: ({ iss, sub }) => ({ id: `${iss} ${sub}` }),
 * });
 * const router = createRouter({ middleware: [api.metadata] });
 *
 * const response = await router.fetch(api.metadataUrl);
 * assertEquals(await response.json(), {
 *   resource: "https://api.example/notes",
 *   authorization_servers: ["https://id.example"],
 *   scopes_supported: ["notes:read", "notes:write"],
 *   bearer_methods_supported: ["header"],
 * });
 * ```
 *
 * @typeParam User The return type of `verify`.
 * @typeParam Scope The scopes.
 * @param options The resource, its issuers and its scopes.
 * @returns The scheme, the metadata and the guard.
 * @throws {TypeError} If an option is invalid.
 * @throws {RangeError} If a number is out of range.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9728 | RFC 9728, protected resource metadata}
 */
export function createResourceServer<
  User extends AuthenticatedUser,
  const Scope extends string = string,
>(
  options: ResourceServerOptions<User, Scope>,
): ResourceServer<User, Scope> {
  const { issuers, name, scopes } = options;
  checkName(name);
  const owner = `the resource server "${name}"`;
  if (!Array.isArray(issuers) || issuers.length === 0) {
    throw new TypeError(`Cannot create ${owner}: it needs an issuer`);
  }
  const url = checkResource(options, owner);
  const metadataUrl = metadataUrlOf(url);
  const { requireScope } = createGuards({ scopes });
  return {
    scheme: createScheme(options, metadataUrl, owner),
    metadata: serveMetadata(options, url, owner),
    metadataUrl,
    requireScope,
  };
}
