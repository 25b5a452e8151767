import type { ClientPrivateKey } from "../../external/client_authentication.ts";
import type { ClientAuthentication } from "../../external/options.ts";
import type {
  AccessTokenVerification,
  ExternalAuthError,
  IssuerOptions,
} from "../../issuer/mod.ts";

/** Options for {@linkcode createIntrospection}. */
export interface IntrospectionOptions {
  /** The client id of this API at the issuer. */
  readonly clientId: string;

  /**
   * The client secret.
   *
   * @default {undefined}
   */
  readonly clientSecret?: string;

  /**
   * The key for `private_key_jwt`, instead of a secret.
   *
   * @default {undefined}
   */
  readonly privateKey?: ClientPrivateKey;

  /**
   * The method of authentication.
   *
   * @default {the first that the issuer supports}
   */
  readonly clientAuthentication?: Exclude<ClientAuthentication, "none">;

  /**
   * The URL of the introspection endpoint. Without it, the library discovers the
   * URL.
   *
   * @default {undefined}
   */
  readonly endpoint?: string;

  /**
   * The longest time for which a response of the issuer is used, in
   * milliseconds. A revoked token may still work for this time. The library
   * uses no response after the token has expired. `0` to ask for each request.
   *
   * @default {60_000}
   */
  readonly maxCacheTime?: number;

  /**
   * The maximum number of tokens whose responses are cached.
   *
   * @default {10_000}
   */
  readonly maxCacheEntries?: number;

  /**
   * Accepts tokens without an audience.
   *
   * Trust: then the issuer must answer `active: false` for the tokens of other
   * resources. If it does not, another API could use the tokens that it
   * receives.
   *
   * @default {false}
   */
  readonly allowMissingAudience?: boolean;
}

/** An issuer that introspects its tokens, as `createResourceServer` passes it. */
export interface IntrospectedIssuer extends IssuerOptions {
  /** The issuer: a URL. */
  readonly issuer: string;
  /** The accepted audiences, of which a token must name one. */
  readonly audience: string | readonly string[];
  /**
   * Receives the reason if the issuer is unavailable.
   *
   * @default {console.error}
   */
  readonly onError?: ((error: ExternalAuthError) => void) | undefined;
}

/** The introspection of an issuer's tokens, for `createResourceServer`. */
export interface TokenIntrospection {
  /**
   * Creates the function that asks an issuer about a token. `createResourceServer`
   * calls it.
   *
   * @param issuer The issuer.
   * @param owner The name of the resource server, for error messages.
   * @returns The function.
   * @throws {TypeError} If an option is invalid.
   */
  createVerifier(
    issuer: IntrospectedIssuer,
    owner: string,
  ): (token: string) => Promise<AccessTokenVerification>;
}
