import {
  fetchJSON,
  type JSONObject,
  type ProviderAnswer,
  type ProviderRequest,
} from "./_bounded_fetch.ts";
import {
  idTokenAlgorithms,
  type OpenIDDefinition,
  type ProfileDefinition,
  type ProviderEngine,
} from "./_engine.ts";
import {
  type IdTokenClaims,
  isIdentifier,
  verifyIdToken,
} from "./_id_token.ts";
import { refusalOf, unanswered } from "./_provider_error.ts";
import { fetchUserinfo } from "./_userinfo.ts";
import type { TokenResponse } from "./_token_request.ts";
import type { Transaction } from "./_transaction.ts";
import { ExternalAuthError } from "./errors.ts";

/** Who the tokens are about. */
export interface Identity {
  readonly issuer: string;
  /** Absent where only the profile tells it. */
  readonly subject?: string;
  /** The session at the provider, if the ID token names one. */
  readonly sessionId?: string;
  /** The verified `auth_time`, in epoch milliseconds and never in the future. */
  readonly authenticatedAt?: number;
  readonly claims: JSONObject;
}

/**
 * Finds out who the tokens are about. Nothing is fetched, and no claim believed,
 * before the ID token is verified.
 *
 * @throws {ExternalAuthError} If that can't be told for sure.
 */
export async function identify(
  engine: ProviderEngine<unknown>,
  tokens: TokenResponse,
  { maxAge, nonce }: Pick<Transaction, "maxAge" | "nonce">,
): Promise<Identity> {
  const { openid, profile, issuer } = engine.definition;
  if (openid === undefined) {
    return { issuer, claims: await fetchProfile(engine, tokens, profile!) };
  }
  const { idToken, accessToken } = tokens;
  if (idToken === undefined) {
    throw new ExternalAuthError(
      "id_token_invalid",
      "Cannot believe the ID token: there is none",
    );
  }
  const claims = await checkIdToken(engine, openid, idToken, {
    accessToken,
    maxAge,
    nonce,
  });
  const { auth_time, iss, sid, sub } = claims;
  const { userinfo_endpoint } = await engine.metadata();
  const info = openid.userinfo && userinfo_endpoint !== undefined
    ? await fetchUserinfo(engine, openid, {
      url: userinfo_endpoint,
      accessToken,
      sub,
    })
    : undefined;
  return {
    issuer: openid.canonicalIssuer?.(iss) ?? iss,
    subject: sub,
    ...isIdentifier(sid) && { sessionId: sid },
    ...typeof auth_time === "number" && {
      authenticatedAt: Math.min(auth_time * 1000, engine.now()),
    },
    claims: info === undefined ? claims : merge(claims, info),
  };
}

/** Verifies an ID token as this provider signs them. */
export async function checkIdToken(
  engine: ProviderEngine<unknown>,
  openid: OpenIDDefinition,
  idToken: string,
  expected: {
    readonly accessToken?: string;
    readonly maxAge?: number;
    readonly nonce?: string;
  },
): Promise<IdTokenClaims> {
  const metadata = await engine.metadata();
  return await verifyIdToken(idToken, await engine.keys(), {
    ...expected,
    clientId: engine.client.clientId,
    trustedAudiences: openid.trustedAudiences,
    isIssuer: (iss, claims) =>
      openid.isTokenIssuer?.(iss, claims, metadata.issuer) ??
        iss === metadata.issuer,
    problemOf: openid.problemOf,
    isKeyIssuer: openid.isKeyIssuer,
    algorithms: idTokenAlgorithms(openid.algorithms, metadata),
    clockTolerance: engine.clockTolerance,
    now: engine.now(),
  });
}

/** What only the ID token can tell: who vouches for what, and about what. */
const SIGNED = [
  "iss",
  "sub",
  "aud",
  "exp",
  "nbf",
  "iat",
  "jti",
  "auth_time",
  "nonce",
  "acr",
  "amr",
  "azp",
  "sid",
  "at_hash",
  "c_hash",
  "s_hash",
];

/** What has a claim beside it that says whether it is verified. */
const ADDRESSES = ["email", "phone_number"];

/**
 * Joins what was signed with what was fetched. What only the ID token can tell
 * is never fetched, and an address never gets the other one's "verified".
 */
function merge(claims: JSONObject, info: JSONObject): JSONObject {
  const signed: Record<string, unknown> = { ...claims };
  const fetched: Record<string, unknown> = { ...info };
  for (const name of SIGNED) delete fetched[name];
  for (const address of ADDRESSES) {
    const other = Object.hasOwn(info, address) ? signed : fetched;
    delete other[`${address}_verified`];
  }
  return { ...signed, ...fetched };
}

async function fetchProfile(
  engine: ProviderEngine<unknown>,
  { accessToken }: TokenResponse,
  { endpoint, extra = {}, headers, params }: ProfileDefinition,
): Promise<JSONObject> {
  const url = new URL(endpoint);
  const added = await params?.(accessToken, engine.client.clientSecret ?? "");
  for (const [name, value] of Object.entries(added ?? {})) {
    url.searchParams.set(name, value);
  }
  const secrets = Object.values(added ?? {});
  const body: Record<string, unknown> = {
    ...await get(engine, url.href, accessToken, headers, secrets),
  };
  for (const [name, place] of Object.entries(extra)) {
    body[name] = await askOptional(engine, place, accessToken, headers);
  }
  return body;
}

/** Fetches a document that the profile does not need, or `null` on failure. */
async function askOptional(
  ...request: Parameters<typeof ask>
): Promise<unknown> {
  try {
    const { status, body } = await ask(...request);
    return status === 200 ? body : null;
  } catch (error) {
    if (error instanceof ExternalAuthError) return null;
    throw error;
  }
}

async function get(
  ...request: Parameters<typeof ask>
): Promise<JSONObject> {
  const { status, body } = await ask(...request);
  if (status === 200) return body as JSONObject;
  const [, , accessToken, , secrets = []] = request;
  throw new ExternalAuthError(
    "userinfo_failed",
    `Cannot get the profile: the endpoint answered ${status}`,
    { status, ...refusalOf(body as JSONObject, [accessToken, ...secrets]) },
  );
}

async function ask(
  { transport }: ProviderEngine<unknown>,
  url: string,
  accessToken: string,
  headers: ProviderRequest["headers"] = {},
  secrets: readonly string[] = [],
): Promise<ProviderAnswer> {
  try {
    return await fetchJSON(transport, {
      url,
      // In a header alone, never in the query (RFC 9700, section 4.3.2).
      headers: { ...headers, Authorization: `Bearer ${accessToken}` },
      secrets: [accessToken, ...secrets],
    });
  } catch (cause) {
    throw unanswered("userinfo_failed", "Cannot get the profile", cause);
  }
}
