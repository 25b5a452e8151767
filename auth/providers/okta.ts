import { defineOIDCProvider, type OIDCProfile } from "../external/oidc.ts";
import type { OIDCOptions } from "../external/options.ts";
import type { ExternalAuthProvider } from "../external/provider.ts";

/** Options for {@linkcode createWorkforceIdAuthProvider}. */
export interface WorkforceIdAuthProviderOptions extends OIDCOptions {
  /**
   * The authorization server: `https://{domain}` for the server of the
   * organization, or `https://{domain}/oauth2/{id}` for a custom one, such as
   * `default`. They are different issuers with different keys.
   */
  readonly issuer: string;
}

/**
 * Creates the workforce-id provider, **Okta**, with the scopes `openid`, `email`
 * and `profile` by default.
 *
 * Setting it up:
 * 1. Open the admin console of your organization.
 * 2. Under "Applications", create an app integration.
 * 3. Choose "OIDC - OpenID Connect" and "Web Application".
 * 4. Add your `redirectUri` to "Sign-in redirect URIs".
 * 5. Add the page after a logout to "Sign-out redirect URIs".
 * 6. Assign it to the people or groups that may log in.
 * 7. Copy "Client ID" to `clientId`, the client secret to `clientSecret`.
 * 8. Under "Security", "API", find your authorization servers and their issuers.
 * 9. Set `issuer` to one of them, or to `https://` and your domain, without
 *    `-admin` and without a slash at the end.
 * 10. For a refresh token add `offline_access` to `scopes`.
 *
 * @example Configuring it
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createWorkforceIdAuthProvider } from "@gatehouse/web/auth";
 *
 * const workforceId = createWorkforceIdAuthProvider({
 *   issuer: "https://example.okta.com/oauth2/default",
 *   clientId: "app",
 *   clientSecret: "s3cret",
 *   redirectUri: "https://app.example/auth/workforce-id/callback",
 * });
 * assertEquals(workforceId.scopes, ["openid", "email", "profile"]);
 * ```
 *
 * @param options The authorization server and the client registration.
 * @returns A provider for `startExternalAuth` and `finishExternalAuth`.
 * @throws {TypeError} If an option is invalid.
 * @see {@link https://developer.okta.com/docs/concepts/auth-servers/ | Authorization servers}
 */
export function createWorkforceIdAuthProvider(
  options: WorkforceIdAuthProviderOptions,
): ExternalAuthProvider<OIDCProfile> {
  const { issuer } = options;
  if (!/^https?:\/\/[^/]+(?:\/oauth2\/[\w-]+)?$/.test(issuer)) {
    throw new TypeError(
      `Cannot create external provider "workforce-id": issuer "${issuer}" is neither an organization's server nor a custom one`,
    );
  }
  return defineOIDCProvider({
    name: "workforce-id",
    issuer,
    assertionAudience: "token_endpoint",
  }, options);
}
