import { defineOIDCProvider, type OIDCProfile } from "../external/oidc.ts";
import type { OIDCOptions } from "../external/options.ts";
import type { ExternalAuthProvider } from "../external/provider.ts";

/** Options for {@linkcode createPortalAuthProvider}. */
export interface PortalAuthProviderOptions extends OIDCOptions {
  /**
   * The domain of the organization whose accounts may log in. The login page
   * suggests it, and the claim `hd` of the ID token must match.
   *
   * @default {undefined}
   */
  readonly hostedDomain?: string;
}

const ISSUER = "https://accounts.google.com";

/** The other spelling of the issuer in ID tokens, which Google documents. */
const BARE_ISSUER = "accounts.google.com";

/**
 * Creates the search-portal account provider, **Google**, with the scopes
 * `openid`, `email` and `profile` by default.
 *
 * Google ignores `maxAge`, so it cannot confirm a login (`canReauthenticate` is
 * `false`). For verified applications its setting "Session age claims" adds
 * `auth_time` to ID tokens.
 *
 * Setting it up:
 * 1. Open the Google Cloud console, https://console.cloud.google.com.
 * 2. Choose or create a project.
 * 3. Under "Google Auth Platform", "Branding", name the application.
 * 4. Under "Audience", choose who may log in; publish it when it is ready.
 * 5. Under "Clients", create a client of the type "Web application".
 * 6. Add your `redirectUri` to its "Authorized redirect URIs", letter by letter.
 * 7. Copy "Client ID" to `clientId`.
 * 8. Copy "Client secret" to `clientSecret`; it is shown only once.
 * 9. For a refresh token set `authorizationParams` to
 *    `{ access_type: "offline" }` and `prompt` to `"consent"`.
 * 10. To accept only accounts of one organization, set `hostedDomain`.
 *
 * @example Configuring it
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createPortalAuthProvider } from "@gatehouse/web/auth";
 *
 * const portal = createPortalAuthProvider({
 *   clientId: "app",
 *   clientSecret: "s3cret",
 *   redirectUri: "https://app.example/auth/portal/callback",
 * });
 * assertEquals(portal.scopes, ["openid", "email", "profile"]);
 * ```
 *
 * @param options The client registration.
 * @returns A provider for `startExternalAuth` and `finishExternalAuth`.
 * @throws {TypeError} If an option is invalid.
 * @see {@link https://developers.google.com/identity/openid-connect/openid-connect | OpenID Connect at Google}
 */
export function createPortalAuthProvider(
  options: PortalAuthProviderOptions,
): ExternalAuthProvider<OIDCProfile> {
  const { hostedDomain } = options;
  return defineOIDCProvider({
    name: "portal",
    issuer: ISSUER,
    authorizationParams: hostedDomain === undefined ? {} : { hd: hostedDomain },
    openid: {
      // Google ignores max_age.
      canReauthenticate: false,
      isTokenIssuer: (issuer) => issuer === ISSUER || issuer === BARE_ISSUER,
      canonicalIssuer: () => ISSUER,
      // The user can change the request parameter, so the claim decides.
      findProblem: ({ hd }) =>
        hostedDomain === undefined || hd === hostedDomain
          ? undefined
          : 'claim "hd": it is another organization',
    },
  }, options);
}
