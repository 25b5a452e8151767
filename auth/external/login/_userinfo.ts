import {
  ExternalAuthError,
  fetchJSONOrJWT,
  type JSONObject,
} from "../../issuer/mod.ts";
import { sendWithToken, type TokenAccess } from "../bound_request.ts";
import type { OpenIDDefinition, ProviderEngine } from "../engine.ts";
import { readErrorDetails } from "../provider_error.ts";
import {
  type TokenKind,
  userinfoAlgorithms,
  verifyProviderToken,
} from "../provider_token.ts";

/** A request to the userinfo endpoint. */
export interface UserinfoRequest {
  readonly url: string;
  readonly access: TokenAccess;
  /** The subject of the ID token. */
  readonly sub: string;
}

/** Signed userinfo. It must name the issuer, and the client as audience. */
const USERINFO: TokenKind = {
  code: "userinfo_failed",
  name: "signed profile",
  types: ["", "jwt"],
  requiredClaims: ["iss", "sub", "aud"],
};

/**
 * Fetches the claims of the userinfo endpoint. They may be signed.
 *
 * @throws {ExternalAuthError} If they are unavailable, they are about another
 * user, or their signature is invalid.
 * @see {@link https://openid.net/specs/openid-connect-core-1_0.html#UserInfoResponse | OpenID Connect Core 1.0, section 5.3.2}
 */
export async function fetchUserinfo(
  engine: ProviderEngine<unknown>,
  openid: OpenIDDefinition,
  { access, sub, url }: UserinfoRequest,
): Promise<JSONObject> {
  const secrets = [access.accessToken];
  const response = await sendWithToken(engine, access, {
    url,
    secrets,
    code: "userinfo_failed",
    errorPrefix: "Cannot get the profile",
  }, fetchJSONOrJWT);
  const { status } = response;
  if (status !== 200) {
    const body = "body" in response ? response.body as JSONObject : {};
    throw new ExternalAuthError(
      "userinfo_failed",
      `Cannot get the profile: the endpoint answered ${status}`,
      { status, ...readErrorDetails(body, secrets) },
    );
  }
  const claims = "jwt" in response
    ? (await verifyProviderToken(engine, openid, response.jwt, {
      ...USERINFO,
      algorithms: userinfoAlgorithms(
        openid.algorithms,
        await engine.metadata(),
      ),
    })).claims
    : response.body as JSONObject;
  if (claims.sub === sub) return claims;
  throw new ExternalAuthError(
    "userinfo_mismatch",
    "Cannot use the profile: it is that of another user",
  );
}
