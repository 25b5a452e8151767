import { PEOPLE, type Person } from "./people.ts";

/** An application that may send users here. */
export interface Client {
  readonly id: string;
  readonly secret: string;
  /** The URLs that users may be sent back to, compared as strings. */
  readonly redirectUris: readonly string[];
}

/** A valid request to log a user in. */
export interface AuthorizationRequest {
  readonly client: Client;
  readonly redirectUri: string;
  readonly state: string | null;
  readonly nonce: string | null;
  readonly scopes: readonly string[];
  readonly challenge: string;
  /** The API that the access token is for (RFC 8707), if the client named one. */
  readonly resource: string | null;
}

/** The clients and the APIs that a request may name. */
export interface Registry {
  /** Finds a client by its id. */
  readonly findClient: (id: string) => Client | undefined;
  /** The APIs that access tokens may be for. */
  readonly resources: readonly string[];
  readonly issuer: string;
}

/** A refused request. */
export interface AuthorizationRefusal {
  readonly error: string;
  /** The URL to send the error to, or `null` if no URL can be trusted. */
  readonly location: string | null;
}

/**
 * Reads an authorization request.
 *
 * The client and its redirect URI come first: only to a registered address may
 * anything be sent back (RFC 6749, section 4.1.2.1).
 */
export function parseAuthorization(
  params: URLSearchParams,
  { findClient, issuer, resources }: Registry,
): AuthorizationRequest | AuthorizationRefusal {
  const client = findClient(params.get("client_id") ?? "");
  const redirectUri = params.get("redirect_uri") ?? "";
  if (!client?.redirectUris.includes(redirectUri) || repeats(params)) {
    return { error: "invalid_request", location: null };
  }
  const request: AuthorizationRequest = {
    client,
    redirectUri,
    state: params.get("state"),
    nonce: params.get("nonce"),
    scopes: (params.get("scope") ?? "").split(" "),
    challenge: params.get("code_challenge") ?? "",
    resource: params.get("resource"),
  };
  const error = refusal(params, request, resources);
  return error === null
    ? request
    : { error, location: answerLocation(request, issuer, { error }) };
}

function refusal(
  params: URLSearchParams,
  request: AuthorizationRequest,
  resources: readonly string[],
): string | null {
  if (params.get("response_type") !== "code") {
    return "unsupported_response_type";
  }
  if (request.resource === null) {
    if (!request.scopes.includes("openid")) return "invalid_scope";
  } else if (!resources.includes(request.resource)) return "invalid_target";
  // RFC 7636, section 4.2: an S256 challenge is 32 bytes in base64url.
  const isChallenge = /^[\w-]{43}$/.test(request.challenge);
  if (params.get("code_challenge_method") !== "S256" || !isChallenge) {
    return "invalid_request";
  }
  // This provider always asks.
  return params.get("prompt") === "none" ? "login_required" : null;
}

/** Returns `true` if a parameter occurs twice (RFC 6749, section 3.1). */
function repeats(params: URLSearchParams): boolean {
  const names = [...params.keys()];
  return new Set(names).size !== names.length;
}

/** Returns the URL of the client, with `state` and `iss` (RFC 9207). */
export function answerLocation(
  { redirectUri, state }: AuthorizationRequest,
  issuer: string,
  answer: Readonly<Record<string, string>>,
): string {
  const location = new URL(redirectUri);
  for (const [name, value] of Object.entries(answer)) {
    location.searchParams.set(name, value);
  }
  if (state !== null) location.searchParams.set("state", state);
  location.searchParams.set("iss", issuer);
  return location.href;
}

/** Returns the claims of a person that the requested scopes allow. */
export function claimsOf(
  person: Person,
  scopes: readonly string[],
): Record<string, unknown> {
  return {
    sub: person.sub,
    ...scopes.includes("profile") && { name: person.name },
    ...scopes.includes("email") && {
      email: person.email,
      email_verified: person.email_verified,
    },
  };
}

/** Finds a person by their identifier. */
export function findPerson(sub: string): Person | null {
  return PEOPLE.find((person) => person.sub === sub) ?? null;
}
