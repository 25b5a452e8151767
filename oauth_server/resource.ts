import {
  type AccessTokenVerification,
  createResourceServer,
  type ResourceServer,
  type TokenIntrospection,
} from "../auth/access_tokens/mod.ts";
import type { AuthenticatedUser } from "../auth/middleware/mod.ts";
import type { ResourceOptions } from "./authorization_server.ts";
import type { SecurityScheme } from "../router/mod.ts";
import type { Resource, Settings } from "./settings.ts";
import { claimsOf, readAccessToken } from "./token/access_token.ts";
import { userOfGrant } from "./grants/users.ts";

const INVALID: Extract<AccessTokenVerification, { readonly ok: false }> = {
  ok: false,
  problem: "invalid",
};

/**
 * Creates the resource server of a resource. Its tokens are checked in the process:
 * by their MAC or signature, and by one read of their grant.
 *
 * @throws {TypeError} If the URL is not one of the resources.
 */
export function createResource(
  settings: Settings,
  url: string,
  options: ResourceOptions<AuthenticatedUser> = {},
): ResourceServer<AuthenticatedUser, string> {
  const { dpop, issuer, now, resources } = settings;
  const resource = resources.get(url);
  if (resource === undefined) {
    throw new TypeError(
      `Cannot create the resource server of "${url}": it is not one of the resources`,
    );
  }
  const users = new WeakMap<object, AuthenticatedUser>();
  const introspection: TokenIntrospection = {
    createVerifier: () => (token) => verify(settings, url, token, users),
  };
  return createResourceServer({
    name: url,
    resource: url,
    issuers: [{ issuer, introspection }],
    scopes: [...resource.scopes.keys()],
    allowInsecureLoopback: new URL(url).protocol === "http:" ||
      new URL(issuer).protocol === "http:",
    now,
    ...options,
    dpop: options.dpop ?? dpop?.verifier,
    requireDPoP: options.requireDPoP ?? dpop?.isAlwaysRequired,
    metadata: { resource_name: resource.name, ...options.metadata },
    security: securityOf(settings, resource),
    verify: (claims) => users.get(claims) ?? null,
  });
}

/** Describes the tokens of a resource for OpenAPI documents. */
function securityOf(settings: Settings, { scopes }: Resource): SecurityScheme {
  const { issuer, paths } = settings;
  const { origin } = new URL(issuer);
  const tokenUrl = origin + paths.token;
  return {
    type: "oauth2",
    flows: {
      authorizationCode: {
        authorizationUrl: origin + paths.authorize,
        tokenUrl,
        refreshUrl: tokenUrl,
        scopes: Object.fromEntries(scopes),
      },
    },
  };
}

async function verify(
  settings: Settings,
  url: string,
  token: string,
  users: WeakMap<object, AuthenticatedUser>,
): Promise<AccessTokenVerification> {
  const isAudience = (resource: string) => resource === url;
  const result = await verifyToken(settings, token, isAudience);
  if (result.ok) users.set(result.claims, result.user);
  return result;
}

/** A valid access token, with its user. */
type VerifiedToken =
  & Extract<AccessTokenVerification, { readonly ok: true }>
  & { readonly user: AuthenticatedUser };

/**
 * Verifies an access token: its MAC or signature, its grant, its client and its user.
 *
 * @param isAudience Returns `true` for the resources that may accept the token.
 */
export async function verifyToken(
  settings: Settings,
  token: string,
  isAudience: (resource: string) => boolean,
): Promise<
  VerifiedToken | Extract<AccessTokenVerification, { readonly ok: false }>
> {
  const { clients, grants, issuer, now } = settings;
  const contents = await readAccessToken(settings, token);
  if (contents === null) return INVALID;
  const [, expiry] = contents.numbers;
  if (expiry! * 1000 <= now()) return { ok: false, problem: "expired" };
  const found = await grants.read(contents.key);
  if (found === null) return INVALID;
  const { row } = found;
  if (!isAudience(row.resource)) return { ok: false, problem: "audience" };
  if (await clients.ofGrant(row.client) === null) return INVALID;
  const user = await userOfGrant(settings, row);
  if (user === null) return INVALID;
  return { ok: true, claims: claimsOf(issuer, row, contents), user };
}
