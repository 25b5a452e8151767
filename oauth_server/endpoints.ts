import { MountPrefix, withHeaders } from "../router/internal.ts";
import type { Middleware, RequestContext } from "../router/mod.ts";
import { metadataOf } from "./metadata.ts";
import type { Settings } from "./settings.ts";
import { answerRevocation, answerToken } from "./token/token_endpoint.ts";

/** Answers the requests of a path. */
type Endpoint = (context: RequestContext) => Response | Promise<Response>;

/** Seconds for which clients cache the metadata, and browsers a preflight. */
const MAX_AGE = 3600;

/**
 * Creates the middleware of the endpoints that clients call without a browser. It
 * answers before the session, the form reader and the protection against other
 * sites: these requests have no cookies.
 */
export function createEndpoints(settings: Settings): Middleware<readonly []> {
  const endpoints = endpointsOf(settings);
  return async (context, next) => {
    requireNoPrefix(context);
    const endpoint = endpoints.get(context.url.pathname);
    if (endpoint === undefined) return await next();
    const response = context.request.method === "OPTIONS"
      ? new Response(null, { status: 204 })
      : await endpoint(context);
    return withCORS(settings, context, response);
  };
}

/**
 * Requires that the URL of a request is the one that its client has sent.
 *
 * @throws {TypeError} If a router is mounted below a prefix.
 */
export function requireNoPrefix(context: RequestContext): void {
  if (context.get(MountPrefix) === "") return;
  throw new TypeError(
    "Cannot use the authorization server in a mounted router: its paths are those of the host, put it into the outermost router",
  );
}

function endpointsOf(settings: Settings): ReadonlyMap<string, Endpoint> {
  const { issuer, parts, paths } = settings;
  const body = JSON.stringify(metadataOf(settings));
  const { pathname } = new URL(issuer);
  // RFC 8414, section 3.1: the path of the issuer comes after the name.
  const path = pathname === "/" ? "" : pathname;
  const unknown: Endpoint = () => answerJSON("{}", 404, "no-store");
  const endpoints = new Map<string, Endpoint>([
    [
      `/.well-known/oauth-authorization-server${path}`,
      (context) => answerDocument(context, body, MAX_AGE),
    ],
    // Clients try these names too, and some read any page with status 200.
    [`/.well-known/openid-configuration${path}`, unknown],
    [`${path}/.well-known/openid-configuration`, unknown],
    [paths.token, (context) => answerToken(settings, context)],
    [paths.revoke, (context) => answerRevocation(settings, context)],
  ]);
  for (const part of parts) {
    endpoints.set(
      paths[part.path],
      (context) => part.answer(settings, context),
    );
  }
  return endpoints;
}

/** Serves a JSON document for a number of seconds. */
export function answerDocument(
  { request }: RequestContext,
  body: string,
  maxAge: number,
): Response {
  return request.method === "GET" || request.method === "HEAD"
    ? answerJSON(body, 200, `public, max-age=${maxAge}`)
    : answerJSON("{}", 405, "no-store");
}

function answerJSON(body: string, status: number, cache: string): Response {
  const headers = new Headers({
    "Content-Type": "application/json",
    "Cache-Control": cache,
  });
  if (status === 405) headers.set("Allow", "GET, HEAD, OPTIONS");
  return new Response(body, { status, headers });
}

/** Lets scripts of other sites read the response, without cookies. */
function withCORS(
  { cors }: Settings,
  { request }: RequestContext,
  response: Response,
): Response {
  const origin = request.headers.get("Origin");
  const allowed = cors === "*"
    ? "*"
    : origin !== null && cors.includes(origin)
    ? origin
    : null;
  return withHeaders(response, (headers) => {
    if (cors !== "*") headers.append("Vary", "Origin");
    if (allowed === null) return;
    headers.set("Access-Control-Allow-Origin", allowed);
    headers.set(
      "Access-Control-Expose-Headers",
      "DPoP-Nonce, WWW-Authenticate",
    );
    if (request.method !== "OPTIONS") return;
    headers.set("Access-Control-Allow-Methods", "GET, HEAD, POST");
    // "*" does not include Authorization (Fetch, "CORS-preflight fetch").
    headers.set("Access-Control-Allow-Headers", "*, Authorization");
    headers.set("Access-Control-Max-Age", String(MAX_AGE));
  });
}
