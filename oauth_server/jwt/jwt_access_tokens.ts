import { answerDocument } from "../endpoints.ts";
import type { JWTAccessTokens } from "../options.ts";
import type { CreatePart } from "../server_part.ts";
import type { JWTParts } from "./jwt_parts.ts";
import { type SigningKey, SigningKeys } from "./signing_keys.ts";
import { decryptTokenId, encryptTokenId } from "./token_id.ts";

/** Options for {@linkcode jwtAccessTokens}. */
export interface JWTAccessTokensOptions {
  /**
   * The keys: RSA keys for RS256 with 2,048 bits or more, and Ed25519 keys. The first
   * one is private, and signs. All of them are published, without their private
   * members, and the tokens of all of them work. The old ones need no private members.
   */
  readonly keys: readonly SigningKey[];
}

/** The longest lifetime of a token, in milliseconds. */
const MAX_LIFETIME = 3_600_000;

/** Seconds for which APIs cache the keys. A key that leaked must not work for long. */
const MAX_AGE = 600;

/**
 * Creates the option `jwt` of an authorization server: access tokens for resources
 * with the format `"at+jwt"`, which APIs on other machines verify with the keys at
 * `jwks_uri`, without a request for each token (RFC 9068).
 *
 * Keys for ECDSA and RSA-PSS are not possible: each of their signatures differs, and
 * concurrent refreshes must return the same token.
 *
 * Trust: on another machine, a token works until it expires, even if its grant has
 * ended. Everyone who has a token can read it, including the client: the id of the
 * user, the time of the login, the client and the scopes.
 *
 * @example An API on another machine
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import {
 *   createAuthorizationServer,
 *   jwtAccessTokens,
 * } from "@gatehouse/web/oauth-server";
 * import { createMemorySessionStore } from "@gatehouse/web/session";
 *
 * // In production, read the private key from the environment.
 * const { privateKey } = await crypto.subtle
 *   .generateKey("Ed25519", true, ["sign", "verify"]) as CryptoKeyPair;
 * const key = await crypto.subtle.exportKey("jwk", privateKey);
 *
 * const server = createAuthorizationServer({
 *   issuer: "https://app.example",
 *   users: { find: (id) => ({ id }) },
 *   store: createMemorySessionStore(),
 *   secrets: ["M9uYb1eVxqT7oZ2cKp4wRh6sLd8fGj0n"],
 *   resources: {
 *     "https://billing.example": {
 *       name: "Billing",
 *       scopes: { "bills:read": "Read your bills" },
 *       format: "at+jwt",
 *     },
 *   },
 *   jwt: jwtAccessTokens({ keys: [key] }),
 *   loginPath: "/login",
 * });
 *
 * assertEquals(server.metadata.jwks_uri, "https://app.example/jwks");
 * ```
 *
 * @param options The keys.
 * @returns The option.
 * @throws {TypeError} If a key is missing, malformed or of another type.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9068 | RFC 9068}
 */
export function jwtAccessTokens(
  { keys }: JWTAccessTokensOptions,
): JWTAccessTokens {
  const signingKeys = new SigningKeys(keys);
  const parts: CreatePart<JWTParts> = ({ lifetimes, tokens }) => {
    if (lifetimes.access > MAX_LIFETIME) {
      throw new RangeError(
        "Cannot create the authorization server: with the option jwt, lifetimes.access is more than an hour",
      );
    }
    return {
      path: "jwks",
      metadata: (url) => ({ jwks_uri: url }),
      answer: async (_settings, context) =>
        answerDocument(context, await signingKeys.keySet(), MAX_AGE),
      async sign(contents, claims) {
        const jti = await encryptTokenId(tokens, contents);
        return await signingKeys.sign({ ...claims, jti });
      },
      async read(token) {
        const claims = await signingKeys.verify(token);
        return await decryptTokenId(tokens, claims?.jti);
      },
    };
  };
  return { parts };
}
