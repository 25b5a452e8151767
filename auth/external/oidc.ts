import type { JSONObject } from "./_bounded_fetch.ts";
import { parseMetadata } from "./_discovery.ts";
import type { OpenIDDefinition, ProviderTraits } from "./_engine.ts";
import { ASYMMETRIC_ALGORITHMS } from "./_id_token.ts";
import { defineProvider } from "./define_provider.ts";
import { ExternalAuthError } from "./errors.ts";
import type { OIDCOptions } from "./options.ts";
import type { ExternalAuthProvider } from "./provider.ts";

/** The profile of a user at a provider of OpenID Connect. */
export interface OIDCProfile {
  /** Who the user is to the provider. Key users by issuer and this. */
  readonly sub: string;
  /** The e-mail address. It may change, and may belong to someone else. */
  readonly email: string | null;
  /** The name to show. */
  readonly name: string | null;
  /** Where the picture is. */
  readonly picture: string | null;
  /** Whether the provider has verified the address, where it says so. */
  readonly "email_verified"?: boolean;
}

/** Options for {@linkcode createOIDCAuthProvider}. */
export interface OIDCAuthProviderOptions extends OIDCOptions {
  /** The name, for messages and routes. */
  readonly name: string;
  /** The provider's identifier, exactly as its metadata names it. */
  readonly issuer: string;
}

/**
 * Creates a provider of OpenID Connect, with the scopes `openid`, `email` and
 * `profile` by default. Endpoints and keys are discovered from the issuer when
 * the first login needs them.
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
 * @throws {TypeError} If an option can't be right.
 * @throws {RangeError} If a number is out of range.
 * @see {@link https://openid.net/specs/openid-connect-discovery-1_0.html | OpenID Connect Discovery 1.0}
 */
export function createOIDCAuthProvider(
  options: OIDCAuthProviderOptions,
): ExternalAuthProvider<OIDCProfile> {
  const { issuer, name } = options;
  return defineOIDCProvider({ name, issuer }, options);
}

/** What a preset of OpenID Connect states; the rest is the same for all. */
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
    /** Changes the profile where the provider's needs it. */
    readonly parseProfile?: (profile: OIDCProfile) => OIDCProfile;
  };

/** Makes a provider of OpenID Connect of a preset and options. */
export function defineOIDCProvider(
  { openid, parseProfile = (profile) => profile, ...preset }: OIDCPreset,
  options: OIDCOptions,
): ExternalAuthProvider<OIDCProfile> {
  return defineProvider({
    ...preset,
    scopes: ["openid", "email", "profile"],
    metadata: givenMetadata(preset, options, openid?.isMetadataIssuer),
    openid: {
      ...openid,
      // OpenID Connect Core 1.0, section 15.1: every provider supports max_age.
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

function givenMetadata(
  { issuer, name }: OIDCPreset,
  { allowInsecureLoopback = false, metadata }: OIDCOptions,
  isIssuer: ((issuer: string) => boolean) | undefined,
) {
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

/** Reads the profile of the claims; `null` where there is no `sub`. */
function parseOIDCProfile(claims: JSONObject): OIDCProfile | null {
  const { email, email_verified, name, picture, sub } = claims;
  if (typeof sub !== "string" || sub === "") return null;
  // One provider sends the flag as a text.
  const isVerified = email_verified === "true" || email_verified === true;
  const isKnown = isVerified || email_verified === "false" ||
    email_verified === false;
  return {
    sub,
    email: textOrNull(email),
    name: textOrNull(name),
    picture: textOrNull(picture),
    ...isKnown && { email_verified: isVerified },
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
