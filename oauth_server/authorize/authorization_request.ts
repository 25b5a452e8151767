import type { AuthenticatedUser } from "../../auth/middleware/mod.ts";
import type { Client } from "../clients/client.ts";
import { hasRedirectURI } from "../clients/redirect_uri.ts";
import type { ErrorReason } from "../messages/messages.ts";
import { uniqueParameters } from "../form.ts";
import { isSameResource } from "../resource_url.ts";
import type { Resource, Settings } from "../settings.ts";

/** A valid request of a client. */
export interface AuthorizationRequest {
  readonly client: Client;
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly resource: Resource;
  readonly scopes: readonly string[];
  readonly challenge: string;
  readonly prompt: ReadonlySet<string>;
  /** The longest time since the login, in milliseconds. */
  readonly maxAge: number;
  /** The thumbprint of the key that the code is bound to, if the request names one. */
  readonly thumbprint: string | undefined;
}

/** The place to which errors go. */
export type RedirectTarget = Pick<
  AuthorizationRequest,
  "client" | "redirectUri" | "state"
>;

/**
 * A request that is refused. The error goes to a known place. Otherwise, the server
 * shows a page: a redirect to an unknown place would help phishing.
 */
export type RefusedRequest =
  | {
    readonly target: RedirectTarget;
    readonly error: string;
    readonly description: string;
  }
  | { readonly reason: ErrorReason };

/** Thrown while a request is read, and returned by the reader. */
export class Refusal extends Error {
  readonly error: string;

  constructor(error: string, description: string) {
    super(description);
    this.error = error;
  }
}

/** Matches a code challenge with SHA-256 (RFC 7636, section 4.2). */
const CHALLENGE = /^[\w-]{43}$/;

/** The values of `prompt` (OpenID Connect Core 1.0, section 3.1.2.1). */
const PROMPTS = ["none", "login", "consent", "select_account"];

/** The longest `max_age`, in seconds: ten digits stay far below 2^53. */
const SECONDS = /^\d{1,10}$/;

/**
 * Reads an authorization request. It may fetch the document of the client.
 *
 * @param search The query.
 * @param user The user, who must be logged in.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-4.1.1 | RFC 6749, section 4.1.1}
 */
export async function readAuthorizationRequest(
  settings: Settings,
  search: string,
  user: AuthenticatedUser,
): Promise<AuthorizationRequest | RefusedRequest> {
  const all = new URLSearchParams(search);
  const id = onlyValue(all, "client_id");
  const client = id === null
    ? null
    : await settings.clients.resolve(id, String(user.id));
  if (client === null) return { reason: "unknownClient" };
  const redirectUri = redirectOf(all, client);
  if (redirectUri === null) return { reason: "unknownAddress" };
  const state = onlyValue(all, "state") ?? undefined;
  const target = { client, redirectUri, state };
  try {
    return { ...target, ...readRest(settings, all, client) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { target, error: error.error, description: error.message };
  }
}

/** Returns the value of a parameter that occurs once, or `null`. */
function onlyValue(params: URLSearchParams, name: string): string | null {
  const [value = "", ...others] = params.getAll(name);
  return value === "" || others.length > 0 ? null : value;
}

function redirectOf(
  params: URLSearchParams,
  { redirectUris, source }: Client,
): string | null {
  if (!params.has("redirect_uri")) {
    // Only a client with a single one may leave it out (RFC 6749, section 3.1.2.3).
    // That of a document may change between the consent page and the decision.
    const isOnly = redirectUris.length === 1 && source !== "document";
    return isOnly ? redirectUris[0]! : null;
  }
  const uri = onlyValue(params, "redirect_uri");
  return uri !== null && hasRedirectURI(redirectUris, uri) ? uri : null;
}

function readRest(
  settings: Settings,
  all: URLSearchParams,
  client: Client,
): Omit<AuthorizationRequest, "client" | "redirectUri" | "state"> {
  if (all.getAll("resource").length > 1) {
    throw new Refusal("invalid_target", "A token is for one resource");
  }
  const params = uniqueParameters(all);
  if (params === null) {
    throw new Refusal("invalid_request", "A parameter occurs twice");
  }
  checkProtocol(params, client);
  return {
    ...accessOf(settings, params, client),
    challenge: challengeOf(params),
    prompt: promptOf(params.get("prompt")),
    maxAge: maxAgeOf(params.get("max_age")),
    thumbprint: settings.dpop?.requestedKey(params),
  };
}

function checkProtocol(
  params: ReadonlyMap<string, string>,
  client: Client,
): void {
  for (const name of ["request", "request_uri"]) {
    if (!params.has(name)) continue;
    throw new Refusal(`${name}_not_supported`, `${name} is not supported`);
  }
  const type = params.get("response_type");
  if (type !== "code") {
    throw new Refusal(
      type === undefined ? "invalid_request" : "unsupported_response_type",
      "response_type must be code",
    );
  }
  if ((params.get("response_mode") ?? "query") !== "query") {
    throw new Refusal("invalid_request", "response_mode must be query");
  }
  if (!client.grants.includes("code")) {
    throw new Refusal("unauthorized_client", "The client cannot use codes");
  }
}

/** Returns the challenge of PKCE, which every client needs, with SHA-256. */
function challengeOf(params: ReadonlyMap<string, string>): string {
  const challenge = params.get("code_challenge") ?? "";
  const method = params.get("code_challenge_method");
  // RFC 7636, section 4.3: without a method it would be "plain".
  if (method === "S256" && CHALLENGE.test(challenge)) return challenge;
  throw new Refusal(
    "invalid_request",
    "code_challenge with code_challenge_method S256 is required",
  );
}

/**
 * Returns the resource and the scopes that a client asks for.
 *
 * @throws {Refusal} If they are unknown or not allowed.
 */
export function accessOf(
  settings: Settings,
  params: ReadonlyMap<string, string>,
  client: Client,
): Pick<AuthorizationRequest, "resource" | "scopes"> {
  const resource = resourceOf(settings, params.get("resource"));
  const scopes = scopesOf(settings, params.get("scope"), resource, client);
  return { resource, scopes };
}

function resourceOf(
  { resources }: Settings,
  requested: string | undefined,
): Resource {
  const all = [...resources.values()];
  const found = requested === undefined
    ? all[0]
    : all.find(({ url }) => isSameResource(url, requested));
  if (found !== undefined) return found;
  throw new Refusal("invalid_target", "The resource is unknown");
}

/**
 * Returns the scopes of a request. It leaves out those of other resources, because
 * clients may ask for all that the metadata names (RFC 6749, section 3.3).
 */
function scopesOf(
  { resources }: Settings,
  requested: string | undefined,
  resource: Resource,
  client: Client,
): readonly string[] {
  const allowed = allowedScopes(resource, client);
  const names = (requested ?? "").split(" ")
    .filter((scope) => scope !== "" && scope !== "offline_access");
  const isKnown = (scope: string) =>
    [...resources.values()].some(({ scopes }) => scopes.has(scope));
  const wanted = names.length === 0 ? resource.defaultScopes : names;
  const scopes = allowed.filter((scope) => wanted.includes(scope));
  if (scopes.length > 0 && names.every(isKnown)) return scopes;
  throw new Refusal("invalid_scope", "The scopes are unknown or not allowed");
}

/** Returns the scopes of a resource that a client may use. */
export function allowedScopes(
  resource: Resource,
  client: Client,
): readonly string[] {
  return [...resource.scopes.keys()].filter((scope) =>
    client.scopes === undefined || client.scopes.includes(scope)
  );
}

function promptOf(text: string | undefined): ReadonlySet<string> {
  const prompt = new Set((text ?? "").split(" ").filter((one) => one !== ""));
  const isValid = [...prompt].every((one) => PROMPTS.includes(one)) &&
    !(prompt.has("none") && prompt.size > 1);
  if (isValid) return prompt;
  throw new Refusal("invalid_request", "prompt is invalid");
}

function maxAgeOf(text: string | undefined): number {
  if (text === undefined) return Infinity;
  if (SECONDS.test(text)) return Number(text) * 1000;
  throw new Refusal("invalid_request", "max_age is not a number of seconds");
}
