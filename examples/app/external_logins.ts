import {
  createOIDCAuthProvider,
  type ExternalAuthData,
  type ExternalAuthFailure,
  type ExternalAuthProvider,
  externalAuthResult,
  type OIDCProfile,
} from "@gatehouse/web/auth";
import type { RequestContext } from "@gatehouse/web/fetch-router";
import { routes } from "./routes.ts";

/** The person who came back from an external login. */
export interface ExternalPerson {
  readonly name: string | null;
  readonly email: string | null;
  /** `true` if the provider has verified the address. */
  readonly emailVerified: boolean;
  readonly picture: string | null;
}

/** An external login that succeeded. */
export interface ExternalLoginSuccess {
  readonly ok: true;
  readonly issuer: string;
  readonly subject: string;
  readonly person: ExternalPerson;
  /**
   * The time at which the user proved their identity to the provider, in epoch
   * milliseconds. Missing if the provider does not tell.
   */
  readonly authenticatedAt?: number | undefined;
  /** A path of this application. */
  readonly returnTo: string;
  /** The data that the login was started with. */
  readonly data: ExternalAuthData;
}

/** A provider at which users can log in. */
export interface ExternalLogin {
  /** Its name in URLs and in the database. Never changes. */
  readonly name: string;
  /** Its name on buttons. */
  readonly label: string;
  readonly provider: ExternalAuthProvider;
  /** The origin of its pages, if that is not HTTPS. */
  readonly insecureOrigin?: string;
  /** Finishes a login. */
  finish(
    context: RequestContext,
  ): Promise<ExternalLoginSuccess | ExternalAuthFailure>;
}

/** Options that all external logins share. */
export interface ExternalLoginOptions {
  /** The address that browsers see. */
  readonly baseURL: string;
  /**
   * Receives a line for each login that failed, with the reason, which the
   * visitor does not see.
   *
   * @default {() => {}}
   */
  readonly reportError?: (line: string) => void;
  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/** The options of every provider. */
export interface ClientOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  readonly onError: (error: { readonly code: string }) => void;
  readonly now?: () => number;
}

/** Returns the options of this application at a provider. */
export function clientOptions(
  name: string,
  clientId: string,
  clientSecret: string,
  { baseURL, reportError = () => {}, now }: ExternalLoginOptions,
): ClientOptions {
  return {
    clientId,
    clientSecret,
    redirectUri: redirectUri(baseURL, name),
    onError: ({ code }) => reportError(`Login at "${name}" failed: ${code}`),
    now,
  };
}

/** Returns the URL that a provider sends users back to. */
export function redirectUri(baseURL: string, name: string): string {
  return baseURL + routes.external.callback.href({ provider: name });
}

/** Creates an external login from a provider. */
export function createExternalLogin<Profile>(
  about: Pick<ExternalLogin, "name" | "label">,
  provider: ExternalAuthProvider<Profile>,
  describe: (profile: Profile) => ExternalPerson,
): ExternalLogin {
  return {
    ...about,
    provider,
    async finish(context) {
      const result = await externalAuthResult(provider, context);
      if (!result.ok) return result;
      const { issuer, subject, profile, authenticatedAt } = result;
      const { returnTo, data } = result;
      const person = describe(profile);
      return {
        ok: true,
        issuer,
        subject,
        person,
        authenticatedAt,
        returnTo,
        data,
      };
    },
  };
}

/** The registration of the application with an OpenID provider. */
export interface OIDCRegistration {
  readonly name: string;
  readonly label: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Creates an external login from an OpenID provider. */
export function createOIDCLogin(
  { name, label, issuer, clientId, clientSecret }: OIDCRegistration,
  options: ExternalLoginOptions,
): ExternalLogin {
  const { protocol, origin } = new URL(issuer);
  const isInsecure = protocol === "http:";
  const provider = createOIDCAuthProvider({
    name,
    issuer,
    scopes: ["openid", "email", "profile"],
    // For the demo identity provider. All others need HTTPS.
    allowInsecureLoopback: isInsecure,
    ...clientOptions(name, clientId, clientSecret, options),
  });
  const login = createExternalLogin(
    { name, label },
    provider,
    describeOIDC,
  );
  return isInsecure ? { ...login, insecureOrigin: origin } : login;
}

/** Returns the person of an OpenID Connect profile. */
export function describeOIDC(profile: OIDCProfile): ExternalPerson {
  const { name, email, email_verified, picture } = profile;
  return { name, email, emailVerified: email_verified === true, picture };
}
