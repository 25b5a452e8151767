import { isLoopback } from "../../router/internal.ts";
import { isSecureURL, type Transport } from "./_bounded_fetch.ts";
import {
  type ClientRegistration,
  signingOf,
} from "./_client_authentication.ts";
import {
  keySource,
  metadataSource,
  type ProviderDefinition,
  type ProviderTraits,
} from "./_engine.ts";
import { createTransport, readLimits } from "./_transport.ts";
import type { ExternalAuthProviderOptions } from "./options.ts";
import { type ExternalAuthProvider, registerProvider } from "./provider.ts";

/** Parameters that the login itself depends on. */
const RESERVED_PARAMS = [
  "acr_values",
  "client_assertion",
  "client_assertion_type",
  "client_id",
  "client_secret",
  "code_challenge",
  "code_challenge_method",
  "login_hint",
  "max_age",
  "nonce",
  "prompt",
  "redirect_uri",
  "request",
  "request_uri",
  "response_mode",
  "response_type",
  "scope",
  "state",
];

const METHODS = ["basic", "post", "private_key_jwt", "none"];

/**
 * Makes a provider of its definition and the application's registration.
 *
 * @throws {TypeError} If an option can't be right.
 * @throws {RangeError} If a number is out of range.
 */
export function defineProvider<Profile>(
  definition: ProviderDefinition<Profile>,
  options: ExternalAuthProviderOptions,
): ExternalAuthProvider<Profile> {
  const refuse = (state: string): never => {
    throw new TypeError(
      `Cannot create external provider "${definition.name}": ${state}`,
    );
  };
  // Its routes, its transactions and the identities of its users go by it.
  if (!definition.name) refuse("it has no name");
  const { fetch = globalThis.fetch } = options;
  if (typeof fetch !== "function") refuse("fetch is not a function");
  const limits = readLimits(options, "external provider");
  const transport = createTransport(options, limits);
  checkIssuer(definition, transport, refuse);
  const metadata = metadataSource(definition, transport, options);
  return registerProvider({
    definition,
    options,
    client: readClient(definition, options, refuse),
    redirectUri: readRedirectUri(options.redirectUri, refuse),
    scopes: readScopes(definition, options, refuse),
    transport,
    clockTolerance: limits.clockTolerance,
    now: options.now ?? Date.now,
    metadata,
    keys: keySource(metadata, transport, options),
  });
}

type Refuse = (state: string) => never;

/** The issuer is the root of all trust (Discovery 1.0, section 2). */
function checkIssuer(
  { issuer, openid }: ProviderTraits,
  { allowInsecureLoopback }: Transport,
  refuse: Refuse,
): void {
  if (openid === undefined) return;
  const url = typeof issuer === "string" ? URL.parse(issuer) : null;
  const isSecure = url !== null && isSecureURL(url, allowInsecureLoopback);
  if (url !== null && !isSecure && isSecureURL(url, true)) {
    refuse(
      "issuer is http, which allowInsecureLoopback allows on this computer",
    );
  }
  if (!isSecure || /[?#|]/.test(issuer)) {
    refuse("issuer is not an https URL, or has a query, a fragment or a |");
  }
}

function readRedirectUri(value: unknown, refuse: Refuse): URL {
  const url = typeof value === "string" ? URL.parse(value) : null;
  if (url === null) return refuse("redirectUri is not an absolute URL");
  // RFC 6749, section 3.1.2: no fragment.
  if (url.href.includes("#") || url.username !== "" || url.password !== "") {
    return refuse("redirectUri has a fragment or credentials");
  }
  const isLocal = url.protocol === "http:" && isLoopback(url.hostname);
  if (url.protocol !== "https:" && !isLocal) {
    return refuse("redirectUri is not https");
  }
  return url;
}

function readScopes(
  { openid, scopes: defaults }: ProviderTraits,
  { scopes = defaults }: ExternalAuthProviderOptions,
  refuse: Refuse,
): readonly string[] {
  // RFC 6749, section 3.3.
  const isScope = (scope: unknown) =>
    typeof scope === "string" && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope);
  if (!Array.isArray(scopes) || !scopes.every(isScope)) {
    return refuse("scopes are not a list of scopes");
  }
  if (openid !== undefined && !scopes.includes("openid")) {
    return refuse('scopes lack "openid"');
  }
  return [...scopes];
}

function readClient(
  traits: ProviderTraits,
  options: ExternalAuthProviderOptions,
  refuse: Refuse,
): ClientRegistration {
  const { clientId, clientSecret, privateKey } = options;
  const authentication = options.clientAuthentication ??
    (privateKey === undefined ? traits.clientAuthentication : undefined);
  if (typeof clientId !== "string" || clientId === "") {
    refuse("clientId is missing");
  }
  if (authentication !== undefined && !METHODS.includes(authentication)) {
    refuse(`clientAuthentication "${authentication}" is none of ${METHODS}`);
  }
  if (authentication === "private_key_jwt" || privateKey !== undefined) {
    checkKey(options, refuse);
  } else if (authentication !== "none") {
    if (typeof clientSecret !== "string" || clientSecret === "") {
      refuse('clientSecret is missing, and clientAuthentication is not "none"');
    }
  }
  checkAuthorization(traits, options, refuse);
  return {
    authentication,
    clientId,
    clientSecret,
    privateKey: privateKey &&
      { audience: traits.assertionAudience, ...privateKey },
    rawBasic: traits.rawBasic ?? false,
  };
}

function checkKey(
  { clientAuthentication, privateKey }: ExternalAuthProviderOptions,
  refuse: Refuse,
): void {
  if (privateKey === undefined) {
    return refuse("privateKey is missing, and clientAuthentication needs it");
  }
  if ((clientAuthentication ?? "private_key_jwt") !== "private_key_jwt") {
    return refuse("privateKey is of no use with this clientAuthentication");
  }
  const { key } = privateKey;
  if (typeof key !== "object" || key === null || signingOf(key) === undefined) {
    refuse("privateKey is no private key for RS256, PS256, ES256 or EdDSA");
  }
}

function checkAuthorization(
  { openid }: ProviderTraits,
  options: ExternalAuthProviderOptions,
  refuse: Refuse,
): void {
  const { authorizationParams = {}, maxAge, responseMode = "query" } = options;
  for (const [name, value] of Object.entries(authorizationParams)) {
    if (RESERVED_PARAMS.includes(name)) {
      refuse(`authorizationParams may not set "${name}"`);
    }
    if (typeof value !== "string") {
      refuse(`authorizationParams "${name}" is not a text`);
    }
  }
  if (maxAge !== undefined && !(Number.isSafeInteger(maxAge) && maxAge >= 0)) {
    refuse(`maxAge "${maxAge}" is not a number of seconds`);
  }
  if (maxAge !== undefined && openid === undefined) {
    refuse("maxAge needs an ID token, and it does not speak OpenID Connect");
  }
  if (responseMode !== "query" && responseMode !== "form_post") {
    refuse(`responseMode "${responseMode}" is neither query nor form_post`);
  }
  const { clientSecret, formPostSecret } = options;
  if (formPostSecret !== undefined && formPostSecret.length < 32) {
    refuse("formPostSecret has fewer than 32 characters");
  }
  if (
    responseMode === "form_post" &&
    (formPostSecret ?? clientSecret) === undefined
  ) {
    refuse("form_post needs a formPostSecret where there is no clientSecret");
  }
}
