import { defineOIDCProvider, type OIDCProfile } from "../external/oidc.ts";
import type { OIDCOptions } from "../external/options.ts";
import type { ExternalAuthProvider } from "../external/provider.ts";

/** Options for {@linkcode createOfficeSuiteAuthProvider}. */
export interface OfficeSuiteAuthProviderOptions extends OIDCOptions {
  /**
   * The accounts that may log in: a tenant's id or domain name, `organizations`,
   * `consumers`, or `common` for all of them.
   *
   * @default {"common"}
   */
  readonly tenant?: string;
}

const HOST = "https://login.microsoftonline.com";

/**
 * The placeholder for the tenant in the metadata and keys that all tenants
 * share.
 */
const PLACEHOLDER = "{tenantid}";

/** The tenant of all personal accounts. */
const CONSUMERS = "9188040d-6c67-4c5b-b112-36a304b66dad";

const IS_GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Creates the office-suite provider, **Microsoft Entra ID**, with the scopes
 * `openid`, `email` and `profile` by default.
 *
 * Trust: a tenant's administrator can enter any address as `email`. Identify
 * users by issuer and subject. `picture` is always `null`, because its URL
 * requires an access token.
 *
 * To have users confirm their login here, add the optional claim `auth_time` of
 * ID tokens, and set `canReauthenticate` to `true`.
 *
 * Setting it up:
 * 1. Open the Microsoft Entra admin center, https://entra.microsoft.com.
 * 2. Under "App registrations", register a new application.
 * 3. Choose the account types: they decide what `tenant` can be.
 * 4. As "Redirect URI" choose the platform "Web" and enter your `redirectUri`.
 * 5. Copy "Application (client) ID" to `clientId`.
 * 6. For one organization copy "Directory (tenant) ID" to `tenant`.
 * 7. Under "Certificates & secrets", create a client secret.
 * 8. Copy its value, not its ID, to `clientSecret`; it is shown once and expires.
 * 9. Or use a certificate: set `privateKey`, with the SHA-256 thumbprint.
 * 10. Under "Token configuration", add the optional claim `email` of ID tokens.
 *
 * @example Configuring it
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createOfficeSuiteAuthProvider } from "@gatehouse/web/auth";
 *
 * const officeSuite = createOfficeSuiteAuthProvider({
 *   tenant: "organizations",
 *   clientId: "app",
 *   clientSecret: "s3cret",
 *   redirectUri: "https://app.example/auth/office-suite/callback",
 * });
 * assertEquals(officeSuite.scopes, ["openid", "email", "profile"]);
 * ```
 *
 * @param options The client registration.
 * @returns A provider for `startExternalAuth` and `finishExternalAuth`.
 * @throws {TypeError} If an option is invalid.
 * @see {@link https://learn.microsoft.com/entra/identity-platform/v2-protocols-oidc | OpenID Connect on the Microsoft identity platform}
 */
export function createOfficeSuiteAuthProvider(
  options: OfficeSuiteAuthProviderOptions,
): ExternalAuthProvider<OIDCProfile> {
  const tenant = (options.tenant ?? "common").toLowerCase();
  if (!/^[a-z0-9.-]{1,255}$/.test(tenant)) {
    throw new TypeError(
      `Cannot create external provider "office-suite": tenant "${tenant}" is neither an id nor a domain name`,
    );
  }
  return defineOIDCProvider({
    name: "office-suite",
    issuer: `${HOST}/${tenant}/v2.0`,
    assertionAudience: "token_endpoint",
    openid: {
      // ID tokens contain auth_time only as an optional claim.
      canReauthenticate: false,
      isMetadataIssuer: (issuer) => isMetadataIssuer(issuer, tenant),
      isCallbackIssuer: (issuer, metadataIssuer) =>
        metadataIssuer.includes(PLACEHOLDER) && isTenantIssuer(issuer),
      isTokenIssuer: (issuer, { tid }, metadataIssuer) =>
        typeof tid === "string" && IS_GUID.test(tid) &&
        !(tenant === "organizations" && tid === CONSUMERS) &&
        issuer === metadataIssuer.replace(PLACEHOLDER, tid),
      isKeyIssuer,
    },
    parseProfile: (profile) => ({ ...profile, picture: null }),
  }, options);
}

/** Checks the issuer of metadata, which is a template for several tenants. */
function isMetadataIssuer(issuer: string, tenant: string): boolean {
  switch (tenant) {
    case "common":
    case "organizations":
      return issuer === `${HOST}/${PLACEHOLDER}/v2.0`;
    case "consumers":
      return issuer === `${HOST}/${CONSUMERS}/v2.0`;
  }
  return IS_GUID.test(tenant)
    ? issuer === `${HOST}/${tenant}/v2.0`
    : isTenantIssuer(issuer);
}

/** Returns `true` for the issuer of any single tenant. */
function isTenantIssuer(issuer: string): boolean {
  const tid = tenantOf(issuer);
  return IS_GUID.test(tid) && issuer === `${HOST}/${tid}/v2.0`;
}

/** Checks the tenant of a key: some keys only sign for one tenant. */
function isKeyIssuer(keyIssuer: string, tokenIssuer: string): boolean {
  return keyIssuer.replace(PLACEHOLDER, tenantOf(tokenIssuer)) === tokenIssuer;
}

function tenantOf(issuer: string): string {
  return issuer.slice(HOST.length + 1, -"/v2.0".length);
}
