import {
  discover,
  isSecureURL,
  type JSONObject,
  keysOf,
  parseMetadata,
  resolveIssuerOptions,
} from "../issuer/mod.ts";
import {
  type ClientRegistration,
  signingAlgorithmOf,
} from "./client_authentication.ts";
import type { ProviderDefinition, ProviderTraits } from "./engine.ts";
import type { ExternalAuthProviderOptions } from "./options.ts";
import { FLOW } from "./login/flow.ts";
import { type ExternalAuthProvider, registerProvider } from "./provider.ts";

/** Parameters that only the library may set. */
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
 * Creates a provider from its definition and the application's registration.
 *
 * @throws {TypeError} If an option is invalid.
 * @throws {RangeError} If a number is out of range.
 */
export function defineProvider<Profile>(
  definition: ProviderDefinition<Profile>,
  options: ExternalAuthProviderOptions,
): ExternalAuthProvider<Profile> {
  const { issuer, name, openid } = definition;
  const fail = (reason: string): never => {
    throw new TypeError(`Cannot create external provider "${name}": ${reason}`);
  };
  // Routes and messages use the name.
  if (!name) fail("it has no name");
  const { fetch = globalThis.fetch } = options;
  if (typeof fetch !== "function") fail("fetch is not a function");
  const resolved = resolveIssuerOptions(options, "external provider");
  const { allowInsecureLoopback } = resolved;
  checkIssuer(definition, allowInsecureLoopback, fail);
  const given = definition.metadata;
  const isIssuer = openid?.isMetadataIssuer;
  const parse = (body: JSONObject) =>
    parseMetadata(body, issuer, allowInsecureLoopback, isIssuer);
  const metadata = given === undefined
    ? discover(issuer, resolved, parse)
    : () => Promise.resolve(given);
  return registerProvider({
    ...resolved,
    definition,
    options,
    client: readClient(definition, options, fail),
    redirectUri: readRedirectUri(options.redirectUri, fail),
    scopes: readScopes(definition, options, fail),
    metadata,
    keys: keysOf(metadata, resolved),
    flow: FLOW,
  });
}

type Fail = (reason: string) => never;

/** Checks the issuer, on which all trust depends (Discovery 1.0, section 2). */
function checkIssuer(
  { issuer, openid }: ProviderTraits,
  allowInsecureLoopback: boolean,
  fail: Fail,
): void {
  if (openid === undefined) return;
  const url = typeof issuer === "string" ? URL.parse(issuer) : null;
  const isSecure = url !== null && isSecureURL(url, allowInsecureLoopback);
  if (url !== null && !isSecure && isSecureURL(url, true)) {
    fail("issuer is http, which allowInsecureLoopback allows on this computer");
  }
  if (!isSecure || /[?#|]/.test(issuer)) {
    fail("issuer is not an https URL, or has a query, a fragment or a |");
  }
}

function readRedirectUri(value: unknown, fail: Fail): URL {
  const url = typeof value === "string" ? URL.parse(value) : null;
  if (url === null) return fail("redirectUri is not an absolute URL");
  // The URL must not have a fragment (RFC 6749, section 3.1.2).
  if (url.href.includes("#") || url.username !== "" || url.password !== "") {
    return fail("redirectUri has a fragment or credentials");
  }
  // Loopback is allowed even if `allowInsecureLoopback` is false, because the
  // browser sends this request.
  if (!isSecureURL(url, true)) return fail("redirectUri is not https");
  return url;
}

function readScopes(
  { openid, scopes: defaults }: ProviderTraits,
  { scopes = defaults }: ExternalAuthProviderOptions,
  fail: Fail,
): readonly string[] {
  // RFC 6749, section 3.3, allows these characters.
  const isScope = (scope: unknown) =>
    typeof scope === "string" && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope);
  if (!Array.isArray(scopes) || !scopes.every(isScope)) {
    return fail("scopes are not an array of scopes");
  }
  if (openid !== undefined && !scopes.includes("openid")) {
    return fail('scopes lack "openid"');
  }
  return [...scopes];
}

function readClient(
  traits: ProviderTraits,
  options: ExternalAuthProviderOptions,
  fail: Fail,
): ClientRegistration {
  const { clientId, clientSecret, privateKey } = options;
  const authentication = options.clientAuthentication ??
    (privateKey === undefined ? traits.clientAuthentication : undefined);
  if (typeof clientId !== "string" || clientId === "") {
    fail("clientId is missing");
  }
  if (authentication !== undefined && !METHODS.includes(authentication)) {
    fail(`clientAuthentication "${authentication}" is not one of ${METHODS}`);
  }
  if (authentication === "private_key_jwt" || privateKey !== undefined) {
    checkKey(options, fail);
  } else if (authentication !== "none") {
    if (typeof clientSecret !== "string" || clientSecret === "") {
      fail('clientSecret is missing, and clientAuthentication is not "none"');
    }
  }
  checkAuthorization(traits, options, fail);
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
  fail: Fail,
): void {
  if (privateKey === undefined) {
    return fail("privateKey is missing, and clientAuthentication needs it");
  }
  if ((clientAuthentication ?? "private_key_jwt") !== "private_key_jwt") {
    return fail("clientAuthentication does not use the privateKey");
  }
  const { key } = privateKey;
  if (
    typeof key !== "object" || key === null ||
    signingAlgorithmOf(key) === undefined
  ) {
    fail(
      "privateKey is not a private key for RS256 or PS256 (2,048 bits or more), ES256 or EdDSA",
    );
  }
}

function checkAuthorization(
  { openid }: ProviderTraits,
  options: ExternalAuthProviderOptions,
  fail: Fail,
): void {
  const { authorizationParams = {}, maxAge, responseMode = "query" } = options;
  for (const [name, value] of Object.entries(authorizationParams)) {
    if (RESERVED_PARAMS.includes(name)) {
      fail(`authorizationParams must not set "${name}"`);
    }
    if (typeof value !== "string") {
      fail(`authorizationParams "${name}" is not a string`);
    }
  }
  if (maxAge !== undefined && !(Number.isSafeInteger(maxAge) && maxAge >= 0)) {
    fail(`maxAge "${maxAge}" is not a number of seconds`);
  }
  if (maxAge !== undefined && openid === undefined) {
    fail("maxAge needs an ID token, and it does not support OpenID Connect");
  }
  if (responseMode !== "query" && responseMode !== "form_post") {
    fail(`responseMode "${responseMode}" is neither query nor form_post`);
  }
  const { clientSecret, formPostSecret } = options;
  if (formPostSecret !== undefined && formPostSecret.length < 32) {
    fail("formPostSecret has fewer than 32 characters");
  }
  if (
    responseMode === "form_post" &&
    (formPostSecret ?? clientSecret) === undefined
  ) {
    fail("form_post needs a formPostSecret if there is no clientSecret");
  }
}
