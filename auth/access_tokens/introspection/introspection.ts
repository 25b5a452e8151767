import { signingAlgorithmOf } from "../../external/client_authentication.ts";
import { Introspector } from "./_introspector.ts";
import type { IntrospectionOptions, TokenIntrospection } from "./options.ts";

const METHODS: readonly unknown[] = ["basic", "post", "private_key_jwt"];

/**
 * Creates the introspection of an issuer's tokens: the option `introspection` of
 * an issuer of `createResourceServer`.
 *
 * The API authenticates to the issuer. A response is used until the token expires,
 * for at most a minute, by all requests with the token; concurrent ones share a
 * request to the issuer. If the issuer is unavailable, it is asked again after
 * five seconds. Until then, tokens without a cached response get a 503. An outage
 * begins when the issuer fails to answer a random token of the library, because
 * a client can send tokens that an issuer cannot handle.
 *
 * The audience of a token must be the resource. Its `sub` must be present, because
 * a `client_id` could be the id of a user.
 *
 * Trust: a token that the issuer has revoked works until its cached response
 * expires. For other times, set `maxCacheTime`.
 *
 * @example A client without credentials
 * ```ts
 * import { assertThrows } from "@std/assert";
 * import { createIntrospection } from "@gatehouse/web/auth/access-tokens";
 *
 * assertThrows(
 *   () => createIntrospection({ clientId: "notes-api" }),
 *   TypeError,
 *   "clientSecret or privateKey is missing",
 * );
 * ```
 *
 * @param options The client registration of the API, and the limits of the cache.
 * @returns The introspection.
 * @throws {TypeError} If an option is invalid.
 * @throws {RangeError} If a number is out of range.
 * @see {@link https://www.rfc-editor.org/rfc/rfc7662#section-2 | RFC 7662, section 2}
 */
export function createIntrospection(
  options: IntrospectionOptions,
): TokenIntrospection {
  checkOptions(options);
  return {
    createVerifier(issuer, owner) {
      const introspector = new Introspector(issuer, options, owner);
      return (token) => introspector.verify(token);
    },
  };
}

function checkOptions(options: IntrospectionOptions): void {
  const { clientAuthentication, clientId, clientSecret, privateKey } = options;
  const fail = (reason: string) => {
    throw new TypeError(`Cannot create an introspection: ${reason}`);
  };
  if (typeof clientId !== "string" || clientId === "") {
    fail("clientId is missing");
  }
  if (!METHODS.includes(clientAuthentication ?? "basic")) {
    fail(
      `clientAuthentication "${clientAuthentication}" is not one of ${METHODS}`,
    );
  }
  const isSigned = clientAuthentication === "private_key_jwt";
  if (privateKey !== undefined) {
    if (signingAlgorithmOf(privateKey.key) === undefined) {
      fail("privateKey is not a private key for RS256, PS256, ES256 or EdDSA");
    }
    if (clientAuthentication !== undefined && !isSigned) {
      fail("clientAuthentication does not use the privateKey");
    }
  } else if (
    isSigned || typeof clientSecret !== "string" || clientSecret === ""
  ) {
    fail("clientSecret or privateKey is missing");
  }
  const { maxCacheEntries = 0, maxCacheTime = 0 } = options;
  for (
    const [name, value] of Object.entries({ maxCacheEntries, maxCacheTime })
  ) {
    if (Number.isFinite(value) && value >= 0) continue;
    throw new RangeError(
      `Cannot create an introspection: ${name} "${value}" is not a number from 0`,
    );
  }
}
