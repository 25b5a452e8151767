import { HTTPError } from "../../../router/internal.ts";
import {
  type AccessTokenClaims,
  type AccessTokenProblem,
  type AccessTokenVerification,
  createAccessTokenVerifier,
  issuerOf,
} from "../../issuer/mod.ts";
import type { AuthenticatedUser } from "../../login/user_keys.ts";
import { readCredentials } from "../../middleware/bearer_token_scheme.ts";
import {
  absent,
  type AuthFacts,
  type AuthOutcome,
  type AuthRefusal,
  type AuthScheme,
  outcomeOf,
} from "../../middleware/scheme.ts";
import { createTokenBinding } from "../../middleware/token_binding.ts";
import { factsOf } from "../token_facts.ts";
import { audiencesOf } from "./_metadata.ts";
import type { ResourceServerOptions } from "./options.ts";

/** Verifies a token. */
type TokenVerifier = (token: string) => Promise<AccessTokenVerification>;

/** The result for a token that names no known issuer. */
const INVALID: AccessTokenVerification = { ok: false, problem: "invalid" };

/** Seconds after which an unavailable issuer is asked again. */
const RETRY_AFTER = 5;

/** The reasons of refusals, for the developers of clients. */
const DESCRIPTIONS: Readonly<
  Record<Exclude<AccessTokenProblem, "unavailable">, string>
> = {
  invalid: "The access token is invalid",
  expired: "The access token has expired",
  audience: "The access token is for another resource",
};

/** Creates the scheme for the tokens of a resource. */
export function createScheme<User extends AuthenticatedUser>(
  options: ResourceServerOptions<User, string>,
  metadataUrl: string,
  owner: string,
): AuthScheme<User> {
  const { name } = options;
  const verifyToken = createVerifier(options, owner);
  const { origin } = new URL(options.resource);
  const binding = createTokenBinding(options, owner, origin);
  const parameters = { realm: name, resource_metadata: metadataUrl };
  return {
    name,
    security: options.security ?? { type: "http", scheme: binding.scheme },
    async authenticate(context) {
      const credentials = readCredentials(context.request);
      if (credentials === null) return absent;
      const verification = await verifyToken(credentials.token);
      if (!verification.ok) return refuse(verification.problem);
      const { claims } = verification;
      const checked = await binding.check(context, credentials, claims.cnf);
      return checked.status === "accepted"
        ? await findUser(claims, options, checked.headers)
        : checked;
    },
    challenge: (reason, details) =>
      binding.challenge(parameters, reason, details),
  };
}

async function findUser<User extends AuthenticatedUser>(
  claims: AccessTokenClaims,
  { tokenScopes, verify }: ResourceServerOptions<User, string>,
  headers: AuthFacts["headers"] | undefined,
): Promise<AuthOutcome<User>> {
  const facts = { ...factsOf(claims, tokenScopes), headers };
  const outcome = outcomeOf(await verify(claims), facts);
  return outcome.status === "refused" ? refuse("invalid") : outcome;
}

/**
 * Creates the result for a token that is not accepted.
 *
 * @throws {HTTPError} If the issuer is unavailable. With a 401, the client would
 * discard a valid token.
 */
function refuse(problem: AccessTokenProblem): AuthRefusal {
  if (problem !== "unavailable") {
    return { status: "refused", description: DESCRIPTIONS[problem] };
  }
  const headers = {
    "Retry-After": String(RETRY_AFTER),
    "Cache-Control": "no-store",
  };
  throw new HTTPError(503, "The access token cannot be checked at the moment", {
    headers,
  });
}

/** Creates a function that passes a token to the verifier of its issuer. */
function createVerifier<User extends AuthenticatedUser>(
  options: ResourceServerOptions<User, string>,
  owner: string,
): TokenVerifier {
  const fail = (reason: string) => {
    throw new TypeError(`Cannot create ${owner}: ${reason}`);
  };
  const verifiers = new Map<unknown, TokenVerifier>();
  let introspect: TokenVerifier | undefined;
  for (const one of options.issuers) {
    const { introspection, issuer } = one;
    if (verifiers.has(issuer)) fail(`two issuers are "${issuer}"`);
    const audience = one.audience ?? audiencesOf(options.resource);
    const own = { ...options, ...one, audience };
    // With two of them, one issuer would receive the tokens of the other.
    if (introspection && introspect) fail("two issuers have introspection");
    const verifyToken = introspection
      ? introspect = introspection.createVerifier(own, owner)
      : createAccessTokenVerifier(own, owner);
    verifiers.set(issuer, verifyToken);
  }
  return (token) => {
    const issuer = issuerOf(token);
    // A JWT must not cause a request if its issuer is unknown or missing,
    // because no issuer may receive the tokens of another.
    const verifyToken = issuer === undefined
      ? introspect
      : verifiers.get(issuer);
    return verifyToken?.(token) ?? Promise.resolve(INVALID);
  };
}
