import type { JSONObject, Transport } from "./_bounded_fetch.ts";
import {
  type CachedDocument,
  createCachedDocument,
} from "./_cached_document.ts";
import type { ClientRegistration } from "./_client_authentication.ts";
import { fetchMetadata, parseMetadata } from "./_discovery.ts";
import { ExternalAuthError } from "./errors.ts";
import { ASYMMETRIC_ALGORITHMS } from "./_id_token.ts";
import { fetchKeys, parseKeys, type ProviderKeys } from "./_keys.ts";
import type { ProviderMetadata } from "./metadata.ts";
import type { ExternalAuthProviderOptions } from "./options.ts";

/** What kind of provider it is: all that differs from one to the other. */
export interface ProviderDefinition<Profile> extends ProviderTraits {
  /**
   * Makes the profile of the claims, or of what the profile's endpoint
   * answered; `null` where it lacks what identifies the user.
   */
  readonly parseProfile: (body: JSONObject) => Profile | null;
  /** Who the user is to the issuer. */
  readonly subjectOf: (body: JSONObject) => string;
}

/** What a provider is, whatever its profile looks like. */
export interface ProviderTraits {
  /** The name, for messages and routes. */
  readonly name: string;
  /** Who vouches for the users: half of every identity's key. */
  readonly issuer: string;
  /** The scopes that are asked for where the options name none. */
  readonly scopes: readonly string[];
  /** What the provider says of itself, where it is not discovered. */
  readonly metadata?: ProviderMetadata;
  /** How the provider wants clients to authenticate, where it does not say. */
  readonly clientAuthentication?: ExternalAuthProviderOptions[
    "clientAuthentication"
  ];
  /** Whether Basic takes id and secret as they are. */
  readonly rawBasic?: boolean;
  /** Further parameters of the authorization request. */
  readonly authorizationParams?: Readonly<Record<string, string>>;
  /** Speaks OpenID Connect; absent where it is OAuth 2.0 alone. */
  readonly openid?: OpenIDDefinition;
  /** Where the profile is, where it is OAuth 2.0 alone. */
  readonly profile?: ProfileDefinition;
  /** What client assertions name as audience where the options do not say. */
  readonly assertionAudience?: "issuer" | "token_endpoint";
}

/** What differs between providers of OpenID Connect. */
export interface OpenIDDefinition {
  /** Whether a value is the issuer that the metadata must name. */
  readonly isMetadataIssuer?: (issuer: string) => boolean;
  /** Whether a value is the issuer that the callback may name. */
  readonly isCallbackIssuer?: (
    issuer: string,
    metadataIssuer: string,
  ) => boolean;
  /** Whether a value is the issuer that an ID token must name. */
  readonly isTokenIssuer?: (
    issuer: string,
    claims: JSONObject,
    metadataIssuer: string,
  ) => boolean;
  /** The one spelling of an issuer that has several. */
  readonly canonicalIssuer?: (issuer: string) => string;
  /** Whether a key that is bound to an issuer may sign for the token's one. */
  readonly isKeyIssuer?: (keyIssuer: string, tokenIssuer: string) => boolean;
  /** What is wrong with claims that are true; absent where nothing can be. */
  readonly problemOf?: (claims: JSONObject) => string | undefined;
  /** `true` if it honors `max_age` and tells `auth_time`. */
  readonly canReauthenticate: boolean;
  /** Whether to ask the userinfo endpoint. */
  readonly userinfo: boolean;
  /** The algorithms of ID tokens; `undefined` for the advertised ones. */
  readonly algorithms: readonly string[] | undefined;
  /** Audiences that ID tokens may name besides the client. */
  readonly trustedAudiences: readonly string[];
}

/** Where a profile is that no ID token tells. */
export interface ProfileDefinition {
  /** The URL of the profile. */
  readonly endpoint: string;
  /** What to send besides the access token. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Further documents, which join the profile under these names, or `null`. */
  readonly extra?: Readonly<Record<string, string>>;
  /** Parameters that depend on the access token. */
  readonly params?: (
    accessToken: string,
    clientSecret: string,
  ) => Promise<Readonly<Record<string, string>>>;
}

/** A provider at work. */
export interface ProviderEngine<Profile> {
  readonly definition: ProviderDefinition<Profile>;
  readonly options: ExternalAuthProviderOptions;
  readonly client: ClientRegistration;
  readonly redirectUri: URL;
  readonly scopes: readonly string[];
  readonly transport: Transport;
  /** In seconds. */
  readonly clockTolerance: number;
  readonly now: () => number;
  readonly metadata: () => Promise<ProviderMetadata>;
  readonly keys: () => Promise<CachedDocument<ProviderKeys>>;
}

/** Milliseconds that metadata is kept. */
const METADATA_TTL = 3_600_000;

/** Milliseconds that metadata is used while the provider can't be reached. */
const METADATA_MAX_STALE = 86_400_000;

/** Milliseconds that keys are kept, and used without the provider. */
export const KEYS_TIMES = {
  ttl: 600_000,
  // Shorter than for metadata: a withdrawn key must not work for a day.
  maxStale: 3_600_000,
  // Between two renewals of keys that turned out to be old.
  cooldown: 30_000,
} as const;

/** What documents of a provider are kept by. */
type Keeping = Pick<ExternalAuthProviderOptions, "cache" | "now">;

/** Finds the metadata of a provider: given, or discovered and kept. */
export function metadataSource(
  { issuer, metadata, openid }: ProviderTraits,
  transport: Transport,
  options: Keeping,
): () => Promise<ProviderMetadata> {
  if (metadata !== undefined) return () => Promise.resolve(metadata);
  return discover(issuer, transport, options, (body) =>
    parseMetadata(
      body,
      issuer,
      transport.allowInsecureLoopback,
      openid?.isMetadataIssuer,
    ));
}

/** Discovers what an issuer says of itself, and keeps it. */
export function discover<Metadata>(
  issuer: string,
  transport: Transport,
  { cache, now = Date.now }: Keeping,
  parse: (body: JSONObject) => Metadata,
): () => Promise<Metadata> {
  const document = createCachedDocument({
    key: `gatehouse:metadata:${issuer}`,
    ttl: METADATA_TTL,
    maxStale: METADATA_MAX_STALE,
    cooldown: METADATA_TTL,
    load: () => fetchMetadata(transport, issuer),
    parse,
    now,
    cache,
  });
  return () => document.get();
}

/** Finds the keys of a provider, which may move with its metadata. */
export function keySource(
  metadata: () => Promise<Pick<ProviderMetadata, "issuer" | "jwks_uri">>,
  transport: Transport,
  { cache, now = Date.now }: Keeping,
): () => Promise<CachedDocument<ProviderKeys>> {
  let current: [url: string, keys: CachedDocument<ProviderKeys>] | undefined;
  return async () => {
    const { issuer, jwks_uri: url } = await metadata();
    if (url === undefined) {
      throw new ExternalAuthError(
        "keys_failed",
        `Cannot use the keys of "${issuer}": its metadata has no "jwks_uri"`,
      );
    }
    if (current?.[0] !== url) {
      const keys = createCachedDocument({
        key: `gatehouse:keys:${url}`,
        ...KEYS_TIMES,
        load: () => fetchKeys(transport, url),
        parse: parseKeys,
        now,
        cache,
      });
      current = [url, keys];
    }
    return current[1];
  };
}

/** Whether a provider answers for an issuer: its own, or one of its tenants. */
export async function isIssuerOf(
  { definition, metadata }: ProviderEngine<unknown>,
  issuer: string,
): Promise<boolean> {
  const { issuer: own } = await metadata();
  return issuer === own ||
    definition.openid?.isCallbackIssuer?.(issuer, own) === true;
}

/** The algorithms that ID tokens of a provider may be signed with. */
export function idTokenAlgorithms(
  configured: readonly string[] | undefined,
  metadata: ProviderMetadata,
): readonly string[] {
  // RS256 is what every provider has (Core 1.0, section 15.1).
  return asymmetric(
    configured ?? metadata.id_token_signing_alg_values_supported ?? ["RS256"],
  );
}

/** The algorithms that its userinfo may be signed with. */
export function userinfoAlgorithms(
  configured: readonly string[] | undefined,
  metadata: ProviderMetadata,
): readonly string[] {
  const named = metadata.userinfo_signing_alg_values_supported;
  return configured === undefined && named !== undefined
    ? asymmetric(named)
    : idTokenAlgorithms(configured, metadata);
}

function asymmetric(named: readonly string[]): readonly string[] {
  return ASYMMETRIC_ALGORITHMS.filter((algorithm) =>
    named.includes(algorithm) ||
    algorithm === "Ed25519" && named.includes("EdDSA")
  );
}
