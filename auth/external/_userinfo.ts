import {
  fetchJSONOrJWT,
  type JSONObject,
  type ProviderAnswer,
  type SignedAnswer,
} from "./_bounded_fetch.ts";
import {
  type OpenIDDefinition,
  type ProviderEngine,
  userinfoAlgorithms,
} from "./_engine.ts";
import { verifyWithKeys } from "./_id_token.ts";
import { refusalOf, unanswered } from "./_provider_error.ts";
import { ExternalAuthError } from "./errors.ts";

/** A question to the userinfo endpoint. */
export interface UserinfoRequest {
  readonly url: string;
  readonly accessToken: string;
  /** The subject of the ID token. */
  readonly sub: string;
}

/**
 * Fetches the claims of the userinfo endpoint, which may be signed.
 *
 * @throws {ExternalAuthError} If they are missing, they are about another user, or
 * their signature is invalid.
 * @see {@link https://openid.net/specs/openid-connect-core-1_0.html#UserInfoResponse | OpenID Connect Core 1.0, section 5.3.2}
 */
export async function fetchUserinfo(
  engine: ProviderEngine<unknown>,
  openid: OpenIDDefinition,
  { accessToken, sub, url }: UserinfoRequest,
): Promise<JSONObject> {
  const answer = await ask(engine, url, accessToken);
  const { status } = answer;
  if (status !== 200) {
    const body = "body" in answer ? answer.body as JSONObject : {};
    throw new ExternalAuthError(
      "userinfo_failed",
      `Cannot get the profile: the endpoint answered ${status}`,
      { status, ...refusalOf(body, [accessToken]) },
    );
  }
  const claims = "jwt" in answer
    ? await verifyUserinfo(engine, openid, answer.jwt)
    : answer.body as JSONObject;
  if (claims.sub === sub) return claims;
  throw new ExternalAuthError(
    "userinfo_mismatch",
    "Cannot use the profile: it is that of another user",
  );
}

async function ask(
  { transport }: ProviderEngine<unknown>,
  url: string,
  accessToken: string,
): Promise<ProviderAnswer | SignedAnswer> {
  try {
    return await fetchJSONOrJWT(transport, {
      url,
      // In a header alone, never in the query (RFC 9700, section 4.3.2).
      headers: { Authorization: `Bearer ${accessToken}` },
      secrets: [accessToken],
    });
  } catch (cause) {
    throw unanswered("userinfo_failed", "Cannot get the profile", cause);
  }
}

/** Signed claims must name their issuer, and this client as their audience. */
async function verifyUserinfo(
  engine: ProviderEngine<unknown>,
  openid: OpenIDDefinition,
  token: string,
): Promise<JSONObject> {
  const metadata = await engine.metadata();
  const verification = await verifyWithKeys(
    token,
    await engine.keys(),
    openid,
    {
      algorithms: userinfoAlgorithms(openid.algorithms, metadata),
      audience: engine.client.clientId,
      types: ["", "jwt"],
      requiredClaims: ["iss", "sub", "aud"],
      clockTolerance: engine.clockTolerance,
      now: engine.now(),
    },
  );
  if (!verification.ok) throw refusal(verification.reason);
  const { claims } = verification;
  const { iss } = claims;
  const isIssuer = typeof iss === "string" &&
    (openid.isTokenIssuer?.(iss, claims, metadata.issuer) ??
      iss === metadata.issuer);
  if (!isIssuer) throw refusal('claim "iss": it is another issuer');
  return claims;
}

function refusal(state: string): ExternalAuthError {
  return new ExternalAuthError(
    "userinfo_failed",
    `Cannot believe the signed profile: ${state}`,
  );
}
