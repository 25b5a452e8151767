import { ExternalAuthError } from "../../issuer/mod.ts";
import { engineOf, type ExternalAuthProvider } from "../provider.ts";

/** Options for {@linkcode endSessionUrl}. */
export interface EndSessionOptions {
  /**
   * The ID token of the login, which names the user. The browser's history
   * will contain it.
   *
   * @default {undefined}
   */
  readonly idToken?: string;
  /**
   * The URL to return to, exactly as registered at the provider.
   *
   * @default {undefined}
   */
  readonly postLogoutRedirectUri?: string;
  /**
   * The parameter `state` of the URL to return to.
   *
   * @default {undefined}
   */
  readonly state?: string;
  /**
   * The user's email address or account name.
   *
   * @default {undefined}
   */
  readonly logoutHint?: string;
}

/**
 * Returns the URL that ends the session at the provider. End the application's
 * session first, then redirect the user there.
 *
 * @example Logging out at the provider too
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
 * @param provider The provider of the login.
 * @param options The user, and the URL to return to.
 * @returns The URL, or `null` if the provider has none or is unavailable.
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
    engine.options.onError?.(error);
    return null;
  }
}
