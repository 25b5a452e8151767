import type { RequestContext } from "@gatehouse/web/fetch-router";
import type { Client } from "./authorization.ts";
import { authenticateClient, s256 } from "./client_authentication.ts";
import { type Grants, TOKEN_LIFETIME } from "./grants.ts";
import type { Signer } from "./signer.ts";

/** Options for {@linkcode tokenResponse}. */
export interface TokenEndpoint {
  readonly findClient: (id: string) => Client | undefined;
  readonly grants: Grants;
  readonly signer: Signer;
}

/** Exchanges a code (RFC 6749, section 4.1.3). */
export async function tokenResponse(
  context: RequestContext,
  { findClient, grants, signer }: TokenEndpoint,
): Promise<Response> {
  const { headers } = context;
  const body = context.get(FormData);
  const client = await authenticateClient(headers, body, findClient);
  if (client === null) return tokenError("invalid_client", 401);
  if (body.get("grant_type") !== "authorization_code") {
    return tokenError("unsupported_grant_type");
  }
  const challenge = await s256(String(body.get("code_verifier")));
  const exchanged = grants.exchange(
    String(body.get("code")),
    ({ request }) =>
      request.client.id === client.id &&
      request.redirectUri === body.get("redirect_uri") &&
      request.challenge === challenge,
  );
  if (exchanged === null) return tokenError("invalid_grant");
  const { grant, token } = exchanged;
  const { resource, scopes } = grant.request;
  // The token is for the API that the user was asked about (RFC 8707, section 2.2).
  if ((body.get("resource") ?? resource) !== resource) {
    return tokenError("invalid_target");
  }
  return Response.json({
    access_token: resource === null
      ? token
      : await signer.signAccessToken(grant, resource),
    token_type: "Bearer",
    expires_in: TOKEN_LIFETIME / 1000,
    scope: scopes.join(" "),
    ...scopes.includes("openid") && { id_token: await signer.sign(grant) },
  }, { headers: { "Cache-Control": "no-store" } });
}

function tokenError(error: string, status = 400): Response {
  const headers = new Headers({ "Cache-Control": "no-store" });
  if (status === 401) headers.set("WWW-Authenticate", 'Basic realm="token"');
  return Response.json({ error }, { status, headers });
}
