import { defineOAuthProvider } from "../external/oauth.ts";
import type { ExternalAuthProviderOptions } from "../external/options.ts";
import type { ExternalAuthProvider } from "../external/provider.ts";

/** The profile of an account at the microblog provider. */
export interface MicroblogProfile {
  /** The account id, which never changes. Do not identify users by `username`. */
  readonly id: string;
  /** The account name, which its owner may change. */
  readonly username: string;
  /** The display name. */
  readonly name: string | null;
  /** The URL of the picture. */
  readonly "profile_image_url": string | null;
  /** The confirmed address, if the scope `users.email` was granted. */
  readonly email: string | null;
}

const DEFAULT_SCOPES = ["users.read", "tweet.read"];

/**
 * Creates the microblog provider, **X**, with the scopes `users.read` and
 * `tweet.read` by default. Both are needed to read the profile.
 *
 * Setting it up:
 * 1. Open the developer console, https://console.x.com.
 * 2. Create a project and an app in it.
 * 3. Under "User authentication settings", press "Set up".
 * 4. Choose "Read", and "Request email from users" if you want the address.
 * 5. As type choose "Web App", a confidential client.
 * 6. As "Callback URI" enter your `redirectUri`.
 * 7. Enter the address of your application, its terms and its privacy policy.
 * 8. Copy the OAuth 2.0 "Client ID", not the API key, to `clientId`.
 * 9. Copy "Client Secret" to `clientSecret`; it is shown once.
 * 10. Add `users.email` to `scopes` for the address, `offline.access` for a
 *     refresh token.
 *
 * @example Configuring it
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createMicroblogAuthProvider } from "@gatehouse/web/auth";
 *
 * const microblog = createMicroblogAuthProvider({
 *   clientId: "app",
 *   clientSecret: "s3cret",
 *   redirectUri: "https://app.example/auth/microblog/callback",
 * });
 * assertEquals(microblog.scopes, ["users.read", "tweet.read"]);
 * ```
 *
 * @param options The client registration.
 * @returns A provider for `startExternalAuth` and `finishExternalAuth`.
 * @throws {TypeError} If an option is invalid.
 * @see {@link https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code | OAuth 2.0 with PKCE at X}
 */
export function createMicroblogAuthProvider(
  options: ExternalAuthProviderOptions,
): ExternalAuthProvider<MicroblogProfile> {
  const { scopes = DEFAULT_SCOPES } = options;
  const fields = ["profile_image_url"];
  // X answers with an error if a request asks for this field without the scope.
  if (scopes.includes("users.email")) fields.push("confirmed_email");
  return defineOAuthProvider({
    name: "microblog",
    issuer: "https://x.com",
    scopes: DEFAULT_SCOPES,
    authorizationEndpoint: "https://x.com/i/oauth2/authorize",
    tokenEndpoint: "https://api.x.com/2/oauth2/token",
    revocationEndpoint: "https://api.x.com/2/oauth2/revoke",
    clientAuthentication: "basic",
    rawBasic: true,
    profile: {
      endpoint: `https://api.x.com/2/users/me?user.fields=${fields}`,
    },
    parseProfile,
    subjectOf: (body) => parseProfile(body)?.id ?? "",
  }, options);
}

function parseProfile(
  { data }: Readonly<Record<string, unknown>>,
): MicroblogProfile | null {
  if (typeof data !== "object" || data === null) return null;
  const { confirmed_email, id, name, profile_image_url, username } =
    data as Record<string, unknown>;
  if (typeof id !== "string" || id === "" || typeof username !== "string") {
    return null;
  }
  return {
    id,
    username,
    name: typeof name === "string" ? name : null,
    "profile_image_url": typeof profile_image_url === "string"
      ? profile_image_url
      : null,
    email: typeof confirmed_email === "string" ? confirmed_email : null,
  };
}
