import { isSecureURL } from "./_bounded_fetch.ts";
import type { ProfileDefinition } from "./_engine.ts";
import { isIdentifier } from "./_id_token.ts";
import { defineProvider } from "./define_provider.ts";
import type { ExternalAuthProviderOptions } from "./options.ts";
import type { ExternalAuthProvider } from "./provider.ts";

/**
 * Options for {@linkcode createOAuthProvider}.
 *
 * @typeParam Profile What the provider tells of a user.
 */
export interface OAuthProviderOptions<Profile>
  extends ExternalAuthProviderOptions {
  /** The name, for messages and routes. */
  readonly name: string;
  /** Where the user logs in. */
  readonly authorizationEndpoint: string;
  /** Where a code becomes tokens. */
  readonly tokenEndpoint: string;
  /** Where the profile is: a JSON object, read with the access token. */
  readonly profileEndpoint: string;
  /** What to ask for. */
  readonly scopes: readonly string[];
  /**
   * Makes the profile of what the profile's endpoint answered; `null` where it
   * lacks what identifies the user. Trust nothing of it: it comes from the
   * network.
   */
  readonly parseProfile: (
    body: Readonly<Record<string, unknown>>,
  ) => Profile | null;
  /**
   * Who the user is to the provider: what never changes and is never given to
   * someone else; `""` where it is missing.
   *
   * @default {(body) => body.id ?? body.sub}
   */
  readonly subjectOf?: (body: Readonly<Record<string, unknown>>) => string;
  /**
   * The name of the user directory, such as `https://music.example`. Half of
   * every identity's key: choose it once. If the provider sends `iss` to the
   * callback, it must be that.
   *
   * Trust: two directories need two issuers. If a host has several realms, name
   * the realm too: `https://sso.example/staff`.
   */
  readonly issuer: string;
  /**
   * Headers of the profile's request.
   *
   * @default {{}}
   */
  readonly profileHeaders?: Readonly<Record<string, string>>;
  /**
   * Where tokens are given back (RFC 7009).
   *
   * @default {undefined}
   */
  readonly revocationEndpoint?: string;
}

/**
 * Creates a provider of OAuth 2.0 that does not speak OpenID Connect: data and
 * one parser. The client authenticates by Basic unless told otherwise.
 *
 * @example A provider that nobody has written yet
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createOAuthProvider } from "@gatehouse/web/auth";
 *
 * const provider = createOAuthProvider({
 *   name: "music",
 *   issuer: "https://music.example",
 *   authorizationEndpoint: "https://music.example/authorize",
 *   tokenEndpoint: "https://music.example/token",
 *   profileEndpoint: "https://api.music.example/me",
 *   scopes: ["profile"],
 *   clientId: "app",
 *   clientSecret: "s3cret",
 *   redirectUri: "https://app.example/auth/music/callback",
 *   parseProfile: ({ id, name }) =>
 *     typeof id === "string" ? { id, name: String(name) } : null,
 * });
 * assertEquals(provider.name, "music");
 * ```
 *
 * @typeParam Profile What the provider tells of a user.
 * @param options The provider and the client registration.
 * @returns A provider for `startExternalAuth` and `finishExternalAuth`.
 * @throws {TypeError} If an option can't be right.
 * @throws {RangeError} If a number is out of range.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-4.1 | RFC 6749, section 4.1}
 */
export function createOAuthProvider<Profile>(
  options: OAuthProviderOptions<Profile>,
): ExternalAuthProvider<Profile> {
  const { profileEndpoint: endpoint, profileHeaders: headers } = options;
  return defineOAuthProvider({
    name: options.name,
    issuer: options.issuer,
    scopes: options.scopes,
    authorizationEndpoint: options.authorizationEndpoint,
    tokenEndpoint: options.tokenEndpoint,
    revocationEndpoint: options.revocationEndpoint,
    profile: { endpoint, headers },
    parseProfile: options.parseProfile,
    subjectOf: options.subjectOf,
  }, options);
}

/** What a preset of OAuth 2.0 states. */
export interface OAuthPreset<Profile> {
  readonly name: string;
  readonly issuer: string;
  readonly scopes: readonly string[];
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly revocationEndpoint?: string;
  readonly clientAuthentication?: "basic" | "post";
  readonly rawBasic?: boolean;
  readonly profile: ProfileDefinition;
  readonly parseProfile: OAuthProviderOptions<Profile>["parseProfile"];
  readonly subjectOf?: OAuthProviderOptions<Profile>["subjectOf"];
}

/** Makes a provider of OAuth 2.0 of a preset and options. */
export function defineOAuthProvider<Profile>(
  preset: OAuthPreset<Profile>,
  options: ExternalAuthProviderOptions,
): ExternalAuthProvider<Profile> {
  const { authorizationEndpoint, issuer, revocationEndpoint, tokenEndpoint } =
    preset;
  const { allowInsecureLoopback = false } = options;
  const endpoints = {
    authorizationEndpoint,
    tokenEndpoint,
    profileEndpoint: preset.profile.endpoint,
    revocationEndpoint,
  };
  for (const [name, value] of Object.entries(endpoints)) {
    if (value === undefined) continue;
    const url = URL.parse(value);
    if (url !== null && isSecureURL(url, allowInsecureLoopback)) continue;
    throw new TypeError(
      `Cannot create external provider "${preset.name}": ${name} is not an https URL`,
    );
  }
  // A host is no directory: one host may have several realms.
  if (!isIdentifier(issuer)) {
    throw new TypeError(
      `Cannot create external provider "${preset.name}": issuer is missing or not an identifier, name the user directory, such as "${
        new URL(authorizationEndpoint).origin
      }"`,
    );
  }
  return defineProvider({
    name: preset.name,
    issuer,
    scopes: preset.scopes,
    metadata: {
      issuer,
      authorization_endpoint: authorizationEndpoint,
      token_endpoint: tokenEndpoint,
      revocation_endpoint: revocationEndpoint,
    },
    clientAuthentication: preset.clientAuthentication,
    rawBasic: preset.rawBasic,
    profile: preset.profile,
    parseProfile: preset.parseProfile,
    subjectOf: preset.subjectOf ?? subjectOf,
  }, options);
}

/** A number that is not exact would be several users at once. */
function subjectOf({ id, sub }: Readonly<Record<string, unknown>>): string {
  const value = id ?? sub;
  return typeof value === "string" || Number.isSafeInteger(value)
    ? String(value)
    : "";
}
