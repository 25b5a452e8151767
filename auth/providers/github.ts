import { defineOAuthProvider } from "../external/oauth.ts";
import type { ExternalAuthProviderOptions } from "../external/options.ts";
import type { ExternalAuthProvider } from "../external/provider.ts";

/** The profile of an account at the code-hosting provider. */
export interface CodeHostProfile {
  /** The account number, which never changes. Do not identify users by `login`. */
  readonly id: number;
  /** The account name, which its owner may change. */
  readonly login: string;
  /** The primary address, if it is verified. */
  readonly email: string | null;
  /** The display name, if there is one. */
  readonly name: string | null;
  /** The URL of the picture. */
  readonly "avatar_url": string;
}

/** Options for {@linkcode createCodeHostAuthProvider}. */
export interface CodeHostAuthProviderOptions
  extends ExternalAuthProviderOptions {
  /**
   * The host of an Enterprise Server.
   *
   * @default {"github.com"}
   */
  readonly host?: string;
}

/**
 * Creates the code-hosting provider, **GitHub**, with the scope `user:email` by
 * default. Users may change their `login`, so identify them by issuer and subject.
 *
 * Setting it up:
 * 1. Open https://github.com/settings/developers, or the developer settings of
 *    your organization.
 * 2. Under "OAuth Apps", register a new application.
 * 3. As "Homepage URL" enter the address of your application.
 * 4. As "Authorization callback URL" enter your `redirectUri`.
 * 5. Register, and copy "Client ID" to `clientId`.
 * 6. Generate a client secret and copy it to `clientSecret`; it is shown once.
 * 7. Register another application for each further environment: each has one
 *    callback URL.
 * 8. A GitHub App works too: give it the permission "Email addresses", read.
 * 9. For an Enterprise Server set `host`, and register there.
 * 10. Users can change their `login`: identify them by issuer and subject.
 *
 * @example Configuring it
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createCodeHostAuthProvider } from "@gatehouse/web/auth";
 *
 * const codeHost = createCodeHostAuthProvider({
 *   clientId: "app",
 *   clientSecret: "s3cret",
 *   redirectUri: "https://app.example/auth/code-host/callback",
 * });
 * assertEquals(codeHost.scopes, ["user:email"]);
 * ```
 *
 * @param options The client registration.
 * @returns A provider for `startExternalAuth` and `finishExternalAuth`.
 * @throws {TypeError} If an option is invalid.
 * @see {@link https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps | Authorizing OAuth apps}
 */
export function createCodeHostAuthProvider(
  options: CodeHostAuthProviderOptions,
): ExternalAuthProvider<CodeHostProfile> {
  const { host = "github.com" } = options;
  if (!/^[a-z0-9.-]{1,253}(?::\d{1,5})?$/.test(host)) {
    throw new TypeError(
      `Cannot create external provider "code-host": host "${host}" is not a host name in lower case`,
    );
  }
  const base = `https://${host}/login/oauth`;
  const api = host === "github.com"
    ? "https://api.github.com"
    : `https://${host}/api/v3`;
  return defineOAuthProvider({
    name: "code-host",
    issuer: base,
    scopes: ["user:email"],
    authorizationEndpoint: `${base}/authorize`,
    tokenEndpoint: `${base}/access_token`,
    clientAuthentication: "post",
    profile: {
      endpoint: `${api}/user`,
      headers: {
        "Accept": "application/vnd.github+json",
        "X-GitHub-Api-Version": "2022-11-28",
      },
      extra: { emails: `${api}/user/emails` },
    },
    parseProfile,
  }, options);
}

function parseProfile(
  body: Readonly<Record<string, unknown>>,
): CodeHostProfile | null {
  const { id, login, emails, name, avatar_url } = body;
  if (!Number.isSafeInteger(id) || typeof login !== "string") return null;
  return {
    id: id as number,
    login,
    // The email of the profile may not be verified.
    email: findEmail(emails),
    name: typeof name === "string" ? name : null,
    "avatar_url": typeof avatar_url === "string" ? avatar_url : "",
  };
}

function findEmail(emails: unknown): string | null {
  if (!Array.isArray(emails)) return null;
  const found = emails.find((entry) =>
    entry?.primary === true && entry.verified === true
  );
  return typeof found?.email === "string" ? found.email : null;
}
