import { encodeHex, hmac } from "../../session/secrets.ts";
import { defineOAuthProvider } from "../external/oauth.ts";
import type { ExternalAuthProviderOptions } from "../external/options.ts";
import type { ExternalAuthProvider } from "../external/provider.ts";

/** The profile of an account at the social provider. */
export interface SocialProfile {
  /** The account's id, which is different for each application. */
  readonly id: string;
  /** The display name. */
  readonly name: string | null;
  /** The address, if the account has one and the user shares it. */
  readonly email: string | null;
  /** The URL of the picture, which expires. */
  readonly picture: string | null;
}

/** Options for {@linkcode createSocialAuthProvider}. */
export interface SocialAuthProviderOptions extends ExternalAuthProviderOptions {
  /**
   * The version of the provider's API. Versions expire: set the one that the
   * dashboard of your app shows.
   *
   * @default {"v23.0"}
   */
  readonly apiVersion?: string;
}

/**
 * Creates the social provider, **Facebook**, with the scopes `email` and
 * `public_profile` by default. Every request for a profile carries
 * `appsecret_proof`.
 *
 * Setting it up:
 * 1. Open https://developers.facebook.com/apps and create an app.
 * 2. Choose the use case "Authenticate and request data from users".
 * 3. Under "Facebook Login", "Settings", switch on "Web OAuth login".
 * 4. Add your `redirectUri` to "Valid OAuth Redirect URIs".
 * 5. Leave "Use Strict Mode for redirect URIs" on.
 * 6. Under "Permissions", add `email`.
 * 7. Under "App settings", "Basic", copy "App ID" to `clientId`.
 * 8. Copy "App secret" to `clientSecret`.
 * 9. Under "Advanced", switch on "Require app secret".
 * 10. Publish the app, or only those with a role in it can log in.
 *
 * @example Configuring it
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createSocialAuthProvider } from "@gatehouse/web/auth";
 *
 * const social = createSocialAuthProvider({
 *   clientId: "app",
 *   clientSecret: "s3cret",
 *   redirectUri: "https://app.example/auth/social/callback",
 * });
 * assertEquals(social.scopes, ["email", "public_profile"]);
 * ```
 *
 * @param options The client registration.
 * @returns A provider for `startExternalAuth` and `finishExternalAuth`.
 * @throws {TypeError} If an option is invalid.
 * @see {@link https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow | Manually build a login flow}
 */
export function createSocialAuthProvider(
  options: SocialAuthProviderOptions,
): ExternalAuthProvider<SocialProfile> {
  const { apiVersion = "v23.0" } = options;
  if (!/^v\d{1,3}\.\d{1,2}$/.test(apiVersion)) {
    throw new TypeError(
      `Cannot create external provider "social": apiVersion "${apiVersion}" does not look like "v23.0"`,
    );
  }
  const graph = `https://graph.facebook.com/${apiVersion}`;
  return defineOAuthProvider({
    name: "social",
    issuer: "https://www.facebook.com",
    scopes: ["email", "public_profile"],
    authorizationEndpoint:
      `https://www.facebook.com/${apiVersion}/dialog/oauth`,
    tokenEndpoint: `${graph}/oauth/access_token`,
    clientAuthentication: "post",
    profile: {
      endpoint: `${graph}/me?fields=id,name,email,picture`,
      params: proofParams,
    },
    parseProfile,
  }, options);
}

/** Creates a proof for each request that the sender has the secret. */
async function proofParams(
  accessToken: string,
  secret: string,
): Promise<Record<string, string>> {
  if (secret === "") return {};
  return { appsecret_proof: encodeHex(await hmac(secret, accessToken)) };
}

function parseProfile(
  { email, id, name, picture }: Readonly<Record<string, unknown>>,
): SocialProfile | null {
  if (typeof id !== "string" || id === "") return null;
  const { data } = (picture ?? {}) as { data?: { url?: unknown } };
  return {
    id,
    name: typeof name === "string" ? name : null,
    email: typeof email === "string" ? email : null,
    picture: typeof data?.url === "string" ? data.url : null,
  };
}
