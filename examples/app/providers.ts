import type { AccountProvider } from "@gatehouse/web/accounts";
import {
  createCodeHostAuthProvider,
  createIdentityCloudAuthProvider,
  createMicroblogAuthProvider,
  createOfficeSuiteAuthProvider,
  createOIDCAuthProvider,
  createPortalAuthProvider,
  createSocialAuthProvider,
  createWorkforceIdAuthProvider,
  type ExternalAuthProvider,
  type ExternalAuthProviderOptions,
} from "@gatehouse/web/auth";
import { definition } from "./definition.ts";
import type { Settings } from "./settings.ts";

type Create = (
  client: ExternalAuthProviderOptions,
  get: (setting: string) => string,
) => ExternalAuthProvider;

/** The named providers: their labels, and functions that create them. */
const NAMED: Readonly<Record<string, readonly [string, Create]>> = {
  "portal": ["Google", createPortalAuthProvider],
  "code-host": ["GitHub", createCodeHostAuthProvider],
  "office-suite": ["Microsoft", createOfficeSuiteAuthProvider],
  "social": ["Facebook", createSocialAuthProvider],
  "microblog": ["X", createMicroblogAuthProvider],
  "identity-cloud": ["Auth0", (client, get) => {
    const domain = get("IDENTITY_CLOUD_DOMAIN");
    return createIdentityCloudAuthProvider({ ...client, domain });
  }],
  "workforce-id": ["Okta", (client, get) => {
    const issuer = get("WORKFORCE_ID_ISSUER");
    return createWorkforceIdAuthProvider({ ...client, issuer });
  }],
};

/**
 * Creates the providers in the settings: the named ones, and with `OIDC_ISSUER` any
 * other OpenID provider.
 *
 * @param demo Another OpenID provider.
 * @throws {TypeError} If a provider has some of its settings, but not all.
 */
export function providersOf(
  { get: settings, baseURL }: Pick<Settings, "get" | "baseURL">,
  demo?: OIDCRegistration | null,
): Record<string, AccountProvider> {
  const get = (name: string) => {
    const value = settings(name);
    if (value) return value;
    throw new TypeError(`Cannot offer the login: ${name} is not set`);
  };
  const providers: Record<string, AccountProvider> = {};
  for (const [name, [label, create]] of Object.entries(NAMED)) {
    const prefix = name.toUpperCase().replaceAll("-", "_");
    if (settings(`${prefix}_CLIENT_ID`) === undefined) continue;
    const clientId = get(`${prefix}_CLIENT_ID`);
    const clientSecret = get(`${prefix}_CLIENT_SECRET`);
    const client = { clientId, clientSecret, ...clientOf(baseURL, name) };
    providers[name] = { label, provider: create(client, get) };
  }
  const issuer = settings("OIDC_ISSUER");
  const own = issuer === undefined ? null : {
    name: "oidc",
    label: settings("OIDC_LABEL") ?? new URL(issuer).host,
    issuer,
    clientId: get("OIDC_CLIENT_ID"),
    clientSecret: get("OIDC_CLIENT_SECRET"),
  };
  for (const registration of [own, demo]) {
    if (!registration) continue;
    const { label, ...options } = registration;
    const provider = createOIDCAuthProvider({
      ...options,
      ...clientOf(baseURL, options.name),
      // For the demo identity provider. All others need HTTPS.
      allowInsecureLoopback: options.issuer.startsWith("http:"),
    });
    providers[options.name] = { label, provider };
  }
  return providers;
}

/** The registration of the application with an OpenID provider. */
export interface OIDCRegistration {
  /** The name of the provider in URLs. */
  readonly name: string;
  readonly label: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Returns the options of a provider that depend only on its name in URLs. */
export function clientOf(baseURL: string, provider: string) {
  const { providerCallback } = definition.routes;
  return {
    redirectUri: baseURL + providerCallback.href({ provider }),
    // Visitors do not see the reason.
    onError: ({ code }: { readonly code: string }) =>
      console.error(`Login at "${provider}" failed: ${code}`),
  };
}
