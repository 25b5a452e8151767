import type { JSONValue } from "../../session/mod.ts";
import type { ProviderEngine } from "./_engine.ts";

/**
 * An external provider, as `startExternalAuth` and `finishExternalAuth` take
 * it. Its secrets are not among its properties.
 *
 * @typeParam Profile What it tells of a user.
 */
export interface ExternalAuthProvider<Profile = unknown> {
  /** The name, for messages and routes. */
  readonly name: string;
  /** The id that the provider gave the application. */
  readonly clientId: string;
  /** Where the provider sends the user back to. */
  readonly redirectUri: string;
  /** What the application asks to know or to do. */
  readonly scopes: readonly string[];
  /**
   * `true` if a login started with `{ prompt: "login", maxAge: 0 }` makes the
   * user authenticate again, and the result proves it. If `false`, have the user
   * confirm another way.
   */
  readonly canReauthenticate: boolean;
  /** Holds the type of the profile. Never present at run time. */
  readonly "~profile"?: Profile;
}

/**
 * The profile of a provider; of one of several providers, that of any of them.
 *
 * @typeParam Provider The provider, or the union of those that it may be.
 */
export type ProfileOf<Provider extends ExternalAuthProvider> = Provider extends
  ExternalAuthProvider<infer Profile> ? Profile : never;

/** What the provider issued. Keep it on the server. */
export interface ExternalAuthTokens {
  /** For requests to the provider's API. */
  readonly accessToken: string;
  /** When the access token ends, in epoch milliseconds, where it is known. */
  readonly expiresAt?: number;
  /** Gets new tokens, where the provider gave one. */
  readonly refreshToken?: string;
  /** The verified ID token, as it came. */
  readonly idToken?: string;
  /** The scopes that were granted, where the provider said so. */
  readonly scope?: string;
  /**
   * Who the tokens are about, for OpenID Connect: a refreshed ID token must
   * name the same user.
   */
  readonly subject?: string;
  /** The issuer of the ID token, for OpenID Connect. */
  readonly issuer?: string;
}

/**
 * What the application gives a login on its way, and gets back with the result:
 * members that JSON can hold. It stays in the session.
 */
export type ExternalAuthData = Readonly<Record<string, JSONValue | undefined>>;

/** All that a finished login tells. */
export interface ExternalAuthSuccess<Profile> {
  /** Tells it from a failure. */
  readonly ok: true;
  /** Who vouches for the user: with `subject` the key of the identity. */
  readonly issuer: string;
  /** Who the user is to the issuer: never changes, is never given anew. */
  readonly subject: string;
  /** The profile, as `finishExternalAuth` returns it. */
  readonly profile: Profile;
  /**
   * The time at which the user proved their identity to the provider, in epoch
   * milliseconds: the claim `auth_time` of the ID token. Missing if the provider
   * does not say. Pass it to `completeAuth`, so that `requireFreshAuth` judges
   * by the real time.
   */
  readonly authenticatedAt?: number;
  /** All claims, of the ID token and of userinfo; else the profile's source. */
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
  /** Where the user wanted to go: a path that is safe to redirect to. */
  readonly returnTo: string;
  /** What `startExternalAuth` was given as `data`; empty where it was nothing. */
  readonly data: ExternalAuthData;
}

const engines = /* @__PURE__ */ new WeakMap<object, ProviderEngine<unknown>>();

/** Gives an engine its public face. */
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
 * The engine of a provider.
 *
 * @throws {TypeError} If it was not made by one of the factories.
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
