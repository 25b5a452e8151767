import type { SecretBox } from "../../session/internal.ts";
import type {
  CachedDocument,
  JSONObject,
  ProviderKeys,
  ProviderMetadata,
  ResolvedIssuerOptions,
} from "../issuer/mod.ts";
import type { ClientRegistration } from "./client_authentication.ts";
import type { FLOW } from "./login/flow.ts";
import type { ExternalAuthProviderOptions } from "./options.ts";

/** The differences between one provider and the others. */
export interface ProviderDefinition<Profile> extends ProviderTraits {
  /**
   * Parses the profile, given the claims or the body of the profile endpoint.
   * Returns `null` if the profile does not identify the user.
   */
  readonly parseProfile: (body: JSONObject) => Profile | null;
  /** Returns the user's id at the issuer. */
  readonly subjectOf: (body: JSONObject) => string;
}

/** The part of a definition that does not depend on the profile. */
export interface ProviderTraits {
  /** The name, for messages and routes. */
  readonly name: string;
  /** The issuer. Users are identified by issuer and subject. */
  readonly issuer: string;
  /** The default scopes. */
  readonly scopes: readonly string[];
  /** The metadata, if it is not discovered. */
  readonly metadata?: ProviderMetadata | undefined;
  /** The method of client authentication, if the metadata has none. */
  readonly clientAuthentication?: ExternalAuthProviderOptions[
    "clientAuthentication"
  ];
  /** `true` if Basic authentication does not encode id and secret. */
  readonly rawBasic?: boolean | undefined;
  /** Further parameters of the authorization request. */
  readonly authorizationParams?: Readonly<Record<string, string>>;
  /** It is missing if the provider only supports OAuth 2.0. */
  readonly openid?: OpenIDDefinition;
  /** The profile of a provider that only supports OAuth 2.0. */
  readonly profile?: ProfileDefinition;
  /** Converts a token response that deviates from RFC 6749, section 5.1. */
  readonly parseTokenResponse?:
    | ((body: JSONObject) => JSONObject | null)
    | undefined;
  /** The default audience of client assertions. */
  readonly assertionAudience?: "issuer" | "token_endpoint";
}

/** The differences between one OpenID provider and the others. */
export interface OpenIDDefinition {
  /** Returns `true` if the metadata may name this issuer. */
  readonly isMetadataIssuer?: (issuer: string) => boolean;
  /** Returns `true` if the callback may name this issuer. */
  readonly isCallbackIssuer?: (
    issuer: string,
    metadataIssuer: string,
  ) => boolean;
  /** Returns `true` if a token may name this issuer. */
  readonly isTokenIssuer?: (
    issuer: string,
    claims: JSONObject,
    metadataIssuer: string,
  ) => boolean;
  /** Returns the canonical spelling of an issuer. */
  readonly canonicalIssuer?: (issuer: string) => string;
  /** Returns `true` if a key of the first issuer may sign for the second. */
  readonly isKeyIssuer?: (keyIssuer: string, tokenIssuer: string) => boolean;
  /** Returns a problem of verified claims, if there is one. */
  readonly findProblem?: (claims: JSONObject) => string | undefined;
  /** `true` if the provider honors `max_age` and sends `auth_time`. */
  readonly canReauthenticate: boolean;
  /** `true` if the userinfo endpoint is used. */
  readonly userinfo: boolean;
  /** The algorithms of ID tokens; `undefined` for those in the metadata. */
  readonly algorithms: readonly string[] | undefined;
  /** Further audiences that ID tokens may name. */
  readonly trustedAudiences: readonly string[];
}

/** The profile of a provider without ID tokens. */
export interface ProfileDefinition {
  /** The URL of the profile. */
  readonly endpoint: string;
  /** Headers in addition to the access token. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Optional documents: each joins the profile under its name, or `null`. */
  readonly extra?: Readonly<Record<string, string>>;
  /** Returns parameters that depend on the access token. */
  readonly params?: (
    accessToken: string,
    clientSecret: string,
  ) => Promise<Readonly<Record<string, string>>>;
}

/** A provider with its registration, its metadata and its keys. */
export interface ProviderEngine<Profile> extends ResolvedIssuerOptions {
  readonly definition: ProviderDefinition<Profile>;
  readonly options: ExternalAuthProviderOptions;
  readonly client: ClientRegistration;
  readonly redirectUri: URL;
  readonly scopes: readonly string[];
  readonly metadata: () => Promise<ProviderMetadata>;
  readonly keys: () => Promise<CachedDocument<ProviderKeys>>;
  readonly flow: typeof FLOW;
  /** The cipher of the responses of `form_post`, from the first one on. */
  formPostCipher?: Promise<SecretBox>;
}

/** Returns `true` if an issuer is the provider's, or one of its tenants. */
export async function isIssuerOf(
  { definition, metadata }: ProviderEngine<unknown>,
  issuer: string,
): Promise<boolean> {
  const { issuer: own } = await metadata();
  return issuer === own ||
    definition.openid?.isCallbackIssuer?.(issuer, own) === true;
}
