import {
  ExternalAuthError,
  fetchJSON,
  type JSONObject,
  type ProviderRequest,
} from "../../issuer/mod.ts";
import { sendWithToken, type TokenAccess } from "../bound_request.ts";
import type { ProfileDefinition, ProviderEngine } from "../engine.ts";
import { verifyIdToken } from "../id_token.ts";
import { readErrorDetails } from "../provider_error.ts";
import { isIdentifier } from "../provider_token.ts";
import type { TokenResponse } from "../token_request.ts";
import type { Transaction } from "./_transaction.ts";
import { fetchUserinfo } from "./_userinfo.ts";

/** The user that tokens belong to. */
export interface Identity {
  readonly issuer: string;
  /** It is missing if only the profile contains it. */
  readonly subject?: string;
  /** The session at the provider, if the ID token names one. */
  readonly sessionId?: string;
  /** The verified `auth_time`, in epoch milliseconds and never in the future. */
  readonly authenticatedAt?: number;
  readonly claims: JSONObject;
}

/**
 * Finds the user that tokens belong to. Verifies the ID token before it fetches
 * anything or uses a claim.
 *
 * @throws {ExternalAuthError} If the user cannot be identified.
 */
export async function identifyUser(
  engine: ProviderEngine<unknown>,
  tokens: TokenResponse,
  { maxAge, nonce }: Pick<Transaction, "maxAge" | "nonce">,
): Promise<Identity> {
  const { openid, profile, issuer } = engine.definition;
  if (openid === undefined) {
    return { issuer, claims: await fetchProfile(engine, tokens, profile!) };
  }
  const { accessToken, idToken } = tokens;
  const claims = await verifyIdToken(engine, openid, idToken, {
    accessToken,
    maxAge,
    nonce,
  });
  const { auth_time, iss, sid, sub } = claims;
  const { userinfo_endpoint: url } = await engine.metadata();
  const userinfo = openid.userinfo && url !== undefined
    ? await fetchUserinfo(engine, openid, { url, access: tokens, sub })
    : undefined;
  return {
    issuer: openid.canonicalIssuer?.(iss) ?? iss,
    subject: sub,
    ...isIdentifier(sid) && { sessionId: sid },
    ...typeof auth_time === "number" && {
      authenticatedAt: Math.min(auth_time * 1000, engine.now()),
    },
    claims: userinfo === undefined ? claims : mergeClaims(claims, userinfo),
  };
}

/** The claims that are only taken from the ID token. */
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

/** The claims with a second claim that says if they are verified. */
const ADDRESSES = ["email", "phone_number"];

/**
 * Merges the claims of the ID token and of userinfo. An address is only called
 * verified by the document that it comes from.
 */
function mergeClaims(claims: JSONObject, userinfo: JSONObject): JSONObject {
  const signed: Record<string, unknown> = { ...claims };
  const fetched: Record<string, unknown> = { ...userinfo };
  for (const name of SIGNED) delete fetched[name];
  for (const address of ADDRESSES) {
    const other = Object.hasOwn(userinfo, address) ? signed : fetched;
    delete other[`${address}_verified`];
  }
  return { ...signed, ...fetched };
}

async function fetchProfile(
  engine: ProviderEngine<unknown>,
  access: TokenResponse,
  { endpoint, extra = {}, headers, params }: ProfileDefinition,
): Promise<JSONObject> {
  const { accessToken } = access;
  const url = new URL(endpoint);
  const added = await params?.(accessToken, engine.client.clientSecret ?? "");
  for (const [name, value] of Object.entries(added ?? {})) {
    url.searchParams.set(name, value);
  }
  const secrets = [accessToken, ...Object.values(added ?? {})];
  const request: Omit<ProviderRequest, "url"> = {
    ...headers && { headers },
    secrets,
    code: "userinfo_failed",
    errorPrefix: "Cannot get the profile",
  };
  const body: Record<string, unknown> = {
    ...await fetchDocument(engine, access, { ...request, url: url.href }),
  };
  for (const [name, url] of Object.entries(extra)) {
    body[name] = await fetchOptional(engine, access, { ...request, url });
  }
  return body;
}

async function fetchDocument(
  engine: ProviderEngine<unknown>,
  access: TokenAccess,
  request: ProviderRequest,
): Promise<JSONObject> {
  const { status, body } = await sendWithToken(
    engine,
    access,
    request,
    fetchJSON,
  );
  if (status === 200) return body as JSONObject;
  const { code, errorPrefix, secrets } = request;
  throw new ExternalAuthError(
    code,
    `${errorPrefix}: the endpoint answered ${status}`,
    { status, ...readErrorDetails(body as JSONObject, secrets) },
  );
}

/** Returns a document, or `null` if it is unavailable. */
async function fetchOptional(
  engine: ProviderEngine<unknown>,
  access: TokenAccess,
  request: ProviderRequest,
): Promise<unknown> {
  try {
    return await fetchDocument(engine, access, request);
  } catch (error) {
    if (error instanceof ExternalAuthError) return null;
    throw error;
  }
}
