import { defineOIDCProvider, type OIDCProfile } from "../external/oidc.ts";
import type { OIDCOptions } from "../external/options.ts";
import type { ExternalAuthProvider } from "../external/provider.ts";

/** Options for {@linkcode createIdentityCloudAuthProvider}. */
export interface IdentityCloudAuthProviderOptions extends OIDCOptions {
  /** The host name of the tenant, or its custom domain. */
  readonly domain: string;
}

/**
 * Creates the identity-cloud provider, **Auth0**, with the scopes `openid`,
 * `email` and `profile` by default.
 *
 * Setting it up:
 * 1. Open the dashboard, https://manage.auth0.com.
 * 2. Under "Applications", create one of the type "Regular Web Application".
 * 3. In its settings copy "Domain" to `domain`.
 * 4. Copy "Client ID" to `clientId`, "Client Secret" to `clientSecret`.
 * 5. Add your `redirectUri` to "Allowed Callback URLs".
 * 6. Add the page after a logout to "Allowed Logout URLs".
 * 7. Under "Advanced Settings", "OAuth", leave the algorithm RS256: HS256 is
 *    refused.
 * 8. If "Credentials" does not say "Client Secret (Post)", set
 *    `clientAuthentication`.
 * 9. With a custom domain, set `domain` to it: it is a different issuer.
 * 10. For the tokens of an API set `authorizationParams` to `{ audience }`.
 *
 * @example Configuring it
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createIdentityCloudAuthProvider } from "@gatehouse/web/auth";
 *
 * const identityCloud = createIdentityCloudAuthProvider({
 *   domain: "tenant.eu.auth0.com",
 *   clientId: "app",
 *   clientSecret: "s3cret",
 *   redirectUri: "https://app.example/auth/identity-cloud/callback",
 * });
 * assertEquals(identityCloud.scopes, ["openid", "email", "profile"]);
 * ```
 *
 * @param options The tenant and the client registration.
 * @returns A provider for `startExternalAuth` and `finishExternalAuth`.
 * @throws {TypeError} If an option is invalid.
 * @see {@link https://auth0.com/docs/get-started/applications/configure-applications-with-oidc-discovery | Applications with OIDC discovery}
 */
export function createIdentityCloudAuthProvider(
  options: IdentityCloudAuthProviderOptions,
): ExternalAuthProvider<OIDCProfile> {
  const { domain } = options;
  if (typeof domain !== "string" || !/^[a-z0-9.-]{1,253}$/i.test(domain)) {
    throw new TypeError(
      `Cannot create external provider "identity-cloud": domain "${domain}" is not a host name`,
    );
  }
  return defineOIDCProvider({
    name: "identity-cloud",
    // The issuer ends with a slash, as in metadata and tokens.
    issuer: `https://${domain.toLowerCase()}/`,
    clientAuthentication: "post",
  }, options);
}
