import { isSecureURL } from "../issuer/mod.ts";
import { defineProvider } from "./define_provider.ts";
import type { ProfileDefinition } from "./engine.ts";
import type { ExternalAuthProviderOptions } from "./options.ts";
import type { ExternalAuthProvider } from "./provider.ts";
import { isIdentifier } from "./provider_token.ts";

/**
 * Options for {@linkcode createOAuthProvider}.
 *
 * @typeParam Profile The type of a user's profile.
 */
export interface OAuthProviderOptions<Profile>
  extends ExternalAuthProviderOptions {
  /** The name, for messages and routes. */
  readonly name: string;
  /** The URL at which users log in. */
  readonly authorizationEndpoint: string;
  /** The URL that exchanges a code for tokens. */
  readonly tokenEndpoint: string;
  /** The URL of the profile, a JSON object. The access token reads it. */
  readonly profileEndpoint: string;
  /** The permissions that the application requests. */
  readonly scopes: readonly string[];
  /**
   * Parses the body of the profile endpoint. Returns `null` if the profile does
   * not identify the user. Check all types: the body comes from the network.
   */
  readonly parseProfile: (
    body: Readonly<Record<string, unknown>>,
  ) => Profile | null;
  /**
   * Returns the user's id at the provider, or `""` if it is missing. It must
   * never change and never be reused.
   *
   * @default {(body) => body.id ?? body.sub}
   */
  readonly subjectOf?: (body: Readonly<Record<string, unknown>>) => string;
  /**
   * The name of the user directory, such as `https://music.example`. Users are
   * identified by issuer and subject, so never change it. If the callback has the
   * parameter `iss`, it must be the same.
   *
   * Trust: two directories need two issuers. If a host has several realms, name
   * the realm too: `https://sso.example/staff`.
   */
  readonly issuer: string;
  /**
   * Headers of the request for the profile.
   *
   * @default {no headers}
   */
  readonly profileHeaders?: Readonly<Record<string, string>>;
  /**
   * The URL that revokes tokens (RFC 7009).
   *
   * @default {undefined}
   */
  readonly revocationEndpoint?: string;
  /**
   * Converts the token response of a provider that deviates from RFC 6749,
   * section 5.1: one without `token_type`, or with the tokens in another object.
   * Returns `null` if the response is malformed. The library checks the result as
   * it checks any other token response.
   *
   * Trust: add a `token_type` only if the provider sends none, as in
   * `(body) => ({ token_type: "bearer", ...body })`.
   *
   * @default {(body) => body}
   */
  readonly parseTokenResponse?: (
    body: Readonly<Record<string, unknown>>,
  ) => Readonly<Record<string, unknown>> | null;
}

/**
 * Creates a provider that supports OAuth 2.0 without OpenID Connect. The client
 * authenticates with Basic by default.
 *
 * @example A provider that the library does not know
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
 * @typeParam Profile The type of a user's profile.
 * @param options The provider and the client registration.
 * @returns A provider for `startExternalAuth` and `finishExternalAuth`.
 * @throws {TypeError} If an option is invalid.
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
    parseTokenResponse: options.parseTokenResponse,
  }, options);
}

/** The definition of an OAuth 2.0 provider. */
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
  readonly parseTokenResponse?: OAuthProviderOptions<Profile>[
    "parseTokenResponse"
  ];
}

/** Creates an OAuth 2.0 provider. */
export function defineOAuthProvider<Profile>(
  preset: OAuthPreset<Profile>,
  options: ExternalAuthProviderOptions,
): ExternalAuthProvider<Profile> {
  checkPreset(preset, options);
  const {
    authorizationEndpoint,
    revocationEndpoint,
    tokenEndpoint,
    ...traits
  } = preset;
  return defineProvider({
    ...traits,
    metadata: {
      issuer: traits.issuer,
      authorization_endpoint: authorizationEndpoint,
      token_endpoint: tokenEndpoint,
      revocation_endpoint: revocationEndpoint,
    },
    subjectOf: traits.subjectOf ?? subjectOf,
  }, options);
}

function checkPreset(
  preset: OAuthPreset<unknown>,
  { allowInsecureLoopback = false }: ExternalAuthProviderOptions,
): void {
  const { authorizationEndpoint, issuer, name } = preset;
  const endpoints = {
    authorizationEndpoint,
    tokenEndpoint: preset.tokenEndpoint,
    profileEndpoint: preset.profile.endpoint,
    revocationEndpoint: preset.revocationEndpoint,
  };
  for (const [endpoint, value] of Object.entries(endpoints)) {
    if (value === undefined) continue;
    const url = URL.parse(value);
    if (url !== null && isSecureURL(url, allowInsecureLoopback)) continue;
    throw new TypeError(
      `Cannot create external provider "${name}": ${endpoint} is not an https URL`,
    );
  }
  // The host is not enough, because it may have several user directories.
  if (!isIdentifier(issuer)) {
    throw new TypeError(
      `Cannot create external provider "${name}": issuer is missing or not an identifier, name the user directory, such as "${
        new URL(authorizationEndpoint).origin
      }"`,
    );
  }
}

/** Rejects numbers that are not exact, which would identify several users. */
function subjectOf({ id, sub }: Readonly<Record<string, unknown>>): string {
  const value = id ?? sub;
  return typeof value === "string" || Number.isSafeInteger(value)
    ? String(value)
    : "";
}
