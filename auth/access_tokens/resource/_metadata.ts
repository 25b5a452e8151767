import type { Middleware, RequestContext } from "../../../router/mod.ts";
import { isSecureURL } from "../../issuer/mod.ts";
import { checkScope } from "../../middleware/require_scope.ts";
import type { DPoPOptions } from "../../middleware/token_binding.ts";
import type { ResourceMetadata } from "./options.ts";

const WELL_KNOWN = "/.well-known/oauth-protected-resource";

/** Seconds for which clients cache the metadata. */
const MAX_AGE = 3600;

/** The members with URLs. */
const URLS = [
  "resource_documentation",
  "resource_policy_uri",
  "resource_tos_uri",
] as const;

/** A protected resource in its metadata. */
export interface MetadataSource extends DPoPOptions {
  readonly resource: string;
  readonly issuers: readonly { readonly issuer: string }[];
  readonly scopes?: readonly string[] | undefined;
  readonly metadata?: ResourceMetadata | undefined;
  readonly allowInsecureLoopback?: boolean | undefined;
}

/**
 * Returns the URL of a resource.
 *
 * @throws {TypeError} If it is not an https URL without query and fragment.
 */
export function checkResource(
  { allowInsecureLoopback = false, resource }: MetadataSource,
  name: string,
): URL {
  const url = typeof resource === "string" ? URL.parse(resource) : null;
  // A token names its audience with exactly these characters.
  const isPlain = url !== null && !/[?#\s]/.test(resource);
  if (isPlain && isSecureURL(url, allowInsecureLoopback)) return url;
  const hint = isPlain && isSecureURL(url, true)
    ? ' (set "allowInsecureLoopback" for http on your own computer)'
    : "";
  throw new TypeError(
    `Cannot create ${name}: resource is not an https URL without query and fragment${hint}`,
  );
}

/**
 * Returns the audiences that mean a resource. A URL without a path has a second
 * form, with a slash, into which many clients normalize it.
 */
export function audiencesOf(resource: string): readonly string[] {
  const { href, origin } = new URL(resource);
  return href === `${origin}/` ? [resource, origin, href] : [resource];
}

/** Returns the URL of the metadata of a resource (RFC 9728, section 3.1). */
export function metadataUrlOf({ origin, pathname }: URL): string {
  return `${origin}${WELL_KNOWN}${pathname === "/" ? "" : pathname}`;
}

/**
 * Creates a middleware that serves the metadata of a resource.
 *
 * @throws {TypeError} If a member is invalid.
 */
export function serveMetadata(
  source: MetadataSource,
  url: URL,
  name: string,
): Middleware<readonly []> {
  const body = JSON.stringify(createDocument(source, name));
  const { pathname } = new URL(metadataUrlOf(url));
  return (context, next) => {
    const path = context.url.pathname;
    return path === pathname || path === WELL_KNOWN
      ? respond(context, body)
      : next();
  };
}

function createDocument(
  source: MetadataSource,
  name: string,
) {
  const { dpop, issuers, metadata = {}, requireDPoP, resource, scopes } =
    source;
  for (const scope of scopes ?? []) {
    checkScope(scope);
    // Clients would request this scope at each login, although it says nothing
    // about the API.
    if (scope === "offline_access") {
      throw new TypeError(
        `Cannot create ${name}: "offline_access" is a scope of issuers, not of a resource`,
      );
    }
  }
  for (const member of URLS) {
    const value = metadata[member];
    if (value === undefined || /^https?:/.test(value) && URL.canParse(value)) {
      continue;
    }
    throw new TypeError(`Cannot create ${name}: ${member} is not a URL`);
  }
  return {
    ...metadata,
    resource,
    authorization_servers: issuers.map(({ issuer }) => issuer),
    ...scopes && { scopes_supported: scopes },
    bearer_methods_supported: ["header"],
    ...dpop && { dpop_signing_alg_values_supported: dpop.algorithms },
    ...requireDPoP && { dpop_bound_access_tokens_required: true },
  };
}

function respond(
  context: RequestContext,
  body: string,
): Response | Promise<Response> {
  const { method } = context.request;
  const headers = new Headers({ "Access-Control-Allow-Origin": "*" });
  if (method === "OPTIONS") {
    headers.set("Access-Control-Allow-Methods", "GET, HEAD");
    // Clients of the Model Context Protocol send its version in a header.
    headers.set("Access-Control-Allow-Headers", "*");
    headers.set("Access-Control-Max-Age", String(MAX_AGE));
    return new Response(null, { status: 204, headers });
  }
  if (method !== "GET" && method !== "HEAD") {
    headers.set("Allow", "GET, HEAD, OPTIONS");
    return context.createErrorResponse({ status: 405 }, headers);
  }
  headers.set("Content-Type", "application/json");
  headers.set("Cache-Control", `public, max-age=${MAX_AGE}`);
  return new Response(method === "HEAD" ? null : body, { headers });
}
