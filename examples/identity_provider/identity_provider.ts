/**
 * A demo identity provider: OpenID Connect, written with the toolkit itself, so
 * that the example application has a provider to log in with.
 *
 * Never use it for real accounts: it has no passwords. It therefore answers on
 * loopback addresses only.
 */
import {
  Auth,
  auth,
  createBearerTokenAuthScheme,
  requireAuth,
} from "@gatehouse/web/auth-middleware";
import {
  createRouter,
  type FetchFunction,
  redirect,
  type RequestContext,
} from "@gatehouse/web/fetch-router";
import { form, post, route } from "@gatehouse/web/fetch-router/routes";
import { crossOriginProtection, formData } from "@gatehouse/web/middleware";
import stylesheet from "./style.css" with { type: "text" };
import {
  answerLocation,
  type AuthorizationRefusal,
  claimsOf,
  type Client,
  findPerson,
  parseAuthorization,
  type Registry,
} from "./authorization.ts";
import { Grants } from "./grants.ts";
import { choicePage, refusalPage } from "./pages.ts";
import { createSigner } from "./signer.ts";
import { tokenResponse } from "./token_endpoint.ts";

/** Options for {@linkcode createIdentityProvider}. */
export interface IdentityProviderOptions {
  /** The address that it listens on: an http origin on a loopback address. */
  readonly issuer: string;
  /** The applications that may send users here. */
  readonly clients: readonly Client[];
  /**
   * The APIs that clients can get access tokens for.
   *
   * @default {[]}
   */
  readonly resources?: readonly string[];
  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/** A demo identity provider, ready to be served. */
export interface IdentityProvider {
  readonly issuer: string;
  readonly fetch: FetchFunction;
}

const routes = route({
  configuration: "/.well-known/openid-configuration",
  keys: "/jwks",
  authorize: form("authorize"),
  token: post("/token"),
  userinfo: "/userinfo",
  stylesheet: "/style.css",
});

/**
 * Creates the demo identity provider. Its signing key ends with the process.
 *
 * @throws {RangeError} If the issuer is not an http origin on a loopback address.
 */
export function createIdentityProvider(
  { issuer, clients, resources = [], now = Date.now }: IdentityProviderOptions,
): IdentityProvider {
  checkIssuer(issuer);
  const grants = new Grants(now);
  const findClient = (id: string) => clients.find((client) => client.id === id);
  const signer = createSigner(issuer, now);
  const router = createRouter({
    middleware: [
      loopbackOnly(new URL(issuer).host),
      formData({ maxBytes: 16_384 }),
      crossOriginProtection({
        // Clients call it from their servers, not from pages.
        exempt: ({ url }) => url.pathname === routes.token.href(),
      }),
    ],
  });
  const document = metadata(issuer);
  router.get(routes.configuration, () => Response.json(document));
  router.get(routes.keys, async () => {
    return Response.json({ keys: [await signer.publicJwk()] });
  });
  router.get(routes.stylesheet, () => {
    const headers = { "Content-Type": "text/css; charset=utf-8" };
    return new Response(stylesheet, { headers });
  });
  router.map(routes.authorize, {
    actions: authorizeActions({ issuer, findClient, resources }, grants, now),
  });
  router.post(
    routes.token,
    (context) => tokenResponse(context, { findClient, grants, signer }),
  );
  router.get(
    routes.userinfo,
    { middleware: [bearerAuth(grants), requireAuth()] },
    (context) => {
      const { person, request } = context.get(Auth).grant;
      return Response.json(claimsOf(person, request.scopes));
    },
  );
  return { issuer, fetch: router.fetch };
}

/** Creates the handlers of the page on which a visitor chooses a person. */
function authorizeActions(
  registry: Registry,
  grants: Grants,
  now: () => number,
) {
  const parse = ({ url }: RequestContext) =>
    parseAuthorization(url.searchParams, registry);
  return {
    index(context: RequestContext): Response {
      const request = parse(context);
      return "error" in request
        ? refuse(request)
        : choicePage(request, context.url.searchParams);
    },
    action(context: RequestContext): Response {
      const request = parse(context);
      if ("error" in request) return refuse(request);
      const choice = String(context.get(FormData).get("person"));
      const person = findPerson(choice);
      const authenticatedAt = now();
      const answer: Record<string, string> = person === null
        ? { error: "access_denied" }
        : { code: grants.issueCode({ request, person, authenticatedAt }) };
      return redirect(answerLocation(request, registry.issuer, answer));
    },
  };
}

/** Creates the middleware that verifies access tokens. */
function bearerAuth(grants: Grants) {
  const scheme = createBearerTokenAuthScheme({
    name: "access-token",
    verify(token) {
      const grant = grants.find(token);
      return grant === null ? null : { id: grant.person.sub, grant };
    },
  });
  return auth({ schemes: [scheme] });
}

function refuse({ error, location }: AuthorizationRefusal): Response {
  return location === null ? refusalPage(error) : redirect(location);
}

/**
 * Returns the discovery document (OpenID Connect Discovery 1.0, section 3).
 */
function metadata(issuer: string): Record<string, unknown> {
  return {
    issuer,
    authorization_endpoint: issuer + routes.authorize.index.href(),
    token_endpoint: issuer + routes.token.href(),
    userinfo_endpoint: issuer + routes.userinfo.href(),
    jwks_uri: issuer + routes.keys.href(),
    scopes_supported: ["openid", "profile", "email"],
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
    token_endpoint_auth_methods_supported: [
      "client_secret_basic",
      "client_secret_post",
    ],
    code_challenge_methods_supported: ["S256"],
    claims_supported: ["sub", "name", "email", "email_verified"],
    authorization_response_iss_parameter_supported: true,
  };
}

function checkIssuer(issuer: string): void {
  const url = URL.parse(issuer);
  if (
    url?.protocol !== "http:" || url.origin !== issuer ||
    !["localhost", "127.0.0.1", "[::1]"].includes(url.hostname)
  ) {
    throw new RangeError(
      `Cannot run the demo identity provider at "${issuer}": it is not an http origin on a loopback address`,
    );
  }
}

/**
 * Answers under its own name only: a page elsewhere whose name was made to
 * point at 127.0.0.1 (DNS rebinding) gets nothing.
 */
function loopbackOnly(host: string) {
  return ({ url }: RequestContext): Response | undefined =>
    url.host === host
      ? undefined
      : new Response("Misdirected Request", { status: 421 });
}
