import { ExternalAuthError } from "./errors.ts";
import { report } from "./_report.ts";
import { engineOf, type ExternalAuthProvider } from "./provider.ts";

/** Options for {@linkcode endSessionUrl}. */
export interface EndSessionOptions {
  /**
   * The ID token of the login: tells the provider who logs out. It shows up in
   * the browser's history.
   *
   * @default {undefined}
   */
  readonly idToken?: string;
  /**
   * Where the provider sends the user back to, exactly as registered there.
   *
   * @default {undefined}
   */
  readonly postLogoutRedirectUri?: string;
  /**
   * Comes back with the user, as the parameter `state`.
   *
   * @default {undefined}
   */
  readonly state?: string;
  /**
   * Whom to log out: an e-mail address or account name.
   *
   * @default {undefined}
   */
  readonly logoutHint?: string;
}

/**
 * Finds where to send a user who logs out, so that the session at the provider
 * ends too. End your own session first, and redirect there.
 *
 * @example Logging out here and there
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createOIDCAuthProvider, endSessionUrl } from "@gatehouse/web/auth";
 *
 * const provider = createOIDCAuthProvider({
 *   name: "example",
 *   issuer: "https://id.example",
 *   clientId: "app",
 *   clientSecret: "s3cret",
 *   redirectUri: "https://app.example/callback",
 *   metadata: {
 *     issuer: "https://id.example",
 *     authorization_endpoint: "https://id.example/authorize",
 *     token_endpoint: "https://id.example/token",
 *     end_session_endpoint: "https://id.example/logout",
 *   },
 * });
 * const url = await endSessionUrl(provider, {
 *   postLogoutRedirectUri: "https://app.example/",
 * });
 * assertEquals(url?.pathname, "/logout");
 * ```
 *
 * @param provider The provider that the user logged in with.
 * @param options Who logs out, and where to go then.
 * @returns The URL; `null` where the provider has none, or can't be reached.
 * @throws {TypeError} If `postLogoutRedirectUri` is not an absolute URL.
 * @see {@link https://openid.net/specs/openid-connect-rpinitiated-1_0.html#RPLogout | OpenID Connect RP-Initiated Logout 1.0, section 2}
 */
export async function endSessionUrl(
  provider: ExternalAuthProvider,
  options: EndSessionOptions = {},
): Promise<URL | null> {
  const { idToken, logoutHint, postLogoutRedirectUri, state } = options;
  if (postLogoutRedirectUri !== undefined) {
    if (URL.parse(postLogoutRedirectUri) === null) {
      throw new TypeError(
        "Cannot log out at the provider: postLogoutRedirectUri is not an absolute URL",
      );
    }
  }
  const engine = engineOf(provider);
  try {
    const { end_session_endpoint } = await engine.metadata();
    if (end_session_endpoint === undefined) return null;
    const url = new URL(end_session_endpoint);
    const params = {
      client_id: engine.client.clientId,
      id_token_hint: idToken,
      post_logout_redirect_uri: postLogoutRedirectUri,
      state,
      logout_hint: logoutHint,
    };
    for (const [name, value] of Object.entries(params)) {
      if (value !== undefined) url.searchParams.set(name, value);
    }
    return url;
  } catch (error) {
    if (!(error instanceof ExternalAuthError)) throw error;
    report(engine, error);
    return null;
  }
}
