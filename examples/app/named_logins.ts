import {
  createCodeHostAuthProvider,
  createIdentityCloudAuthProvider,
  createMicroblogAuthProvider,
  createOfficeSuiteAuthProvider,
  createPortalAuthProvider,
  createSocialAuthProvider,
  createWorkforceIdAuthProvider,
} from "@gatehouse/web/auth";
import {
  type ClientOptions,
  clientOptions,
  createExternalLogin,
  createOIDCLogin,
  describeOIDC,
  type ExternalLogin,
  type ExternalLoginOptions,
} from "./external_logins.ts";
import type { Variables } from "./settings.ts";

/** Creates the login of a provider from its settings. */
type Create = (client: ClientOptions, get: Required) => ExternalLogin;

/** Returns a required setting. */
type Required = (name: string) => string;

/**
 * The named providers. Each is offered if the settings have its `…_CLIENT_ID` and
 * `…_CLIENT_SECRET`.
 */
const NAMED: readonly (readonly [prefix: string, name: string, Create])[] = [
  ["PORTAL", "portal", (client) =>
    createExternalLogin(
      { name: "portal", label: "Google" },
      createPortalAuthProvider(client),
      describeOIDC,
    )],
  ["CODE_HOST", "code-host", (client) =>
    createExternalLogin(
      { name: "code-host", label: "GitHub" },
      createCodeHostAuthProvider(client),
      // Its profile has only a verified address.
      ({ login, name, email, avatar_url }) => ({
        name: name ?? login,
        email,
        emailVerified: true,
        picture: avatar_url,
      }),
    )],
  ["OFFICE_SUITE", "office-suite", (client) =>
    createExternalLogin(
      { name: "office-suite", label: "Microsoft" },
      createOfficeSuiteAuthProvider(client),
      describeOIDC,
    )],
  ["SOCIAL", "social", (client) =>
    createExternalLogin(
      { name: "social", label: "Facebook" },
      createSocialAuthProvider(client),
      ({ name, email, picture }) => ({
        name,
        email,
        emailVerified: false,
        picture,
      }),
    )],
  ["MICROBLOG", "microblog", (client) =>
    createExternalLogin(
      { name: "microblog", label: "X" },
      createMicroblogAuthProvider(client),
      ({ username, name, email, profile_image_url }) => ({
        name: name ?? username,
        email,
        emailVerified: true,
        picture: profile_image_url,
      }),
    )],
  ["IDENTITY_CLOUD", "identity-cloud", (client, get) =>
    createExternalLogin(
      { name: "identity-cloud", label: "Auth0" },
      createIdentityCloudAuthProvider({
        ...client,
        domain: get("IDENTITY_CLOUD_DOMAIN"),
      }),
      describeOIDC,
    )],
  ["WORKFORCE_ID", "workforce-id", (client, get) =>
    createExternalLogin(
      { name: "workforce-id", label: "Okta" },
      createWorkforceIdAuthProvider({
        ...client,
        issuer: get("WORKFORCE_ID_ISSUER"),
      }),
      describeOIDC,
    )],
];

/**
 * Creates the logins in the settings: the named providers, and with `OIDC_ISSUER`
 * any other OpenID provider.
 *
 * @throws {TypeError} If a provider has some of its settings, but not all.
 */
export function loginsOf(
  settings: Variables,
  options: ExternalLoginOptions,
): ExternalLogin[] {
  const get = required(settings);
  const logins = NAMED
    .filter(([prefix]) => settings(`${prefix}_CLIENT_ID`) !== undefined)
    .map(([prefix, name, create]) => {
      const id = get(`${prefix}_CLIENT_ID`);
      const secret = get(`${prefix}_CLIENT_SECRET`);
      return create(clientOptions(name, id, secret, options), get);
    });
  const issuer = settings("OIDC_ISSUER");
  if (issuer === undefined) return logins;
  const registration = {
    name: "oidc",
    label: settings("OIDC_LABEL") ?? new URL(issuer).host,
    issuer,
    clientId: get("OIDC_CLIENT_ID"),
    clientSecret: get("OIDC_CLIENT_SECRET"),
  };
  return [...logins, createOIDCLogin(registration, options)];
}

function required(settings: Variables): Required {
  return (name) => {
    const value = settings(name);
    if (value === undefined || value === "") {
      throw new TypeError(`Cannot offer the login: ${name} is not set`);
    }
    return value;
  };
}
