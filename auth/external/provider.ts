import type { DPoPKey } from "../dpop/mod.ts";
import type { JSONValue } from "../../session/mod.ts";
import type { ProviderEngine } from "./engine.ts";

/**
 * An external provider, for `startExternalAuth` and `finishExternalAuth`. It has
 * no property with a secret.
 *
 * @typeParam Profile The type of a user's profile.
 */
export interface ExternalAuthProvider<Profile = unknown> {
  /** The name, for messages and routes. */
  readonly name: string;
  /** The application's id at the provider. */
  readonly clientId: string;
  /** The URL of the callback. */
  readonly redirectUri: string;
  /** The permissions that the application requests. */
  readonly scopes: readonly string[];
  /**
   * `true` if a login started with `{ prompt: "login", maxAge: 0 }` makes the
   * user authenticate again, and the result proves it. If `false`, have the user
   * confirm another way.
   */
  readonly canReauthenticate: boolean;
  /** The type of the profile. Never present at run time. */
  readonly "~profile"?: Profile;
}

/**
 * The profile of a provider. A union of providers has a union of profiles.
 *
 * @typeParam Provider The provider, or a union of providers.
 */
export type ProfileOf<Provider extends ExternalAuthProvider> = Provider extends
  ExternalAuthProvider<infer Profile> ? Profile : never;

/** The tokens that the provider issued. Keep them on the server. */
export interface ExternalAuthTokens {
  /** The token for requests to the provider's API. */
  readonly accessToken: string;
  /** The expiry of the access token, in epoch milliseconds, if it is known. */
  readonly expiresAt?: number;
  /** The token that gets new tokens, if the provider issued one. */
  readonly refreshToken?: string;
  /** The verified ID token, unchanged. */
  readonly idToken?: string;
  /** The granted scopes, if the provider named them. */
  readonly scope?: string;
  /**
   * The user's id at the issuer, for OpenID Connect. A refreshed ID token must
   * have the same.
   */
  readonly subject?: string;
  /** The issuer of the ID token, for OpenID Connect. */
  readonly issuer?: string;
  /**
   * The key that the tokens are bound to, with the option `dpop` of the provider.
   * Requests with the access token need a proof: see `createDPoPProof`.
   */
  readonly dpopKey?: DPoPKey;
}

/**
 * The application's data about a login, which the result returns. It consists of
 * JSON values and stays in the session.
 */
export type ExternalAuthData = Readonly<Record<string, JSONValue | undefined>>;

/** The result of a successful login. */
export interface ExternalAuthSuccess<Profile> {
  /** `true`, unlike that of a failure. */
  readonly ok: true;
  /** The issuer. Identify users by `issuer` and `subject`. */
  readonly issuer: string;
  /** The user's id at the issuer. It never changes and is never reused. */
  readonly subject: string;
  /** The profile, as `finishExternalAuth` returns it. */
  readonly profile: Profile;
  /**
   * The time at which the user proved their identity to the provider, in epoch
   * milliseconds: the claim `auth_time` of the ID token. It is missing if the
   * provider does not report it. Pass it to `completeAuth`, so that
   * `requireFreshAuth` judges by the real time.
   */
  readonly authenticatedAt?: number;
  /** The claims of the ID token and of userinfo, or the body of the profile. */
  readonly claims: Readonly<Record<string, unknown>>;
  /**
   * The JSON object in the callback's parameter `user`, which Apple sends with
   * the first login: `{ name: { firstName, lastName }, email }`.
   *
   * Trust: the browser sends it, without a signature. Take a name from it for
   * the user to change, never an identity or an email address.
   */
  readonly callbackUser?: Readonly<Record<string, unknown>>;
  /** The tokens. */
  readonly tokens: ExternalAuthTokens;
  /** The path to return to. It is safe to redirect to. */
  readonly returnTo: string;
  /** The `data` of `startExternalAuth`, or `{}`. */
  readonly data: ExternalAuthData;
}

const engines = /* @__PURE__ */ new WeakMap<object, ProviderEngine<unknown>>();

/**
 * Returns the functions of a login, which each provider brings along. A module that
 * only takes providers as options need not import them: it would add the
 * verification of tokens to programs without providers.
 *
 * @throws {TypeError} If no `create…AuthProvider` function created the provider.
 */
export function flowOf(
  provider: ExternalAuthProvider,
): ProviderEngine<unknown>["flow"] {
  return engineOf(provider).flow;
}

/** Creates the public object of an engine. */
export function registerProvider<Profile>(
  engine: ProviderEngine<Profile>,
): ExternalAuthProvider<Profile> {
  const { client, definition, options, scopes } = engine;
  const provider = Object.freeze({
    name: definition.name,
    clientId: client.clientId,
    redirectUri: options.redirectUri,
    scopes: Object.freeze([...scopes]),
    canReauthenticate: definition.openid?.canReauthenticate ?? false,
  });
  engines.set(provider, engine as ProviderEngine<unknown>);
  return provider;
}

/**
 * Returns the engine of a provider.
 *
 * @throws {TypeError} If no `create…AuthProvider` function created the provider.
 */
export function engineOf<Profile>(
  provider: ExternalAuthProvider<Profile>,
): ProviderEngine<Profile> {
  const engine = engines.get(provider);
  if (engine !== undefined) return engine as ProviderEngine<Profile>;
  throw new TypeError(
    "Cannot use the external provider: it was not made by a create…AuthProvider function",
  );
}
