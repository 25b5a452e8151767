import {
  ASYMMETRIC_ALGORITHMS,
  ExternalAuthError,
  type JSONObject,
  parseMetadata,
  type ProviderMetadata,
} from "../issuer/mod.ts";
import { defineProvider } from "./define_provider.ts";
import type { OpenIDDefinition, ProviderTraits } from "./engine.ts";
import type { OIDCOptions } from "./options.ts";
import type { ExternalAuthProvider } from "./provider.ts";

/** The profile of a user at an OpenID provider. */
export interface OIDCProfile {
  /** The user's id at the issuer. Identify users by issuer and `sub`. */
  readonly sub: string;
  /**
   * The email address. It may change, and may later belong to another person.
   */
  readonly email: string | null;
  /** The display name. */
  readonly name: string | null;
  /** The URL of the picture. */
  readonly picture: string | null;
  /** `true` if the provider has verified the address. */
  readonly "email_verified"?: boolean;
}

/** Options for {@linkcode createOIDCAuthProvider}. */
export interface OIDCAuthProviderOptions extends OIDCOptions {
  /** The name, for messages and routes. */
  readonly name: string;
  /** The provider's identifier, exactly as in its metadata. */
  readonly issuer: string;
}

/**
 * Creates an OpenID provider, with the scopes `openid`, `email` and `profile` by
 * default. The first login discovers the endpoints and keys of the issuer.
 *
 * @example Configuring it
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createOIDCAuthProvider } from "@gatehouse/web/auth";
 *
 * const provider = createOIDCAuthProvider({
 *   name: "example",
 *   issuer: "https://id.example",
 *   clientId: "app",
 *   clientSecret: "s3cret",
 *   redirectUri: "https://app.example/auth/example/callback",
 * });
 * assertEquals(provider.scopes, ["openid", "email", "profile"]);
 * ```
 *
 * @param options The provider and the client registration.
 * @returns A provider for `startExternalAuth` and `finishExternalAuth`.
 * @throws {TypeError} If an option is invalid.
 * @throws {RangeError} If a number is out of range.
 * @see {@link https://openid.net/specs/openid-connect-discovery-1_0.html | OpenID Connect Discovery 1.0}
 */
export function createOIDCAuthProvider(
  options: OIDCAuthProviderOptions,
): ExternalAuthProvider<OIDCProfile> {
  const { issuer, name } = options;
  return defineOIDCProvider({ name, issuer }, options);
}

/** The differences between an OpenID provider and the others. */
export type OIDCPreset =
  & Pick<ProviderTraits, "name" | "issuer">
  & Partial<
    Pick<
      ProviderTraits,
      "assertionAudience" | "authorizationParams" | "clientAuthentication"
    >
  >
  & {
    readonly openid?: Partial<OpenIDDefinition>;
    /** Corrects the profile. */
    readonly parseProfile?: (profile: OIDCProfile) => OIDCProfile;
  };

/** Creates an OpenID provider. */
export function defineOIDCProvider(
  { openid, parseProfile = (profile) => profile, ...preset }: OIDCPreset,
  options: OIDCOptions,
): ExternalAuthProvider<OIDCProfile> {
  return defineProvider({
    ...preset,
    scopes: ["openid", "email", "profile"],
    metadata: readMetadata(preset, options, openid?.isMetadataIssuer),
    openid: {
      ...openid,
      // Every OpenID provider supports `max_age` (OpenID Connect Core 1.0,
      // section 15.1).
      canReauthenticate: options.canReauthenticate ??
        openid?.canReauthenticate ?? true,
      userinfo: options.userinfo ?? true,
      algorithms: checkAlgorithms(preset.name, options.idTokenAlgorithms),
      trustedAudiences: options.trustedAudiences ?? [],
    },
    parseProfile: (claims) => {
      const profile = parseOIDCProfile(claims);
      return profile && parseProfile(profile);
    },
    subjectOf: ({ sub }) => String(sub),
  }, options);
}

function readMetadata(
  { issuer, name }: OIDCPreset,
  { allowInsecureLoopback = false, metadata }: OIDCOptions,
  isIssuer: ((issuer: string) => boolean) | undefined,
): ProviderMetadata | undefined {
  if (metadata === undefined) return undefined;
  try {
    return parseMetadata(
      metadata as unknown as JSONObject,
      issuer,
      allowInsecureLoopback,
      isIssuer,
    );
  } catch (cause) {
    if (!(cause instanceof ExternalAuthError)) throw cause;
    throw new TypeError(
      `Cannot create external provider "${name}": metadata is not usable`,
      { cause },
    );
  }
}

function checkAlgorithms(
  name: string,
  algorithms: readonly string[] | undefined,
): readonly string[] | undefined {
  const unknown = algorithms?.find((algorithm) =>
    !ASYMMETRIC_ALGORITHMS.includes(algorithm)
  );
  if (unknown === undefined && algorithms?.length !== 0) return algorithms;
  throw new TypeError(
    `Cannot create external provider "${name}": idTokenAlgorithms has "${unknown}", which is not an asymmetric signature algorithm`,
  );
}

/** Parses the claims, or returns `null` if there is no `sub`. */
function parseOIDCProfile(claims: JSONObject): OIDCProfile | null {
  const { email, email_verified, name, picture, sub } = claims;
  if (typeof sub !== "string" || sub === "") return null;
  // One provider sends the flag as a string.
  const isVerified = email_verified === "true" || email_verified === true;
  const isKnown = isVerified || email_verified === "false" ||
    email_verified === false;
  return {
    sub,
    email: stringOrNull(email),
    name: stringOrNull(name),
    picture: stringOrNull(picture),
    ...isKnown && { email_verified: isVerified },
  };
}

function stringOrNull(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
